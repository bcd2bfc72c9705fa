/// Who gets a task when several schedulers could take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/executors/random.hpp"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using std::chrono::milliseconds;

std::atomic<int> long_kernels_begun{0};
std::atomic<bool> short_kernel_ran{false};
std::atomic<bool> long_kernel_gave_up{false};

/// Ends when the short one has run, or never would.
void long_kernel(int64_t*) {
  ++long_kernels_begun;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!short_kernel_ran) {
    if (std::chrono::steady_clock::now() > end) {
      long_kernel_gave_up = true;
      return;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}
void short_kernel(int64_t*) {
  short_kernel_ran = true;
}

/// Two schedulers with two vector cores each; three of the cores are busy for long. Runs `rest` of
/// the orchestration then, and expects that its short kernel ran beside the long ones.
void expect_beside_long_kernels(void (*rest)(PTO2Runtime*)) {
  static constexpr KernelEntry kernels[] = {long_kernel, short_kernel, no_kernel};
  DeviceConfig config = small_device();
  config.chip.schedulers = 2;
  config.chip.clusters = 2;
  config.events = 1 << 16;
  const Launch what{kernels,
                    [rest](PTO2Runtime* rt) {
                      for (int i = 0; i < 3; ++i) {
                        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
                      }
                      while (long_kernels_begun.load() < 3) {
                        std::this_thread::sleep_for(milliseconds(1));
                      }
                      std::this_thread::sleep_for(milliseconds(10));
                      rest(rt);
                    },
                    {}};
  for (int run = 0; run < 8; ++run) {
    long_kernels_begun = 0;
    short_kernel_ran = false;
    long_kernel_gave_up = false;
    const RunResult result =
        launch(config, executors::TeamOptions{.executor = executors::Executor::threads}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_TRUE(short_kernel_ran) << "run " << run;
    ASSERT_FALSE(long_kernel_gave_up) << "run " << run;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "run " << run;
  }
}

/// The fourth core must be found, whichever scheduler owns it. PS-I1.
TEST(Schedulers, AnIdleCoreIsFoundWhileOtherSchedulersAreBusy) {
  expect_beside_long_kernels(
      [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, nullptr, 0); });
}

/// The same when a scheduler makes the task ready, perhaps one without an idle core for it. PS-I1.
TEST(Schedulers, AnIdleCoreIsFoundForAConsumer) {
  expect_beside_long_kernels([](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {1};
    const Tensor tensor = make_tensor(shape, 1);
    const PTOParam output[] = {make_output_param(tensor)};
    const PTOParam input[] = {make_input_param(tensor)};
    pto2_rt_submit_task(rt, 2, PTO2_WORKER_CUBE, output, 1);
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, input, 1);
  });
}

/// Tasks that can only end together, one per vector core of the chip.
constexpr uint32_t meeting_clusters = 8;
std::atomic<uint32_t> kernels_met{0};
std::atomic<bool> somebody_missing{false};

void meeting_kernel(int64_t*) {
  ++kernels_met;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (kernels_met.load() < 2 * meeting_clusters && !somebody_missing.load()) {
    if (std::chrono::steady_clock::now() > end) somebody_missing = true;
    std::this_thread::yield();
  }
}

/// One task makes as many ready as there are vector cores, through queues that have no room for
/// them: those that wait in a backlog must reach the idle cores of sleeping schedulers. PS-I2.
void expect_meeting(const executors::TeamOptions& team) {
  static constexpr KernelEntry kernels[] = {no_kernel, meeting_kernel};
  DeviceConfig config = small_device();
  config.chip.schedulers = 4;
  config.chip.clusters = meeting_clusters;
  config.shards = 1;
  config.shard_capacity = 2;
  config.orchestrator_queue = 2;
  config.events = 1 << 16;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      const uint64_t shape[] = {1};
                      const Tensor tensor = make_tensor(shape, 1);
                      const PTOParam output[] = {make_output_param(tensor)};
                      const PTOParam input[] = {make_input_param(tensor)};
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, output, 1);
                      for (uint32_t i = 0; i < 2 * meeting_clusters; ++i) {
                        pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, input, 1);
                      }
                    },
                    {}};
  for (int run = 0; run < 20; ++run) {
    kernels_met = 0;
    somebody_missing = false;
    const RunResult result = launch(config, team, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_FALSE(somebody_missing) << kernels_met << " kernels ran at once, run " << run;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "run " << run;
  }
}

TEST(Schedulers, EveryIdleCoreTakesFromABacklogOnThreads) {
  expect_meeting({.executor = executors::Executor::threads});
}

TEST(Schedulers, EveryIdleCoreTakesFromABacklogOnFibers) {
  expect_meeting(
      {.executor = executors::Executor::packed, .host_threads = 2 * meeting_clusters + 2});
}

/// Tasks that each make many ready when they end.
void submit_stars(PTO2Runtime* rt, executors::Random& random) {
  pto2_rt_init_tensor_pool(rt);
  const auto type = [&] { return random.below(3) == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR; };
  for (uint64_t stars = 1 + random.below(3); stars != 0; --stars) {
    PTO2_SCOPE(rt) {
      const uint64_t shape[] = {1};
      const Tensor tensor = make_tensor(shape, 1);
      const PTOParam output[] = {make_output_param(tensor)};
      const PTOParam input[] = {make_input_param(tensor)};
      pto2_rt_submit_task(rt, 0, type(), output, 1);
      for (uint64_t points = random.below(20); points != 0; --points) {
        pto2_rt_submit_task(rt, 0, type(), input, 1);
      }
    }
  }
}

/// In two of three runs kernels end last, so that a ready task beside an idle core is one that
/// nobody cares for; random sizes and queues without room make that hard. In the others several
/// kernels end at once, and schedulers take tasks while others still push. VR-I17, VR-I36, PS-I1,
/// PS-I2.
TEST(Schedulers, NoCoreIsIdleBesideAReadyTask) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    executors::Random random(seed);
    DeviceConfig config = small_device();
    stress::draw_block(random, config.chip);
    config.chip.clusters = static_cast<uint32_t>(1 + random.below(6));
    config.chip.schedulers = static_cast<uint32_t>(1 + random.below(config.chip.clusters));
    config.shards = static_cast<uint32_t>(1 + random.below(3));
    config.shard_capacity = 2u << random.below(2);
    config.orchestrator_queue = 2u << random.below(2);
    config.events = 8192;
    const Launch what{kernels, [&](PTO2Runtime* rt) { submit_stars(rt, random); }, {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = seed % 3 != 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

/// The last task finds the queues full; when it is placed at last, every scheduler may have run out
/// of work and be asleep. A seeded run in which nobody wakes one ends in a deadlock. PS-I1.
TEST(Schedulers, ATaskThatWaitedForItsPlaceWakesAScheduler) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  config.chip.clusters = 4;
  config.shards = 1;
  config.shard_capacity = 2;
  config.orchestrator_queue = 2;
  config.events = 8192;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < 13; ++i) {
                        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
                      }
                    },
                    {}};
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    RunResult result;
    ASSERT_NO_THROW(result = launch(config, executors::SeededOptions{.seed = seed}, what))
        << "seed " << seed;
    ASSERT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "seed " << seed;
  }
}

/// The time in kernels is that of all of them, not of each core's last.
TEST(Schedulers, TheTimeInKernelsIsThatOfAll) {
  constexpr int tasks = 5;
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) { std::this_thread::sleep_for(milliseconds(4)); }};
  DeviceConfig config = small_device();
  config.chip.schedulers = 1;
  config.chip.clusters = 1;
  config.kernel_timing = true;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (int i = 0; i < tasks; ++i) {
                        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
                      }
                    },
                    {}};
  const RunResult result =
      launch(config, executors::TeamOptions{.executor = executors::Executor::packed}, what);
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_GE(result.kernel_ticks, uint64_t{tasks} * 4'000'000);
}

std::atomic<int> own_kernels{0};
std::atomic<int> own_kernels_before_the_core{-1};

constexpr int all_own_kernels = 100;

/// A kernel of a core, number 0, does not wait until schedulers have run a hundred kernels of their
/// own that are ready, number 1, though they share an OS thread.
void expect_turn(uint32_t schedulers, const std::function<void(PTO2Runtime*)>& submit) {
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) { own_kernels_before_the_core = own_kernels.load(); },
      [](int64_t*) { ++own_kernels; }};
  DeviceConfig config = small_device();
  config.chip = {"some", schedulers, 1, 1, schedulers};
  config.window = 128;
  own_kernels = 0;
  own_kernels_before_the_core = -1;
  const RunResult result =
      launch(config, executors::TeamOptions{.host_threads = 1}, {kernels, submit, {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(own_kernels, all_own_kernels);
  EXPECT_GE(own_kernels_before_the_core, 0);
  EXPECT_LE(own_kernels_before_the_core, 2 * static_cast<int>(schedulers));
}

void submit_own_tasks(PTO2Runtime* rt) {
  for (int i = 0; i < all_own_kernels; ++i) {
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_AI_CPU, nullptr, 0);
  }
}

TEST(Schedulers, LetTheirCoresRunBetweenTasksOfTheirOwn) {
  for (const int32_t core : {PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR}) {
    expect_turn(1, [core](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, core, nullptr, 0);
      submit_own_tasks(rt);
    });
    expect_turn(1, [core](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 0, core, nullptr, 0);
      pto2_rt_submit_block_task(rt, 1, PTO2_WORKER_AI_CPU, nullptr, 0, all_own_kernels);
    });
  }
}

/// Whose own cores have nothing to run lets those of others run.
TEST(Schedulers, LetCoresOfOthersRunBetweenTasksOfTheirOwn) {
  expect_turn(2, [](PTO2Runtime* rt) {
    (void)pto2_rt_allocate_cluster(rt);
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, nullptr, 0, cluster);
    submit_own_tasks(rt);
  });
}

}  // namespace
}  // namespace pto2::test
