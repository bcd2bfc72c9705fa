#include "stress/graphs/shapes.hpp"

#include <algorithm>

namespace pto2::graphs {
namespace {

/// The elements of a row-major tensor as 1 to 5 extents whose product is `count`.
Extents draw_factors(executors::Random& random, uint64_t count) {
  Extents factors;
  while (factors.size() < 4 && random.below(3) != 0) {
    const uint64_t factor = 1 + random.below(6);
    if (count % factor != 0) continue;
    factors.push_back(factor);
    count /= factor;
  }
  factors.insert(factors.begin() + static_cast<int64_t>(random.below(factors.size() + 1)), count);
  return factors;
}

View draw_view(executors::Random& random, uint32_t of, const Extents& shape) {
  View view{of, shape, Extents(shape.size(), 0)};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (random.below(2) == 0) continue;
    view.shape[i] = 1 + random.below(shape[i]);
    view.offsets[i] = random.below(shape[i] - view.shape[i] + 1);
  }
  return view;
}

}  // namespace

DataType draw_type(executors::Random& random) {
  return static_cast<DataType>(random.below(static_cast<uint64_t>(DataType::UINT64) + 1));
}

Extents draw_shape(executors::Random& random, uint64_t most) {
  Extents shape(1 + random.below(PTO_MAX_DIMS));
  uint64_t left = std::max<uint64_t>(most, 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool last = i + 1 == shape.size();
    shape[i] = 1 + random.below(last ? left : std::min<uint64_t>(left, 6));
    left /= shape[i];
  }
  return shape;
}

Step draw_rearranged(executors::Random& random, uint32_t of, const TensorModel& model) {
  if (model.is_row_major() && random.below(2) == 0) {
    return Reshape{of, draw_factors(random, model.elements.size())};
  }
  const uint64_t dimensions = model.shape.size();
  return Transpose{of, static_cast<uint32_t>(random.below(dimensions)),
                   static_cast<uint32_t>(random.below(dimensions))};
}

Step draw_derived(executors::Random& random, uint32_t of, const TensorModel& model) {
  if (random.below(3) == 0) return draw_rearranged(random, of, model);
  return draw_view(random, of, model.shape);
}

}  // namespace pto2::graphs
