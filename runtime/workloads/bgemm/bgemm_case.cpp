#include "runtime/workloads/bgemm/bgemm_case.hpp"

#include "runtime/workloads/dense/dense_case.hpp"
#include "runtime/workloads/dense/dense_reference.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace bgemm_case {

constexpr uint64_t batch = 2;
constexpr uint64_t grid = 4;
constexpr uint64_t side = 64;
constexpr uint64_t tile_elements = side * side;
constexpr uint64_t tiles = batch * grid * grid;
constexpr float deviation = 0.01f;

/// C begins with random values, too, so that a sum that forgets them is seen.
class BgemmCase : public DenseCase {
 public:
  BgemmCase(const CaseInfo& info, uint64_t seed) : DenseCase(info, tiles * (2 * grid - 1)) {
    const auto add = [&](const char* name, ArgumentKind kind, uint64_t stream) {
      const auto values = add_tensor<float>(name, kind, tiles * tile_elements);
      fill_normal_float(values, deviation, splitmix64(seed, stream));
      return values;
    };
    a_ = add("A", ArgumentKind::input, 0);
    b_ = add("B", ArgumentKind::input, 1);
    add("C", ArgumentKind::inout, 2);
    add_sizes();
    keep_inputs();
  }

 private:
  std::vector<std::vector<double>> reference() const override {
    const std::vector<double> a = to_double(a_);
    const std::vector<double> b = to_double(b_);
    std::vector<double> c = to_double(initial("C"));
    const auto tile = [](auto& of, uint64_t i, uint64_t row, uint64_t column) {
      return std::span(of).subspan(((i * grid + row) * grid + column) * tile_elements,
                                   tile_elements);
    };
    for (uint64_t t = 0; t < tiles * grid; ++t) {
      const uint64_t k = t % grid;
      const uint64_t n = t / grid % grid;
      const uint64_t m = t / grid / grid % grid;
      const uint64_t i = t / grid / grid / grid;
      add_product(tile(a, i, m, k), tile(b, i, k, n), side, tile(c, i, m, n));
    }
    return {std::move(c)};
  }

  std::span<const float> a_, b_;
};

class Bgemm : public Workload {
 public:
  std::string name() const override { return "bgemm"; }
  std::string description() const override {
    return "batched C += A x B in tiles of 64 x 64: products on cube, sums on vector cores";
  }
  std::vector<CaseInfo> cases() const override {
    return {{"Case1", "batch 2, a grid of 4 x 4 x 4 tiles", {}, "", "", 2 * tiles * grid, 1e-3}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    return std::make_unique<BgemmCase>(find_case(*this, case_name), options.seed);
  }
};

}  // namespace bgemm_case
}  // namespace

const Workload& bgemm() {
  static const bgemm_case::Bgemm workload;
  return workload;
}

}  // namespace pto2::workloads
