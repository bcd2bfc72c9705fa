/// Kernels that wait for each other, and what they know of the core that they run on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "runtime/device/quiet_run.hpp"
#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::waits {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int32_t rounds = 20;

/// What the kernels of a cluster tell one another.
struct Exchange {
  std::atomic<int32_t> asked{0};
  std::array<std::atomic<int32_t>, 2> answered{};
  std::array<std::atomic<int32_t>, 3> ran_at{-1, -1, -1};  // the cluster, by place
  std::atomic<int32_t> moved{0};
};

struct NotWaited : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Exchange& exchange_of(const int64_t* args) {
  return *reinterpret_cast<Exchange*>(args[0]);
}

/// Waits for a number to come to `least`; notes if the kernel goes on on another OS thread.
void wait_for(const int64_t* args, const std::atomic<int32_t>& number, int32_t least) {
  const pthread_t before = pthread_self();
  auto holds = [&] { return number.load(std::memory_order_acquire) >= least; };
  const PTOWaited waited = pto_wait(args, holds);
  if (pthread_equal(before, pthread_self()) == 0) ++exchange_of(args).moved;
  if (waited == PTOWaited::NOBODY) throw NotWaited("nobody answers");
  if (waited == PTOWaited::GIVEN_UP) throw NotWaited("given up");
}

void tell(const int64_t* args, std::atomic<int32_t>& number, int32_t value) {
  number.store(value, std::memory_order_release);
  pto_announce(args);
}

void ask(int64_t* args) {
  Exchange& exchange = exchange_of(args);
  exchange.ran_at[2] = pto_place(args).cluster;
  for (int32_t round = 1; round <= rounds; ++round) {
    tell(args, exchange.asked, round);
    for (const auto& answered : exchange.answered) wait_for(args, answered, round);
  }
}

void answer(int64_t* args) {
  Exchange& exchange = exchange_of(args);
  const PTOPlace place = pto_place(args);
  if (place.type != PTO2_WORKER_VECTOR || place.vectors != 2) return;
  exchange.ran_at.at(place.index) = place.cluster;
  for (int32_t round = 1; round <= rounds; ++round) {
    wait_for(args, exchange.asked, round);
    tell(args, exchange.answered.at(place.index), round);
  }
}

void fail(int64_t*) {
  throw std::runtime_error("it fails by itself");
}

void wait_for_an_answer(int64_t* args) {
  wait_for(args, exchange_of(args).answered[0], 1);
}
void answer_and_wait_for_a_question(int64_t* args) {
  tell(args, exchange_of(args).answered[0], 1);
  wait_for(args, exchange_of(args).asked, 1);
}
void ask_once(int64_t* args) {
  tell(args, exchange_of(args).asked, 1);
}

/// `moved` says that nobody has asked. It cannot have been done before.
void note_place_and_wait(int64_t* args) {
  Exchange& exchange = exchange_of(args);
  exchange.ran_at[0] = pto_place(args).cluster;
  tell(args, exchange.answered[0], 1);
  auto holds = [&] { return exchange.asked.load(std::memory_order_acquire) == 1; };
  exchange.moved = pto_wait(args, holds) == PTOWaited::HOLDS ? 0 : 1;
}

/// Once the other one has begun.
void ask_then(int64_t* args) {
  auto has_begun = [&] { return exchange_of(args).answered[0] == 1; };
  pto_wait(args, has_begun);
  ask_once(args);
}

/// It is known before it ends that the other one waits.
void fail_then(int64_t* args) {
  auto has_begun = [&] { return exchange_of(args).answered[0] == 1; };
  pto_wait(args, has_begun);
  fail(args);
}

/// A part of a block task of two, which waits for the other.
void meet(int64_t* args) {
  Exchange& exchange = exchange_of(args);
  const int64_t part = args[2];
  tell(args, exchange.answered.at(part), 1);
  wait_for(args, exchange.answered.at(1 - part), 1);
}

/// Behind all that others can do, once.
void ask_after_a_pause(int64_t* args) {
  auto never = [] { return false; };
  EXPECT_EQ(pto_pause(args, never), PTOWaited::NOBODY);
  ask_once(args);
}
void wait_in_vain(int64_t* args) {
  auto never = [] { return false; };
  EXPECT_EQ(pto_wait(args, never), PTOWaited::NOBODY);
}
void wait_for_a_question(int64_t* args) {
  wait_for(args, exchange_of(args).asked, 1);
}

constexpr KernelEntry kernels[] = {ask,
                                   answer,
                                   fail,
                                   no_kernel,
                                   wait_for_an_answer,
                                   answer_and_wait_for_a_question,
                                   ask_once,
                                   note_place_and_wait,
                                   ask_then,
                                   meet,
                                   fail_then,
                                   ask_after_a_pause,
                                   wait_in_vain,
                                   wait_for_a_question};

DeviceConfig device() {
  DeviceConfig config = small_device();
  config.chip.vectors_per_cluster = 2;
  return config;
}

void submit(PTO2Runtime* rt, int32_t kernel, int type, Exchange& exchange, int32_t cluster) {
  PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&exchange))};
  pto2_rt_submit_task_clustered(rt, kernel, type, params, 1, cluster);
}

void submit_all(PTO2Runtime* rt, Exchange& exchange, int32_t cluster) {
  submit(rt, 0, PTO2_WORKER_CUBE, exchange, cluster);
  submit(rt, 1, PTO2_WORKER_VECTOR, exchange, cluster);
  submit(rt, 1, PTO2_WORKER_VECTOR, exchange, cluster);
}

void expect_exchanged(const Exchange& exchange) {
  EXPECT_EQ(exchange.answered[0], rounds);
  EXPECT_EQ(exchange.answered[1], rounds);
  EXPECT_EQ(exchange.ran_at[0], exchange.ran_at[2]) << "the first vector core";
  EXPECT_EQ(exchange.ran_at[1], exchange.ran_at[2]) << "the second vector core";
  EXPECT_EQ(exchange.moved, 0);
}

class KernelWaits : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(const std::function<void(PTO2Runtime*)>& entry, uint64_t seed = 1) {
    return run_at(GetParam(), device(), {kernels, entry, {}}, seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, KernelWaits, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(KernelWaits, CoresOfEachClusterExchangeNumbers) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::array<Exchange, 3> exchanges;
    const RunResult result = run(
        [&](PTO2Runtime* rt) {
          for (Exchange& exchange : exchanges) {
            submit_all(rt, exchange, pto2_rt_allocate_cluster(rt));
            pto2_rt_submit_task(rt, 3, PTO2_WORKER_VECTOR, nullptr, 0);
          }
        },
        seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    for (const Exchange& exchange : exchanges) expect_exchanged(exchange);
  }
}

/// Of two schedulers each runs one: who has taken the first hands the other one on.
TEST_P(KernelWaits, PartsThatSchedulersRunWaitForEachOther) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Exchange exchange;
    const RunResult result = run(
        [&](PTO2Runtime* rt) {
          const PTOParam param = make_scalar_param(reinterpret_cast<uint64_t>(&exchange));
          pto2_rt_submit_block_task(rt, 9, PTO2_WORKER_AI_CPU, &param, 1, 2);
        },
        seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  }
}

TEST_P(KernelWaits, WhoWaitsForNobodyIsTold) {
  Exchange exchange;
  const auto entry = [&](PTO2Runtime* rt) {
    submit(rt, 0, PTO2_WORKER_CUBE, exchange, pto2_rt_allocate_cluster(rt));
  };
  const RunResult result = run(entry);
  EXPECT_EQ(result.error.code, ErrorCode::kernel_threw);
  EXPECT_THAT(result.error.message, HasSubstr("nobody answers"));
  Exchange next;
  EXPECT_EQ(
      run([&](PTO2Runtime* rt) { submit_all(rt, next, pto2_rt_allocate_cluster(rt)); }).error.code,
      ErrorCode::ok);
}

TEST_P(KernelWaits, ARunThatIsGivenUpEndsThem) {
  Exchange exchange;
  const RunResult result = run([&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit(rt, 1, PTO2_WORKER_VECTOR, exchange, cluster);
    submit(rt, 2, PTO2_WORKER_VECTOR, exchange, cluster);
  });
  EXPECT_EQ(result.error.code, ErrorCode::kernel_threw);
  EXPECT_THAT(result.error.message, HasSubstr("it fails by itself"));
}

/// The ring of its exit is used up by a core that waits in its kernel, and that returns as ever.
TEST_P(KernelWaits, ARunThatIsGivenUpEndsAlsoIfTheyReturn) {
  const uint64_t seeds = GetParam() == ExecutorKind::seeded ? 20 : 2;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Exchange exchange;
    const auto entry = [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, 7, PTO2_WORKER_CUBE, exchange, cluster);
      submit(rt, 10, PTO2_WORKER_VECTOR, exchange, cluster);
    };
    EXPECT_EQ(run(entry, seed).error.code, ErrorCode::kernel_threw);
    EXPECT_EQ(exchange.moved, 1) << "nobody has asked";
  }
}

/// Of the 31 tasks that have room the first retires, kernel `first`; the last waits for the one
/// that has no room yet.
void expect_room_for_one(ExecutorKind where, int32_t first) {
  DeviceConfig config = device();
  config.window = 32;
  config.rings = 1;
  // Neither of the other rings that an orchestrator gets: room in its queue, and nobody at work.
  config.orchestrator_queue = 64;
  config.chip.schedulers = 1;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Exchange exchange;
    const auto entry = [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      {
        const PTO2ScopeGuard scope(rt);
        submit(rt, first, PTO2_WORKER_CUBE, exchange, cluster);
      }
      for (int i = 0; i < 29; ++i) pto2_rt_submit_task(rt, 3, PTO2_WORKER_VECTOR, nullptr, 0);
      submit(rt, 5, PTO2_WORKER_VECTOR, exchange, cluster);
      submit(rt, 6, PTO2_WORKER_VECTOR, exchange, cluster);
    };
    const RunResult result = run_at(where, config, {kernels, entry, {}}, seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(exchange.asked, 1);
  }
}

TEST_P(KernelWaits, TheOrchestratorIsContentWithOneSlotThen) {
  expect_room_for_one(GetParam(), 3);
}

/// The first retires while the other waits, and the orchestrator for room.
TEST_P(KernelWaits, TheOrchestratorHearsOfEachSlotThen) {
  expect_room_for_one(GetParam(), 4);
}

/// A kernel on the only vector core waits for a task that comes behind more of its own type than
/// the orchestrator's queue has room for.
TEST_P(KernelWaits, OneWaitsBehindAFullQueue) {
  DeviceConfig config = small_device();
  config.chip = {"one", 1, 1, 1, 1};
  config.orchestrator_queue = 2;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Exchange exchange;
    const auto entry = [&](PTO2Runtime* rt) {
      PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&exchange))};
      pto2_rt_submit_task(rt, 5, PTO2_WORKER_VECTOR, params, 1);
      for (int i = 0; i < 8; ++i) pto2_rt_submit_task(rt, 3, PTO2_WORKER_VECTOR, nullptr, 0);
      pto2_rt_submit_task(rt, 6, PTO2_WORKER_CUBE, params, 1);
    };
    const RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  }
}

/// Two kernels, of which `who` waits for the other; all on one cluster with one scheduler.
class MixedWaits : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(int who, int32_t other, Exchange& exchange, uint64_t seed,
                       executors::ChipFault fault = {}) {
    DeviceConfig config = small_device();
    config.chip = {"one", 1, 1, 1, 1, 1};
    const auto entry = [&](PTO2Runtime* rt) {
      PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&exchange))};
      pto2_rt_submit_task(rt, other, PTO2_WORKER_VECTOR, params, 1);
      pto2_rt_submit_task(rt, 7, who, params, 1);
    };
    Launch what{kernels, entry, {}};
    what.fault = fault;
    return run_at(GetParam(), config, what, seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, MixedWaits, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// A scheduler hears of its cores, although its own kernel waits meanwhile. It may have begun
/// before the other kernel could: then nobody answers.
TEST_P(MixedWaits, KernelsOfSchedulersAndAccelerators) {
  int answered = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Exchange of_scheduler;
    ASSERT_EQ(run(PTO2_WORKER_AI_CPU, 8, of_scheduler, seed).error.code, ErrorCode::ok);
    EXPECT_EQ(of_scheduler.ran_at[0], -1) << "on no core of a cluster";
    answered += of_scheduler.moved == 0 ? 1 : 0;
    Exchange of_accelerator;
    ASSERT_EQ(run(PTO2_WORKER_ACCELERATOR, 8, of_accelerator, seed).error.code, ErrorCode::ok);
    EXPECT_EQ(of_accelerator.ran_at[0], -1);
    EXPECT_EQ(of_accelerator.moved, 0) << "it was answered";
  }
  EXPECT_GT(answered, 0);
}

/// So it does of one that is lost.
TEST_P(MixedWaits, ALostCoreIsFound) {
  if (GetParam() == ExecutorKind::packed || GetParam() == ExecutorKind::threads) GTEST_SKIP();
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Exchange exchange;
    const executors::ChipFault fault{executors::ChipFaultKind::lost_before_fin, "aiv0", 1};
    EXPECT_EQ(run(PTO2_WORKER_AI_CPU, 3, exchange, seed, fault).error.code, ErrorCode::core_lost);
  }
}

/// One OS thread for everything.
/// However many waits have ended before for want of anybody, with no pause beside them.
TEST(KernelWaitsInSimulations, GoOnBesideAPause) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Exchange exchange;
    const auto entry = [&](PTO2Runtime* rt) {
      pto2_rt_init_tensor_pool(rt);
      const uint32_t shape[] = {1};
      const Tensor link = make_tensor(shape, 1);
      PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&exchange)),
                           make_output_param(link)};
      for (int i = 0; i < 20; ++i) {
        pto2_rt_submit_task(rt, 12, PTO2_WORKER_CUBE, params, 2);
        params[1] = make_inout_param(link);
      }
      params[1] = make_input_param(link);
      pto2_rt_submit_task(rt, 11, PTO2_WORKER_CUBE, params, 2);
      pto2_rt_submit_task(rt, 13, PTO2_WORKER_VECTOR, params, 2);
    };
    const RunResult result = run_at(ExecutorKind::seeded, device(), {kernels, entry, {}}, seed);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  }
}

TEST(KernelWaitsOnOneHost, AllClustersExchangeNumbers) {
  std::array<Exchange, 3> exchanges;
  const RunResult result = launch(
      device(), executors::TeamOptions{.executor = executors::Executor::packed, .host_threads = 1},
      {kernels,
       [&](PTO2Runtime* rt) {
         for (Exchange& exchange : exchanges) {
           submit_all(rt, exchange, pto2_rt_allocate_cluster(rt));
         }
       },
       {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  for (const Exchange& exchange : exchanges) expect_exchanged(exchange);
}

/// Two cores are done at the same time, and the first of them takes a part. The other part is for
/// the second one, although that had to leave it to the first in case that it takes both.
TEST(KernelWaitsOnOneHost, TwoPartsWaitForEachOther) {
  DeviceConfig config = device();
  config.chip = {"one", 1, 1, 2, 1};
  Exchange exchange;
  const RunResult result = launch(
      config, executors::TeamOptions{.executor = executors::Executor::packed, .host_threads = 1},
      {kernels,
       [&](PTO2Runtime* rt) {
         for (int i = 0; i < 2; ++i) pto2_rt_submit_task(rt, 3, PTO2_WORKER_VECTOR, nullptr, 0);
         const PTOParam param = make_scalar_param(reinterpret_cast<uint64_t>(&exchange));
         pto2_rt_submit_block_task(rt, 9, PTO2_WORKER_VECTOR, &param, 1, 2);
       },
       {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
}

/// Without a launch there is nobody to wait for.
TEST(KernelOfNoLaunch, WaitsForWhatHoldsAlone) {
  PTORun run{};
  struct {
    PTOCall call;
    int64_t args[1];
  } of_kernel{{&run, 0, 0, 0, 0}, {0}};
  bool is_there = true;
  auto holds = [&] { return is_there; };
  EXPECT_EQ(pto_wait(of_kernel.args, holds), PTOWaited::HOLDS);
  is_there = false;
  EXPECT_EQ(pto_wait(of_kernel.args, holds), PTOWaited::NOBODY);
  pto_announce(of_kernel.args);
  EXPECT_EQ(pto_place(of_kernel.args).cluster, -1);
  EXPECT_EQ(pto_share(of_kernel.args, 0, 1, 64), nullptr);
}

struct Shared {
  std::array<void*, 5> memory{};
  bool zeroed = true;
};

void share(int64_t* args) {
  Shared& shared = *reinterpret_cast<Shared*>(args[0]);
  const int32_t cluster = pto_place(args).cluster;
  shared.memory = {pto_share(args, cluster, 1, 256), pto_share(args, cluster, 1, 256),
                   pto_share(args, cluster, 2, 256), pto_share(args, cluster + 1, 1, 256),
                   pto_share(args, cluster, 1, 512)};
  for (void* const memory : shared.memory) {
    auto* const bytes = static_cast<unsigned char*>(memory);
    if (memory == shared.memory[1]) continue;
    for (int i = 0; i < 256; ++i) shared.zeroed = shared.zeroed && bytes[i] == 0;
    bytes[0] = 1;
  }
}

TEST(SharedMemory, IsOfAClusterAndAKey) {
  Shared shared;
  const KernelEntry sharing[] = {share};
  const RunResult result =
      launch(device(), executors::TeamOptions{},
             {sharing,
              [&](PTO2Runtime* rt) {
                PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&shared))};
                pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params, 1);
              },
              {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  const auto& memory = shared.memory;
  EXPECT_EQ(memory[0], memory[1]);
  EXPECT_NE(memory[0], memory[2]);
  EXPECT_NE(memory[0], memory[3]);
  EXPECT_NE(memory[0], memory[4]) << "another size";
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory[0]) % 64, 0u);
}

TEST(QuietRun, IsOneWhereNothingBeginsForLong) {
  std::array<executors::KernelState, 2> threads{};
  QuietRun quiet;
  uint64_t announced = 0;
  const auto looks_until_quiet = [&](const auto& change) {
    for (uint64_t look = 1; look <= 3 * QuietRun::patience; ++look) {
      if (look == QuietRun::patience) change();
      if (quiet.look(threads, announced)) return look;
    }
    return uint64_t{0};
  };
  EXPECT_EQ(looks_until_quiet([] {}), QuietRun::patience);
  quiet = {};
  EXPECT_EQ(looks_until_quiet([&] { ++announced; }), 2 * QuietRun::patience);
  quiet = {};
  EXPECT_EQ(looks_until_quiet([&] { ++threads[1].begun; }), 2 * QuietRun::patience);
  quiet = {};
  EXPECT_EQ(looks_until_quiet([&] { threads[1].inside = true; }), 0u) << "a kernel runs";
}

}  // namespace
}  // namespace pto2::test::waits
