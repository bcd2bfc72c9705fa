/// A set of cores, as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/chip/chip.hpp"

namespace pto2 {

class CoreSet {
 public:
  /// Holds the cores before `limit`; empty.
  explicit CoreSet(uint32_t limit) : words_((limit + 63) / 64) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] uint32_t size() const { return count_; }

  [[nodiscard]] bool contains(CoreId core) const {
    return (words_[core.value / 64] >> (core.value % 64) & 1) != 0;
  }

  void insert(CoreId core) {
    words_[core.value / 64] |= uint64_t{1} << (core.value % 64);
    ++count_;
  }
  void erase(CoreId core) {
    words_[core.value / 64] &= ~(uint64_t{1} << (core.value % 64));
    --count_;
  }
  /// Removes and returns the core of the lowest number. Requires a member.
  CoreId pop_lowest() {
    uint32_t w = 0;
    while (words_[w] == 0) ++w;
    const CoreId lowest = lowest_of(w, words_[w]);
    erase(lowest);
    return lowest;
  }
  /// Calls visit(core) for each member; visit may erase it.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    if (empty()) return;
    for (uint32_t w = 0; w < words_.size(); ++w) {
      for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(lowest_of(w, bits));
      }
    }
  }

 private:
  static CoreId lowest_of(uint32_t word, uint64_t bits) {
    return CoreId(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  }

  std::vector<uint64_t> words_;
  uint32_t count_ = 0;
};

}  // namespace pto2
