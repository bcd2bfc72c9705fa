#include "runtime/workloads/alternating/alternating_case.hpp"

#include "runtime/workloads/dense/dense_case.hpp"
#include "runtime/workloads/dense/dense_reference.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace alternating_case {

constexpr uint64_t product_side = 128;
constexpr uint64_t product_elements = product_side * product_side;
constexpr uint64_t sum_elements = 64 * 128;
constexpr float deviation = 0.01f;

class AlternatingCase : public DenseCase {
 public:
  AlternatingCase(const CaseInfo& info, uint64_t batch, uint64_t products, uint64_t sums,
                  uint64_t seed)
      : DenseCase(info, 0) {
    const auto input = [&](const char* name, uint64_t count, uint64_t stream) {
      const auto values = add_tensor<float>(name, ArgumentKind::input, count);
      fill_normal_float(values, deviation, splitmix64(seed, stream));
      return values;
    };
    a_ = input("A", batch * products * product_elements, 0);
    b_ = input("B", batch * products * product_elements, 1);
    add_tensor<float>("C", ArgumentKind::output, batch * products * product_elements);
    x_ = input("X", batch * sums * sum_elements, 2);
    y_ = input("Y", batch * sums * sum_elements, 3);
    add_tensor<float>("Z", ArgumentKind::output, batch * sums * sum_elements);
    add_sizes();
    const auto config = add_tensor<uint64_t>("config", ArgumentKind::input, 3);
    config[0] = batch;
    config[1] = products;
    config[2] = sums;
    keep_inputs();
  }

 private:
  std::vector<std::vector<double>> reference() const override {
    const std::vector<double> a = to_double(a_);
    const std::vector<double> b = to_double(b_);
    std::vector<double> c(a.size());
    for (uint64_t at = 0; at < c.size(); at += product_elements) {
      add_product(std::span(a).subspan(at), std::span(b).subspan(at), product_side,
                  std::span(c).subspan(at));
    }
    std::vector<double> z(x_.size());
    for (uint64_t i = 0; i < z.size(); ++i) z[i] = double{x_[i]} + double{y_[i]};
    return {std::move(c), std::move(z)};
  }

  std::span<const float> a_, b_, x_, y_;
};

constexpr uint64_t batch_of_case1 = 32;
constexpr uint64_t batch_of_case2 = 64;

class Alternating : public Workload {
 public:
  std::string name() const override { return "alternating"; }
  std::string description() const override {
    return "products of 128 x 128 on cube and sums of 64 x 128 on vector cores, all independent";
  }
  std::vector<CaseInfo> cases() const override {
    return {{"case1", "batch 32, M = N = 1", {}, "", "", 2 * batch_of_case1, 1e-3},
            {"case2", "batch 64, M = N = 1", {}, "", "", 2 * batch_of_case2, 1e-3}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    const uint64_t batch = case_name == "case2" ? batch_of_case2 : batch_of_case1;
    return make_alternating_case(find_case(*this, case_name), batch, 1, 1, options.seed);
  }
};

}  // namespace alternating_case
}  // namespace

const Workload& alternating() {
  static const alternating_case::Alternating workload;
  return workload;
}

std::unique_ptr<CaseData> make_alternating_case(CaseInfo info, uint64_t batch, uint64_t products,
                                                uint64_t sums, uint64_t seed) {
  info.tasks = batch * (products + sums);
  return std::make_unique<alternating_case::AlternatingCase>(info, batch, products, sums, seed);
}

}  // namespace pto2::workloads
