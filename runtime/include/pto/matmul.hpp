/// The matrix multiplications of the cube.
#pragma once

#include "pto/accesses.hpp"
#include "pto/elements.hpp"
#include "pto/elementwise.hpp"
#include "pto/matrix_product.hpp"

namespace pto {
namespace detail {

template <class C, class A, class B>
constexpr void require_matmul() {
  static_assert(A::Loc == TileType::Left && B::Loc == TileType::Right && C::Loc == TileType::Acc,
                "a matrix multiplication takes tiles of TileType::Left and TileType::Right to one "
                "of TileType::Acc");
  using Left = typename A::DType;
  using Result = typename C::DType;
  static_assert(std::is_same<Left, typename B::DType>::value &&
                    (is_float<Left> ? std::is_same<Result, float>::value
                                    : std::is_same<Left, int8_t>::value &&
                                          std::is_same<Result, int32_t>::value),
                "a matrix multiplication takes half, bfloat16_t or float to float, or int8_t to "
                "int32_t");
  static_assert(A::Rows == C::Rows && A::Cols == B::Rows && B::Cols == C::Cols,
                "the shapes of a matrix multiplication are MxK, KxN and MxN");
}

/// A sum may be larger than the product, and keeps what lies beyond it: kernels have tiles of full
/// size for operands that are smaller at the end.
inline void check_holds_product(const Use& use, const char* operand, const TileFacts& sum, int rows,
                                int cols) {
  if (sum.valid_rows < rows || sum.valid_cols < cols)
    fail(use, operand, sum,
         "must hold the product, which is " + sizes(rows, cols) + ": SetValidShape it");
}

/// Whether the kernel has said of the sum, and of what it is multiplied from, that nothing is
/// valid.
template <class C, class A, class B>
bool has_no_product(const C& c, const A& a, const B& b) {
  return c.has_nothing() && (a.has_nothing() || b.has_nothing());
}

template <class C, class A, class B>
void check_matmul(const Use& use, const C& c, const A& a, const B& b) {
  require_matmul<C, A, B>();
  if constexpr (checks_bounds) {
    check_tile(use, "c", facts_of(c));
    check_source(use, "a", facts_of(a), c.has_nothing());
    check_source(use, "b", facts_of(b), c.has_nothing());
    check_valid(use, "b", facts_of(b), a.GetValidCol(), b.GetValidCol());
    check_holds_product(use, "c", facts_of(c), a.GetValidRow(), b.GetValidCol());
  }
}

/// `in` is null where no sum goes on.
template <class C, class A, class B>
void announce_matmul(const Use& use, const C& c, const C* in, const A& a, const B& b) {
  Accesses accesses(use);
  accesses.reads(a);
  accesses.reads(b);
  if (in != nullptr) accesses.reads(*in, a.GetValidRow(), b.GetValidCol());
  accesses.writes(c, a.GetValidRow(), b.GetValidCol());
}

/// out = in + a * b; in may be out, or null for zeros.
template <class C, class A, class B>
void multiply_matrices(typename C::DType* out, const typename C::DType* in, const A& a,
                       const B& b) {
  using T = typename C::DType;
  using Sum = sum_t<T>;
  const int rows = a.GetValidRow(), cols = b.GetValidCol();
  for (int i = 0; i < rows && in != out; ++i) {
    T* const row = out + i * C::Cols;
    if (in == nullptr) {
      std::fill_n(row, cols, T{});
    } else {
      std::memmove(row, in + i * C::Cols, static_cast<std::size_t>(cols) * sizeof(T));
    }
  }
  multiply_into(Rows<Sum>{reinterpret_cast<Sum*>(out), C::Cols},
                Rows<const typename A::DType>{a.data(), A::Cols},
                Rows<const typename B::DType>{b.data(), B::Cols}, rows, a.GetValidCol(), cols);
}

}  // namespace detail

template <class C, class A, class B>
RecordEvent TMATMUL(C& c, A& a, B& b, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TMATMUL", PIPE_M, site};
  if (detail::has_no_product(c, a, b)) return {};
  detail::check_matmul(use, c, a, b);
  detail::announce_matmul<C>(use, c, nullptr, a, b);
  detail::multiply_matrices<C>(c.data(), nullptr, a, b);
  return {};
}
template <AccPhase Phase, class C, class A, class B>
RecordEvent TMATMUL(C& c, A& a, B& b, detail::Site site = detail::Site::here()) {
  return TMATMUL(c, a, b, site);
}

template <class C, class A, class B>
RecordEvent TMATMUL_ACC(C& out, C& in, A& a, B& b, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TMATMUL_ACC", PIPE_M, site};
  if (detail::has_no_product(out, a, b)) return {};
  detail::check_matmul(use, out, a, b);
  if constexpr (detail::checks_bounds) {
    detail::check_tile(use, "cIn", detail::facts_of(in));
    detail::check_holds_product(use, "cIn", detail::facts_of(in), a.GetValidRow(), b.GetValidCol());
  }
  detail::announce_matmul(use, out, &in, a, b);
  detail::multiply_matrices<C>(out.data(), in.data(), a, b);
  return {};
}
template <class C, class A, class B>
RecordEvent TMATMUL_ACC(C& c, A& a, B& b, detail::Site site = detail::Site::here()) {
  return TMATMUL_ACC(c, c, a, b, site);
}
template <AccPhase Phase, class C, class A, class B>
RecordEvent TMATMUL_ACC(C& out, C& in, A& a, B& b, detail::Site site = detail::Site::here()) {
  return TMATMUL_ACC(out, in, a, b, site);
}
template <AccPhase Phase, class C, class A, class B>
RecordEvent TMATMUL_ACC(C& c, A& a, B& b, detail::Site site = detail::Site::here()) {
  return TMATMUL_ACC(c, c, a, b, site);
}

}  // namespace pto
