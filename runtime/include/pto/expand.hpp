/// Instructions that spread an operand over the rows of a tile, and those that fill one.
#pragma once

#include <algorithm>

#include "pto/accesses.hpp"
#include "pto/elements.hpp"
#include "pto/elementwise.hpp"

namespace pto {
namespace detail {

/// The operand that is spread over the columns: one element per row if it is column-major, else a
/// block of 32 bytes per row, which repeats.
template <class Row>
struct RowOperand {
  static constexpr int block = Row::isRowMajor ? 32 / sizeof(typename Row::DType) : 1;

  static void check(const Use& use, const char* operand, const Row& row, int rows) {
    if constexpr (checks_bounds) {
      check_tile(use, operand, facts_of(row));
      check_operand(use, operand, facts_of(row), rows, block);
    }
  }
};

/// Op with the full operand on the left, or on the right.
template <bool FullIsLeft, class Op, class Dst, class Full, class Row>
void expand_rows(Op op, const Dst& dst, const Full& full, const Row& row) {
  using T = typename Dst::DType;
  using W = arithmetic_t<T>;
  constexpr int block = RowOperand<Row>::block;
  const Elements<Dst> to(dst);
  const Elements<Full> from(full);
  const Elements<Row> spread(row);
  const auto apply = [op](W of_full, W of_row) {
    return as<T>(FullIsLeft ? op(of_full, of_row) : op(of_row, of_full));
  };
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  for (int i = 0; i < rows; ++i) {
    if constexpr (block == 1) {
      const W of_row = as<W>(spread(i, 0));
      PTO2_INDEPENDENT
      for (int j = 0; j < cols; ++j) to(i, j) = apply(as<W>(from(i, j)), of_row);
    } else {
      PTO2_INDEPENDENT
      for (int j = 0; j < cols; ++j)
        to(i, j) = apply(as<W>(from(i, j)), as<W>(spread(i, j % block)));
    }
  }
}

template <class Dst, class A, class B>
constexpr void require_row_expand() {
  static_assert(Dst::Loc == TileType::Vec && A::Loc == TileType::Vec && B::Loc == TileType::Vec,
                "the operands of this instruction are tiles of TileType::Vec");
  static_assert(std::is_same<typename Dst::DType, typename A::DType>::value &&
                    std::is_same<typename Dst::DType, typename B::DType>::value,
                "the operands of this instruction have the same element type");
  static_assert(Dst::isRowMajor, "dst is row-major");
}

/// The full operand and the one that is spread, whichever of the sources each of them is.
template <bool FullIsLeft, class Op, class Dst, class Full, class Row, class Tmp>
void expand_from(const Use& use, Op op, const Dst& dst, const Full& full, const Row& row,
                 const Tmp& tmp) {
  if constexpr (checks_bounds) {
    const char* const of_full = FullIsLeft ? "src0" : "src1";
    check_tile(use, of_full, facts_of(full));
    check_operand(use, of_full, facts_of(full), dst.GetValidRow(), dst.GetValidCol());
    RowOperand<Row>::check(use, FullIsLeft ? "src1" : "src0", row, dst.GetValidRow());
  }
  Accesses accesses(use);
  accesses.reads(full);
  accesses.reads(row);
  accesses.scratch(tmp);
  accesses.writes(dst);
  expand_rows<FullIsLeft>(op, dst, full, row);
}

/// Which of the two sources is the full one is a matter of the valid regions.
template <class Op, class Dst, class A, class B, class Tmp = NoScratch>
RecordEvent row_expand(const Use& use, Op op, Dst& dst, const A& src0, const B& src1,
                       const Tmp& tmp = {}) {
  require_row_expand<Dst, A, B>();
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  const auto is_full = [&](const auto& tile) {
    return tile.GetValidRow() == rows && tile.GetValidCol() == cols && tile.isRowMajor;
  };
  if constexpr (checks_bounds) check_tile(use, "dst", facts_of(dst));
  if (is_full(src0) || !is_full(src1)) {
    expand_from<true>(use, op, dst, src0, src1, tmp);
  } else {
    expand_from<false>(use, op, dst, src1, src0, tmp);
  }
  return {};
}

/// Each column of src0 with one element of src1.
template <class Op, class Dst, class A, class B>
RecordEvent col_expand(const Use& use, Op op, Dst& dst, const A& src0, const B& src1) {
  require_row_expand<Dst, A, B>();
  using T = typename Dst::DType;
  using W = arithmetic_t<T>;
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_tile(use, "src0", facts_of(src0));
    check_operand(use, "src0", facts_of(src0), rows, cols);
    check_tile(use, "src1", facts_of(src1));
    if (src1.GetValidCol() < cols)
      check_operand(use, "src1", facts_of(src1), std::max(src1.GetValidRow(), 1), cols);
  }
  Accesses accesses(use);
  accesses.reads(src0);
  accesses.reads(src1, 1, cols);
  accesses.writes(dst);
  const Elements<Dst> to(dst);
  const Elements<A> from(src0);
  const Elements<B> of_col(src1);
  for_each_element<Dst>(rows, cols, [&](int i, int j) {
    to(i, j) = as<T>(op(as<W>(from(i, j)), as<W>(of_col(0, j))));
  });
  return {};
}

/// e to the difference.
struct ExponentialOfDifference {
  template <class T>
  T operator()(T a, T b) const {
    static_assert(std::is_same<T, float>::value,
                  "the elements of this instruction are half, bfloat16_t or float");
    return exponential(a - b);
  }
};

/// The first column of src, or the first row, in each column or row.
template <bool OfRows, class Dst, class Src>
RecordEvent spread(const Use& use, Dst& dst, const Src& src) {
  require_row_expand<Dst, Src, Src>();
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_tile(use, "src", facts_of(src));
    if (OfRows ? src.GetValidRow() != rows : src.GetValidCol() < cols)
      check_operand(use, "src", facts_of(src), OfRows ? rows : 1, OfRows ? 1 : cols);
  }
  Accesses accesses(use);
  accesses.reads(src, OfRows ? rows : 1, OfRows ? 1 : cols);
  accesses.writes(dst);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  for (int i = 0; i < rows; ++i) {
    const auto of_row = from(OfRows ? i : 0, 0);
    PTO2_INDEPENDENT
    for (int j = 0; j < cols; ++j) to(i, j) = OfRows ? of_row : from(0, j);
  }
  return {};
}

}  // namespace detail

template <class Dst, class A, class B>
RecordEvent TROWEXPANDADD(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDADD", PIPE_V, site}, detail::Add(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TROWEXPANDSUB(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDSUB", PIPE_V, site}, detail::Subtract(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TROWEXPANDMUL(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMUL", PIPE_V, site}, detail::Multiply(), dst, src0, src1);
}
template <auto Precision = DivAlgorithm::DEFAULT, class Dst, class A, class B>
RecordEvent TROWEXPANDDIV(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDDIV", PIPE_V, site}, detail::Divide(), dst, src0, src1);
}

template <class Dst, class A, class B>
RecordEvent TROWEXPANDMAX(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMAX", PIPE_V, site}, detail::Maximum(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TROWEXPANDMIN(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMIN", PIPE_V, site}, detail::Minimum(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TROWEXPANDEXPDIF(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDEXPDIF", PIPE_V, site}, detail::ExponentialOfDifference(),
                            dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDADD(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDADD", PIPE_V, site}, detail::Add(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDSUB(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDSUB", PIPE_V, site}, detail::Subtract(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDMUL(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDMUL", PIPE_V, site}, detail::Multiply(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDDIV(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDDIV", PIPE_V, site}, detail::Divide(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDMAX(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDMAX", PIPE_V, site}, detail::Maximum(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDMIN(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDMIN", PIPE_V, site}, detail::Minimum(), dst, src0, src1);
}
template <class Dst, class A, class B>
RecordEvent TCOLEXPANDEXPDIF(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::col_expand({"TCOLEXPANDEXPDIF", PIPE_V, site}, detail::ExponentialOfDifference(),
                            dst, src0, src1);
}

template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDADD(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDADD", PIPE_V, site}, detail::Add(), dst, src0, src1, tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDSUB(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDSUB", PIPE_V, site}, detail::Subtract(), dst, src0, src1,
                            tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDMUL(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMUL", PIPE_V, site}, detail::Multiply(), dst, src0, src1,
                            tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDDIV(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDDIV", PIPE_V, site}, detail::Divide(), dst, src0, src1,
                            tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDMAX(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMAX", PIPE_V, site}, detail::Maximum(), dst, src0, src1,
                            tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDMIN(Dst& dst, A& src0, B& src1, Tmp& tmp,
                          detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDMIN", PIPE_V, site}, detail::Minimum(), dst, src0, src1,
                            tmp);
}
template <class Dst, class A, class B, class Tmp>
RecordEvent TROWEXPANDEXPDIF(Dst& dst, A& src0, B& src1, Tmp& tmp,
                             detail::Site site = detail::Site::here()) {
  return detail::row_expand({"TROWEXPANDEXPDIF", PIPE_V, site}, detail::ExponentialOfDifference(),
                            dst, src0, src1, tmp);
}

template <class Dst, class Src>
RecordEvent TROWEXPAND(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::spread<true>({"TROWEXPAND", PIPE_V, site}, dst, src);
}
template <class Dst, class Src>
RecordEvent TCOLEXPAND(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::spread<false>({"TCOLEXPAND", PIPE_V, site}, dst, src);
}

/// Every valid element of a vector tile becomes the scalar; of one in L1, every element.
template <class Dst>
RecordEvent TEXPANDS(Dst& dst, typename Dst::DType scalar,
                     detail::Site site = detail::Site::here()) {
  static_assert(Dst::Loc == TileType::Vec || Dst::Loc == TileType::Mat,
                "dst is a tile of TileType::Vec or TileType::Mat");
  constexpr bool is_vector = Dst::Loc == TileType::Vec;
  const detail::Use use{"TEXPANDS", is_vector ? PIPE_V : PIPE_MTE2, site};
  if constexpr (detail::checks_bounds) detail::check_tile(use, "dst", detail::facts_of(dst));
  const int rows = is_vector ? dst.GetValidRow() : Dst::Rows;
  const int cols = is_vector ? dst.GetValidCol() : Dst::Cols;
  detail::Accesses(use).writes(dst, rows, cols);
  const detail::Elements<Dst> to(dst);
  detail::for_each_element<Dst>(rows, cols, [&](int i, int j) { to(i, j) = scalar; });
  return {};
}

}  // namespace pto
