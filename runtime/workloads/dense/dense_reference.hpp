#pragma once

#include <span>
#include <vector>

#include "runtime/workloads/workload.hpp"

namespace pto2::workloads {

/// sum += left x right for squares of `side` x `side` in row-major order, in double precision.
void add_product(std::span<const double> left, std::span<const double> right, uint64_t side,
                 std::span<double> sum);

/// The values as doubles.
std::vector<double> to_double(std::span<const float> values);
/// The values, each an IEEE half, as doubles.
std::vector<double> half_to_double(std::span<const uint16_t> values);

}  // namespace pto2::workloads
