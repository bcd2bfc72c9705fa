#include "runtime/workloads/dense/dense_reference.hpp"

#include <Eigen/Core>
#include <bit>

namespace pto2::workloads {

void add_product(std::span<const double> left, std::span<const double> right, uint64_t side,
                 std::span<double> sum) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(side);
  Eigen::Map<Matrix>(sum.data(), n, n).noalias() +=
      Eigen::Map<const Matrix>(left.data(), n, n) * Eigen::Map<const Matrix>(right.data(), n, n);
}

std::vector<double> to_double(std::span<const float> values) {
  return {values.begin(), values.end()};
}

std::vector<double> half_to_double(std::span<const uint16_t> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const uint16_t bits : values) {
    result.push_back(static_cast<double>(std::bit_cast<Eigen::half>(bits)));
  }
  return result;
}

}  // namespace pto2::workloads
