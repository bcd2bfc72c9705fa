/// Instructions that compute each element of a tile from those at the same place of others, and
/// from a scalar.
#pragma once

#include "pto/accesses.hpp"
#include "pto/elements.hpp"
#include "pto/half_lines.hpp"
#include "pto/math.hpp"

namespace pto {
namespace detail {

/// In arithmetic_t<T>. Integers wrap around.
template <class T>
using wrapping_t = std::conditional_t<std::is_integral<T>::value,
                                      std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping_t<T>>(a) + static_cast<wrapping_t<T>>(b));
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping_t<T>>(a) - static_cast<wrapping_t<T>>(b));
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<wrapping_t<T>>(a) * static_cast<wrapping_t<T>>(b));
  }
};
/// Of integers, towards zero; by zero it is 0, and the one quotient that does not fit wraps around.
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral<T>::value) {
      if (b == 0) return 0;
      if (std::is_signed<T>::value && b == static_cast<T>(-1)) return Subtract()(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

struct Exponential {
  float operator()(float a) const { return exponential(a); }
};
struct Logarithm {
  float operator()(float a) const { return logarithm(a); }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_integral<T>::value) return Subtract()(T{0}, a);
    return -a;
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_unsigned<T>::value) return a;
    if constexpr (is_float<T>) return std::fabs(a);
    return a < T{0} ? Negate()(a) : a;
  }
};
struct Reciprocal {
  float operator()(float a) const { return 1.0F / a; }
};
struct ReciprocalSquareRoot {
  float operator()(float a) const { return 1.0F / std::sqrt(a); }
};
struct SquareRoot {
  float operator()(float a) const { return std::sqrt(a); }
};

template <class Op, class Dst, class A, class B>
RecordEvent binary(const Use& use, Op op, Dst& dst, const A& a, const B& b) {
  using T = typename Dst::DType;
  static_assert(
      std::is_same<T, typename A::DType>::value && std::is_same<T, typename B::DType>::value,
      "the operands of this instruction have the same element type");
  begin_elementwise(use, dst, a, b);
  if constexpr (std::is_same<T, half>::value && have_same_lines<Dst, A, B>) {
    transform_halves(op, dst, a, b);
    return {};
  }
  const Elements<Dst> to(dst);
  const Elements<A> left(a);
  const Elements<B> right(b);
  using W = arithmetic_t<T>;
  for_each_element<Dst>(dst.GetValidRow(), dst.GetValidCol(), [&](int i, int j) {
    to(i, j) = as<T>(op(as<W>(left(i, j)), as<W>(right(i, j))));
  });
  return {};
}

template <class Op, class Dst, class A>
RecordEvent unary(const Use& use, Op op, Dst& dst, const A& a) {
  using T = typename Dst::DType;
  static_assert(std::is_same<T, typename A::DType>::value,
                "the operands of this instruction have the same element type");
  begin_elementwise(use, dst, a);
  if constexpr (std::is_same<T, half>::value && have_same_lines<Dst, A>) {
    transform_halves(op, dst, a);
    return {};
  }
  const Elements<Dst> to(dst);
  const Elements<A> from(a);
  for_each_element<Dst>(dst.GetValidRow(), dst.GetValidCol(), [&](int i, int j) {
    to(i, j) = as<T>(op(as<arithmetic_t<T>>(from(i, j))));
  });
  return {};
}

template <class Op, class Dst, class A>
RecordEvent unary_float(const Use& use, Op op, Dst& dst, const A& a) {
  static_assert(std::is_same<typename Dst::DType, half>::value ||
                    std::is_same<typename Dst::DType, float>::value,
                "the elements of this instruction are half or float");
  return unary(use, op, dst, a);
}

template <class Op, class Dst, class A>
RecordEvent with_scalar(const Use& use, Op op, Dst& dst, const A& a, typename A::DType scalar) {
  const arithmetic_t<typename A::DType> wide = as<arithmetic_t<typename A::DType>>(scalar);
  return unary(
      use, [=](auto value) { return op(value, wide); }, dst, a);
}

}  // namespace detail

template <class Dst, class A, class B>
RecordEvent TADD(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TADD", PIPE_V, site}, detail::Add(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TSUB(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TSUB", PIPE_V, site}, detail::Subtract(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TMUL(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TMUL", PIPE_V, site}, detail::Multiply(), dst, src0, src1);
}
template <auto Precision = DivAlgorithm::DEFAULT, class Dst, class A, class B>
RecordEvent TDIV(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TDIV", PIPE_V, site}, detail::Divide(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TMAX(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TMAX", PIPE_V, site}, detail::Maximum(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TMIN(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::binary({"TMIN", PIPE_V, site}, detail::Minimum(), dst, src0, src1);
}

template <class Dst, class A>
RecordEvent TADDS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TADDS", PIPE_V, site}, detail::Add(), dst, src, scalar);
}
template <class Dst, class A>
RecordEvent TSUBS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TSUBS", PIPE_V, site}, detail::Subtract(), dst, src, scalar);
}
template <class Dst, class A>
RecordEvent TMULS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TMULS", PIPE_V, site}, detail::Multiply(), dst, src, scalar);
}
template <auto Precision = DivAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TDIVS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TDIVS", PIPE_V, site}, detail::Divide(), dst, src, scalar);
}
template <auto Precision = DivAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TDIVS(Dst& dst, typename Dst::DType scalar, A& src,
                  detail::Site site = detail::Site::here()) {
  using W = detail::arithmetic_t<typename Dst::DType>;
  return detail::unary(
      {"TDIVS", PIPE_V, site},
      [wide = detail::as<W>(scalar)](W value) { return detail::Divide()(wide, value); }, dst, src);
}
template <class Dst, class A>
RecordEvent TMAXS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TMAXS", PIPE_V, site}, detail::Maximum(), dst, src, scalar);
}
template <class Dst, class A>
RecordEvent TMINS(Dst& dst, A& src, typename A::DType scalar,
                  detail::Site site = detail::Site::here()) {
  return detail::with_scalar({"TMINS", PIPE_V, site}, detail::Minimum(), dst, src, scalar);
}

template <auto Precision = ExpAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TEXP(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary_float({"TEXP", PIPE_V, site}, detail::Exponential(), dst, src);
}
template <auto Precision = LogAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TLOG(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary_float({"TLOG", PIPE_V, site}, detail::Logarithm(), dst, src);
}
template <auto Precision = SqrtAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TSQRT(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary_float({"TSQRT", PIPE_V, site}, detail::SquareRoot(), dst, src);
}

template <auto Precision = RecipAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TRECIP(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary_float({"TRECIP", PIPE_V, site}, detail::Reciprocal(), dst, src);
}
template <auto Precision = RsqrtAlgorithm::DEFAULT, class Dst, class A>
RecordEvent TRSQRT(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary_float({"TRSQRT", PIPE_V, site}, detail::ReciprocalSquareRoot(), dst, src);
}
template <auto Precision = RsqrtAlgorithm::DEFAULT, class Dst, class A, class Tmp>
RecordEvent TRSQRT(Dst& dst, A& src, Tmp&, detail::Site site = detail::Site::here()) {
  return TRSQRT<Precision>(dst, src, site);
}
template <class Dst, class A>
RecordEvent TNEG(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary({"TNEG", PIPE_V, site}, detail::Negate(), dst, src);
}
template <class Dst, class A>
RecordEvent TABS(Dst& dst, A& src, detail::Site site = detail::Site::here()) {
  return detail::unary({"TABS", PIPE_V, site}, detail::Absolute(), dst, src);
}

}  // namespace pto
