#include "runtime/workloads/vector_example/vector_example_case.hpp"

#include <algorithm>
#include <limits>

#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace vector_example_case {

constexpr uint64_t elements = 128 * 128;
constexpr uint64_t task_count = 5;
constexpr double usual_tolerance = 1e-5;

class VectorExampleCase : public CaseData {
 public:
  VectorExampleCase(const CaseInfo& info, bool random, uint64_t seed) : CaseData(info) {
    const std::span<float> a(a_.as<float>(), elements);
    const std::span<float> b(b_.as<float>(), elements);
    if (random) {
      fill_uniform_float(a, -10, 10, splitmix64(seed, 0));
      fill_uniform_float(b, -10, 10, splitmix64(seed, 1));
    } else {
      std::fill(a.begin(), a.end(), 2.0f);
      std::fill(b.begin(), b.end(), 3.0f);
    }
    reset_outputs();
    arguments_ = {{"a", ArgumentKind::input, a_.address(), a_.bytes()},
                  {"b", ArgumentKind::input, b_.address(), b_.bytes()},
                  {"f", ArgumentKind::output, f_.address(), f_.bytes()},
                  {"size_a", ArgumentKind::scalar, a_.bytes(), 0},
                  {"size_b", ArgumentKind::scalar, b_.bytes(), 0},
                  {"size_f", ArgumentKind::scalar, f_.bytes(), 0},
                  {"elements", ArgumentKind::scalar, elements, 0}};
    expected_tasks_ = info.tasks;
    expected_edges_ = 6;  // c -> d, e, f; d, e -> g; g -> f
    tolerance_ = info.tolerance;
    keep_digests();
  }

  void reset_outputs() override {
    std::fill_n(f_.as<float>(), elements, std::numeric_limits<float>::quiet_NaN());
  }

 private:
  Verification compare_outputs() override {
    std::vector<double> reference(elements);
    for (uint64_t i = 0; i < elements; ++i) {
      const double c = double{a_.as<float>()[i]} + double{b_.as<float>()[i]};
      reference[i] = (c + 1) * (c + 2) + c;
    }
    return compare({f_.as<float>(), elements}, reference, tolerance_);
  }

  Buffer a_{elements * sizeof(float)};
  Buffer b_{elements * sizeof(float)};
  Buffer f_{elements * sizeof(float)};
};

class VectorExample : public Workload {
 public:
  std::string name() const override { return "vector_example"; }
  std::string description() const override {
    return "(a+b+1)(a+b+2)+(a+b) over 16384 floats, four of five tasks in a nested scope";
  }
  std::vector<CaseInfo> cases() const override {
    return {{"Case1", "a = 2, b = 3: every element is 47", {}, "", "", task_count, usual_tolerance},
            {"CaseRandom", "a and b uniform in -10..10", {}, "", "", task_count, usual_tolerance}};
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    return std::make_unique<VectorExampleCase>(find_case(*this, case_name),
                                               case_name == "CaseRandom", options.seed);
  }
};

}  // namespace vector_example_case
}  // namespace

const Workload& vector_example() {
  static const vector_example_case::VectorExample workload;
  return workload;
}

}  // namespace pto2::workloads
