#pragma once

#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/oracles/counting_oracle.hpp"
#include "stress/oracles/recording_runtime.hpp"
#include "stress/simulation/relay.hpp"
#include "stress/simulation/subject.hpp"

namespace pto2::simulations {

/// A case of a workload on random devices. Where the graph says all about the sizes that it needs,
/// these are random too, and a counting oracle says what must come of it; else they are the case's
/// own.
class WorkloadSubject final : public Subject {
 public:
  explicit WorkloadSubject(const Options& options, stress::Launcher launch = stress::launch_on);

  SimulatedRun run(uint64_t seed) override;
  Shrunk shrink(uint64_t seed) override;
  SimulatedRun run_shrunk(uint64_t seed, const std::string& token, std::string& story) override;
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override;

 private:
  /// What shrink() makes smaller.
  struct Size {
    uint64_t tasks;
    uint32_t clusters;
    uint32_t schedulers;
  };

  /// The graph as a device with so many rings has it: who may take whose place depends on them.
  struct Graph {
    explicit Graph(uint32_t rings) : recorder(rings) {}
    oracle::RecordingRuntime recorder;
    oracle::SmallestSizes enough{};
  };

  [[nodiscard]] std::unique_ptr<workloads::CaseData> make_data() const;
  void configure();
  void call(PTO2Runtime* rt, std::optional<Relay>& relay, uint64_t tasks);
  void record(Graph& graph, uint32_t rings);
  [[nodiscard]] const Graph& graph_on(uint32_t rings) const {
    return rings == 1 ? on_one_ring_ : on_four_rings_;
  }
  [[nodiscard]] DeviceConfig draw(uint64_t seed) const;
  void draw_sizes(executors::Random& random, DeviceConfig& config) const;
  void reset_data();
  SimulatedRun run(uint64_t seed, const DeviceConfig& config, uint64_t tasks);
  SimulatedRun run(uint64_t seed, const Size& size);
  [[nodiscard]] DrawnFault fault_of(uint64_t seed, const DeviceConfig& config,
                                    uint64_t tasks) const;
  void judge(const DeviceConfig& config, const RunResult& result, uint64_t tasks,
             const std::optional<Relay>& relay, bool is_lost, SimulatedRun& run);
  /// That must come, as far as the program says it.
  [[nodiscard]] std::optional<oracle::Deadlock> deadlock_of(const DeviceConfig& config,
                                                            uint64_t tasks) const;
  [[nodiscard]] std::string expected_error(const DeviceConfig& config, uint64_t tasks,
                                           bool is_lost) const;
  [[nodiscard]] std::string story_of(uint64_t seed, const Size& size,
                                     const SimulatedRun& run) const;

  Options options_;
  stress::Launcher launch_;
  workloads::WorkloadImages images_;
  KernelLibrary kernels_;
  std::unique_ptr<workloads::CaseData> data_;
  std::vector<uint64_t> args_;
  std::vector<CallerArray> arrays_;
  OrchestrationLibrary orchestration_;
  std::vector<KernelEntry> entries_;
  Graph on_one_ring_{1};
  Graph on_four_rings_{4};
  bool inputs_are_whole_ = false;  ///< for certain
  bool is_exact_ = false;          ///< the program says all about the sizes that it needs
};

}  // namespace pto2::simulations
