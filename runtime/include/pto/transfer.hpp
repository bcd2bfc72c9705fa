/// TLOAD and TSTORE, between tensors in global memory and tiles.
#pragma once

#include "pto/accesses.hpp"
#include "pto/convert.hpp"
#include "pto/elements.hpp"
#include "pto/elementwise.hpp"
#include "pto/global_memory.hpp"
#include "pto/global_tensor.hpp"
#include "pto/matrix_product.hpp"

namespace pto {
namespace detail {

/// Some dimensions of a view as one, the last one fastest.
template <int... Dims>
struct Axis {
  template <class Global>
  explicit Axis(const Global& global)
      : sizes{global.GetShape(Dims)...}, strides{global.GetStride(Dims)...} {
    for (int i = 0; i < count - 1; ++i) is_plain = is_plain && sizes[i] == 1;
  }
  [[nodiscard]] int64_t size() const {
    int64_t product = 1;
    for (const int64_t size : sizes) product *= size;
    return product;
  }
  [[nodiscard]] int64_t offset(int64_t index) const {
    if (is_plain) return index * stride();
    int64_t sum = 0;
    for (int i = count - 1; i > 0; --i) {
      sum += index % sizes[i] * strides[i];
      index /= sizes[i];
    }
    return sum + index * strides[0];
  }
  /// The largest offset of the first n, where strides of more than one element are not negative.
  [[nodiscard]] int64_t last_offset(int64_t n) const {
    int64_t last = n - 1;
    // Of the dimensions from i on: among their first elements, to the last one, and among all.
    int64_t among_first = 0, among_all = 0;
    for (int i = count - 1; i >= 0; --i) {
      const int64_t place = i > 0 ? last % sizes[i] : last;
      last /= sizes[i];
      among_first += place * strides[i];
      const int64_t before = place == 0 ? 0 : (place - 1) * strides[i] + among_all;
      among_first = before > among_first ? before : among_first;
      among_all += (sizes[i] - 1) * strides[i];
    }
    return among_first;
  }

  /// Whether its elements lie one behind another, without gaps.
  [[nodiscard]] bool is_contiguous() const {
    int64_t behind = 1;
    for (int i = count - 1; i >= 0; --i) {
      if (sizes[i] == 1) continue;
      if (strides[i] != behind) return false;
      behind *= sizes[i];
    }
    return true;
  }

  static constexpr int count = sizeof...(Dims);
  /// Of the last dimension.
  [[nodiscard]] int64_t stride() const { return strides[count - 1]; }

  int64_t sizes[count], strides[count];
  bool is_plain = true;  ///< the last dimension is the only one that has more than one element
};

/// What the rows and columns of a tile are in a view.
template <Layout L>
struct Axes {
  using Rows = Axis<0, 1, 2, 3>;
  using Cols = Axis<4>;
};
template <>
struct Axes<Layout::DN> {
  using Rows = Axis<3>;
  using Cols = Axis<0, 1, 2, 4>;
};
template <>
struct Axes<Layout::NZ> {
  using Rows = Axis<2, 3>;
  using Cols = Axis<0, 1, 4>;
};

template <class Global>
struct View {
  explicit View(const Global& global) : data(global.data()), rows(global), cols(global) {}

  /// each(begin, end) for the addresses of its first so many rows and columns.
  template <class Each>
  void for_each_range(int row_count, int col_count, Each each) const {
    const bool by_rows = cols.count == 1 && cols.strides[0] == 1;
    const bool by_cols = rows.count == 1 && rows.strides[0] == 1;
    const int lines = by_rows ? row_count : col_count;
    for (int line = 0; line < lines; ++line) {
      const auto begin =
          reinterpret_cast<uint64_t>(data + (by_rows ? rows.offset(line) : cols.offset(line)));
      if (by_rows || by_cols) {
        each(begin, begin + (by_rows ? col_count : row_count) * sizeof *data);
        continue;
      }
      for (int row = 0; row < row_count; ++row) {
        const uint64_t element = begin + rows.offset(row) * sizeof *data;
        each(element, element + sizeof *data);
      }
    }
  }

  typename Global::DType* data;
  typename Axes<Global::layout>::Rows rows;
  typename Axes<Global::layout>::Cols cols;
};

template <class T, class Global>
void check_transfer(const Use& use, const T& tile, const char* tile_name, const View<Global>& view,
                    const char* view_name) {
  if constexpr (checks_bounds) {
    const TileFacts facts = facts_of(tile);
    check_tile(use, tile_name, facts);
    const int64_t rows = view.rows.size(), cols = view.cols.size();
    if (facts.valid_rows > rows || facts.valid_cols > cols)
      fail(use, tile_name, facts,
           "is valid beyond " + std::string(view_name) + ", which is " + sizes(rows, cols) +
               ": make the valid region smaller");
    if (view.data == nullptr)
      fail(use, std::string(view_name) + " has no address: give it one, or TASSIGN it");
    check_tensor(use, view_name, view.data,
                 view.rows.last_offset(facts.valid_rows) + view.cols.last_offset(facts.valid_cols));
  }
}

/// each(element of the tile, element of the view), for all that are valid.
template <class T, class Global, class Each>
void for_each_pair(const T& tile, const View<Global>& view, Each each) {
  const Elements<T> elements(tile);
  const int rows = tile.GetValidRow(), cols = tile.GetValidCol();
  if constexpr (T::TileLayout::is_row_major) {
    for (int i = 0; i < rows; ++i) {
      auto* const row = view.data + view.rows.offset(i);
      for (int j = 0; j < cols; ++j) each(elements(i, j), row[view.cols.offset(j)]);
    }
  } else {
    for (int j = 0; j < cols; ++j) {
      auto* const col = view.data + view.cols.offset(j);
      for (int i = 0; i < rows; ++i) each(elements(i, j), col[view.rows.offset(i)]);
    }
  }
}

/// The lines in memory of both that hold the same elements: copy(tile's, view's, elements), if
/// there are such.
template <class T, class Global, class Copy>
bool for_each_line(const T& tile, const View<Global>& view, Copy copy) {
  const Elements<T> elements(tile);
  const int rows = tile.GetValidRow(), cols = tile.GetValidCol();
  if constexpr (T::TileLayout::is_boxed) {
    return false;
  } else if constexpr (T::TileLayout::is_row_major) {
    if (!view.cols.is_plain || view.cols.stride() != 1) return false;
    for (int i = 0; i < rows; ++i)
      copy(&elements(i, 0), view.data + view.rows.offset(i), static_cast<std::size_t>(cols));
    return true;
  } else {
    if (!view.rows.is_plain || view.rows.stride() != 1) return false;
    for (int j = 0; j < cols; ++j)
      copy(&elements(0, j), view.data + view.cols.offset(j), static_cast<std::size_t>(rows));
    return true;
  }
}

/// Loads a tile whose rows are the columns of the view, if they are.
template <class T, class Global>
bool load_transposed(const T& tile, const View<Global>& view) {
  using InTensor = std::remove_cv_t<typename Global::DType>;
  constexpr bool is_same = std::is_same<typename T::DType, InTensor>::value;
  if constexpr (T::TileLayout::is_boxed || !T::TileLayout::is_row_major || !is_same) {
    return false;
  } else {
    if (!view.rows.is_plain || !view.cols.is_plain || view.rows.stride() != 1) return false;
    transpose(Rows<InTensor>{tile.data(), T::TileLayout::row_stride},
              Rows<const InTensor>{view.data, view.cols.stride()}, tile.GetValidRow(),
              tile.GetValidCol());
    return true;
  }
}

/// How far a load writes each line of a tile: a vector tile that says what to fill with is filled
/// up to the next multiple of 32 bytes.
template <class T>
int loaded_length(int valid) {
  constexpr int block = 32 / sizeof(typename T::DType);
  const bool is_filled = T::Loc == TileType::Vec && T::PadVal != PadValue::Null &&
                         !T::TileLayout::is_boxed && block > 1;
  return is_filled ? (valid + block - 1) / block * block : valid;
}

template <class T>
void fill_lines(const T& tile) {
  if constexpr (T::PadVal != PadValue::Null) {
    using Element = typename T::DType;
    constexpr bool by_rows = T::TileLayout::is_row_major;
    const int rows = tile.GetValidRow(), cols = tile.GetValidCol();
    const int begin = by_rows ? cols : rows, end = loaded_length<T>(begin);
    for (int line = 0; line < (by_rows ? rows : cols); ++line) {
      Element* const elements = tile.data() + int64_t{line} * (by_rows ? T::Cols : T::Rows);
      for (int k = begin; k < end; ++k) elements[k] = pad_value<Element, T::PadVal>();
    }
  }
}

/// What is stored of an element: its bits, whatever the type says; of one of the cube in a smaller
/// type the nearest.
template <class To, class From>
To stored(From value) {
  if constexpr (sizeof(To) != sizeof(From)) {
    return convert<To, RoundMode::CAST_RINT>(value, false);
  } else {
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
  }
}

/// Other cores may do it at the same time.
template <class Element, class Combine>
void combine_atomically(Element& element, Combine combine) {
  using Bits = std::conditional_t<
      sizeof(Element) == 1, uint8_t,
      std::conditional_t<sizeof(Element) == 2, uint16_t,
                         std::conditional_t<sizeof(Element) == 4, uint32_t, uint64_t>>>;
  Bits* const place = reinterpret_cast<Bits*>(&element);
  Bits before = __atomic_load_n(place, __ATOMIC_RELAXED), after;
  do {
    Element value;
    std::memcpy(&value, &before, sizeof value);
    value = combine(value);
    std::memcpy(&after, &value, sizeof after);
  } while (!__atomic_compare_exchange_n(place, &before, after, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

template <AtomicType Atomic, class To, class From>
void combine_into(To& to, From from) {
  using W = arithmetic_t<To>;
  combine_atomically(to, [&](To value) {
    const W left = as<W>(value), right = as<W>(stored<To>(from));
    if constexpr (Atomic == AtomicType::AtomicAdd) return as<To>(Add()(left, right));
    if constexpr (Atomic == AtomicType::AtomicMax) return as<To>(Maximum()(left, right));
    return as<To>(Minimum()(left, right));
  });
}

template <class T, class Global>
constexpr void require_transfer() {
  using InTile = typename T::DType;
  using InTensor = std::remove_cv_t<typename Global::DType>;
  static_assert(T::Loc == TileType::Vec || T::Loc == TileType::Mat || T::Loc == TileType::Acc,
                "tiles of TileType::Vec, Mat and Acc are loaded and stored");
  static_assert(sizeof(InTile) == sizeof(InTensor) || T::Loc == TileType::Acc,
                "the elements of tile and tensor have the same size");
  static_assert(T::Loc != TileType::Acc || std::is_same<InTile, InTensor>::value ||
                    (std::is_same<InTile, float>::value && is_small_float<InTensor>),
                "a tile of TileType::Acc is stored as it is, or as half or bfloat16_t: see "
                "docs/TILES.md");
}

/// What TLOAD does, as part of an instruction that may have other names for its operands.
template <class T, class Global>
void load(const Use& use, T& dst, const Global& src, const char* dst_name = "dst") {
  require_transfer<T, Global>();
  static_assert(T::Loc != TileType::Acc, "tiles of TileType::Vec and Mat are loaded");
  if (dst.has_nothing()) return;
  const View<Global> view(src);
  check_view(use, "src", src);
  check_transfer(use, dst, dst_name, view, "src");
  Accesses accesses(use);
  accesses.reads_view(view, dst.GetValidRow(), dst.GetValidCol());
  constexpr bool by_rows = T::TileLayout::is_row_major;
  const int rows = dst.GetValidRow(), cols = dst.GetValidCol();
  accesses.writes(dst, by_rows ? rows : loaded_length<T>(rows),
                  by_rows ? loaded_length<T>(cols) : cols);
  fill_lines(dst);
  using Element = typename T::DType;
  const bool is_copied = for_each_line(dst, view, [](Element* to, const auto* from, std::size_t n) {
    std::memcpy(to, from, n * sizeof(Element));
  });
  if (!is_copied && !load_transposed(dst, view))
    for_each_pair(dst, view, [](Element& to, const auto& from) { to = stored<Element>(from); });
}

/// The same of TSTORE.
template <AtomicType Atomic, class T, class Global>
void store(const Use& use, const Global& dst, T& src, const char* src_name = "src") {
  require_transfer<T, Global>();
  if (src.has_nothing()) return;
  const View<Global> view(dst);
  check_view(use, "dst", dst);
  check_transfer(use, src, src_name, view, "dst");
  Accesses accesses(use);
  accesses.reads(src);
  accesses.writes_view(view, src.GetValidRow(), src.GetValidCol());
  using Element = typename Global::DType;
  using InTile = typename T::DType;
  if constexpr (Atomic != AtomicType::AtomicNone) {
    for_each_pair(src, view,
                  [](const InTile& from, Element& to) { combine_into<Atomic>(to, from); });
  } else {
    const bool is_copied =
        for_each_line(src, view, [](const InTile* from, Element* to, std::size_t n) {
          for (std::size_t i = 0; i < n; ++i) to[i] = stored<Element>(from[i]);
        });
    if (!is_copied)
      for_each_pair(src, view, [](const InTile& from, Element& to) { to = stored<Element>(from); });
  }
}

}  // namespace detail

template <class T, class Global>
RecordEvent TLOAD(T& dst, const Global& src, detail::Site site = detail::Site::here()) {
  detail::load({"TLOAD", PIPE_MTE2, site}, dst, src);
  return {};
}

template <class T, class Global, AtomicType Atomic = AtomicType::AtomicNone>
RecordEvent TSTORE(const Global& dst, T& src, detail::Site site = detail::Site::here()) {
  detail::store<Atomic>({"TSTORE", T::Loc == TileType::Acc ? PIPE_FIX : PIPE_MTE3, site}, dst, src);
  return {};
}

}  // namespace pto
