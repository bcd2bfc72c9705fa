#include "runtime/workloads/matmul/matmul_case.hpp"

#include <cmath>

#include "runtime/workloads/dense/dense_case.hpp"
#include "runtime/workloads/dense/dense_reference.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace matmul_case {

constexpr uint64_t side = 128;
constexpr uint64_t elements = side * side;
constexpr uint64_t task_count = 4;
constexpr uint64_t edge_count = 4;
constexpr double usual_tolerance = 1e-2;

/// Ranges that the inputs are drawn from, uniformly.
struct Ranges {
  float a_low, a_high;
  float w_low, w_high;
};

class MatmulCase : public DenseCase {
 public:
  MatmulCase(const CaseInfo& info, const Ranges& ranges, uint64_t seed)
      : DenseCase(info, edge_count) {
    const auto input = [&](const char* name, float low, float high, uint64_t stream) {
      const auto values = add_tensor<uint16_t>(name, ArgumentKind::input, elements);
      fill_uniform_half(values, HalfFormat::float16, low, high, splitmix64(seed, stream));
      return values;
    };
    a_ = input("a", ranges.a_low, ranges.a_high, 0);
    w1_ = input("w1", ranges.w_low, ranges.w_high, 1);
    w2_ = input("w2", ranges.w_low, ranges.w_high, 2);
    add_tensor<float>("f", ArgumentKind::output, elements);
    add_sizes();
    add_scalar("elements", elements);
    keep_inputs();
  }

 private:
  std::vector<std::vector<double>> reference() const override {
    std::vector<double> b = half_to_double(a_);
    for (double& x : b) x = std::sqrt(std::log(x));
    std::vector<double> f(elements);
    add_product(b, half_to_double(w1_), side, f);
    add_product(b, half_to_double(w2_), side, f);
    for (double& x : f) x = std::exp(x);
    return {std::move(f)};
  }

  std::span<const uint16_t> a_, w1_, w2_;
};

class Matmul : public Workload {
 public:
  std::string name() const override { return "matmul"; }
  std::string description() const override {
    return "exp(b w1 + b w2), b = sqrt(log a), of 128 x 128: a diamond on both kinds of cores";
  }
  std::vector<CaseInfo> cases() const override {
    return {{"Case1",
             "a = e^4, w1 = w2 = 1/256: every element is e^2",
             {},
             "",
             "",
             task_count,
             usual_tolerance},
            {"CaseRandom",
             "a uniform in 1.5..60, w1 and w2 in -1/32..1/32",
             {},
             "",
             "",
             task_count,
             usual_tolerance}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    const CaseInfo info = find_case(*this, case_name);
    const float constant = std::exp(4.0f);
    const Ranges ranges = info.name == "Case1" ? Ranges{constant, constant, 1.0f / 256, 1.0f / 256}
                                               : Ranges{1.5f, 60, -1.0f / 32, 1.0f / 32};
    return std::make_unique<MatmulCase>(info, ranges, options.seed);
  }
};

}  // namespace matmul_case
}  // namespace

const Workload& matmul() {
  static const matmul_case::Matmul workload;
  return workload;
}

}  // namespace pto2::workloads
