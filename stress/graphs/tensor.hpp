/// Tensors as lists of elements: each operation of the orchestration API, done on the list itself
/// instead of on strides and boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "stress/graphs/byte_set.hpp"
#include "stress/graphs/program.hpp"

namespace pto2::graphs {

/// The coordinates that a root tensor gives to the bytes of its buffer. Views and transposes keep
/// those of their root; two roots of the same form share them.
struct Space {
  uint32_t origin = 0;
  uint32_t element_size = 0;
  Extents inner;  ///< extents of all dimensions but the first

  bool operator==(const Space&) const = default;
};

struct TensorModel {
  DataType dtype = DataType::UINT8;
  Extents shape;
  std::vector<uint32_t> elements;  ///< first byte of each, in row-major order of `shape`
  ByteSet bytes;
  Space space;

  [[nodiscard]] uint32_t element_size() const {
    return static_cast<uint32_t>(get_element_size(dtype));
  }
  /// True when each element follows the one before without a gap, as reshape() demands.
  [[nodiscard]] bool is_row_major() const;
};

/// Number of elements of a shape.
uint64_t count_of(const Extents& shape);

/// A root of `shape` that starts at byte `origin` of its buffer.
TensorModel root_of(DataType dtype, const Extents& shape, uint32_t origin);
/// Requires as many extents and offsets as dimensions. A box that is empty or sticks out gives a
/// tensor without elements.
TensorModel view_of(const TensorModel& parent, const Extents& shape, const Extents& offsets);
/// Requires a row-major parent with as many elements.
TensorModel reshape_of(const TensorModel& parent, const Extents& shape);
/// Requires x and y to be dimensions of the parent.
TensorModel transpose_of(const TensorModel& parent, uint32_t x, uint32_t y);

/// What the TensorMap is documented to make of a newer access to where an older one wrote.
enum class Overlap : uint8_t { none, part, whole };

/// Exact between accesses in the same coordinates and between ranges; otherwise `part` stands for
/// whatever is neither apart as ranges nor inside the newer range.
Overlap documented_overlap(const TensorModel& newer, const TensorModel& older);

}  // namespace pto2::graphs
