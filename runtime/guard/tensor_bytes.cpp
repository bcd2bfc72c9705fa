#include "runtime/guard/tensor_bytes.hpp"

namespace pto2::guard {

ElementRuns::ElementRuns(const TensorRecord& tensor)
    : begin_(tensor.base + tensor.region.begin), bytes_(tensor.region.element_size) {
  for (uint32_t i = 0; i < tensor.ndims; ++i) {
    if (tensor.shape[i] != 1) add({tensor.strides[i] * bytes_, tensor.shape[i]});
  }
  // The shortest strides that leave no gap are part of each run.
  uint32_t inner = 0;
  while (inner < count_ && dims_[inner].stride == bytes_) bytes_ *= dims_[inner++].extent;
  count_ -= inner;
  std::copy_n(dims_.begin() + inner, count_, dims_.begin());
}

/// Behind those with a shorter stride.
void ElementRuns::add(const Dimension& dimension) {
  uint32_t place = count_++;
  for (; place != 0 && dims_[place - 1].stride > dimension.stride; --place) {
    dims_[place] = dims_[place - 1];
  }
  dims_[place] = dimension;
}

}  // namespace pto2::guard
