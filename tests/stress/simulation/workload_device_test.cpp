/// The devices that are drawn for a workload: too small often enough to end in deadlocks, and
/// seldom enough to let most runs finish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

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
  std::set<uint32_t> clusters;
  for (const DeviceConfig& device : drawn.devices) {
    clusters.insert(device.chip.clusters);
    EXPECT_GE(device.dep_pool, 224u) << "a node for each edge";
    EXPECT_GE(device.events, 8 * info.tasks);
    EXPECT_LT(device.window, info.rings.window);
    EXPECT_LT(device.heap_bytes, info.rings.heap_bytes);
    EXPECT_LT(device.dep_pool, info.rings.dep_pool);
    EXPECT_LT(device.tensormap_pool, info.rings.tensormap_pool);
  }
  EXPECT_THAT(clusters, testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

workloads::CaseInfo case_of(const char* workload, const std::string& name) {
  for (const workloads::CaseInfo& info : workloads::find_workload(workload).cases()) {
    if (info.name == name) return info;
  }
  throw std::invalid_argument(name);
}

/// It needs 256 KiB on one ring, and 192 on four, where its inner scope has one of its own. Scarce
/// is half of that and more.
TEST(WorkloadDevice, EachNumberOfRingsHasItsSizes) {
  const Drawn drawn = drawn_for(case_of("vector_example", "Case1"), "vector_example", 150);
  std::map<uint32_t, uint64_t> least;
  for (const DeviceConfig& device : drawn.devices) {
    uint64_t& of_rings = least.try_emplace(device.rings, device.heap_bytes).first->second;
    of_rings = std::min(of_rings, device.heap_bytes);
  }
  EXPECT_EQ(least.size(), 2u);
  EXPECT_GE(least.at(1), 128u << 10);
  EXPECT_GE(least.at(4), 96u << 10);
  EXPECT_LT(least.at(4), 128u << 10);
}

/// Graphs that need next to nothing have devices that there are.
TEST(WorkloadDevice, NoSizeIsTooSmallForADevice) {
  const Drawn of_two = drawn_for(case_of("block_incore", "block_task"), "block_incore", 40);
  const Drawn alone = drawn_for(case_of("alternating", "case1"), "alternating", 40);
  uint32_t most_nodes = 0;
  for (const Drawn* drawn : {&of_two, &alone}) {
    for (const DeviceConfig& device : drawn->devices) {
      EXPECT_GE(device.window, 4u);
      EXPECT_GE(device.heap_bytes, 1024u);
      EXPECT_GE(device.dep_pool, 16u);
      EXPECT_GE(device.tensormap_pool, 16u);
      most_nodes = std::max(most_nodes, device.dep_pool);
    }
  }
  EXPECT_GT(most_nodes, 32u) << "but some are larger";
}

/// How many clusters groups need no program says.
TEST(WorkloadDevice, ACaseWithGroupsHasTheSizesThatItAsksFor) {
  const workloads::CaseInfo info = case_of("clusters", "tensor");
  for (const DeviceConfig& device : drawn_for(info, "clusters", 3).devices) {
    EXPECT_EQ(device.window, info.rings.window);
    EXPECT_EQ(device.heap_bytes, info.rings.heap_bytes);
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

/// Nobody but the oracle knows where it must come.
TEST(WorkloadDevice, ADeadlockAtAnotherPlaceIsTold) {
  for (const bool is_ring_wrong : {false, true}) {
    Options options;
    options.workload = "bgemm";
    options.case_name = workloads::find_workload("bgemm").cases().front().name;
    options.stub_kernels = true;
    options.validate = false;
    WorkloadSubject subject(options, [&](ExecutorKind executor, const DeviceConfig& config,
                                         const Launch& what, uint64_t seed) {
      RunResult result = stress::launch_on(executor, config, what, seed);
      if (result.error.code != ErrorCode::flow_control_deadlock) return result;
      if (!is_ring_wrong) ++result.tasks;
      std::string& told = result.error.message;
      for (std::size_t at = told.find("ring "); at < told.size(); at = told.find("ring ", at + 1)) {
        if (is_ring_wrong) told[at + 5] = '7';
      }
      return result;
    });
    SimulatedRun run;
    for (uint64_t seed = 1; run.result.error.code != ErrorCode::flow_control_deadlock; ++seed) {
      run = subject.run(seed);
    }
    EXPECT_THAT(run.problems, testing::Contains(testing::HasSubstr(
                                  is_ring_wrong ? "expected ' of ring " : " tasks, expected ")));
  }
}

}  // namespace
}  // namespace pto2::simulations
