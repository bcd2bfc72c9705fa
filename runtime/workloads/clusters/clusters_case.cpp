#include "runtime/workloads/clusters/clusters_case.hpp"

#include <algorithm>

#include "runtime/workloads/dense/dense_case.hpp"
#include "runtime/workloads/dense/dense_reference.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace clusters_case {

constexpr uint64_t batch = 8;
constexpr uint64_t steps = 4;
constexpr uint64_t side = 64;
constexpr uint64_t tile_elements = side * side;
constexpr uint64_t tasks = batch * (2 * steps + 1);
// Through tensors: from each product to its addition, and along the additions. Through a pipe:
// along the products and the additions, which all name it.
constexpr uint64_t edges = batch * 2 * steps;
constexpr float deviation = 0.1f;

/// The products are about as large as what C begins with, so that half of the sums are rectified.
class ClustersCase : public DenseCase {
 public:
  ClustersCase(const CaseInfo& info, uint64_t seed) : DenseCase(info, edges) {
    const auto add = [&](const char* name, ArgumentKind kind, uint64_t tiles, uint64_t stream) {
      const auto values = add_tensor<float>(name, kind, tiles * tile_elements);
      fill_normal_float(values, deviation, splitmix64(seed, stream));
      return values;
    };
    a_ = add("A", ArgumentKind::input, batch * steps, 0);
    b_ = add("B", ArgumentKind::input, batch * steps, 1);
    add("C", ArgumentKind::inout, batch, 2);
    add_sizes();
    add_scalar("pipe", info.name == "pipe" ? 1 : 0);
    keep_inputs();
  }

 private:
  std::vector<std::vector<double>> reference() const override {
    const std::vector<double> a = to_double(a_);
    const std::vector<double> b = to_double(b_);
    std::vector<double> c = to_double(initial("C"));
    const auto tile = [](auto& of, uint64_t i) {
      return std::span(of).subspan(i * tile_elements, tile_elements);
    };
    for (uint64_t i = 0; i < batch * steps; ++i) {
      add_product(tile(a, i), tile(b, i), side, tile(c, i / steps));
    }
    for (double& value : c) value = std::max(0.0, value);
    return {std::move(c)};
  }

  std::span<const float> a_, b_;
};

class Clusters : public Workload {
 public:
  std::string name() const override { return "clusters"; }
  std::string description() const override {
    return "sums of products per block, each on a cluster of its own: cube and vector cores in "
           "turn";
  }
  std::vector<CaseInfo> cases() const override {
    return {{"tensor", "products go through tensors", {}, "", "", tasks, 1e-3},
            {"pipe", "products go through a pipe", {}, "", "", tasks, 1e-3}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    return std::make_unique<ClustersCase>(find_case(*this, case_name), options.seed);
  }
};

}  // namespace clusters_case
}  // namespace

const Workload& clusters() {
  static const clusters_case::Clusters workload;
  return workload;
}

}  // namespace pto2::workloads
