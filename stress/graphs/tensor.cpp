#include "stress/graphs/tensor.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace pto2::graphs {
namespace {

/// Calls visit(index) for each index of `shape`, in row-major order.
template <class Visit>
void for_each_index(const Extents& shape, Visit&& visit) {
  Extents index(shape.size(), 0);
  for (;;) {
    visit(index);
    std::size_t i = shape.size();
    while (i > 0 && ++index[i - 1] == shape[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

uint64_t number_of(const Extents& index, const Extents& shape) {
  uint64_t number = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) number = number * shape[i] + index[i];
  return number;
}

/// The tensor of `shape` whose element at an index is the parent's at number_in_parent(index).
template <class NumberInParent>
TensorModel selected(const TensorModel& parent, const Extents& shape,
                     NumberInParent&& number_in_parent) {
  TensorModel result{parent.dtype, shape, {}, {}, parent.space};
  result.elements.reserve(count_of(shape));
  for_each_index(shape, [&](const Extents& index) {
    result.elements.push_back(parent.elements[number_in_parent(index)]);
  });
  result.bytes = ByteSet(result.elements, result.element_size());
  return result;
}

}  // namespace

uint64_t count_of(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
}

bool TensorModel::is_row_major() const {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (elements[i] != elements[i - 1] + element_size()) return false;
  }
  return true;
}

TensorModel root_of(DataType dtype, const Extents& shape, uint32_t origin) {
  TensorModel root{dtype, shape, {}, {}, {}};
  const uint32_t size = root.element_size();
  root.elements.resize(count_of(shape));
  for (std::size_t i = 0; i < root.elements.size(); ++i) {
    root.elements[i] = origin + static_cast<uint32_t>(i) * size;
  }
  root.bytes = ByteSet(root.elements, size);
  root.space = {origin, size, Extents(shape.begin() + 1, shape.end())};
  return root;
}

TensorModel view_of(const TensorModel& parent, const Extents& shape, const Extents& offsets) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 || offsets[i] + shape[i] > parent.shape[i]) return {};
  }
  Extents from(shape.size());
  return selected(parent, shape, [&](const Extents& index) {
    for (std::size_t i = 0; i < index.size(); ++i) from[i] = offsets[i] + index[i];
    return number_of(from, parent.shape);
  });
}

TensorModel reshape_of(const TensorModel& parent, const Extents& shape) {
  return root_of(parent.dtype, shape, parent.elements.front());
}

TensorModel transpose_of(const TensorModel& parent, uint32_t x, uint32_t y) {
  Extents shape = parent.shape;
  std::swap(shape[x], shape[y]);
  Extents from;
  return selected(parent, shape, [&](const Extents& index) {
    from = index;
    std::swap(from[x], from[y]);
    return number_of(from, parent.shape);
  });
}

Overlap documented_overlap(const TensorModel& newer, const TensorModel& older) {
  const ByteSet& a = newer.bytes;
  const ByteSet& b = older.bytes;
  if (a.end() <= b.first() || b.end() <= a.first()) return Overlap::none;
  if (a.is_range() && a.contains(b)) return Overlap::whole;
  if (newer.space != older.space) return Overlap::part;
  if (!a.intersects(b)) return Overlap::none;
  return a.contains(b) ? Overlap::whole : Overlap::part;
}

}  // namespace pto2::graphs
