/// Tiles: rectangles of elements in a buffer of the core, of which a prefix of the rows and columns
/// is valid.
///
/// Vector tiles have their physical layout, because kernels give several tiles the same address:
/// row-major, column-major, or boxed (base tiles of SFractalSize bytes, each of them contiguous).
/// Tiles of the cube are row-major inside, whatever their layout says: no instruction shows it. But
/// those in L1 whose base tiles are column-major, in rows, are column-major, because kernels take a
/// tile by its transpose so: its bytes are those of a tile whose base tiles are row-major, in
/// columns.
#pragma once

#include "pto/core_memory.hpp"
#include "pto/types.hpp"

namespace pto {
namespace detail {

/// Where the elements of a tile are.
template <TileType Loc, int ElementBytes, int Rows, int Cols, BLayout Outer, SLayout Inner,
          int BoxBytes>
struct TileLayout {
  static constexpr bool is_boxed = Loc == TileType::Vec && Inner != SLayout::NoneBox;
  static constexpr bool is_transposed =
      Loc == TileType::Mat && Outer == BLayout::RowMajor && Inner == SLayout::ColMajor;
  static constexpr bool is_row_major =
      Loc == TileType::Vec ? Outer == BLayout::RowMajor : !is_transposed;
  static constexpr int row_stride = is_row_major ? Cols : 1;
  static constexpr int col_stride = is_row_major ? 1 : Rows;

  // A row-major base tile has 16 rows, one that is column-major 16 columns.
  static constexpr int box_other = BoxBytes / ElementBytes / 16;
  static constexpr int box_rows = Inner == SLayout::RowMajor ? 16 : box_other;
  static constexpr int box_cols = Inner == SLayout::RowMajor ? box_other : 16;
  static_assert(!is_boxed || (Rows % box_rows == 0 && Cols % box_cols == 0),
                "the shape of a boxed tile is a multiple of that of its base tiles");

  /// In elements.
  static constexpr int64_t offset(int64_t row, int64_t col) {
    if constexpr (!is_boxed) {
      return row * row_stride + col * col_stride;
    } else {
      const int64_t box_row = row / box_rows, box_col = col / box_cols;
      const int64_t box = Outer == BLayout::RowMajor ? box_row * (Cols / box_cols) + box_col
                                                     : box_col * (Rows / box_rows) + box_row;
      const int64_t r = row % box_rows, c = col % box_cols;
      return box * box_rows * box_cols +
             (Inner == SLayout::RowMajor ? r * box_cols + c : c * box_rows + r);
    }
  }
};

/// A size of the valid region, in the type or in the tile.
template <int Static>
struct ValidSize {
  constexpr ValidSize() = default;
  explicit constexpr ValidSize(int64_t) {}
  [[nodiscard]] constexpr int get() const { return Static; }
  [[nodiscard]] constexpr bool is_given() const { return true; }
  [[nodiscard]] constexpr bool is_zero() const { return Static == 0; }
};
template <>
struct ValidSize<DYNAMIC> {
  static constexpr int not_given = INT32_MIN;
  int value = not_given;
  constexpr ValidSize() = default;
  explicit constexpr ValidSize(int64_t size) : value(as_size(size)) {}
  [[nodiscard]] constexpr int get() const { return value == not_given ? 0 : value; }
  [[nodiscard]] constexpr bool is_given() const { return value != not_given; }
  [[nodiscard]] constexpr bool is_zero() const { return value == 0; }
};

#if PTO2_KERNEL_CHECKS >= 2
/// In accesses.hpp: the instructions that have been issued.
inline uint64_t issued_instructions();

/// When a tile was given its place.
class BindTime {
 public:
  void now() { time_ = issued_instructions(); }
  [[nodiscard]] uint64_t get() const { return time_; }

 private:
  uint64_t time_ = 0;
};
#else
struct BindTime {
  void now() {}
  [[nodiscard]] uint64_t get() const { return 0; }
};
#endif

/// In accesses.hpp.
template <class T>
void check_element(const T& tile, int64_t offset, bool writes, Site site);

}  // namespace detail

template <TileType Loc_, typename Element_, int Rows_, int Cols_,
          BLayout BLayout_ = BLayout::RowMajor, int RowValid_ = Rows_, int ColValid_ = Cols_,
          SLayout SLayout_ = SLayout::NoneBox, int SFractalSize_ = TileConfig::fractalABSize,
          PadValue PadVal_ = PadValue::Null, CompactMode Compact_ = CompactMode::Null>
struct Tile {
  using DType = Element_;
  static_assert(detail::type_name<DType>() != nullptr,
                "tiles have no elements of this type: see docs/TILES.md");
  static_assert(Rows_ > 0 && Cols_ > 0, "a tile has rows and columns");
  static_assert(RowValid_ <= Rows_ && ColValid_ <= Cols_, "a valid region fits its tile");

  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_;
  static constexpr int Cols = Cols_;
  static constexpr int ValidRow = RowValid_;
  static constexpr int ValidCol = ColValid_;
  static constexpr int Numel = Rows * Cols;
  static constexpr BLayout BFractal = BLayout_;
  static constexpr SLayout SFractal = SLayout_;
  static constexpr int SFractalSize = SFractalSize_;
  static constexpr PadValue PadVal = PadVal_;
  static constexpr CompactMode Compact = Compact_;
  static constexpr bool isRowMajor = BLayout_ == BLayout::RowMajor;
  static constexpr int64_t bytes = int64_t{Numel} * sizeof(DType);
  static_assert(SLayout_ != SLayout::NoneBox || (Loc != TileType::Vec && Loc != TileType::Mat) ||
                    (isRowMajor ? Cols : Rows) * sizeof(DType) % TileConfig::alignedSize == 0,
                "the rows of a row-major tile, and the columns of a column-major one, are "
                "multiples of 32 bytes");

  using TileLayout =
      detail::TileLayout<Loc, sizeof(DType), Rows, Cols, BLayout_, SLayout_, SFractalSize_>;
  static constexpr int RowStride = TileLayout::row_stride;
  static constexpr int ColStride = TileLayout::col_stride;

  Tile() = default;
  /// The valid size that is not in the type; of two that are not, both.
  explicit Tile(int64_t valid) : valid_row_(valid), valid_col_(valid) {
    static_assert((RowValid_ == DYNAMIC) != (ColValid_ == DYNAMIC),
                  "a tile takes one valid size if one of the two is DYNAMIC");
  }
  Tile(int64_t valid_row, int64_t valid_col) : valid_row_(valid_row), valid_col_(valid_col) {}

  [[nodiscard]] int GetValidRow() const { return valid_row_.get(); }
  [[nodiscard]] int GetValidCol() const { return valid_col_.get(); }
  /// Whether both sizes are in its type, or its kernel has said what they are.
  [[nodiscard]] bool has_valid_region() const {
    return valid_row_.is_given() && valid_col_.is_given();
  }
  /// Whether its kernel has said so, of both sizes: there is nothing to do for an instruction.
  [[nodiscard]] bool has_nothing() const { return valid_row_.is_zero() && valid_col_.is_zero(); }
  void SetValidShape(int64_t valid_row, int64_t valid_col) {
    valid_row_ = decltype(valid_row_)(valid_row);
    valid_col_ = decltype(valid_col_)(valid_col);
  }

  /// The first element.
  [[nodiscard]] DType* data() const {
    return reinterpret_cast<DType*>(detail::core_address(Loc, address_));
  }
  /// By its place in memory.
  [[nodiscard]] DType GetValue(int64_t offset, detail::Site site = detail::Site::here()) const {
    detail::check_element(*this, offset, false, site);
    return data()[offset];
  }
  void SetValue(int64_t offset, DType value, detail::Site site = detail::Site::here()) {
    detail::check_element(*this, offset, true, site);
    data()[offset] = value;
  }

  /// In its buffer; unassigned before TASSIGN.
  static constexpr int64_t unassigned = -1;
  [[nodiscard]] int64_t address() const { return address_; }
  void assign(int64_t address) {
    address_ = address;
    bound_.now();
  }
  /// When that was, in instructions; 0 without checks of level 2.
  [[nodiscard]] uint64_t bound() const { return bound_.get(); }

 private:
  int64_t address_ = unassigned;
  detail::BindTime bound_;
  detail::ValidSize<RowValid_> valid_row_;
  detail::ValidSize<ColValid_> valid_col_;
};

template <typename Element, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>
using TileLeft = Tile<TileType::Left, Element, Rows, Cols, BLayout::ColMajor, RowValid, ColValid,
                      SLayout::RowMajor, TileConfig::fractalABSize>;
template <typename Element, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>
using TileRight = Tile<TileType::Right, Element, Rows, Cols, BLayout::RowMajor, RowValid, ColValid,
                       SLayout::ColMajor, TileConfig::fractalABSize>;
template <typename Element, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>
using TileAcc = Tile<TileType::Acc, Element, Rows, Cols, BLayout::ColMajor, RowValid, ColValid,
                     SLayout::RowMajor, TileConfig::fractalCSize>;

namespace detail {

template <class T>
struct is_tile : std::false_type {};
template <TileType Loc, typename E, int R, int C, BLayout B, int RV, int CV, SLayout S, int F,
          PadValue P, CompactMode M>
struct is_tile<Tile<Loc, E, R, C, B, RV, CV, S, F, P, M>> : std::true_type {};

}  // namespace detail

template <class T>
inline constexpr bool is_tile_data_v = detail::is_tile<std::remove_cv_t<T>>::value;

}  // namespace pto
