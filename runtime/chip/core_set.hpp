/// A set of small numbers, as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace pto2 {

class CoreSet {
 public:
  /// Holds numbers below `limit`; empty.
  explicit CoreSet(uint32_t limit) : words_((limit + 63) / 64) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] uint32_t size() const { return count_; }

  [[nodiscard]] bool contains(uint32_t n) const { return (words_[n / 64] >> (n % 64) & 1) != 0; }

  void insert(uint32_t n) {
    words_[n / 64] |= uint64_t{1} << (n % 64);
    ++count_;
  }
  void erase(uint32_t n) {
    words_[n / 64] &= ~(uint64_t{1} << (n % 64));
    --count_;
  }
  /// Removes and returns the lowest number. Requires a member.
  uint32_t pop_lowest() {
    uint32_t w = 0;
    while (words_[w] == 0) ++w;
    const uint32_t n = w * 64 + static_cast<uint32_t>(std::countr_zero(words_[w]));
    erase(n);
    return n;
  }
  /// Calls visit(n) for each member; visit may erase n.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (uint32_t w = 0; w < words_.size(); ++w) {
      for (uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(w * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
  uint32_t count_ = 0;
};

}  // namespace pto2
