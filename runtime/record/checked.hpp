/// Arithmetic with numbers that a file names: nobody has promised that they are small.
#pragma once

#include <optional>
#include <type_traits>

namespace pto2 {

/// An integer, or the knowledge that it does not fit its type, which everything that is computed
/// from it shares.
template <class T>
class Checked {
 public:
  /// Implicit, for the other operand of a sum is a plain number.
  constexpr Checked(T value) : value_(value) {}

  /// Nothing: it does not fit.
  [[nodiscard]] constexpr std::optional<T> result() const {
    return fits_ ? std::optional<T>(value_) : std::nullopt;
  }
  /// Whether it is more than `limit`. What does not fit is more than anything; T is unsigned.
  [[nodiscard]] constexpr bool exceeds(T limit) const {
    static_assert(std::is_unsigned_v<T>);
    return !fits_ || value_ > limit;
  }

  friend constexpr Checked operator+(Checked a, Checked b) {
    const bool over = __builtin_add_overflow(a.value_, b.value_, &a.value_);
    return a.with(b, over);
  }
  friend constexpr Checked operator-(Checked a, Checked b) {
    const bool over = __builtin_sub_overflow(a.value_, b.value_, &a.value_);
    return a.with(b, over);
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    const bool over = __builtin_mul_overflow(a.value_, b.value_, &a.value_);
    return a.with(b, over);
  }

 private:
  /// Without branches, of which a sum would have one at each of its numbers.
  [[nodiscard]] constexpr Checked with(const Checked& other, bool over) const {
    Checked result = *this;
    result.fits_ = fits_ & other.fits_ & !over;
    return result;
  }

  T value_;
  bool fits_ = true;
};

}  // namespace pto2
