/// Where tiles are, and what moves their elements as they are: TASSIGN, TMOV, TRESHAPE, TFILLPAD.
#pragma once

#include "pto/accesses.hpp"
#include "pto/convert.hpp"
#include "pto/elements.hpp"
#include "pto/global_tensor.hpp"

namespace pto {
namespace detail {

/// With all checks, that every element that dst takes is a valid one of src. Otherwise that there
/// are valid ones if dst takes any.
inline void check_covers(const Use& use, const TileFacts& dst, const TileFacts& src) {
  check_tile(use, "dst", dst);
  check_tile(use, "src", src);
  if ((checks_all || src.has_nothing) &&
      (src.valid_rows < dst.valid_rows || src.valid_cols < dst.valid_cols))
    fail(use, "src", src,
         "has not all elements of dst, which is valid " + sizes(dst.valid_rows, dst.valid_cols) +
             ": SetValidShape one of them");
}

/// The elements of dst outside of src's valid region become `pad`, those inside those of src. The
/// tiles may be the same memory with the same layout.
template <class Dst, class Src>
void fill_pad(const Dst& dst, const Src& src, typename Dst::DType pad) {
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  const int rows = src.GetValidRow(), cols = src.GetValidCol();
  for_each_element<Dst>(Dst::Rows, Dst::Cols,
                        [&](int i, int j) { to(i, j) = i < rows && j < cols ? from(i, j) : pad; });
}

template <class Dst, class Src>
void announce_fill_pad(const Use& use, const Dst& dst, const Src& src) {
  Accesses accesses(use);
  accesses.reads(src);
  accesses.writes(dst, Dst::Rows, Dst::Cols);
}

template <PadValue Pad, class Dst, class Src>
RecordEvent fill_pad(const Use& use, Dst& dst, const Src& src) {
  static_assert(std::is_same<typename Dst::DType, typename Src::DType>::value,
                "the operands of this instruction have the same element type");
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    // All of dst is padding if nothing of src is valid, as its kernel says.
    const bool is_empty = src.GetValidRow() == 0 || src.GetValidCol() == 0;
    if (!is_empty || !src.has_valid_region()) check_tile(use, "src", facts_of(src));
  }
  announce_fill_pad(use, dst, src);
  fill_pad(dst, src, pad_value<typename Dst::DType, Pad>());
  return {};
}

/// Both have the same type, and row after row.
template <class Dst, class Src>
inline constexpr bool have_same_rows =
    std::is_same<typename Dst::DType, typename Src::DType>::value &&
    (Dst::TileLayout::is_row_major && !Dst::TileLayout::is_boxed) &&
    (Src::TileLayout::is_row_major && !Src::TileLayout::is_boxed);

/// From an element of src on.
template <class Dst, class Src>
RecordEvent move(const Use& use, Dst& dst, const Src& src, bool relu, int row = 0, int col = 0) {
  using To = typename Dst::DType;
  Accesses accesses(use);
  accesses.reads(src, dst.GetValidRow(), dst.GetValidCol(), row, col);
  accesses.writes(dst);
  const Elements<Dst> to(dst);
  const Elements<Src> from(src);
  if constexpr (have_same_rows<Dst, Src>) {
    if (!relu) {
      const std::size_t bytes = static_cast<std::size_t>(dst.GetValidCol()) * sizeof(To);
      for (int i = 0; i < dst.GetValidRow(); ++i)
        std::memmove(&to(i, 0), &from(row + i, col), bytes);
      return {};
    }
  }
  for_each_element<Dst>(dst.GetValidRow(), dst.GetValidCol(), [&](int i, int j) {
    const auto value = from(row + i, col + j);
    const bool is_cut = relu && value < 0;
    if constexpr (std::is_same<To, typename Src::DType>::value) {
      to(i, j) = is_cut ? as<To>(0) : value;
    } else {
      to(i, j) = is_cut ? as<To>(0) : convert<To, RoundMode::CAST_RINT>(value, !is_float<To>);
    }
  });
  return {};
}

/// That src has as much as dst takes from there on; with all checks, that it is valid.
template <class Dst, class Src>
void check_part(const Use& use, const Dst& dst, const Src& src, int64_t row, int64_t col) {
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_tile(use, "src", facts_of(src));
    if (row < 0 || col < 0 || row > Src::Rows - dst.GetValidRow() ||
        col > Src::Cols - dst.GetValidCol() || (src.has_nothing() && !dst.has_nothing()))
      fail(use, "src", facts_of(src),
           "has no " + sizes(dst.GetValidRow(), dst.GetValidCol()) + " elements from row " +
               std::to_string(row) + " and column " + std::to_string(col) +
               " on: take a smaller part, or one that begins before");
    if (checks_all && !dst.has_nothing() &&
        (row > src.GetValidRow() - dst.GetValidRow() ||
         col > src.GetValidCol() - dst.GetValidCol()))
      fail(use, "src", facts_of(src),
           "has not all elements of dst, which takes " +
               sizes(dst.GetValidRow(), dst.GetValidCol()) + " from row " + std::to_string(row) +
               " and column " + std::to_string(col) + " on: SetValidShape one of them");
  }
}

template <class Dst, class Src>
constexpr pipe_t require_move() {
  constexpr TileType from = Src::Loc, to = Dst::Loc;
  constexpr bool is_operand = to == TileType::Left || to == TileType::Right;
  constexpr bool from_mat =
      from == TileType::Mat && (is_operand || to == TileType::Bias || to == TileType::Scaling);
  constexpr bool from_vec = from == TileType::Vec && (to == TileType::Vec || to == TileType::Mat);
  constexpr bool from_acc = from == TileType::Acc && (to == TileType::Vec || to == TileType::Mat);
  static_assert(from_mat || from_vec || from_acc, "there is no way between these tiles");
  static_assert(!is_operand || std::is_same<typename Dst::DType, typename Src::DType>::value,
                "an operand of a product has the element type of the tile that it is taken from");
  return from_mat ? PIPE_MTE1 : from_acc ? PIPE_FIX : PIPE_V;
}

/// How the bytes of a tile of the cube lie on a chip: in lines, which are its rows or its columns.
struct ChipLines {
  int count;
  int base_bytes;         ///< of a base tile, which has a part of each of 16 lines; 0: not boxed
  bool bases_are_beside;  ///< base tiles of the same lines follow each other
  bool are_lines_here;    ///< its bytes are in the same lines here
};

template <class T>
constexpr ChipLines lines_of() {
  if (T::SFractal == SLayout::NoneBox)
    return {1, 0, true, T::isRowMajor || T::Rows == 1 || T::Cols == 1};
  constexpr bool are_rows = T::SFractal == SLayout::RowMajor;
  return {are_rows ? T::Rows : T::Cols, T::SFractalSize, T::isRowMajor == are_rows,
          are_rows != T::TileLayout::is_transposed};
}

/// Whether src has, as a Dst of as many bytes, the elements that a chip would find there. It has if
/// nothing but the type of the elements changes, or its lines stay lines: of smaller or larger
/// elements, or as the columns of a tile whose transpose it is.
template <class Dst, class Src>
constexpr bool keeps_elements() {
  constexpr bool same_layout = Dst::BFractal == Src::BFractal && Dst::SFractal == Src::SFractal &&
                               Dst::SFractalSize == Src::SFractalSize;
  constexpr bool same_shape = Dst::Rows == Src::Rows && Dst::Cols == Src::Cols;
  const ChipLines to = lines_of<Dst>(), from = lines_of<Src>();
  const bool same_lines = to.are_lines_here && from.are_lines_here && to.count == from.count &&
                          to.base_bytes == from.base_bytes &&
                          to.bases_are_beside == from.bases_are_beside;
  return Src::Loc == TileType::Vec || (same_layout && same_shape) || same_lines;
}

}  // namespace detail

/// Binds a tile to an address of its buffer, and a view to one of global memory.
template <class T, class Address>
void TASSIGN(T& object, Address address, detail::Site site = detail::Site::here()) {
  if constexpr (is_tile_data_v<T>) {
    object.assign(static_cast<int64_t>(address));
    if constexpr (detail::checks_bounds)
      detail::check_place({"TASSIGN", PIPE_S, site}, detail::facts_of(object));
  } else {
    object.SetAddr(address);
  }
}
template <std::size_t Address, class T>
void TASSIGN(T& tile) {
  static_assert(T::bytes <= detail::buffer_of(T::Loc).bytes &&
                    Address + T::bytes <= static_cast<std::size_t>(detail::buffer_of(T::Loc).bytes),
                "the tile leaves its buffer");
  static_assert(Address % TileConfig::alignedSize == 0, "a tile's address is a multiple of 32");
  tile.assign(Address);
}

template <class Dst, class Src, ReluPreMode Relu>
RecordEvent TMOV(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  static_assert(Dst::Rows == Src::Rows && Dst::Cols == Src::Cols,
                "TMOV has tiles of the same shape: TEXTRACT takes a part");
  const detail::Use use{"TMOV", detail::require_move<Dst, Src>(), site};
  if constexpr (detail::checks_bounds)
    detail::check_covers(use, detail::facts_of(dst), detail::facts_of(src));
  return detail::move(use, dst, src, Relu == ReluPreMode::NormalRelu);
}
template <class Dst, class Src>
RecordEvent TMOV(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  return TMOV<Dst, Src, ReluPreMode::NoRelu>(dst, src, site);
}

/// The valid elements of dst are those of src from a row and column on.
template <class Dst, class Src, ReluPreMode Relu>
RecordEvent TEXTRACT(Dst& dst, Src& src, int64_t row, int64_t col,
                     detail::Site site = detail::Site::here()) {
  const detail::Use use{"TEXTRACT", detail::require_move<Dst, Src>(), site};
  detail::check_part(use, dst, src, row, col);
  return detail::move(use, dst, src, Relu == ReluPreMode::NormalRelu, static_cast<int>(row),
                      static_cast<int>(col));
}
template <class Dst, class Src>
RecordEvent TEXTRACT(Dst& dst, Src& src, int64_t row = 0, int64_t col = 0,
                     detail::Site site = detail::Site::here()) {
  return TEXTRACT<Dst, Src, ReluPreMode::NoRelu>(dst, src, row, col, site);
}

/// dst becomes another view of the bytes of src.
template <class Dst, class Src>
RecordEvent TRESHAPE(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  static_assert(Dst::Loc == Src::Loc && Dst::bytes == Src::bytes,
                "TRESHAPE has tiles of one TileType and as many bytes");
  static_assert((Dst::SFractal == SLayout::NoneBox) == (Src::SFractal == SLayout::NoneBox),
                "TRESHAPE does not change between boxed tiles and others");
  static_assert(detail::keeps_elements<Dst, Src>(),
                "TRESHAPE of a tile of the cube keeps its rows, or has them for columns: see "
                "docs/TILES.md");
  if constexpr (detail::checks_bounds)
    detail::check_tile({"TRESHAPE", PIPE_S, site}, "src", detail::facts_of(src));
  dst.assign(src.address());
  return {};
}

template <class Dst, class Src>
RecordEvent TFILLPAD(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  static_assert(Dst::Rows == Src::Rows && Dst::Cols == Src::Cols,
                "TFILLPAD has tiles of the same shape");
  return detail::fill_pad<Dst::PadVal>({"TFILLPAD", PIPE_V, site}, dst, src);
}
/// With what the call says, whatever the tile does; a tile of L1 with zeros.
template <class T, PadValue Pad>
RecordEvent TFILLPAD(T& dst, T& src, detail::Site site = detail::Site::here()) {
  static_assert(T::Loc == TileType::Vec || (T::Loc == TileType::Mat && Pad == PadValue::Zero),
                "TFILLPAD fills vector tiles, and those of TileType::Mat with PadValue::Zero");
  constexpr pipe_t pipe = T::Loc == TileType::Vec ? PIPE_V : PIPE_MTE2;
  return detail::fill_pad<Pad>({"TFILLPAD", pipe, site}, dst, src);
}
template <class Dst, class Src>
RecordEvent TFILLPAD_INPLACE(Dst& dst, Src& src, detail::Site site = detail::Site::here()) {
  static_assert(Dst::Rows == Src::Rows && Dst::Cols == Src::Cols,
                "TFILLPAD_INPLACE has tiles of the same shape");
  return detail::fill_pad<Dst::PadVal>({"TFILLPAD_INPLACE", PIPE_V, site}, dst, src);
}

}  // namespace pto
