/// Tasks that run neither on a cube nor on a vector core: on a scheduler's own thread, and on
/// accelerators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "runtime/executors/random.hpp"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto all_types = {PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU,
                            PTO2_WORKER_ACCELERATOR};

/// Adds one to a number.
void count_kernel(int64_t* args) {
  ++*reinterpret_cast<uint64_t*>(pto_tensor(args, 0).address);
}

/// `small_device()` with accelerators and events.
DeviceConfig device(uint32_t accelerators) {
  DeviceConfig config = small_device();
  config.chip.accelerators = accelerators;
  config.events = 1 << 16;
  return config;
}

/// The names of the cores that the tasks of a run were dispatched to.
std::set<std::string> cores_of(const DeviceConfig& config, const RunResult& result) {
  std::set<std::string> names;
  for (const Event& event : result.record.events) {
    if (event.kind == EventKind::dispatch) names.insert(config.chip.name_of(WorkerId(event.place)));
  }
  return names;
}

class WorkerTypes : public testing::TestWithParam<ExecutorKind> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, WorkerTypes, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// The first task of all is in the first slot of the first ring, and finds the schedulers parked,
/// or about to.
TEST_P(WorkerTypes, TheFirstTaskRunsOnAScheduler) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  const Launch what{
      kernels,
      [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0); },
      {}};
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult result = run_at(GetParam(), small_device(), what, seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_EQ(result.completions, 1U);
  }
}

/// A chain through all types: each task runs once, after the former, and is counted.
TEST_P(WorkerTypes, AChainGoesThroughAllTypes) {
  static constexpr KernelEntry kernels[] = {count_kernel};
  constexpr uint64_t rounds = 10;
  uint64_t number = 0;
  const auto chain = [&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {1};
    const Tensor tensor = make_tensor_external(&number, shape, 1, DataType::UINT64);
    for (uint64_t round = 0; round < rounds; ++round) {
      for (const int type : all_types) {
        const PTOParam params[] = {make_inout_param(tensor)};
        pto2_rt_submit_task(rt, 0, type, params, 1);
      }
    }
  };
  const DeviceConfig config = device(2);
  const RunResult result = run_at(GetParam(), config, {kernels, chain, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(number, 4 * rounds);
  EXPECT_EQ(result.tasks, 4 * rounds);
  EXPECT_EQ(result.fins, 4 * rounds);
  EXPECT_EQ(result.completions, 4 * rounds);
}

TEST_P(WorkerTypes, EachRunsWhereItBelongs) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  for (const auto& [type, name] :
       {std::pair{PTO2_WORKER_AI_CPU, "cpu"}, {PTO2_WORKER_ACCELERATOR, "acc"}}) {
    const Launch what{kernels,
                      [worker = type](PTO2Runtime* rt) {
                        for (int i = 0; i < 30; ++i) {
                          pto2_rt_submit_task(rt, 0, worker, nullptr, 0);
                        }
                      },
                      {}};
    const DeviceConfig config = device(3);
    const RunResult result = run_at(GetParam(), config, what);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_THAT(cores_of(config, result), testing::Each(testing::StartsWith(name)));
  }
}

/// Without accelerators a task for one is refused, with the setting that helps; AI_CPU tasks need
/// none.
TEST_P(WorkerTypes, AnAcceleratorThatIsNotThereIsNamed) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0);
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_ACCELERATOR, nullptr, 0);
                    },
                    {}};
  RunResult result = run_at(GetParam(), device(0), what);
  EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(result.error.message, HasSubstr("submission 1: a task for an accelerator"));
  EXPECT_THAT(result.error.hint, HasSubstr("--accelerators 1"));
  result = run_at(GetParam(), device(1), what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.fins, 2U);
}

/// Counts the parts that ran, once each.
void part_kernel(int64_t* args) {
  auto* const ran = reinterpret_cast<std::atomic<uint32_t>*>(args[0]);
  ++ran[args[2]];
}

TEST_P(WorkerTypes, BlockTasksRunOnAll) {
  static constexpr KernelEntry kernels[] = {part_kernel};
  constexpr uint32_t parts = 12;
  std::array<std::array<std::atomic<uint32_t>, parts>, 4> ran{};
  const auto blocks = [&](PTO2Runtime* rt) {
    for (const int type : all_types) {
      const PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(ran[type].data()))};
      pto2_rt_submit_block_task(rt, 0, type, params, 1, parts);
    }
  };
  const RunResult result = run_at(GetParam(), device(2), {kernels, blocks, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, 4U);
  EXPECT_EQ(result.fins, 4 * parts);
  for (const auto& of_type : ran) {
    for (const auto& times : of_type) EXPECT_EQ(times.load(), 1U);
  }
}

/// A cluster has cores of its block, and nothing else.
TEST_P(WorkerTypes, OnlyCoresOfBlocksCanBePinned) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  for (const int type : {PTO2_WORKER_AI_CPU, PTO2_WORKER_ACCELERATOR}) {
    for (const bool block : {false, true}) {
      const Launch what{kernels,
                        [&](PTO2Runtime* rt) {
                          const int32_t cluster = pto2_rt_allocate_cluster(rt);
                          if (block) {
                            rt->ops->submit_block_task(rt, 0, type, nullptr, 0, 1, &cluster);
                          } else {
                            pto2_rt_submit_task_clustered(rt, 0, type, nullptr, 0, cluster);
                          }
                        },
                        {}};
      // Not that there are no accelerators: more of them would not help.
      for (const uint32_t accelerators : {0, 1}) {
        const RunResult result = run_at(GetParam(), device(accelerators), what);
        EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
        EXPECT_THAT(result.error.message, HasSubstr("a cluster has no others"));
      }
    }
  }
}

std::atomic<bool> own_kernel_runs{false};
std::atomic<int> others_ran{0};

/// Ends when the others have run, or never would.
void waiting_kernel(int64_t*) {
  own_kernel_runs = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (others_ran.load() < 4 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}
void other_kernel(int64_t*) {
  ++others_ran;
}

/// While one scheduler runs a task itself, another one, which sleeps, takes those of all types that
/// become ready.
TEST(OwnTasks, KeepNoOtherSchedulerFromWorking) {
  static constexpr KernelEntry kernels[] = {waiting_kernel, other_kernel};
  DeviceConfig config = device(2);
  config.chip.schedulers = 2;
  config.chip.clusters = 2;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0);
                      while (!own_kernel_runs.load()) std::this_thread::sleep_for(milliseconds(1));
                      std::this_thread::sleep_for(milliseconds(5));
                      for (const int type : all_types) {
                        pto2_rt_submit_task(rt, 1, type, nullptr, 0);
                      }
                    },
                    {}};
  for (const auto executor : {executors::Executor::threads, executors::Executor::packed}) {
    for (int run = 0; run < 8; ++run) {
      own_kernel_runs = false;
      others_ran = 0;
      const RunResult result =
          launch(config, executors::TeamOptions{.executor = executor, .host_threads = 4}, what);
      ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
      ASSERT_LT(result.wall_ns, 15'000'000'000U) << "run " << run;
      ASSERT_THAT(judging::problems_of(result.record), IsEmpty()) << "run " << run;
    }
  }
}

std::atomic<uint64_t> submitted{0};
std::atomic<int> in_vain{0};

/// Waits until the slot of the task before it was taken anew, but less long than it takes until the
/// orchestrator is reminded (Hardware::reminder).
void patient_own_kernel(int64_t* args) {
  const auto end = std::chrono::steady_clock::now() + milliseconds(100);
  while (submitted.load() < static_cast<uint64_t>(args[0])) {
    if (std::chrono::steady_clock::now() > end) return static_cast<void>(++in_vain);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

/// A scheduler that has ended a task of its own rings the orchestrator before it runs the next one:
/// the orchestrator may wait for the slot. One of three kernels may be unlucky on a busy machine.
TEST(OwnTasks, RingTheOrchestratorOneByOne) {
  static constexpr KernelEntry kernels[] = {patient_own_kernel};
  DeviceConfig config = tiny_device();
  config.window = 4;
  static constexpr uint64_t tasks = 30;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      for (uint64_t i = 0; i < tasks; ++i) {
                        PTO2_SCOPE(rt) {
                          // Three are alive at a time.
                          const PTOParam params[] = {make_scalar_param(std::min(i + 3, tasks))};
                          pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, params, 1);
                        }
                        ++submitted;
                      }
                    },
                    {}};
  for (const auto executor : {executors::Executor::threads, executors::Executor::packed}) {
    submitted = 0;
    in_vain = 0;
    const RunResult result =
        launch(config, executors::TeamOptions{.executor = executor, .host_threads = 4}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_LT(in_vain.load(), 10);
  }
}

/// Waits until so many tasks were submitted beside it, and for each of them less long than it takes
/// until the orchestrator is reminded.
void long_kernel(int64_t* args) {
  uint64_t before = 0;
  auto begin = std::chrono::steady_clock::now();
  while (before < static_cast<uint64_t>(args[0])) {
    const auto now = std::chrono::steady_clock::now();
    if (const uint64_t after = submitted.load(); after != before) {
      before = after;
      begin = now;
    }
    if (now - begin > milliseconds(100)) return static_cast<void>(++in_vain);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

/// How many of five such kernels on the only cube core wait in vain while the orchestrator waits
/// for the end of each of some tasks, whose output takes most of the heap, before it submits the
/// next.
int long_kernels_in_vain(executors::Executor executor,
                         void (*submit)(PTO2Runtime*, const PTOParam& output)) {
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) { std::this_thread::sleep_for(milliseconds(1)); },  // and it sleeps
      long_kernel};
  static constexpr uint64_t tasks = 8;
  DeviceConfig config = tiny_device();
  config.rings = 2;
  const Launch what{kernels,
                    [submit](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      const PTOParam params[] = {make_scalar_param(tasks)};
                      pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, params, 1);
                      for (submitted = 0; submitted < tasks; ++submitted) {
                        PTO2_SCOPE(rt) {
                          const uint64_t shape[] = {768};
                          submit(rt, make_output_param(make_tensor(shape, 1)));
                        }
                      }
                    },
                    {}};
  in_vain = 0;
  for (int run = 0; run < 5; ++run) {
    const RunResult result =
        launch(config, executors::TeamOptions{.executor = executor, .host_threads = 4}, what);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  }
  return in_vain;
}

/// A scheduler that goes to sleep beside a core that works does not ring the orchestrator then. One
/// or two of five kernels may be unlucky on a busy machine.
TEST(OwnTasks, RingTheOrchestratorBesideALongKernel) {
  const auto submit = [](PTO2Runtime* rt, const PTOParam& output) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, &output, 1);
  };
  for (const auto executor : {executors::Executor::threads, executors::Executor::packed}) {
    EXPECT_LT(long_kernels_in_vain(executor, submit), 3);
  }
}

/// The same of one whose other cores have ended their parts.
TEST(BlockTasks, RingTheOrchestratorBesideALongKernel) {
  const auto submit = [](PTO2Runtime* rt, const PTOParam& output) {
    submit_block(rt, {output}, 5);
  };
  for (const auto executor : {executors::Executor::threads, executors::Executor::packed}) {
    EXPECT_LT(long_kernels_in_vain(executor, submit), 3);
  }
}

/// Tasks that each make many ready when they end, of random types.
void submit_stars(PTO2Runtime* rt, executors::Random& random, uint64_t types) {
  pto2_rt_init_tensor_pool(rt);
  const auto type = [&] {
    const auto drawn = static_cast<int32_t>(random.below(types));
    return random.below(3) == 0 ? PTO2_WORKER_AI_CPU : drawn;
  };
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

/// In two of three runs kernels end last: no scheduler sleeps while a task waits that it could run
/// itself, nor while one waits for an idle core of its own; queues without room make that hard.
/// VR-I33, VR-I36, PS-I1, PS-I2.
TEST(WorkerTypesOnSeeds, NobodySleepsBesideAReadyTask) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  uint64_t own = 0;
  uint64_t parks = 0;
  const uint64_t seeds = seeds_of(2000);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    executors::Random random(seed);
    DeviceConfig config = device(static_cast<uint32_t>(random.below(4)));
    stress::draw_block(random, config.chip);
    config.chip.clusters = static_cast<uint32_t>(1 + random.below(4));
    config.chip.schedulers = static_cast<uint32_t>(1 + random.below(config.chip.clusters));
    config.shards = static_cast<uint32_t>(1 + random.below(3));
    config.shard_capacity = 2u << random.below(5);
    config.orchestrator_queue = 2u << random.below(2);
    config.events = 8192;
    const uint64_t types = config.chip.accelerators == 0 ? 3 : 4;
    const Launch what{kernels, [&](PTO2Runtime* rt) { submit_stars(rt, random, types); }, {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = seed % 3 != 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_THAT(judging::problems_of(result.record), IsEmpty()) << "seed " << seed;
    own += cores_of(config, result).contains("cpu0") ? 1 : 0;
    parks += result.scheduler_parks;
  }
  EXPECT_GT(own, seeds / 2);
  EXPECT_GT(parks, seeds / 2);
}

/// The only scheduler is rung because tasks of such a type come while it completes the only other
/// task: it must not sleep unannounced for what is pushed after that. It does not poll before it
/// parks, and has another core of each type, for which it stays announced: else it would learn of
/// them by another look. PS-I1.
TEST(WorkerTypesOnSeeds, TheirFirstComesWhileAnotherTaskEnds) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  DeviceConfig config = device(0);
  config.chip.clusters = 2;
  config.chip.schedulers = 1;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0);
                    },
                    {}};
  for (uint64_t seed = 1; seed <= seeds_of(2000); ++seed) {
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .polling_rounds = 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << "seed " << seed << ": " << result.error.message;
    ASSERT_EQ(result.completions, 2U) << "seed " << seed;
  }
}

/// Block tasks whose parts the schedulers run themselves, few parts each, so that often somebody
/// takes the last one while another is about to run the one before. In two of three runs kernels
/// end last: each part is offered to a scheduler that sleeps. BP-I4, VR-I36, PS-I1.
TEST(WorkerTypesOnSeeds, NobodySleepsBesideAPart) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  for (uint64_t seed = 1; seed <= seeds_of(1000); ++seed) {
    executors::Random random(seed);
    DeviceConfig config = device(0);
    config.chip.clusters = static_cast<uint32_t>(2 + random.below(3));
    config.chip.schedulers = static_cast<uint32_t>(2 + random.below(config.chip.clusters - 1));
    config.events = 8192;
    uint64_t parts = 0;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        for (uint64_t tasks = 1 + random.below(4); tasks != 0; --tasks) {
                          const auto block_dim = static_cast<int32_t>(1 + random.below(4));
                          pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0,
                                                    block_dim);
                          parts += static_cast<uint64_t>(block_dim);
                        }
                      },
                      {}};
    const RunResult result =
        launch(config, executors::SeededOptions{.seed = seed, .kernels_last = seed % 3 != 0}, what);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_EQ(result.fins, parts);
    ASSERT_THAT(judging::problems_of(result.record), IsEmpty()) << "seed " << seed;
  }
}

/// The time of what a scheduler runs, a task or a part of one, is part of the time in kernels.
TEST(OwnTasks, AreTimed) {
  static constexpr KernelEntry kernels[] = {
      [](int64_t*) { std::this_thread::sleep_for(milliseconds(4)); }};
  DeviceConfig config = device(0);
  config.kernel_timing = true;
  const Launch what{kernels,
                    [](PTO2Runtime* rt) {
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0);
                      pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0, 2);
                    },
                    {}};
  const RunResult result =
      launch(config, executors::TeamOptions{.executor = executors::Executor::packed}, what);
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_GE(result.kernel_ticks, 3 * 4'000'000U);
}

}  // namespace
}  // namespace pto2::test
