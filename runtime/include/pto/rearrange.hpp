/// Instructions that put elements elsewhere in a tile, or number them: TTRANS, TCONCAT, TGATHER,
/// TCI.
#pragma once

#include "pto/accesses.hpp"
#include "pto/elements.hpp"

namespace pto {

/// Which of four elements in a row a gather takes: the last digit stands for the first one.
enum class MaskPattern { P0101, P1010, P0001, P0010, P0100, P1000, P1111 };

namespace detail {

template <class First, class... Others>
constexpr void require_vectors() {
  static_assert(First::Loc == TileType::Vec && ((Others::Loc == TileType::Vec) && ...),
                "the operands of this instruction are tiles of TileType::Vec");
  static_assert((std::is_same<typename First::DType, typename Others::DType>::value && ...),
                "the operands of this instruction have the same element type");
}

constexpr bool takes(MaskPattern pattern, int element) {
  constexpr int bits[] = {0b0101, 0b1010, 0b0001, 0b0010, 0b0100, 0b1000, 0b1111};
  return (bits[static_cast<int>(pattern)] >> element % 4 & 1) != 0;
}

template <class Dst, class Src, class Tmp>
RecordEvent transpose(const Use& use, Dst& dst, const Src& src, const Tmp& tmp) {
  require_vectors<Dst, Src>();
  const int rows = src.GetValidRow(), cols = src.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    if (rows > Dst::Cols || cols > Dst::Rows)
      fail(use, "dst", facts_of(dst),
           "has no room for " + sizes(cols, rows) + ", the transpose of src: make it larger");
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.scratch(tmp);
  accesses.writes(dst, cols, rows);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) to(j, i) = from(i, j);
  return {};
}

template <class Dst, class A, class B>
RecordEvent concatenate(const Use& use, Dst& dst, const A& src0, const B& src1) {
  require_vectors<Dst, A, B>();
  const int rows = dst.GetValidRow(), left = src0.GetValidCol(), right = src1.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    // One of the two may have no part of it.
    check_source(use, "src0", facts_of(src0), dst.has_nothing() || !src1.has_nothing());
    check_tile(use, "src1", facts_of(src1));
    check_operand(use, "src0", facts_of(src0), rows, left);
    check_operand(use, "src1", facts_of(src1), rows, right);
    if (left + right > Dst::Cols)
      fail(use, "dst", facts_of(dst),
           "has no room for " + std::to_string(left + right) + " columns: make it wider");
  }
  Accesses accesses(use);
  accesses.reads(src0);
  accesses.reads(src1);
  accesses.writes(dst, rows, left + right);
  const Elements<Dst> to(dst);
  const Elements<A> from0(src0);
  const Elements<B> from1(src1);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < left; ++j) to(i, j) = from0(i, j);
    for (int j = 0; j < right; ++j) to(i, left + j) = from1(i, j);
  }
  return {};
}

/// The index of an element of src, which it has to have; without checks 0 stands for any other.
template <class Src, class Index>
int64_t checked_index(const Use& use, const Src& src, Index index) {
  const int64_t wide = static_cast<int64_t>(index);
  if (wide >= 0 && wide < Src::Numel) return wide;
  if constexpr (checks_bounds)
    fail(use, "src0", facts_of(src),
         "has no element " + std::to_string(wide) + ", which an index asks for: it has " +
             std::to_string(Src::Numel));
  return 0;
}

template <class Dst, class Src, class Index, class Tmp>
RecordEvent gather(const Use& use, Dst& dst, const Src& src, const Index& index, const Tmp& tmp) {
  require_vectors<Dst, Src>();
  static_assert(Index::Loc == TileType::Vec && std::is_integral<typename Index::DType>::value,
                "the indices of a gather are integers in a tile of TileType::Vec");
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src0", facts_of(src), dst.has_nothing());
    check_tile(use, "src1", facts_of(index));
    check_operand(use, "src1", facts_of(index), rows, cols);
  }
  Accesses accesses(use);
  accesses.reads(index);
  const Elements<Index> place(index);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      accesses.reads_element(src, checked_index(use, src, place(i, j)));
  accesses.scratch(tmp);
  accesses.writes(dst);
  const Elements<Dst> to(dst);
  const typename Src::DType* const from = src.data();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) to(i, j) = from[checked_index(use, src, place(i, j))];
  return {};
}

template <MaskPattern Pattern, class Dst, class Src>
RecordEvent gather_pattern(const Use& use, Dst& dst, const Src& src) {
  using To = typename Dst::DType;
  static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec &&
                    sizeof(To) == sizeof(typename Src::DType),
                "the operands of TGATHER by a pattern have elements of one size");
  const int rows = src.GetValidRow(), cols = src.GetValidCol();
  int taken = 0;
  for (int j = 0; j < cols; ++j) taken += takes(Pattern, j) ? 1 : 0;
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    if (rows > Dst::Rows || taken > Dst::Cols)
      fail(
          use, "dst", facts_of(dst),
          "has no room for the " + sizes(rows, taken) + " elements that are taken: make it larger");
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.writes(dst, rows, taken);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  for (int i = 0; i < rows; ++i)
    for (int j = 0, next = 0; j < cols; ++j)
      if (takes(Pattern, j)) std::memcpy(&to(i, next++), &from(i, j), sizeof(To));
  return {};
}

template <bool Descending, class Dst>
RecordEvent count(const Use& use, Dst& dst, typename Dst::DType start) {
  using T = typename Dst::DType;
  static_assert(Dst::Loc == TileType::Vec && std::is_integral<T>::value && Dst::Cols != 1,
                "TCI numbers the integers of a row of a tile of TileType::Vec");
  if constexpr (checks_bounds) check_tile(use, "dst", facts_of(dst));
  Accesses(use).writes(dst, 1, dst.GetValidCol());
  const Elements<Dst> to(dst);
  for (int j = 0; j < dst.GetValidCol(); ++j)
    to(0, j) =
        static_cast<T>(static_cast<uint64_t>(start) + (Descending ? -uint64_t(j) : uint64_t(j)));
  return {};
}

}  // namespace detail

/// dst[i][j] = src[j][i], for the valid elements of src.
template <class Dst, class Src, class Tmp>
RecordEvent TTRANS(Dst& dst, Src& src, Tmp& tmp, detail::Site site = detail::Site::here()) {
  return detail::transpose({"TTRANS", PIPE_V, site}, dst, src, tmp);
}

/// Each row of src0 and that of src1 behind it.
template <class Dst, class A, class B>
RecordEvent TCONCAT(Dst& dst, A& src0, B& src1, detail::Site site = detail::Site::here()) {
  return detail::concatenate({"TCONCAT", PIPE_V, site}, dst, src0, src1);
}

/// The elements of src0 whose places in memory src1 has.
template <class Dst, class Src, class Index, class Tmp>
RecordEvent TGATHER(Dst& dst, Src& src0, Index& src1, Tmp& tmp,
                    detail::Site site = detail::Site::here()) {
  return detail::gather({"TGATHER", PIPE_V, site}, dst, src0, src1, tmp);
}
/// Of each row those that the pattern takes, without gaps.
template <class Dst, class Src, MaskPattern Pattern>
RecordEvent TGATHER(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return detail::gather_pattern<Pattern>({"TGATHER", PIPE_V, site}, dst, src);
}

/// start, start + 1, .. in the first row, or start, start - 1, ..
template <class Dst, class T, int Descending>
RecordEvent TCI(Dst& dst, T start, detail::Site site = detail::Site::here()) {
  return detail::count<Descending != 0>({"TCI", PIPE_V, site}, dst, start);
}
template <class Dst, class Tmp, class T, int Descending>
RecordEvent TCI(Dst& dst, T start, Tmp&, detail::Site site = detail::Site::here()) {
  return TCI<Dst, T, Descending>(dst, start, site);
}

}  // namespace pto
