/// Block tasks whose parts are pinned to clusters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/device/thread_names.hpp"
#include "runtime/executors/random.hpp"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::pinned_parts {
namespace {

constexpr KernelEntry kernels[] = {[](int64_t*) {}};

class PinnedParts : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& orchestration,
                uint64_t seed = 1) {
    RunResult result = run_at(GetParam(), config, {kernels, orchestration, {}}, seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message << result.error.hint;
    return result;
  }

  void expect_refused(const char* message, const std::function<void(PTO2Runtime*)>& orchestration) {
    const RunResult result = run_at(GetParam(), small_device(), {kernels, orchestration, {}});
    EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
    EXPECT_THAT(result.error.message, testing::HasSubstr(message));
    EXPECT_THAT(result.error.hint, testing::HasSubstr("pto2_rt_allocate_cluster"));
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, PinnedParts, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

void submit_parts(PTO2Runtime* rt, const std::vector<int32_t>& clusters,
                  int32_t type = PTO2_WORKER_VECTOR) {
  pto2_rt_submit_block_task_clustered(rt, 0, type, nullptr, 0,
                                      static_cast<int32_t>(clusters.size()), clusters.data());
}

uint64_t count_of(const RunResult& result, EventKind kind) {
  return static_cast<uint64_t>(std::ranges::count(result.record.events, kind, &Event::kind));
}

/// By part of the only task: the cluster of the core that it was dispatched to.
std::vector<int32_t> clusters_of_parts(const RunResult& result, const Chip& chip,
                                       std::size_t parts) {
  std::vector<int32_t> clusters(parts, -1);
  for (const Event& event : result.record.events) {
    if (event.kind != EventKind::dispatch) continue;
    clusters.at(event.part) =
        static_cast<int32_t>(chip.place_of(WorkerId(event.place)).cluster.value);
  }
  return clusters;
}

TEST_P(PinnedParts, RunOnTheirClusters) {
  const DeviceConfig config = small_device();
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<int32_t> clusters{2, 0, 0, 1, 2, 2, 1, 0, 2, 2};
    const RunResult result = run(
        config,
        [&](PTO2Runtime* rt) {
          for (int32_t i = 0; i < 3; ++i) ASSERT_EQ(pto2_rt_allocate_cluster(rt), i);
          submit_parts(rt, clusters, seed % 2 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR);
        },
        seed);
    EXPECT_EQ(clusters_of_parts(result, config.chip, clusters.size()), clusters);
    EXPECT_EQ(count_of(result, EventKind::join), clusters.size());
    EXPECT_EQ(result.tasks, 1u);
    EXPECT_EQ(result.dispatches, clusters.size());
  }
}

TEST_P(PinnedParts, OfOneSchedulerAloneNeedNoOther) {
  const DeviceConfig config = small_device();  // scheduler 1 has block 1 alone
  const RunResult result = run(config, [&](PTO2Runtime* rt) {
    for (int32_t i = 0; i < 3; ++i) ASSERT_EQ(pto2_rt_allocate_cluster(rt), i);
    submit_parts(rt, {1, 1, 1, 1, 1});
  });
  EXPECT_EQ(clusters_of_parts(result, config.chip, 5), std::vector<int32_t>(5, 1));
}

/// A cluster comes back only when the parts on it have ended, and does come back: there are more
/// groups than clusters.
TEST_P(PinnedParts, HoldTheirGroupsUntilTheyEnd) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult result = run(
        small_device(),
        [](PTO2Runtime* rt) {
          for (int i = 0; i < 10; ++i) {
            PTO2_SCOPE(rt) {
              const int32_t a = pto2_rt_allocate_cluster(rt);
              const int32_t b = pto2_rt_allocate_cluster(rt);
              submit_parts(rt, {a, b, b, a, a});
              pto2_rt_free_cluster(rt, a);
            }
          }
        },
        seed);
    EXPECT_EQ(count_of(result, EventKind::allocate), 20u);
    EXPECT_EQ(count_of(result, EventKind::give_back), 20u);
  }
}

TEST_P(PinnedParts, WithoutIdsAreNotPinned) {
  const RunResult result = run(small_device(), [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 4, nullptr);
  });
  EXPECT_EQ(result.dispatches, 4u);
  EXPECT_EQ(count_of(result, EventKind::join), 0u);
}

/// Two tasks, each the first of its ring, both submitted before either is taken, in some schedules.
TEST_P(PinnedParts, OfTasksInTwoRingsAreApart) {
  const DeviceConfig config = small_device();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult result = run(
        config,
        [](PTO2Runtime* rt) {
          const int32_t outer = pto2_rt_allocate_cluster(rt);
          const int32_t inner = pto2_rt_allocate_cluster(rt);
          submit_parts(rt, {outer, outer});
          PTO2_SCOPE(rt) {
            submit_parts(rt, {inner, inner});
          }
        },
        seed);
    for (const Event& event : result.record.events) {
      if (event.kind != EventKind::dispatch) continue;
      const ClusterId cluster = config.chip.place_of(WorkerId(event.place)).cluster;
      EXPECT_EQ(cluster.value, ring_of(event.task).value) << "seed " << seed;
    }
  }
}

/// The next task is not pinned, whatever the one before was.
TEST_P(PinnedParts, PinNobodyElse) {
  const RunResult result = run(small_device(), [](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit_parts(rt, {cluster, cluster});
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 3);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  });
  EXPECT_EQ(result.dispatches, 6u);
  EXPECT_EQ(count_of(result, EventKind::join), 2u);
}

TEST_P(PinnedParts, NeedAClusterEach) {
  expect_refused("part 1: there is no cluster 3", [](PTO2Runtime* rt) {
    submit_parts(rt, {pto2_rt_allocate_cluster(rt), 3});
  });
  expect_refused("part 2: there is no cluster -1", [](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit_parts(rt, {cluster, cluster, -1});
  });
  expect_refused("part 0: cluster 1 is not allocated", [](PTO2Runtime* rt) {
    submit_parts(rt, {1, pto2_rt_allocate_cluster(rt)});
  });
  expect_refused("part 1: cluster 0 is not allocated: its last group, 0, was freed",
                 [](PTO2Runtime* rt) {
                   const int32_t freed = pto2_rt_allocate_cluster(rt);
                   const int32_t other = pto2_rt_allocate_cluster(rt);
                   pto2_rt_free_cluster(rt, freed);
                   submit_parts(rt, {other, freed});
                 });
}

/// Pinned parts, block tasks and tasks, pinned or not, in scopes that allocate clusters.
void submit_mixture(PTO2Runtime* rt, executors::Random& random, uint32_t blocks) {
  const auto type = [&] { return static_cast<int32_t>(random.below(2)); };
  for (uint64_t scopes = 1 + random.below(4); scopes != 0; --scopes) {
    PTO2_SCOPE(rt) {
      std::vector<int32_t> held;
      for (uint64_t n = 1 + random.below(blocks); n != 0; --n) {
        held.push_back(pto2_rt_allocate_cluster(rt));
      }
      for (uint64_t tasks = random.below(8); tasks != 0; --tasks) {
        std::vector<int32_t> clusters(1 + random.below(12));
        for (int32_t& cluster : clusters) cluster = held[random.below(held.size())];
        switch (random.below(4)) {
          case 0:
            pto2_rt_submit_block_task(rt, 0, type(), nullptr, 0,
                                      static_cast<int32_t>(clusters.size()));
            break;
          case 1:
            pto2_rt_submit_task_clustered(rt, 0, type(), nullptr, 0, clusters[0]);
            break;
          default:
            submit_parts(rt, clusters, type());
        }
      }
    }
  }
}

/// On chips of every shape; in two of three runs kernels end last, so that a part that waits beside
/// an idle core of its cluster is seen. VR-I8, VR-I10, VR-I36.
TEST(PinnedPartsOnChips, NoCoreIsIdleBesideThem) {
  for (uint64_t seed = 1; seed <= seeds_of(1000); ++seed) {
    executors::Random random(seed);
    DeviceConfig config = small_device();
    stress::draw_device(random, 6, config);
    config.events = 8192;
    const uint32_t blocks = config.chip.clusters;
    const Launch what{kernels, [&](PTO2Runtime* rt) { submit_mixture(rt, random, blocks); }, {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = seed % 3 != 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message << " seed " << seed;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pto2::test::pinned_parts
