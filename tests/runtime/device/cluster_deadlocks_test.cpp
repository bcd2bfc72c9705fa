/// Deadlocks of clusters, and groups that are counted after one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

void submit(PTO2Runtime* rt, int32_t cluster) {
  pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, nullptr, 0, cluster);
}

class ClusterDeadlocks : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Runs an orchestration whose kernel does nothing.
  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry) {
    static constexpr KernelEntry kernels[] = {no_kernel};
    return run_at(GetParam(), config, {kernels, entry, {}});
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ClusterDeadlocks, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// Holds four clusters at once, and one more after it freed two.
void hold_four(PTO2Runtime* rt) {
  std::vector<int32_t> held;
  PTO2_SCOPE(rt) {
    for (int i = 0; i < 4; ++i) {
      held.push_back(pto2_rt_allocate_cluster(rt));
      pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, nullptr, 0, held.back());
    }
    pto2_rt_free_cluster(rt, held[1]);
    pto2_rt_free_cluster(rt, held[3]);
    const int32_t last = pto2_rt_allocate_cluster(rt);
    pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, last);
  }
}

TEST_P(ClusterDeadlocks, ADeadlockNamesTheGroupsAndTheSizeThatWorks) {
  for (const uint32_t blocks : {1u, 2u, 3u}) {
    DeviceConfig config = small_device();
    config.chip.clusters = blocks;
    config.chip.schedulers = 1;
    const RunResult result = run(config, hold_four);
    EXPECT_EQ(result.error.code, ErrorCode::cluster_deadlock);
    EXPECT_EQ(result.tasks, blocks);
    EXPECT_THAT(result.error.message,
                HasSubstr("FATAL: Cluster allocation deadlock — all clusters occupied\n"));
    EXPECT_THAT(result.error.message, HasSubstr(fmt::format("- Clusters: {}\n", blocks)));
    for (uint32_t group = 0; group < blocks; ++group) {
      EXPECT_THAT(result.error.message,
                  HasSubstr(fmt::format("- Group {} holds cluster {}, allocated in the scope at "
                                        "depth 1\n",
                                        group, group)));
    }
    EXPECT_THAT(result.error.message, testing::Not(HasSubstr(fmt::format("Group {} ", blocks))));
    EXPECT_EQ(result.error.hint,
              "Recommended: 4 (the smallest that works): --blocks 4; or pto2_rt_free_cluster "
              "earlier");
  }
  DeviceConfig config = small_device();
  config.chip.clusters = 4;
  const RunResult result = run(config, hold_four);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, 5u);
}

TEST_P(ClusterDeadlocks, IdsAreCountedAsThoseOfALargerChip) {
  std::vector<int32_t> ids;
  const auto hold_eleven = [&](PTO2Runtime* rt) {
    for (int i = 0; i < 11; ++i) ids.push_back(pto2_rt_allocate_cluster(rt));
    for (const int32_t id : ids) submit(rt, id);
    for (const int32_t id : ids) pto2_rt_free_cluster(rt, id);
  };
  DeviceConfig config = small_device();
  config.chip.clusters = 3;
  const RunResult result = run(config, hold_eleven);
  EXPECT_EQ(ids, (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_THAT(result.error.hint, HasSubstr("11 (the smallest that works): --blocks 11"));
}

/// What is recommended works, and one less does not.
TEST_P(ClusterDeadlocks, WhatAnOrchestrationDecidesByIdsIsCounted) {
  const auto one_more_if_they_differ = [](PTO2Runtime* rt) {
    const int32_t first = pto2_rt_allocate_cluster(rt);
    const int32_t second = pto2_rt_allocate_cluster(rt);
    submit(rt, second);
    if (first != second) submit(rt, pto2_rt_allocate_cluster(rt));
  };
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  for (uint32_t blocks = 1; blocks <= 3; ++blocks) {
    config.chip.clusters = blocks;
    const RunResult result = run(config, one_more_if_they_differ);
    EXPECT_EQ(result.error.code, blocks < 3 ? ErrorCode::cluster_deadlock : ErrorCode::ok);
    EXPECT_THAT(result.error.hint, HasSubstr(blocks < 3 ? "3 (the smallest that works): " : ""));
  }
}

TEST_P(ClusterDeadlocks, GroupsOfSeveralScopesAreTold) {
  DeviceConfig config = small_device();
  config.chip.clusters = 2;
  const RunResult result = run(config, [&](PTO2Runtime* rt) {
    const int32_t outer = pto2_rt_allocate_cluster(rt);
    (void)pto2_rt_allocate_cluster(rt);
    PTO2_SCOPE(rt) {
      (void)pto2_rt_allocate_cluster(rt);
      pto2_rt_free_cluster(rt, outer);
      (void)pto2_rt_allocate_cluster(rt);
    }
    (void)pto2_rt_allocate_cluster(rt);
  });
  EXPECT_THAT(result.error.hint, HasSubstr("Recommended: 3 (the smallest that works): --blocks 3"));
}

TEST_P(ClusterDeadlocks, CountedGroupsMayHavePipesOfTheSameTagAndOtherSizes) {
  DeviceConfig config = small_device();
  config.chip = {"one-block", 1, 1, 2, 1};
  for (const bool is_right : {true, false}) {
    const RunResult result = run(config, [&](PTO2Runtime* rt) {
      for (uint32_t capacity = 1; capacity <= 3; ++capacity) {
        const int32_t cluster = pto2_rt_allocate_cluster(rt);
        const uint32_t again = capacity == 3 && !is_right ? 4 : capacity;
        for (const PTOParam& pipe :
             {make_pipe_out_param(0, capacity, 64), make_pipe_in_param(0, again, 64)}) {
          pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, &pipe, 1, cluster);
        }
      }
    });
    EXPECT_THAT(result.error.hint, HasSubstr(is_right ? "3 (the smallest that works): --blocks 3"
                                                      : "at least 3: --blocks 3"));
  }
}

TEST_P(ClusterDeadlocks, AnotherDeadlockIsCountedBeyondTheClusters) {
  DeviceConfig config = small_device();
  config.chip = {"one-block", 1, 1, 2, 1};
  config.tensormap_pool = 16;
  const RunResult result = run(config, [&](PTO2Runtime* rt) {
    for (int32_t tag = 0; tag < 18; ++tag) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      const PTOParam pipe = make_pipe_out_param(tag);
      pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, &pipe, 1, cluster);
      if (tag < 16) pto2_rt_free_cluster(rt, cluster);
    }
  });
  EXPECT_EQ(result.error.code, ErrorCode::tensormap_overflow) << result.error.message;
  EXPECT_THAT(result.error.hint, HasSubstr("18 (the smallest"));
}

/// A submission can name no more clusters.
TEST_P(ClusterDeadlocks, CountingEndsSomewhere) {
  const RunResult result = run(tiny_device(), [&](PTO2Runtime* rt) {
    for (int i = 0; i < 40'000; ++i) (void)pto2_rt_allocate_cluster(rt);
  });
  EXPECT_THAT(result.error.hint,
              HasSubstr("No --blocks works: it would have to be at least 32768"));
}

TEST_P(ClusterDeadlocks, NoMoreBlocksAreRecommendedThanAChipMayHave) {
  for (const auto& [groups, works] : {std::pair(1024, true), {1025, false}}) {
    const RunResult result = run(tiny_device(), [&, count = groups](PTO2Runtime* rt) {
      for (int i = 0; i < count; ++i) (void)pto2_rt_allocate_cluster(rt);
    });
    EXPECT_THAT(
        result.error.hint,
        HasSubstr(works ? "--blocks 1024;" : "No --blocks works: it would have to be 1025"));
  }
}

/// The message of a chip of so many blocks whose clusters are all held, after one was freed.
std::string deadlock_of(ExecutorKind where, uint32_t blocks) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  DeviceConfig config = small_device();
  config.chip.clusters = blocks;
  config.chip.schedulers = 1;
  const auto hold_all = [blocks](PTO2Runtime* rt) {
    pto2_rt_free_cluster(rt, pto2_rt_allocate_cluster(rt));
    for (uint32_t i = 0; i <= blocks; ++i) (void)pto2_rt_allocate_cluster(rt);
  };
  const RunResult result = run_at(where, config, {kernels, hold_all, {}});
  EXPECT_EQ(result.error.code, ErrorCode::cluster_deadlock);
  return result.error.message;
}

TEST_P(ClusterDeadlocks, ADeadlockTellsGroupsFromClusters) {
  const std::string message = deadlock_of(GetParam(), 2);
  EXPECT_THAT(message, HasSubstr("- Group 1 holds cluster 0, allocated"));
  EXPECT_THAT(message, HasSubstr("- Group 2 holds cluster 1, allocated"));
}

TEST_P(ClusterDeadlocks, ADeadlockNamesTheFirstSixteenGroups) {
  EXPECT_THAT(deadlock_of(GetParam(), 16), testing::Not(HasSubstr(" more\n")));
  const std::string message = deadlock_of(GetParam(), 18);
  EXPECT_THAT(message, HasSubstr("- Group 16 holds cluster 15, allocated"));
  EXPECT_THAT(message, testing::Not(HasSubstr("- Group 17 ")));
  EXPECT_THAT(message, HasSubstr("- and 2 more\n"));
}

/// A deadlock of the window, met while groups are open: they go on being counted and checked.
TEST_P(ClusterDeadlocks, AnotherDeadlockLeavesTheGroupsInOrder) {
  const auto overfill = [](bool then_wrong) {
    return [then_wrong](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      for (int i = 0; i < 6; ++i) submit(rt, cluster);
      const int32_t second = pto2_rt_allocate_cluster(rt);
      EXPECT_EQ(second, 1);
      submit(rt, second);
      pto2_rt_free_cluster(rt, second);
      if (then_wrong) pto2_rt_free_cluster(rt, second);
    };
  };
  DeviceConfig config = tiny_device();
  config.chip.clusters = 2;
  const RunResult result = run(config, overfill(false));
  EXPECT_EQ(result.error.code, ErrorCode::flow_control_deadlock);
  EXPECT_THAT(result.error.hint, HasSubstr("(the smallest that works): --window 8"));
  const RunResult wrong = run(config, overfill(true));
  EXPECT_EQ(wrong.error.code, ErrorCode::flow_control_deadlock);
  EXPECT_THAT(wrong.error.hint, HasSubstr("at least 8"));
}

}  // namespace
}  // namespace pto2::test
