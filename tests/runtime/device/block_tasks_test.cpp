/// Block tasks: one task whose kernel runs once per part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

#include "runtime/executors/random.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/record_events.hpp"

namespace pto2::test {
namespace {

class BlockTasks : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// A run that passes; `kernel` is number 0, another that does nothing number 1.
  RunResult run(const DeviceConfig& config, KernelEntry kernel,
                const std::function<void(PTO2Runtime*)>& orchestration, uint64_t seed = 1) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    RunResult result = run_at(GetParam(), config, {kernels, orchestration, {}}, seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message << result.error.hint;
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, BlockTasks, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// How often each part of one block task ran.
struct Parts {
  explicit Parts(uint32_t block_dim) : runs(block_dim) {}
  std::vector<std::atomic<uint32_t>> runs;
  std::atomic<bool> confused{false};
};

/// Parameters: a Parts, and scalars 1, 2, ..; what it finds there it spoils, for nobody else.
void count_part(int64_t* args) {
  auto& parts = *reinterpret_cast<Parts*>(args[0]);
  uint32_t i = 1;
  for (; args[i] == i + 1000; ++i) args[i] = 7;
  const auto part = static_cast<std::size_t>(args[i + 1]);
  const bool agree = pto_is_part(args) && pto_params(args) == static_cast<int>(i) &&
                     pto_block_dim(args) == args[i] && pto_block_id(args) == args[i + 1];
  if (args[i] != static_cast<int64_t>(parts.runs.size()) || part >= parts.runs.size() || !agree) {
    parts.confused = true;
  } else {
    ++parts.runs[part];
  }
  args[i] = args[i + 1] = -1;
}

std::vector<PTOParam> counting_params(Parts& parts, uint32_t scalars) {
  std::vector<PTOParam> params{make_scalar_param(reinterpret_cast<uint64_t>(&parts))};
  for (uint64_t i = 1; i <= scalars; ++i) params.push_back(make_scalar_param(i + 1000));
  return params;
}

TEST_P(BlockTasks, EveryPartRunsOnceAndIsToldWhichItIs) {
  for (const uint32_t block_dim : {1u, 2u, 4u, 6u, 7u, 24u, 96u, 1000u}) {
    for (const uint32_t scalars : {0u, 3u, max_block_params - 1}) {
      Parts parts(block_dim);
      const auto params = counting_params(parts, scalars);
      const RunResult result = run(small_device(), count_part,
                                   [&](PTO2Runtime* rt) { submit_block(rt, params, block_dim); });
      ASSERT_FALSE(parts.confused) << block_dim << " parts, " << scalars << " scalars";
      for (const auto& runs : parts.runs) ASSERT_EQ(runs.load(), 1u);
      EXPECT_EQ(result.tasks, 1u);
      EXPECT_EQ(result.completions, 1u);
      EXPECT_EQ(result.dispatches, block_dim);
      EXPECT_EQ(result.fins, block_dim);
    }
  }
}

TEST_P(BlockTasks, AsManyPartsAsThereMayBe) {
  Parts parts(max_block_dim);
  const auto params = counting_params(parts, 1);
  DeviceConfig config = small_device();
  config.events = 1 << 20;
  if (GetParam() == ExecutorKind::seeded) config.chip = tiny_device().chip;
  (void)run(config, count_part, [&](PTO2Runtime* rt) { submit_block(rt, params, max_block_dim); });
  EXPECT_FALSE(parts.confused);
  for (const auto& runs : parts.runs) ASSERT_EQ(runs.load(), 1u);
}

/// Parameters: what to add, the input, the output, which is as long. Part i of n takes the
/// elements i, i + n, .. of the output, from all of the input.
void add_sum(int64_t* args) {
  const PTOTensor& input = pto_tensor(args, 1);
  const PTOTensor& output = pto_tensor(args, 2);
  uint64_t sum = static_cast<uint64_t>(args[0]);
  for (uint32_t i = 0; i < input.shape[0]; ++i) sum = mix(sum, input.data<uint64_t>()[i]);
  for (auto i = static_cast<uint32_t>(args[4]); i < output.shape[0];
       i += static_cast<uint32_t>(args[3])) {
    output.data<uint64_t>()[i] = sum + i;
  }
}

/// What a row of block tasks, each of which reads what all parts of the one before wrote, comes to.
std::vector<uint64_t> expected_row(std::vector<uint64_t> values, uint32_t tasks) {
  for (uint64_t task = 0; task < tasks; ++task) {
    uint64_t sum = task;
    for (const uint64_t value : values) sum = mix(sum, value);
    std::iota(values.begin(), values.end(), sum);
  }
  return values;
}

/// The same with the runtime, `dims[i % size]` parts in task i, into `memory` at last.
void submit_row(PTO2Runtime* rt, std::vector<uint64_t>& memory, uint32_t tasks,
                const std::vector<uint32_t>& dims) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t shape[] = {memory.size()};
  const Tensor outside = make_tensor_external(memory.data(), shape, 1, DataType::UINT64);
  Tensor tensor = outside;
  for (uint32_t i = 0; i < tasks; ++i) {
    const bool last = i + 1 == tasks;
    const Tensor next = last ? outside : make_tensor(shape, 1, DataType::UINT64);
    submit_block(rt,
                 {make_scalar_param(i), make_input_param(tensor),
                  last ? make_inout_param(next) : make_output_param(next)},
                 dims[i % dims.size()], i % 2 == 0 ? PTO2_WORKER_VECTOR : PTO2_WORKER_CUBE);
    tensor = next;
  }
}

TEST_P(BlockTasks, AreOneTaskForThoseWhoDependOnThem) {
  constexpr uint32_t tasks = 12;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<uint64_t> memory(40);
    std::iota(memory.begin(), memory.end(), seed);
    const std::vector<uint64_t> expected = expected_row(memory, tasks);
    const RunResult result = run(
        small_device(), add_sum,
        [&](PTO2Runtime* rt) {
          submit_row(rt, memory, tasks, {5, 1, 40, 3});
        },
        seed);
    ASSERT_EQ(memory, expected) << "seed " << seed;
    EXPECT_EQ(result.tasks, tasks);
    EXPECT_EQ(result.dispatches, tasks / 4 * (5 + 1 + 40 + 3));
    EXPECT_LE(result.edges_linked + result.edges_early, tasks - 1);
  }
}

/// Slots, queues and heap are as small as they may be: parts are no entries of any of them.
TEST_P(BlockTasks, GoThroughTheSmallestDevice) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Parts parts(30);
    const auto params = counting_params(parts, 2);
    const RunResult result = run(
        tiny_device(), count_part,
        [&](PTO2Runtime* rt) {
          for (int i = 0; i < 20; ++i) {
            PTO2_SCOPE(rt) {
              submit_block(rt, params, 30, i % 3 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR);
            }
          }
        },
        seed);
    ASSERT_FALSE(parts.confused);
    for (const auto& runs : parts.runs) ASSERT_EQ(runs.load(), 20u);
    EXPECT_EQ(result.slots_recycled, 16u);
  }
}

/// Ends with `code`, and says both.
void expect_refused(ExecutorKind where, const char* message, const char* hint,
                    const std::function<void(PTO2Runtime*)>& orchestration) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  const RunResult result = run_at(where, small_device(), {kernels, orchestration, {}});
  EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(result.error.message, testing::HasSubstr(message));
  EXPECT_THAT(result.error.hint, testing::HasSubstr(hint));
}

TEST_P(BlockTasks, MustHaveOneTo65535Parts) {
  for (const int32_t block_dim : {0, -1, 65536}) {
    expect_refused(
        GetParam(),
        ("submission 1: a block task of " + std::to_string(block_dim) + " parts").c_str(),
        "1..65535", [&](PTO2Runtime* rt) {
          pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
          pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0, block_dim);
        });
  }
}

TEST_P(BlockTasks, LeaveRoomForTwoScalars) {
  const std::vector<PTOParam> params(max_params - 1, make_scalar_param(0));
  expect_refused(GetParam(), "31 parameters, at most 30", "one tensor",
                 [&](PTO2Runtime* rt) { submit_block(rt, params, 2); });
}

TEST_P(BlockTasks, AreCheckedLikeOtherTasks) {
  expect_refused(GetParam(), "there is no kernel 1", "kernels folder", [&](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0, 2);
  });
  expect_refused(GetParam(), "7 is no worker type", "PTO2_WORKER",
                 [&](PTO2Runtime* rt) { pto2_rt_submit_block_task(rt, 0, 7, nullptr, 0, 2); });
}

/// A task after a block task is none itself.
TEST_P(BlockTasks, AreNotCaughtByTheNextTask) {
  const RunResult result = run(
      small_device(), [](int64_t*) {},
      [](PTO2Runtime* rt) {
        submit_block(rt, {}, 3);
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
      });
  EXPECT_EQ(result.tasks, 2u);
  EXPECT_EQ(result.dispatches, 4u);
}

/// On one host thread the first core claims all parts of a short kernel, and the others stay where
/// they are.
TEST(PackedBlockTasks, AreLentToNoMoreCoresThanCanRun) {
  constexpr uint32_t blocks = 200;
  const RunResult result = launch({}, executors::TeamOptions{.host_threads = 1},
                                  {std::vector<KernelEntry>{[](int64_t*) {}},
                                   [](PTO2Runtime* rt) {
                                     for (uint32_t i = 0; i < blocks; ++i) submit_block(rt, {}, 24);
                                   },
                                   {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_EQ(result.dispatches, 24u * blocks);
  EXPECT_GE(result.loans, blocks);
  EXPECT_LE(result.loans, 2 * blocks);
}

/// Of a chain on one host thread.
uint64_t loans_of_blocks(uint32_t blocks, int32_t type) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  const RunResult result = launch({}, executors::TeamOptions{.host_threads = 1},
                                  {kernels,
                                   [blocks, type](PTO2Runtime* rt) {
                                     pto2_rt_init_tensor_pool(rt);
                                     static float link;
                                     const uint32_t shape[] = {1};
                                     const Tensor tensor = make_tensor_external(&link, shape, 1);
                                     for (uint32_t i = 0; i < blocks; ++i) {
                                       submit_block(rt, {make_inout_param(tensor)}, 48, type);
                                     }
                                   },
                                   {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.fins, 48 * blocks);
  return result.loans;
}

/// A completion makes each ready, so that they are met by a scheduler that has something to do.
TEST(PackedBlockTasks, ThatFollowEachOtherAreLentToNoMore) {
  constexpr uint32_t blocks = 100;
  for (const int32_t type : {PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR}) {
    const uint64_t loans = loans_of_blocks(blocks, type);
    EXPECT_GE(loans, blocks) << type;
    EXPECT_LE(loans, 2 * blocks) << type;
  }
}

/// Links of a chain that have run, and how many had when a task was submitted that needs none.
std::atomic<int> links{0};
std::atomic<int> links_before{0};
std::atomic<int> links_passed{-1};

/// A scheduler that has lent one lets its cores go first. When each round of it ends a link of a
/// chain, and sends the next, it looks for other tasks all the same.
TEST(PackedBlockTasks, LeaveTheirSchedulerOpenToOtherTasks) {
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) {}, [](int64_t*) { ++links; },
      [](int64_t*) { links_passed = links.load() - links_before.load(); }};
  links = 0;
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  const Launch what{
      kernels,
      [](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        static float link;
        const uint32_t shape[] = {1};
        const PTOParam params[] = {make_inout_param(make_tensor_external(&link, shape, 1))};
        pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, params, 1, 48);
        for (int i = 0; i < 200; ++i) {
          PTO2_SCOPE(rt) {
            pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, params, 1);
            if (i != 100) continue;
            links_before = links.load();
            pto2_rt_submit_task(rt, 2, PTO2_WORKER_VECTOR, nullptr, 0);
          }
        }
      },
      {}};
  const RunResult result = launch(config, executors::TeamOptions{.host_threads = 1}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_GE(links_before, 10) << "it was submitted while the chain ran";
  EXPECT_GE(links_passed, 0);
  EXPECT_LE(links_passed, 10);
}

/// A scheduler goes on to lend while the first cores are in long kernels, and the ticket is stolen
/// more often than there are parts.
TEST(PackedBlockTasks, KeepTheRulesBesideLongKernels) {
  DeviceConfig config;
  config.events = 4096;
  const RunResult result = launch(config, executors::TeamOptions{.host_threads = 2},
                                  {std::vector<KernelEntry>{[](int64_t*) {
                                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                   }},
                                   [](PTO2Runtime* rt) { submit_block(rt, {}, 4); },
                                   {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_EQ(result.fins, 4u);
  EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty());
}

/// Parts that can only end together, one per vector core of the chip.
constexpr uint32_t meeting_clusters = 8;
std::atomic<uint32_t> parts_met{0};
std::atomic<bool> somebody_missing{false};

void meeting_part(int64_t*) {
  ++parts_met;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (parts_met.load() < 2 * meeting_clusters && !somebody_missing.load()) {
    if (std::chrono::steady_clock::now() > end) somebody_missing = true;
    std::this_thread::yield();
  }
}

/// Every scheduler must get the ticket while the parts that others claimed are running. PS-I1.
void expect_meeting(const executors::TeamOptions& team) {
  static constexpr KernelEntry kernels[] = {meeting_part};
  DeviceConfig config = small_device();
  config.chip.schedulers = 4;
  config.chip.clusters = meeting_clusters;
  config.events = 1 << 16;
  const Launch what{
      kernels, [](PTO2Runtime* rt) { submit_block(rt, {}, 2 * meeting_clusters); }, {}};
  for (int run = 0; run < 20; ++run) {
    parts_met = 0;
    somebody_missing = false;
    const RunResult result = launch(config, team, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_FALSE(somebody_missing) << parts_met << " parts ran at once, run " << run;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "run " << run;
  }
}

TEST(BlockTaskParts, ReachEveryIdleCoreOnThreads) {
  expect_meeting({.executor = executors::Executor::threads});
}

TEST(BlockTaskParts, ReachEveryIdleCoreOnFibers) {
  expect_meeting(
      {.executor = executors::Executor::packed, .host_threads = 2 * meeting_clusters + 2});
}

/// The time in kernels is that of all parts, whether a core claimed them or was sent them.
TEST(BlockTaskParts, AreTimed) {
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); }};
  DeviceConfig config = small_device();
  config.kernel_timing = true;
  const executors::TeamOptions team{.executor = executors::Executor::packed};
  const auto ticks_of = [&](const std::function<void(PTO2Runtime*)>& orchestration) {
    const RunResult result = launch(config, team, {kernels, orchestration, {}});
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return result.kernel_ticks;
  };
  EXPECT_GE(ticks_of([](PTO2Runtime* rt) { submit_block(rt, {}, 3); }), 3 * 4'000'000u);
  EXPECT_GE(ticks_of([](PTO2Runtime* rt) {
              const int32_t cluster = pto2_rt_allocate_cluster(rt);
              const int32_t clusters[] = {cluster, cluster, cluster};
              pto2_rt_submit_block_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 3,
                                                  clusters);
            }),
            3 * 4'000'000u);
}

/// A scheduler lends a task to all of its idle cores at once, and each is counted.
TEST(BlockTaskParts, AreCountedByTheCoresThatTheyAreLentTo) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  config.chip.clusters = 4;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Launch what{kernels, [](PTO2Runtime* rt) { submit_block(rt, {}, 8); }, {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = true}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_EQ(result.loans, 8u) << "seed " << seed;
  }
}

std::atomic<uint32_t> parts_begun{0};

/// A run that is given up does not wait for the parts that nobody has claimed. Kernels end last, so
/// each core of the chip has claimed one at most by then.
TEST(BlockTaskParts, EndWithARunThatIsGivenUp) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) { ++parts_begun; }};
  DeviceConfig config = small_device();
  config.events = 8192;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      submit_block(rt, {}, 1000);
                      pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, nullptr, 0);
                    },
                    {}};
  for (uint64_t seed = 1; seed <= seeds_of(200); ++seed) {
    parts_begun = 0;
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = true}, what);
    ASSERT_EQ(result.error.code, ErrorCode::bad_submission);
    ASSERT_LE(parts_begun, 2 * config.chip.clusters) << "seed " << seed;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

/// A core that leaves the rest of the parts to nobody does not end the task: its scheduler may not
/// have seen yet that the run is given up.
TEST(BlockTaskParts, LeftInARunThatIsGivenUpCompleteNothing) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) { ++parts_begun; }};
  constexpr uint32_t parts = 20;
  DeviceConfig config = tiny_device();
  config.chip = {"one", 1, 1, 1, 1};
  config.events = 8192;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      submit_block(rt, {}, parts);
                      pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, nullptr, 0);
                    },
                    {}};
  for (uint64_t seed = 1; seed <= seeds_of(4000); ++seed) {
    parts_begun = 0;
    const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
    ASSERT_EQ(result.error.code, ErrorCode::bad_submission);
    ASSERT_TRUE(result.completions == 0 || parts_begun == parts) << "seed " << seed;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pto2::test
