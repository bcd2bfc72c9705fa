/// MSCATTER: rows or elements of a tile to where indices say in a tensor.
#pragma once

#include "pto/transfer.hpp"

namespace pto {

enum class Coalesce : uint8_t { Row, Elem };
enum class ScatterAtomicOp : uint8_t { None, Add, Max, Min };
/// What becomes of an index that the table does not have.
enum class ScatterOOB : uint8_t { Undefined, Skip, Clamp, Wrap };
/// Which of several writes to one place is the last: here that of the largest index in the tile.
enum class ScatterConflict : uint8_t { Last, Default };

namespace detail {

/// The place of an index in a table that has so many, or -1: there is none.
template <ScatterOOB Oob>
int64_t place_of(const Use& use, uint32_t index, int64_t capacity) {
  if (index < capacity) return index;
  if constexpr (Oob == ScatterOOB::Clamp) return capacity - 1;
  if constexpr (Oob == ScatterOOB::Wrap) return index % capacity;
  if constexpr (Oob == ScatterOOB::Undefined && checks_bounds)
    fail(use, "index " + std::to_string(static_cast<int32_t>(index)) + " is none of the table's " +
                  std::to_string(capacity) + ": say with ScatterOOB what becomes of it");
  return -1;
}

template <ScatterAtomicOp Op, class To, class From>
void scatter_one(To& to, From from) {
  if constexpr (Op == ScatterAtomicOp::None) to = stored<To>(from);
  if constexpr (Op == ScatterAtomicOp::Add) combine_into<AtomicType::AtomicAdd>(to, from);
  if constexpr (Op == ScatterAtomicOp::Max) combine_into<AtomicType::AtomicMax>(to, from);
  if constexpr (Op == ScatterAtomicOp::Min) combine_into<AtomicType::AtomicMin>(to, from);
}

template <bool ByRows, class Table, class Src, class Idx>
void check_scatter(const Use& use, const View<Table>& view, const Table& table, const Src& src,
                   const Idx& idx) {
  if constexpr (!checks_bounds) return;
  check_view(use, "the table", table);
  if (view.data == nullptr) fail(use, "the table has no address: give it one");
  const int64_t rows = view.rows.size(), cols = view.cols.size();
  check_tensor(use, "the table", view.data,
               view.rows.last_offset(rows) + view.cols.last_offset(cols));
  check_tile(use, "src", facts_of(src));
  const TileFacts indices = facts_of(idx);
  check_tile(use, "idx", indices);
  if constexpr (ByRows) {
    if (cols != src.GetValidCol())
      fail(use, "src", facts_of(src),
           "has rows of another length than the table, whose have " + std::to_string(cols));
    if (indices.valid_cols != 1) return check_valid(use, "idx", indices, 1, src.GetValidRow());
    check_valid(use, "idx", indices, src.GetValidRow(), 1);
  } else {
    check_valid(use, "idx", indices, src.GetValidRow(), src.GetValidCol());
  }
}

/// Calls each(row, column of src, place) for those that are written.
template <bool ByRows, ScatterOOB Oob, class Src, class Idx, class Each>
void for_each_scattered(const Use& use, const Src& src, const Idx& idx, int64_t capacity,
                        Each each) {
  const Elements<Idx> indices(idx);
  const bool in_column = idx.GetValidCol() == 1;
  for (int i = 0; i < src.GetValidRow(); ++i) {
    int64_t place = 0;
    if constexpr (ByRows) {
      const auto index = static_cast<uint32_t>(in_column ? indices(i, 0) : indices(0, i));
      place = place_of<Oob>(use, index, capacity);
    }
    for (int j = 0; j < src.GetValidCol() && place >= 0; ++j) {
      int64_t own = place;
      if constexpr (!ByRows)
        own = place_of<Oob>(use, static_cast<uint32_t>(indices(i, j)), capacity);
      if (own >= 0) each(i, j, own);
    }
  }
}

}  // namespace detail

/// Row r of src becomes row idx[r] of the table, or each element of src the one with its index.
template <Coalesce Mode = Coalesce::Row, ScatterAtomicOp Op = ScatterAtomicOp::None,
          ScatterOOB Oob = ScatterOOB::Undefined, ScatterConflict Conflict = ScatterConflict::Last,
          class Table, class Src, class Idx>
RecordEvent MSCATTER(const Table& table, const Src& src, const Idx& idx,
                     detail::Site site = detail::Site::here()) {
  static_assert(Src::Loc == TileType::Vec && Idx::Loc == TileType::Vec,
                "the operands of this instruction are tiles of TileType::Vec");
  static_assert(std::is_integral<typename Idx::DType>::value && sizeof(typename Idx::DType) == 4,
                "indices are int32_t or uint32_t");
  static_assert(std::is_same<typename Src::DType, typename Table::RawDType>::value,
                "the tile has the table's elements");
  static_assert(Table::layout == Layout::ND, "the table's layout is ND");
  constexpr bool by_rows = Mode == Coalesce::Row;
  const detail::Use use{"MSCATTER", PIPE_V, site};
  if (src.has_nothing() && idx.has_nothing()) return {};
  const detail::View<Table> view(table);
  detail::check_scatter<by_rows>(use, view, table, src, idx);
  const int64_t rows = view.rows.size(), cols = view.cols.size();
  detail::Accesses accesses(use);
  accesses.reads(src);
  accesses.reads(idx);
  const detail::Elements<Src> from(src);
  detail::for_each_scattered<by_rows, Oob>(
      use, src, idx, by_rows ? rows : rows * cols, [&](int i, int j, int64_t place) {
        const int64_t row = by_rows ? place : place / cols, col = by_rows ? j : place % cols;
        detail::View<Table> to = view;
        to.data += view.rows.offset(row) + view.cols.offset(col);
        if (!by_rows || j == 0) accesses.writes_view(to, 1, by_rows ? src.GetValidCol() : 1);
        detail::scatter_one<Op>(*to.data, from(i, j));
      });
  return {};
}

}  // namespace pto
