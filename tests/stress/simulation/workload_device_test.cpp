/// The devices that are drawn for a workload: too small often enough to end in deadlocks, and
/// seldom enough to let most runs finish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "stress/simulation/workload_subject.hpp"

namespace pto2::simulations {
namespace {

using testing::IsEmpty;

/// What became of the runs on devices with so many rings, and the devices.
struct Drawn {
  std::map<uint32_t, std::map<std::string, uint64_t>> outcomes;
  std::vector<DeviceConfig> devices;
};

Drawn drawn_for(const workloads::CaseInfo& info, const char* workload, uint64_t runs) {
  Options options;
  options.workload = workload;
  options.case_name = info.name;
  options.stub_kernels = true;
  Drawn drawn;
  WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                       const Launch& what, uint64_t seed) {
    drawn.devices.push_back(config);
    return stress::launch_on(executor, config, what, seed);
  });
  for (uint64_t seed = 1; seed <= runs; ++seed) {
    const SimulatedRun run = subject.run(seed);
    EXPECT_THAT(run.problems, IsEmpty()) << info.name << " " << seed;
    ++drawn.outcomes[drawn.devices.back().rings][run.outcome];
  }
  return drawn;
}

TEST(WorkloadDevice, EachResourceIsScarceNowAndThen) {
  const workloads::CaseInfo info = workloads::find_workload("bgemm").cases().front();
  const Drawn drawn = drawn_for(info, "bgemm", 60);
  EXPECT_EQ(drawn.outcomes.size(), 2u) << "one ring, and four";
  std::map<std::string, uint64_t> lacking;
  for (const auto& [rings, outcomes] : drawn.outcomes) {
    uint64_t runs = 0;
    for (const auto& [outcome, count] : outcomes) {
      runs += count;
      lacking[outcome] += count;
    }
    EXPECT_GT(2 * outcomes.at("passed"), runs) << "most of those with " << rings;
  }
  EXPECT_EQ(lacking.size(), 3u) << "slots, a heap, and nothing";
  for (const DeviceConfig& device : drawn.devices) {
    EXPECT_LT(device.window, info.rings.window);
    EXPECT_LT(device.heap_bytes, info.rings.heap_bytes);
    EXPECT_LT(device.dep_pool, info.rings.dep_pool);
    EXPECT_LT(device.tensormap_pool, info.rings.tensormap_pool);
  }
}

TEST(WorkloadDevice, ACaseThatMustFailHasTheSizesThatItAsksFor) {
  for (const workloads::CaseInfo& info : workloads::find_workload("deadlock").cases()) {
    if (info.fault.empty()) continue;
    const DeviceConfig device = drawn_for(info, "deadlock", 1).devices.front();
    EXPECT_EQ(device.window, info.rings.window) << info.name;
    EXPECT_EQ(device.heap_bytes, info.rings.heap_bytes) << info.name;
    EXPECT_EQ(device.dep_pool, info.rings.dep_pool) << info.name;
    EXPECT_EQ(device.tensormap_pool, info.rings.tensormap_pool) << info.name;
    if (info.blocks == 0) continue;
    EXPECT_EQ(device.chip.clusters, info.blocks) << info.name;
  }
}

}  // namespace
}  // namespace pto2::simulations
