/// The part of a buffer that a tensor stands for, and how two parts relate.
///
/// A region is a byte range together with a box: half-open intervals of coordinates, one per
/// dimension, in the space of its root tensor. Views, transposed views and views of views keep the
/// space of their root, so that their boxes can be compared dimension by dimension; make_tensor
/// and reshape start a new space. A space is identified by what maps its coordinates to bytes
/// (origin, element size, row-major strides), so two roots of the same form are one space.
#pragma once

#include <cstdint>

#include "runtime/include/pto_types.h"

namespace pto2 {

struct Region {
  uint64_t begin;   ///< bytes from the start of the buffer to the first element
  uint64_t end;     ///< bytes from the start of the buffer to the end of the last element
  uint64_t origin;  ///< bytes from the start of the buffer to coordinate (0, 0, ..) of the root
  uint32_t element_size;  ///< bytes
  uint8_t ndims;          ///< of the root, 1..PTO_MAX_DIMS
  bool contiguous;        ///< the elements fill [begin, end) without gaps, in whatever order
  uint16_t unused;        ///< 0
  /// Row-major strides of the root in elements, without that of its last dimension, which is 1;
  /// 0 past those. They determine the root's extents too, except the first.
  uint32_t root_strides[PTO_MAX_DIMS - 1];
  uint32_t box_begin[PTO_MAX_DIMS];  ///< first coordinate inside, per dimension of the root
  uint32_t box_end[PTO_MAX_DIMS];    ///< first coordinate past the box; 1 past ndims

  /// The buffer begins so many bytes earlier.
  constexpr void shift(uint64_t bytes) {
    begin += bytes;
    end += bytes;
    origin += bytes;
  }
};

/// What an access means for an older one to the same buffer.
enum class Relation : uint8_t {
  disjoint,  ///< they share no byte
  covered,   ///< the newer contains every byte of the older
  other,     ///< they may share some
};

/// True when the boxes of both are given in the same coordinates.
constexpr bool same_space(const Region& a, const Region& b) {
  bool same = a.origin == b.origin && a.element_size == b.element_size && a.ndims == b.ndims;
  for (uint32_t i = 0; i + 1 < PTO_MAX_DIMS; ++i) same &= a.root_strides[i] == b.root_strides[i];
  return same;
}

/// Relation of two boxes in one space: exact.
constexpr Relation box_relation(const Region& newer, const Region& older) {
  bool contains = true;
  for (uint32_t i = 0; i < newer.ndims; ++i) {
    if (newer.box_end[i] <= older.box_begin[i] || older.box_end[i] <= newer.box_begin[i]) {
      return Relation::disjoint;
    }
    contains &= newer.box_begin[i] <= older.box_begin[i] && older.box_end[i] <= newer.box_end[i];
  }
  return contains ? Relation::covered : Relation::other;
}

/// What a newer access takes whole if it has no gaps: all of it in two numbers, to be compared with
/// those of many older ones, which are no empty ranges.
class Cover {
 public:
  explicit constexpr Cover(const Region& newer)
      : begin_(newer.contiguous ? newer.begin : ~uint64_t{0}), end_(newer.end) {}
  [[nodiscard]] constexpr bool has(const Region& older) const {
    return begin_ <= older.begin && older.end <= end_;
  }

 private:
  uint64_t begin_;
  uint64_t end_;
};

/// Relation of a newer access to an older one of the same buffer. `disjoint` and `covered` are
/// always true statements; `other` is exact inside one space and between contiguous regions, and
/// the careful answer otherwise.
constexpr Relation relation(const Region& newer, const Region& older) {
  if (Cover(newer).has(older)) return Relation::covered;
  if (newer.end <= older.begin || older.end <= newer.begin) return Relation::disjoint;
  if (same_space(newer, older)) return box_relation(newer, older);
  return Relation::other;
}

}  // namespace pto2
