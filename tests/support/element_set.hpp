/// Tensors as plain sets of elements, and random tensors small enough for that.
#pragma once

#include <bitset>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "runtime/tensormap/region.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2::testing_support {

inline void append_elements(const PTOTensor& tensor, uint32_t dimension, uint64_t element,
                            std::vector<uint64_t>& result) {
  if (dimension == PTO_MAX_DIMS) {
    result.push_back(element);
    return;
  }
  for (uint32_t i = 0; i < tensor.shape[dimension]; ++i) {
    append_elements(tensor, dimension + 1, element + uint64_t{i} * tensor.strides[dimension],
                    result);
  }
}

/// The elements of a tensor of 4-byte elements in row-major order, by their number from the
/// buffer's start.
inline std::vector<uint64_t> elements_of(const TensorRecord& record) {
  std::vector<uint64_t> result;
  const PTOTensor& tensor = record.shown();
  append_elements(tensor, 0, (tensor.address - record.base) / 4, result);
  return result;
}

/// The elements of a small tensor of 4-byte elements.
class ElementSet {
 public:
  static constexpr uint32_t max_elements = 96;

  static ElementSet of(const TensorRecord& record) {
    ElementSet result;
    for (const uint64_t element : elements_of(record)) result.elements_.set(element);
    return result;
  }

  Relation relation_to(const ElementSet& older) const {
    if ((elements_ & older.elements_).none()) return Relation::disjoint;
    return (older.elements_ & ~elements_).none() ? Relation::covered : Relation::other;
  }

  bool is_range() const {
    uint32_t runs = 0;
    for (uint32_t i = 0; i < max_elements; ++i) {
      runs += elements_[i] && (i == 0 || !elements_[i - 1]);
    }
    return runs == 1;
  }

 private:
  std::bitset<max_elements> elements_;
};

class RandomTensors {
 public:
  explicit RandomTensors(uint64_t seed) : random_(seed) {}

  uint64_t below(uint64_t bound) { return random_() % bound; }

  /// A tensor of 96 or fewer float32 elements: a root at `address`, or (address 0) the existing
  /// handle `root`, under up to four random views, transposes and reshapes.
  uint64_t tensor(TensorTable& table, uint64_t address, uint64_t root) {
    static const std::vector<std::vector<uint64_t>> shapes = {
        {12},      {96},         {8, 4},          {4, 8},     {8, 4}, {2, 3, 4},
        {4, 3, 2}, {2, 3, 2, 4}, {2, 2, 2, 2, 6}, {1, 12, 1}, {8, 12}};
    uint64_t handle = root;
    if (address != 0) {
      const std::vector<uint64_t>& shape = shapes[below(shapes.size())];
      handle = accepted(table.make(address, shape.data(), static_cast<uint32_t>(shape.size()),
                                   DataType::FLOAT32));
    }
    for (uint64_t steps = below(5); steps > 0; --steps) handle = derive(table, handle);
    return handle;
  }

 private:
  /// Nothing that is asked for here may be refused.
  static uint64_t accepted(const TensorResult& result) {
    if (!result.ok()) throw std::logic_error(result.error);
    return result.handle;
  }

  uint64_t derive(TensorTable& table, uint64_t handle) {
    const TensorRecord& record = *table.find(handle);
    const uint64_t kind = below(6);
    if (kind == 0) {
      const auto x = static_cast<uint32_t>(below(record.ndims));
      return accepted(table.transpose(handle, x, static_cast<uint32_t>(below(record.ndims))));
    }
    if (kind == 1 && record.is_contiguous()) {
      const uint64_t halves[] = {2, record.numel() / 2};
      const uint64_t flat[] = {record.numel()};
      return accepted(record.numel() % 2 == 0 ? table.reshape(handle, halves, 2)
                                              : table.reshape(handle, flat, 1));
    }
    uint64_t shape[PTO_MAX_DIMS];
    uint64_t offsets[PTO_MAX_DIMS];
    for (uint32_t i = 0; i < record.ndims; ++i) {
      const bool whole = below(2) == 0;
      shape[i] = whole ? record.shape[i] : 1 + below(record.shape[i]);
      offsets[i] = below(record.shape[i] - shape[i] + 1);
    }
    return accepted(table.view(handle, shape, offsets));
  }

  std::mt19937_64 random_;
};

}  // namespace pto2::testing_support
