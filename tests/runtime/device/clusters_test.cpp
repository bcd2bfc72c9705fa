/// Clusters as an orchestration sees them: groups, pinned tasks and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <vector>

#include "runtime/executors/seeded_team.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Clusters : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Runs an orchestration whose kernel does nothing; `lines_` gets what it logs.
  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry,
                uint64_t seed = 1) {
    static constexpr KernelEntry kernels[] = {no_kernel};
    return run_at(GetParam(), config,
                  {kernels, entry, [this](int32_t, const char* text) { lines_.push_back(text); }},
                  seed);
  }

  static void submit(PTO2Runtime* rt, int32_t cluster, int worker_type = PTO2_WORKER_CUBE) {
    pto2_rt_submit_task_clustered(rt, 0, worker_type, nullptr, 0, cluster);
  }

  /// Expects an orchestration to be refused, and that the next launch works.
  void expect_refused(const char* message, const std::function<void(PTO2Runtime*)>& entry) {
    const RunResult result = run(small_device(), entry);
    EXPECT_EQ(result.error.code, ErrorCode::bad_submission) << result.error.message;
    EXPECT_THAT(result.error.message, HasSubstr(message));
    EXPECT_THAT(result.error.hint, HasSubstr("pto2_rt_allocate_cluster"));
    EXPECT_EQ(run(small_device(), [](PTO2Runtime* rt) { submit(rt, -1); }).error.code,
              ErrorCode::ok);
  }

  std::vector<std::string> lines_;
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Clusters, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// The events of a kind, as (number of the group, cluster).
std::vector<std::pair<uint64_t, uint32_t>> events(const RunResult& result, EventKind kind) {
  std::vector<std::pair<uint64_t, uint32_t>> found;
  for (const Event& event : result.record.events) {
    if (event.kind == kind) found.emplace_back(event.group, event.place);
  }
  return found;
}

TEST_P(Clusters, TheLowestFreeOneIsAllocated) {
  std::vector<int32_t> ids;
  const RunResult result = run(small_device(), [&](PTO2Runtime* rt) {
    for (int i = 0; i < 3; ++i) ids.push_back(pto2_rt_allocate_cluster(rt));
    pto2_rt_free_cluster(rt, 2);
    pto2_rt_free_cluster(rt, 1);
    ids.push_back(pto2_rt_allocate_cluster(rt));
    ids.push_back(pto2_rt_allocate_cluster(rt));
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_THAT(ids, ElementsAre(0, 1, 2, 1, 2));
  using testing::Pair;
  EXPECT_THAT(events(result, EventKind::allocate),
              ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2), Pair(3, 1), Pair(4, 2)));
  // The last three end with their scope, the innermost first.
  EXPECT_THAT(events(result, EventKind::close),
              ElementsAre(Pair(2, 2), Pair(1, 1), Pair(4, 2), Pair(3, 1), Pair(0, 0)));
}

/// Chains through clusters and around them, with many more groups than clusters.
TEST_P(Clusters, PinnedTasksRunAmongOthers) {
  for (const uint32_t vectors : {1u, 2u}) {
    DeviceConfig config = small_device();
    config.chip.vectors_per_cluster = vectors;
    expect_graph(
        GetParam(), config,
        [](TaskGraph& graph) {
          PTO2Runtime* rt = graph.runtime();
          Value other = graph.task({});
          for (int group = 0; group < 20; ++group) {
            PTO2_SCOPE(rt) {
              graph.pin(pto2_rt_allocate_cluster(rt));
              Value mine = graph.task({other});
              for (int i = 0; i < 4; ++i) {
                (void)graph.task({mine});
                mine = graph.task({mine, other});
              }
              graph.pin(-1);
              (void)graph.task({mine});
            }
          }
        },
        5);
  }
}

TEST_P(Clusters, EachIsUsed) {
  const RunResult result = run(small_device(), [](PTO2Runtime* rt) {
    for (int i = 0; i < 3; ++i) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      for (int j = 0; j < 3; ++j) submit(rt, cluster, j == 0 ? 0 : 1);
    }
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  // Block b has cube b and the vector cores 3 + 2b and 4 + 2b. VR-I8 says the rest.
  std::vector<uint32_t> cubes;
  for (const Event& event : result.record.events) {
    if (event.kind == EventKind::dispatch && event.place < 3) cubes.push_back(event.place);
  }
  EXPECT_THAT(cubes, testing::UnorderedElementsAre(0, 1, 2));
}

/// Numbers of the tasks by the order of their dispatches, scheduler by scheduler.
std::vector<uint64_t> dispatched(const RunResult& result) {
  std::vector<uint64_t> tasks;
  for (const Event& event : result.record.events) {
    if (event.kind == EventKind::dispatch) tasks.push_back(local_of(event.task));
  }
  return tasks;
}

/// PL-I1: first in, first out.
TEST_P(Clusters, PinnedTasksStartInTheirOrder) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const RunResult result = run(
        small_device(),
        [](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          for (int i = 0; i < 12; ++i) submit(rt, cluster);
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    std::vector<uint64_t> ascending(12);
    for (uint64_t i = 0; i < 12; ++i) ascending[i] = i;
    EXPECT_EQ(dispatched(result), ascending) << "seed " << seed;
  }
}

TEST_P(Clusters, MinusOneIsAnyCore) {
  const RunResult result = run(small_device(), [](PTO2Runtime* rt) { submit(rt, -1); });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_THAT(events(result, EventKind::join), testing::IsEmpty());
}

/// The only cluster serves one group after the other, and each waits for the tasks of the former.
TEST_P(Clusters, AGroupWaitsForTheFormer) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const RunResult result = run(
        tiny_device(),
        [](PTO2Runtime* rt) {
          for (int group = 0; group < 8; ++group) {
            const int32_t cluster = pto2_rt_allocate_cluster(rt);
            PTO2_SCOPE(rt) {
              submit(rt, cluster);
              submit(rt, cluster, PTO2_WORKER_VECTOR);
            }
            pto2_rt_free_cluster(rt, cluster);
          }
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.tasks, 16u);
    EXPECT_EQ(events(result, EventKind::close).size(), 8u);
  }
}

TEST_P(Clusters, InnerScopesSubmitAndFree) {
  const RunResult result = run(tiny_device(), [](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    PTO2_SCOPE(rt) {
      submit(rt, cluster);
      pto2_rt_free_cluster(rt, cluster);
    }
    PTO2_SCOPE(rt) {
      submit(rt, pto2_rt_allocate_cluster(rt));
    }
    submit(rt, pto2_rt_allocate_cluster(rt));
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, 3u);
}

TEST_P(Clusters, IdsOutOfRangeAreRefused) {
  expect_refused("there is no cluster 3: the chip has clusters 0 to 2",
                 [](PTO2Runtime* rt) { submit(rt, 3); });
  expect_refused("there is no cluster -2", [](PTO2Runtime* rt) { submit(rt, -2); });
  expect_refused("free_cluster: there is no cluster -1",
                 [](PTO2Runtime* rt) { pto2_rt_free_cluster(rt, -1); });
  expect_refused("there is no cluster 65536", [](PTO2Runtime* rt) { submit(rt, 65536); });
}

TEST_P(Clusters, ClustersWithoutAnOpenGroupAreRefused) {
  expect_refused("submit_task_clustered: cluster 2 is not allocated",
                 [](PTO2Runtime* rt) { submit(rt, 2); });
  expect_refused("free_cluster: cluster 0 is not allocated (before submission 1)",
                 [](PTO2Runtime* rt) {
                   submit(rt, -1);
                   pto2_rt_free_cluster(rt, 0);
                 });
}

TEST_P(Clusters, ASecondFreeIsRefused) {
  const auto freed_twice = [](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    pto2_rt_free_cluster(rt, cluster);
    pto2_rt_free_cluster(rt, cluster);
  };
  expect_refused("cluster 0 is not allocated: its last group, 0, was freed", freed_twice);
}

/// A cluster's last group is told from the cluster.
TEST_P(Clusters, TheLastGroupIsNamed) {
  const auto free_first = [](PTO2Runtime* rt) {
    pto2_rt_free_cluster(rt, pto2_rt_allocate_cluster(rt));
  };
  expect_refused("cluster 0 is not allocated: its last group, 1, was freed", [&](PTO2Runtime* rt) {
    free_first(rt);
    free_first(rt);
    pto2_rt_free_cluster(rt, 0);
  });
  expect_refused("cluster 0 is not allocated: its last group, 1, ended", [&](PTO2Runtime* rt) {
    free_first(rt);
    PTO2_SCOPE(rt) {
      EXPECT_EQ(pto2_rt_allocate_cluster(rt), 0);
    }
    submit(rt, 0);
  });
}

TEST_P(Clusters, TheEndOfTheScopeFrees) {
  expect_refused("cluster 1 is not allocated: its last group, 1, ended with its scope",
                 [](PTO2Runtime* rt) {
                   (void)pto2_rt_allocate_cluster(rt);
                   int32_t inner = 0;
                   PTO2_SCOPE(rt) {
                     inner = pto2_rt_allocate_cluster(rt);
                   }
                   pto2_rt_free_cluster(rt, inner);
                 });
  expect_refused("cluster 0 is not allocated: its last group, 0, ended", [](PTO2Runtime* rt) {
    int32_t inner = 0;
    PTO2_SCOPE(rt) {
      inner = pto2_rt_allocate_cluster(rt);
    }
    submit(rt, inner);
  });
}

TEST_P(Clusters, AfterAFailureEachCallReturnsAtOnce) {
  int32_t id = -5;
  const RunResult result = run(tiny_device(), [&](PTO2Runtime* rt) {
    pto2_rt_free_cluster(rt, 7);
    for (int i = 0; i < 5; ++i) id = pto2_rt_allocate_cluster(rt);
    submit(rt, id);
    pto2_rt_free_cluster(rt, id);
  });
  EXPECT_THAT(result.error.message, HasSubstr("there is no cluster 7"));
  EXPECT_EQ(id, 0);
  EXPECT_EQ(result.tasks, 0u);
}

TEST_P(Clusters, NoneIsAllocatedAfterTheEnd) {
  const RunResult result = run(small_device(), [](PTO2Runtime* rt) {
    pto2_rt_orchestration_done(rt);
    (void)pto2_rt_allocate_cluster(rt);
  });
  EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(result.error.message, HasSubstr("allocate_cluster: the orchestration is done"));
}

/// What the tasks of a run with one core have done so far.
struct OneCore {
  bool first_runs = false;
  bool all_submitted = false;
  std::vector<int64_t> order;
};

/// Parameters: the OneCore and the number of the task. Task 0 lasts until all are submitted.
void queued_kernel(int64_t* args) {
  auto& core = *reinterpret_cast<OneCore*>(args[0]);
  core.order.push_back(args[1]);
  if (args[1] != 0) return;
  core.first_runs = true;
  while (!core.all_submitted) executors::SeededTeam::current()->point();
}

/// Each of the others waits for the one before it, or the pinned one for task 0, or nobody waits.
enum class Linked : uint8_t { none, others, pinned };

/// Submits task 0, and while it has the core tasks 1 to 3, which may run anywhere, and then task 4
/// with `submit_pinned`, which gets parameters, their count and a cluster. Returns their order.
std::vector<int64_t> order_on_one_core(
    uint64_t seed, Linked linked,
    const std::function<void(PTO2Runtime*, const PTOParam*, int, int32_t)>& submit_pinned) {
  static constexpr KernelEntry kernels[] = {queued_kernel};
  OneCore core;
  uint64_t link = 0;
  const auto entry = [&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint32_t shape[] = {1};
    const Tensor tensor = make_tensor_external(&link, shape, 1, DataType::UINT64);
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    for (uint64_t number = 0; number < 5; ++number) {
      const PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&core)),
                                 make_scalar_param(number), make_inout_param(tensor)};
      const bool is_pinned = number == 4;
      const bool is_linked = linked == Linked::others
                                 ? !is_pinned
                                 : linked == Linked::pinned && (is_pinned || number == 0);
      const int count = is_linked ? 3 : 2;
      if (!is_pinned) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params, count);
      if (is_pinned) submit_pinned(rt, params, count, cluster);
      while (!core.first_runs) executors::SeededTeam::current()->point();
    }
    core.all_submitted = true;
  };
  DeviceConfig config = small_device();
  config.chip.clusters = 1;
  config.chip.schedulers = 1;
  const RunResult result =
      launch(config, executors::SeededOptions{.seed = seed}, {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return core.order;
}

/// The core is given to whoever is pinned to its cluster, whatever has waited for longer, or
/// becomes ready as it becomes free; and to one that becomes ready itself then.
TEST(PinnedTasks, GoBeforeThoseThatMayRunAnywhere) {
  const auto submit = [](PTO2Runtime* rt, const PTOParam* params, int count, int32_t cluster) {
    pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, params, count, cluster);
  };
  const auto submit_block = [](PTO2Runtime* rt, const PTOParam* params, int count,
                               int32_t cluster) {
    const int32_t clusters[] = {cluster, cluster};
    pto2_rt_submit_block_task_clustered(rt, 0, PTO2_WORKER_CUBE, params, count, 2, clusters);
  };
  for (const Linked linked : {Linked::none, Linked::others, Linked::pinned}) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      EXPECT_THAT(order_on_one_core(seed, linked, submit), ElementsAre(0, 4, 1, 2, 3))
          << static_cast<int>(linked);
      EXPECT_THAT(order_on_one_core(seed, linked, submit_block), ElementsAre(0, 4, 4, 1, 2, 3))
          << static_cast<int>(linked);
    }
  }
}

/// Task 0 of type `first` has the core of the last cluster unless the scheduler runs it, and while
/// it runs the tasks of `others`, of `type`, are submitted: P is pinned to cluster 0 and waits for
/// it, U may run anywhere and waits for it, C waits for the C before it, R is pinned to cluster 0
/// and ready, X may run anywhere and is ready. Returns their numbers in the order of their
/// dispatches, by one scheduler.
std::vector<uint64_t> dispatches_after(int32_t first, int32_t type, uint32_t clusters,
                                       const std::string& others, uint64_t seed) {
  static constexpr KernelEntry kernels[] = {queued_kernel};
  OneCore core;
  uint64_t link = 0;
  const auto entry = [&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint32_t shape[] = {1};
    const Tensor tensor = make_tensor_external(&link, shape, 1, DataType::UINT64);
    int32_t last = -1;
    for (uint32_t i = 0; i < clusters; ++i) last = pto2_rt_allocate_cluster(rt);
    const bool is_own = first == PTO2_WORKER_AI_CPU;
    PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&core)), make_scalar_param(0),
                         make_inout_param(tensor)};
    pto2_rt_submit_task_clustered(rt, 0, first, params, 3, is_own ? -1 : last);
    while (!core.first_runs) executors::SeededTeam::current()->point();
    params[1] = make_scalar_param(1);
    for (const char other : others) {
      params[2] = other == 'C' ? make_inout_param(tensor) : make_input_param(tensor);
      const bool is_ready = other == 'R' || other == 'X';
      const bool is_pinned = other == 'R' || other == 'P';
      pto2_rt_submit_task_clustered(rt, 0, type, params, is_ready ? 2 : 3, is_pinned ? 0 : -1);
    }
    core.all_submitted = true;
  };
  DeviceConfig config = small_device();
  config.chip = {"small", clusters, 1, 1, 1};
  config.events = 1024;
  const RunResult result =
      launch(config, executors::SeededOptions{.seed = seed}, {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return dispatched(result);
}

/// What waits for a task is told of its end in the order of its submissions, the last first. None
/// that is told after a pinned one, or while one waits, has a core before it: neither that of the
/// task nor another one, which may be the only one that it can have.
TEST(PinnedTasks, GoBeforeThoseThatTheSameCompletionMakesReadyLater) {
  for (const int32_t type : {PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR}) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      const auto after = [=](int32_t first, uint32_t clusters, const std::string& others) {
        return dispatches_after(first, type, clusters, others, seed);
      };
      EXPECT_THAT(after(type, 1, "UUP"), ElementsAre(0, 3, 2, 1));
      EXPECT_THAT(after(type, 1, "PUU"), ElementsAre(0, 3, 1, 2));
      EXPECT_THAT(after(type, 2, "UP"), ElementsAre(0, 2, 1));
      EXPECT_THAT(after(type, 2, "UPU"), ElementsAre(0, 3, 2, 1));
      EXPECT_THAT(after(type, 2, "UPP"), ElementsAre(0, 3, 1, 2));
      EXPECT_THAT(after(type, 2, "UR"), ElementsAre(0, 2, 1));
      EXPECT_THAT(after(PTO2_WORKER_AI_CPU, 2, "UP"), ElementsAre(0, 2, 1));
      EXPECT_THAT(after(PTO2_WORKER_AI_CPU, 2, "UR"), ElementsAre(0, 2, 1));
    }
  }
}

/// What a completion makes ready has the core before what has been ready for longer: at once, or
/// from the scheduler's shard.
TEST(ReadyTasks, ThatWereSubmittedSoWaitForThoseOfCompletions) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const auto after = [seed](const std::string& others) {
      return dispatches_after(PTO2_WORKER_CUBE, PTO2_WORKER_CUBE, 1, others, seed);
    };
    EXPECT_THAT(after("XCCCC"), ElementsAre(0, 2, 3, 4, 5, 1));
    EXPECT_THAT(after("XUUU"), ElementsAre(0, 4, 3, 2, 1));
  }
}

}  // namespace
}  // namespace pto2::test
