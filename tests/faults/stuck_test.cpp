/// Kernels that do not return, and orchestrations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/loader/shared_object.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/sleep_in_place.hpp"

namespace pto2::test {
namespace {

using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr uint64_t deadline_ms = 300;

std::atomic<int> stuck{0};

void stay(int64_t*) {
  ++stuck;
  stay_in_place();
}

/// Without a system call, but for no longer than a test may take.
void stay_busy(int64_t*) {
  for (uint64_t turns = 0; turns < 50'000'000'000; ++turns) asm volatile("");
}

/// Once another is there.
void stay_together(int64_t*) {
  ++stuck;
  while (stuck < 2) {
    if (auto* const team = executors::SeededTeam::current()) team->give_way();
  }
  stay_in_place();
}

void stay_in_a_library(int64_t*) {
  for (;;) pause();
}

/// First here, later there.
void stay_now_and_then(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(deadline_ms + 600));
  stay(nullptr);
}

/// Returns early: the deadline interrupts it.
void wait_once(int64_t*) {
  poll(nullptr, 0, 10'000);
}

void wait_once_and_throw(int64_t*) {
  if (poll(nullptr, 0, 10'000) != 0) throw std::system_error(errno, std::generic_category());
}

/// Ends by itself, and before the process would be ended for it.
void return_late(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(deadline_ms + 600));
}

void stay_without_signals(int64_t*) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) pause();
}

/// Here, where it could be left.
void take_a_while(int64_t*) {
  sleep_in_place(std::chrono::milliseconds(60));
}

void take_long(int64_t*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

class Stuck : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(KernelEntry kernel, const std::function<void(PTO2Runtime*)>& entry,
                       uint64_t deadline = deadline_ms, GuardKind guard = GuardKind::off) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    DeviceConfig config = small_device();
    config.deadline_ms = deadline;
    config.guard = guard;
    stuck = 0;
    return run_at(GetParam(), config, {kernels, entry, {}});
  }
  static std::function<void(PTO2Runtime*)> tasks(int32_t type) {
    return [type](PTO2Runtime* rt) {
      pto2_rt_submit_task(rt, 1, type, nullptr, 0);
      pto2_rt_submit_task(rt, 0, type, nullptr, 0);
    };
  }
  /// The run ends, and those that follow it in this process are right.
  static std::string message_of(KernelEntry kernel,
                                const std::function<void(PTO2Runtime*)>& entry) {
    const RunResult result = run(kernel, entry);
    EXPECT_EQ(result.error.code, ErrorCode::scheduler_timeout) << result.error.message;
    EXPECT_THAT(result.error.hint, HasSubstr("--deadline"));
    EXPECT_THAT(result.damaged, IsEmpty());
    expect_graph(GetParam(), small_device(), [](TaskGraph& graph) {
      Value value = graph.task({}, 4);
      for (int i = 0; i < 200; ++i) {
        PTO2_SCOPE(graph.runtime()) {
          graph.update(value, {graph.task({value})});
        }
      }
    });
    return result.error.message;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Stuck,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads,
                                         ExecutorKind::seeded),
                         [](const auto& test) { return executor_name(test.param); });

/// Kernels that give way.
class StuckInSimulations : public Stuck {};

INSTANTIATE_TEST_SUITE_P(Everywhere, StuckInSimulations,
                         testing::Values(ExecutorKind::seeded, ExecutorKind::random),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Stuck, KernelsAreLeft) {
  for (const KernelEntry kernel : {KernelEntry{stay}, KernelEntry{stay_busy}}) {
    EXPECT_THAT(message_of(kernel, tasks(PTO2_WORKER_CUBE)),
                MatchesRegex("kernel 0, task 1 of ring 0, on aic[0-9]+, has not returned for "
                             "0.3 s, in .*stuck_test[+]0x[0-9a-f]+; its arguments: none"));
  }
  EXPECT_THAT(message_of(stay, tasks(PTO2_WORKER_AI_CPU)),
              HasSubstr("kernel 0, task 1 of ring 0, on scheduler"));
}

/// In their own image, which the guard around them is not in.
TEST_P(Stuck, GuardedKernelsAreLeft) {
  const SharedObject image = SharedObject::from_file(ENDLESS_KERNEL);
  const auto endless = image.function<void(int64_t*)>("kernel_entry");
  for (const GuardKind guard : {GuardKind::off, GuardKind::on, GuardKind::all}) {
    for (const int32_t type : {PTO2_WORKER_CUBE, PTO2_WORKER_AI_CPU}) {
      const RunResult result = run(endless, tasks(type), deadline_ms, guard);
      EXPECT_EQ(result.error.code, ErrorCode::scheduler_timeout) << result.error.message;
      EXPECT_THAT(
          result.error.message,
          HasSubstr("has not returned for 0.3 s, in kernel_entry of " ENDLESS_KERNEL "+0x"));
      EXPECT_THAT(result.damaged, IsEmpty());
    }
  }
}

TEST_P(Stuck, KernelsAreNamedWithTheirArguments) {
  float memory[6] = {};
  const std::string message = message_of(stay, [&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint32_t shape[] = {2, 3};
    const PTOParam params[] = {make_scalar_param(42),
                               make_input_param(make_tensor_external(memory, shape, 2))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
  });
  EXPECT_THAT(message, HasSubstr("; its arguments: 0: scalar 42, 1: float32 [2, 3] at 0x"));
}

TEST_P(Stuck, PartsOfBlockTasksAreLeft) {
  for (const int32_t type : {PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU}) {
    EXPECT_THAT(
        message_of(
            [](int64_t* args) {
              if (args[1] == 2) stay(args);
            },
            [type](PTO2Runtime* rt) { pto2_rt_submit_block_task(rt, 0, type, nullptr, 0, 4); }),
        HasSubstr("kernel 0, task 0 of ring 0, on "));
  }
}

TEST_P(Stuck, PinnedKernelsAreLeft) {
  EXPECT_THAT(message_of(stay,
                         [](PTO2Runtime* rt) {
                           pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, nullptr, 0,
                                                         pto2_rt_allocate_cluster(rt));
                         }),
              HasSubstr("task 0 of ring 0, on aic0, "));
}

/// Of those at the same time, and those behind them.
TEST_P(Stuck, SeveralKernelsAreLeft) {
  EXPECT_THAT(message_of(stay_together,
                         [](PTO2Runtime* rt) {
                           pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
                           pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
                           pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 9);
                         }),
              HasSubstr(" of ring 0, on ai"));
  EXPECT_GE(stuck, 2);
}

/// Others have been inside of kernels meanwhile, on the same OS thread.
TEST_P(StuckInSimulations, KernelsThatGaveWayAreLeft) {
  const auto give_way_and_stay = [](int64_t* args) {
    for (int i = 0; i < 50; ++i) executors::SeededTeam::current()->give_way();
    if (args[0] == 7) stay(args);
  };
  const auto eight_tasks = [](PTO2Runtime* rt) {
    for (int i = 0; i < 8; ++i) {
      const PTOParam number = make_scalar_param(i);
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &number, 1);
    }
  };
  EXPECT_THAT(message_of(give_way_and_stay, eight_tasks),
              MatchesRegex("kernel 0, task 7 of ring 0, on aiv.*; its arguments: 0: scalar 7"));
}

/// Whoever depends on it does not run.
TEST_P(Stuck, TasksBehindItDoNotRun) {
  static std::atomic<int> calls{0};
  calls = 0;
  message_of(
      [](int64_t* args) {
        ++calls;
        stay(args);
      },
      [](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        const uint32_t shape[] = {4};
        const PTOParam out = make_output_param(make_tensor(shape, 1));
        const PTOParam inout = make_inout_param(out.tensor);
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &out, 1);
        for (int i = 0; i < 5; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &inout, 1);
      });
  EXPECT_EQ(calls, 1);
}

/// A lock that is held there may be everybody's.
TEST_P(Stuck, KernelsInLibrariesEndTheProcess) {
  EXPECT_EXIT(static_cast<void>(run(stay_in_a_library, tasks(PTO2_WORKER_CUBE))), ExitedWithCode(5),
              "FATAL: kernel 0, task 1 of ring 0, on aic[0-9]+, has not returned for 0.3 s, in "
              ".*libc.*, where it cannot be left: it may hold a lock that others need; its "
              "arguments: none\nif the "
              "kernel is only slow, give --deadline");
}

/// Its own, and not those of the task before it.
TEST_P(Stuck, KernelsInLibrariesAreNamedWithTheirArguments) {
  const auto stay_behind_another = [](PTO2Runtime* rt) {
    float memory[6] = {};
    pto2_rt_init_tensor_pool(rt);
    const uint32_t shape[] = {2, 3};
    const PTOParam former = make_scalar_param(41);
    const PTOParam params[] = {make_scalar_param(42),
                               make_input_param(make_tensor_external(memory, shape, 2))};
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, &former, 1);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 2);
  };
  EXPECT_EXIT(static_cast<void>(run(stay_in_a_library, stay_behind_another)), ExitedWithCode(5),
              "task 1 of ring 0.*; its arguments: 0: scalar 42, 1: float32 \\[2, 3\\] at 0x");
  EXPECT_EXIT(static_cast<void>(run(stay_in_a_library, tasks(PTO2_WORKER_AI_CPU))),
              ExitedWithCode(5), "on scheduler.*; its arguments: none");
}

TEST_P(Stuck, KernelsAreLeftOnceTheyAreOutOfLibraries) {
  EXPECT_THAT(message_of(stay_now_and_then, tasks(PTO2_WORKER_CUBE)), HasSubstr("stuck_test"));
}

/// What they have not waited for may be what they tell the others that they have.
TEST_P(Stuck, KernelsThatReturnFromLibrariesAreLate) {
  for (const KernelEntry kernel : {wait_once, wait_once_and_throw, return_late}) {
    EXPECT_THAT(message_of(kernel, tasks(PTO2_WORKER_CUBE)),
                MatchesRegex("kernel 0, task 1 of ring 0, on aic[0-9]+, has not returned for "
                             "0.3 s, in .*libc.*; its arguments: none"));
  }
  const auto parts = [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0, 2);
  };
  EXPECT_THAT(message_of(wait_once, parts), HasSubstr("task 0 of ring 0, on scheduler"));
  const RunResult guarded = run(wait_once, tasks(PTO2_WORKER_CUBE), deadline_ms, GuardKind::all);
  EXPECT_EQ(guarded.error.code, ErrorCode::scheduler_timeout) << guarded.error.message;
}

TEST_P(Stuck, KernelsThatExitWhenTheyAreLateHaveCalledExit) {
  const auto wait_and_exit = [](int64_t*) {
    wait_once(nullptr);
    pthread_exit(nullptr);
  };
  EXPECT_EXIT(static_cast<void>(run(wait_and_exit, tasks(PTO2_WORKER_CUBE))), ExitedWithCode(5),
              "^FATAL: kernel 0, task 1 of ring 0, on .*, called exit");
}

TEST_P(Stuck, KernelsThatReturnFromLibrariesInTimeAreNot) {
  const auto wait_in_time = [](int64_t*) { poll(nullptr, 0, 60); };
  EXPECT_EQ(run(wait_in_time,
                [](PTO2Runtime* rt) {
                  pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 60);
                })
                .error.code,
            ErrorCode::ok);
}

TEST_P(Stuck, KernelsThatBlockSignalsEndAsWell) {
  EXPECT_EXIT(static_cast<void>(run(stay_without_signals, tasks(PTO2_WORKER_CUBE))),
              ExitedWithCode(5),
              "^FATAL: a kernel whose thread takes no signals has not returned for 0.3 s\n"
              "if the kernel is only slow, give --deadline");
}

/// However short it is.
TEST_P(Stuck, DeadlinesAreKept) {
  EXPECT_THAT(run(stay, tasks(PTO2_WORKER_CUBE), 1).error.message,
              HasSubstr("has not returned for 0.001 s"));
}

/// Many kernels in a row on one core are none that does not return.
TEST_P(Stuck, SlowRunsAreNot) {
  const auto parts = [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0, 12);
    for (int i = 0; i < 12; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 60);
  };
  EXPECT_EQ(run(take_a_while, parts).error.code, ErrorCode::ok);
}

TEST_P(Stuck, IsNobodyWithoutADeadline) {
  EXPECT_EQ(run(take_long, tasks(PTO2_WORKER_CUBE), 0).error.code, ErrorCode::ok);
}

/// Those follow that are right.
TEST_P(Stuck, OrchestrationsAreLeft) {
  const std::function<void(PTO2Runtime*)> entries[] = {
      [](PTO2Runtime*) { stay(nullptr); },
      [](PTO2Runtime* rt) {
        PTO2_SCOPE(rt) {
          for (int i = 0; i < 10; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
          stay(nullptr);
        }
      },
      [](PTO2Runtime* rt) {
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
        try {
          throw 1;
        } catch (int) {
          stay(nullptr);
        }
      },
  };
  for (const auto& entry : entries) {
    const RunResult result = run(take_a_while, entry);
    EXPECT_EQ(result.error.code, ErrorCode::orchestration_timeout);
    EXPECT_THAT(result.error.message,
                MatchesRegex("the orchestration has neither returned nor called the runtime for "
                             "0.3 s, in .*stuck_test[+]0x[0-9a-f]+"));
    EXPECT_THAT(result.error.hint, HasSubstr("--deadline"));
    EXPECT_THAT(result.damaged, IsEmpty());
    EXPECT_EQ(run(take_a_while, tasks(PTO2_WORKER_CUBE)).error.code, ErrorCode::ok);
  }
}

/// After an error, which stays, when its calls do nothing.
TEST_P(Stuck, OrchestrationsThatFailedAreLeft) {
  const auto fail_and_stay = [](PTO2Runtime* rt) {
    pto2_rt_fail(rt, 1, "first");
    for (;;) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  };
  EXPECT_EQ(run(take_a_while, fail_and_stay).error.code, ErrorCode::orchestration_failed);
}

/// Its deadlock is what is told, once it has been counted for long enough. In a simulation each
/// replay tells the same.
TEST_P(Stuck, OrchestrationsThatSubmitForEverInOneScopeAreLeft) {
  const auto submit_for_ever = [](PTO2Runtime* rt) {
    for (;;) pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
  };
  const RunError first = run(take_a_while, submit_for_ever).error;
  EXPECT_EQ(first.code, ErrorCode::flow_control_deadlock) << first.message;
  EXPECT_THAT(first.hint, HasSubstr("at least"));
  if (GetParam() != ExecutorKind::seeded) return;
  const RunError second = run(take_a_while, submit_for_ever).error;
  EXPECT_EQ(first.message, second.message);
  EXPECT_EQ(first.hint, second.hint);
}

/// No further task comes, and what scopes hold is no more than before.
TEST_P(Stuck, OrchestrationsThatOpenScopesForEverAfterADeadlockAreLeft) {
  const auto open_for_ever = [](PTO2Runtime* rt) {
    for (int i = 0; i < 1000; ++i) pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
    for (;;) {
      PTO2_SCOPE(rt) {}
    }
  };
  const RunError error = run(take_a_while, open_for_ever).error;
  EXPECT_EQ(error.code, ErrorCode::flow_control_deadlock) << error.message;
  EXPECT_THAT(error.hint, HasSubstr("at least"));
}

/// What they log is a call in between only as long as it may be their last words.
TEST_P(Stuck, OrchestrationsThatLogForEverWhenStoppedAreLeft) {
  const auto submit_and_log = [](PTO2Runtime* rt) {
    for (;;) {
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
      LOG_INFO(rt, "submitted");
    }
  };
  EXPECT_EQ(run(take_a_while, submit_and_log).error.code, ErrorCode::flow_control_deadlock);
}

TEST_P(Stuck, OrchestrationsInLibrariesEndTheProcess) {
  EXPECT_EXIT(
      static_cast<void>(run(take_a_while, [](PTO2Runtime*) { stay_in_a_library(nullptr); })),
      ExitedWithCode(5),
      "FATAL: the orchestration has not returned for 0.3 s, in .*libc.*, where it cannot be "
      "left: it may hold a lock that others need\n");
}

/// Whatever they did then.
TEST_P(Stuck, OrchestrationsThatReturnFromLibrariesAreLate) {
  const auto wait_and_submit = [](PTO2Runtime* rt) {
    wait_once(nullptr);
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
  };
  const RunResult result = run(take_a_while, wait_and_submit);
  EXPECT_EQ(result.error.code, ErrorCode::orchestration_timeout);
  EXPECT_THAT(result.error.message,
              MatchesRegex("the orchestration has neither returned nor called the runtime for "
                           "0.3 s, in .*libc.*"));
  EXPECT_EQ(run(take_a_while, tasks(PTO2_WORKER_CUBE)).error.code, ErrorCode::ok);
}

TEST_P(Stuck, OrchestrationsThatBlockSignalsEndAsWell) {
  EXPECT_EXIT(
      static_cast<void>(run(take_a_while, [](PTO2Runtime*) { stay_without_signals(nullptr); })),
      ExitedWithCode(5),
      "^FATAL: the orchestration, whose thread takes no signals, has not returned for 0.3 s\n"
      "if it is only slow, give --deadline");
}

TEST_P(Stuck, OrchestrationsThatCallAreNot) {
  const auto work_in_between = [](PTO2Runtime* rt) {
    for (int i = 0; i < 20; ++i) {
      take_a_while(nullptr);
      pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
    }
  };
  EXPECT_EQ(run(take_a_while, work_in_between).error.code, ErrorCode::ok);
}

/// However long that takes.
TEST_P(Stuck, OrchestrationsThatWaitAreNot) {
  const auto wait_for_a_cluster = [](PTO2Runtime* rt) {
    const uint32_t clusters = small_device().chip.clusters;
    for (uint32_t i = 0; i < clusters; ++i) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      for (int task = 0; task < 14; ++task) {
        pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_CUBE, nullptr, 0, cluster);
      }
      pto2_rt_free_cluster(rt, cluster);
    }
    static_cast<void>(pto2_rt_allocate_cluster(rt));
  };
  DeviceConfig config = small_device();
  config.window = 1024;
  config.deadline_ms = deadline_ms;
  const KernelEntry kernels[] = {take_a_while};
  EXPECT_EQ(run_at(GetParam(), config, {kernels, wait_for_a_cluster, {}}).error.code,
            ErrorCode::ok);
}

}  // namespace
}  // namespace pto2::test
