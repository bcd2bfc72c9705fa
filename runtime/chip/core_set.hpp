/// A set of cores, as bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

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

  /// Visits the members, by their numbers. The one that is visited may be moved away, and others
  /// here: those that lie in a later word are visited.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (uint32_t w = 0; w < used_; ++w) {
      for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) visit(lowest_of(w, bits));
    }
  }

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
