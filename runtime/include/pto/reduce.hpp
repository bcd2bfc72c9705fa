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
    check_tile(use, "src", facts_of(src));
    if (dst.GetValidRow() != src.GetValidRow())
      check_valid(use, "dst", facts_of(dst), src.GetValidRow(), dst.GetValidCol());
  }
  Accesses accesses(use);
  accesses.reads(src);
  if (tmp.address() >= 0) accesses.writes(tmp);
  accesses.writes(dst, dst.GetValidRow(), 1);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  for (int row = 0; row < src.GetValidRow(); ++row)
    to(row, 0) = as<T>(reduce_row(op, &from(row, 0), src.GetValidCol()));
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

}  // namespace pto
