#include "runtime/workloads/deadlock/deadlock_case.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {
namespace deadlock_case {

constexpr uint64_t kibibyte = 1024;
constexpr double usual_tolerance = 1e-5;

/// The graphs of orchestration.cpp, by what each part of it is.
enum class Graph { writers, buffers, readers, groups };

struct Sizes {
  RingSizes rings = {};
  uint64_t blocks = 0;  ///< CaseInfo::blocks
};

struct Reproduction {
  const char* name;
  const char* description;
  Graph graph;
  uint64_t parts;
  uint64_t elements;  ///< floats of a part
  const char* fault;
  Sizes failing;  ///< the next size below
  Sizes fitting;  ///< the smallest that works
};

constexpr Sizes window(uint64_t slots) {
  return {.rings = {.window = slots}};
}
constexpr Sizes heap(uint64_t kibibytes) {
  return {.rings = {.heap_bytes = kibibytes * kibibyte}};
}
constexpr Sizes dep_pool(uint64_t nodes) {
  return {.rings = {.dep_pool = nodes}};
}
constexpr Sizes tensormap_pool(uint64_t entries) {
  return {.rings = {.tensormap_pool = entries}};
}
constexpr Sizes blocks(uint64_t number) {
  return {.blocks = number};
}

constexpr Reproduction reproductions[] = {
    {"window", "a scope of 8 tasks, and one slot stays free", Graph::writers, 8, 64,
     "flow_control_deadlock", window(8), window(16)},
    {"heap", "a scope that holds 8 buffers of 4K", Graph::buffers, 8, kibibyte,
     "heap_ring_deadlock", heap(32), heap(64)},
    {"output", "one output of 96K, larger than the heap", Graph::buffers, 1, 24 * kibibyte,
     "heap_ring_deadlock", heap(64), heap(128)},
    {"dep_pool", "a scope of 17 readers of one buffer", Graph::readers, 17, 64,
     "dependency_pool_overflow", dep_pool(16), dep_pool(17)},
    {"tensormap", "a scope of 17 tasks with an output each", Graph::writers, 17, 64,
     "tensormap_overflow", tensormap_pool(16), tensormap_pool(17)},
    {"clusters", "a scope of 3 groups, each on a cluster", Graph::groups, 3, 64, "cluster_deadlock",
     blocks(2), blocks(3)}};

/// A reproduction or its twin.
struct Spec {
  CaseInfo info;
  Graph graph;
  uint64_t parts;
  uint64_t elements;
};

uint64_t tasks_of(const Reproduction& of) {
  if (of.graph == Graph::buffers) return 2 * of.parts;
  return of.graph == Graph::readers ? 1 + of.parts : of.parts;
}

std::vector<Spec> make_specs() {
  std::vector<Spec> specs;
  for (const Reproduction& of : reproductions) {
    const std::string twin = std::string(of.name) + "_fits";
    const auto add = [&](CaseInfo info, const Sizes& sizes) {
      info.rings = sizes.rings;
      info.blocks = sizes.blocks;
      info.tasks = tasks_of(of);
      info.tolerance = usual_tolerance;
      specs.push_back({std::move(info), of.graph, of.parts, of.elements});
    };
    add({of.name, of.description, {}, of.fault, twin}, of.failing);
    add({twin, std::string("as ") + of.name + ", in the smallest size that works", {}, "", ""},
        of.fitting);
  }
  return specs;
}

const std::vector<Spec>& all_specs() {
  static const std::vector<Spec> specs = make_specs();
  return specs;
}

class DeadlockCase : public CaseData {
 public:
  DeadlockCase(const Spec& spec, uint64_t seed)
      : CaseData(spec.info),
        graph_(spec.graph),
        elements_(spec.elements),
        x_(spec.parts * spec.elements * sizeof(float)),
        y_(x_.bytes()) {
    fill_uniform_float({x_.as<float>(), x_.count<float>()}, -10, 10, splitmix64(seed, 0));
    reset_outputs();
    arguments_ = {{"x", ArgumentKind::input, x_.address(), x_.bytes()},
                  {"y", ArgumentKind::output, y_.address(), y_.bytes()},
                  {"size_x", ArgumentKind::scalar, x_.bytes(), 0},
                  {"size_y", ArgumentKind::scalar, y_.bytes(), 0},
                  {"parts", ArgumentKind::scalar, spec.parts, 0},
                  {"elements", ArgumentKind::scalar, spec.elements, 0}};
    if (graph_ == Graph::buffers) entry_ += "_buffers";
    if (graph_ == Graph::readers) entry_ += "_readers";
    if (graph_ == Graph::groups) entry_ += "_groups";
    expected_tasks_ = info_.tasks;
    const bool edges = graph_ == Graph::buffers || graph_ == Graph::readers;
    expected_edges_ = edges ? spec.parts : 0;
    tolerance_ = info_.tolerance;
    keep_digests();
  }

  void reset_outputs() override {
    std::fill_n(y_.as<float>(), y_.count<float>(), std::numeric_limits<float>::quiet_NaN());
  }

 private:
  Verification compare_outputs() override {
    std::vector<double> reference(y_.count<float>());
    for (uint64_t i = 0; i < reference.size(); ++i) reference[i] = expected(i);
    return compare({y_.as<float>(), y_.count<float>()}, reference, tolerance_);
  }

  double expected(uint64_t i) const {
    const float* const x = x_.as<float>();
    if (graph_ == Graph::buffers) return double{x[i]} + 2;
    if (graph_ != Graph::readers) return double{x[i]} + 1;
    return double{x[i % elements_]} + 1 + static_cast<double>(i / elements_);
  }

  Graph graph_;
  uint64_t elements_;
  Buffer x_;
  Buffer y_;
};

class DeadlockWorkload : public Workload {
 public:
  std::string name() const override { return "deadlock"; }
  std::string description() const override {
    return "reproductions of deadlocks, one per resource, each with a twin that passes";
  }
  std::vector<CaseInfo> cases() const override {
    std::vector<CaseInfo> infos;
    for (const Spec& spec : all_specs()) infos.push_back(spec.info);
    return infos;
  }

 private:
  std::unique_ptr<CaseData> make(const std::string& case_name,
                                 const CaseOptions& options) const override {
    std::string known;
    for (const Spec& spec : all_specs()) {
      if (spec.info.name == case_name) return std::make_unique<DeadlockCase>(spec, options.seed);
      known += (known.empty() ? "" : ", ") + spec.info.name;
    }
    throw std::invalid_argument("workload deadlock has no case '" + case_name + "'; there are " +
                                known);
  }
};

}  // namespace deadlock_case
}  // namespace

const Workload& deadlock() {
  static const deadlock_case::DeadlockWorkload workload;
  return workload;
}

}  // namespace pto2::workloads
