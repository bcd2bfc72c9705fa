/// A set of cores, as bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

#include "runtime/chip/chip.hpp"

namespace pto2 {

class CoreSet {
 public:
  /// Holds the cores before `limit`, which is not above max_cores; empty.
  explicit CoreSet(uint32_t limit) : used_((limit + 63) / 64) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] uint32_t size() const { return count_; }

  [[nodiscard]] bool contains(CoreId core) const {
    return (words_[core.value / 64] & bit_of(core)) != 0;
  }

  /// Requires that it is no member.
  void insert(CoreId core) {
    words_[core.value / 64] |= bit_of(core);
    ++count_;
  }
  /// Moves a core to `other`, whose limit is above it. Requires a member of this set, and none of
  /// that.
  void move(CoreId core, CoreSet& other) { move(core.value / 64, bit_of(core), other); }
  /// Moves the core of the lowest number to `other`, and returns it. Requires a member.
  CoreId move_lowest(CoreSet& other) {
    uint32_t w = 0;
    while (words_[w] == 0) ++w;
    const uint64_t bits = words_[w];
    move(w, bits & -bits, other);
    return lowest_of(w, bits);
  }

  /// Goes over the members, by their numbers. The one that it is at may be moved away, and others
  /// here: it comes by those that lie in a later word.
  class Iterator {
   public:
    explicit Iterator(const CoreSet& cores)
        : cores_(cores), word_(cores.empty() ? cores.used_ : 0), bits_(cores.words_[0]) {
      skip();
    }
    CoreId operator*() const { return lowest_of(word_, bits_); }
    Iterator& operator++() {
      bits_ &= bits_ - 1;
      skip();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return bits_ == 0; }

   private:
    /// To the next word that has members, if this one has no more.
    void skip() {
      while (bits_ == 0 && ++word_ < cores_.used_) bits_ = cores_.words_[word_];
    }

    const CoreSet& cores_;
    uint32_t word_;
    uint64_t bits_;  // of it, to be visited yet
  };
  [[nodiscard]] Iterator begin() const { return Iterator(*this); }
  [[nodiscard]] static std::default_sentinel_t end() { return {}; }

 private:
  static uint64_t bit_of(CoreId core) { return uint64_t{1} << (core.value % 64); }
  static CoreId lowest_of(uint32_t word, uint64_t bits) {
    return CoreId(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  }

  void move(uint32_t word, uint64_t bit, CoreSet& other) {
    words_[word] &= ~bit;
    other.words_[word] |= bit;
    --count_;
    ++other.count_;
  }

  uint32_t count_ = 0;
  uint32_t used_;  // words that may have members
  std::array<uint64_t, max_cores / 64> words_{};
};

}  // namespace pto2
