/// Instructions that reduce each row of a tile to one element.
#pragma once

#include "pto/accesses.hpp"
#include "pto/elements.hpp"
#include "pto/elementwise.hpp"

namespace pto {
namespace detail {

/// A row of n elements, in as many running results as fit a wide register, so that it is a vector
/// loop and a float sum has the error of short chains.
template <class Op, class T>
arithmetic_t<T> reduce_row(Op op, const T* row, int n) {
  using W = arithmetic_t<T>;
  constexpr int lanes = 16;
  if (n < lanes) {
    W result = as<W>(row[0]);
    for (int i = 1; i < n; ++i) result = op(result, as<W>(row[i]));
    return result;
  }
  W running[lanes];
  for (int lane = 0; lane < lanes; ++lane) running[lane] = as<W>(row[lane]);
  int i = lanes;
  for (; i + lanes <= n; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      running[lane] = op(running[lane], as<W>(row[i + lane]));
  for (int lane = 0; i < n; ++i, ++lane) running[lane] = op(running[lane], as<W>(row[i]));
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      running[lane] = op(running[lane], running[lane + width]);
  return running[0];
}

template <class Op, class Dst, class Src, class Tmp>
RecordEvent reduce_rows(const Use& use, Op op, Dst& dst, const Src& src, const Tmp& tmp) {
  using T = typename Src::DType;
  static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec,
                "the operands of this instruction are tiles of TileType::Vec");
  static_assert(std::is_same<T, typename Dst::DType>::value,
                "the operands of this instruction have the same element type");
  static_assert(Src::isRowMajor && Src::SFractal == SLayout::NoneBox,
                "src is row-major and not boxed");
  static_assert(Dst::SFractal == SLayout::NoneBox && (Dst::isRowMajor || Dst::Cols == 1),
                "dst is row-major, or column-major with one column, and not boxed");
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    if (dst.GetValidRow() != src.GetValidRow())
      check_operand(use, "dst", facts_of(dst), src.GetValidRow(), dst.GetValidCol());
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.scratch(tmp);
  accesses.writes(dst, dst.GetValidRow(), 1);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  for (int row = 0; row < src.GetValidRow(); ++row)
    to(row, 0) = as<T>(reduce_row(op, &from(row, 0), src.GetValidCol()));
  return {};
}

/// Each column to one element of the first row of dst.
template <class Op, class Dst, class Src, class Tmp = NoScratch>
RecordEvent reduce_cols(const Use& use, Op op, Dst& dst, const Src& src, const Tmp& tmp = {}) {
  using T = typename Src::DType;
  using W = arithmetic_t<T>;
  static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec,
                "the operands of this instruction are tiles of TileType::Vec");
  static_assert(std::is_same<T, typename Dst::DType>::value,
                "the operands of this instruction have the same element type");
  static_assert(Src::isRowMajor && Src::SFractal == SLayout::NoneBox && Dst::isRowMajor &&
                    Dst::SFractal == SLayout::NoneBox,
                "the operands of this instruction are row-major and not boxed");
  const int rows = src.GetValidRow(), cols = src.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    if (dst.GetValidCol() != cols)
      check_operand(use, "dst", facts_of(dst), dst.GetValidRow(), cols);
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.scratch(tmp);
  accesses.writes(dst, 1, cols);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  // Some columns at a time: a kernel's stack is small, and a row may be of a fifth of UB.
  constexpr int at_once = Src::Cols < 512 ? Src::Cols : 512;
  W running[at_once];
  for (int first = 0; first < cols; first += at_once) {
    const int n = cols - first < at_once ? cols - first : at_once;
    for (int j = 0; j < n; ++j) running[j] = as<W>(from(0, first + j));
    for (int i = 1; i < rows; ++i)
      for (int j = 0; j < n; ++j) running[j] = op(running[j], as<W>(from(i, first + j)));
    for (int j = 0; j < n; ++j) to(0, first + j) = as<T>(running[j]);
  }
  return {};
}

}  // namespace detail

template <class Dst, class Src, class Tmp>
RecordEvent TROWSUM(Dst& dst, Src& src, Tmp& tmp, detail::Site site = detail::Site::here()) {
  return detail::reduce_rows({"TROWSUM", PIPE_V, site}, detail::Add(), dst, src, tmp);
}
template <class Dst, class Src, class Tmp>
RecordEvent TROWMAX(Dst& dst, Src& src, Tmp& tmp, detail::Site site = detail::Site::here()) {
  return detail::reduce_rows({"TROWMAX", PIPE_V, site}, detail::Maximum(), dst, src, tmp);
}
template <class Dst, class Src, class Tmp>
RecordEvent TROWMIN(Dst& dst, Src& src, Tmp& tmp, detail::Site site = detail::Site::here()) {
  return detail::reduce_rows({"TROWMIN", PIPE_V, site}, detail::Minimum(), dst, src, tmp);
}

template <class Dst, class Src>
RecordEvent TCOLSUM(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::reduce_cols({"TCOLSUM", PIPE_V, site}, detail::Add(), dst, src);
}
template <class Dst, class Src>
RecordEvent TCOLMAX(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::reduce_cols({"TCOLMAX", PIPE_V, site}, detail::Maximum(), dst, src);
}
template <class Dst, class Src>
RecordEvent TCOLMIN(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::reduce_cols({"TCOLMIN", PIPE_V, site}, detail::Minimum(), dst, src);
}
/// By a tree of sums, which takes half of the rows of src in tmp, or row by row. What comes out is
/// the same here.
template <class Dst, class Src, class Tmp>
RecordEvent TCOLSUM(Dst& dst, Src& src, Tmp& tmp, bool is_binary,
                    detail::Site site = detail::Site::here()) {
  const detail::Use use{"TCOLSUM", PIPE_V, site};
  if (!is_binary) return detail::reduce_cols(use, detail::Add(), dst, src);
  if constexpr (detail::checks_all)
    detail::check_operand_room(use, "tmp", detail::facts_of(tmp), (src.GetValidRow() + 1) / 2,
                               src.GetValidCol());
  return detail::reduce_cols(use, detail::Add(), dst, src, tmp);
}

}  // namespace pto
