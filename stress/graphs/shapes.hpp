/// Random shapes, and random tensors made of others.
#pragma once

#include <cstdint>

#include "runtime/executors/random.hpp"
#include "stress/graphs/tensor.hpp"

namespace pto2::graphs {

/// Any of the element types, so that each size from 1 to 8 bytes occurs.
DataType draw_type(executors::Random& random);

/// 1 to 5 dimensions, 1 to `most` elements.
Extents draw_shape(executors::Random& random, uint64_t most);

/// A view, transpose or reshape of tensor `of`, which looks like `model`. Never one that is
/// refused.
Step draw_derived(executors::Random& random, uint32_t of, const TensorModel& model);

/// The same elements in another order or shape: a transpose or reshape.
Step draw_rearranged(executors::Random& random, uint32_t of, const TensorModel& model);

}  // namespace pto2::graphs
