/// Runs that are interrupted while kernels, or the orchestration, do not return: they say which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/still_running.hpp"
#include "runtime/include/pto_core_calls.h"
#include "runtime/output/shared_with_forks.hpp"
#include "stress/hang_guard.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/sleep_in_place.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using namespace std::chrono_literals;

std::atomic<int> begun{0};
/// Some looks at the threads later than an interruption.
constexpr auto long_enough = 1500ms;

void wait_in_a_library(int64_t*) {
  ++begun;
  std::this_thread::sleep_for(long_enough);
}

void wait_without_signals(int64_t*) {
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  wait_in_a_library(nullptr);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

/// Waits, and does not come back from a look at what for: that which follows the end of its wait,
/// after which nobody rings its core any more.
void stay_in_a_look(int64_t* args) {
  // The first two see that there is something to wait for; the third comes with the core's exit.
  int looks = 0;
  auto holds = [&looks] {
    ++looks;
    if (looks == 2) ++begun;
    if (looks == 4) stay_in_place();
    return false;
  };
  (void)pto_wait(args, holds);
}

/// Until the deadline.
void stay(int64_t*) {
  ++begun;
  stay_in_place();
}

void take_part_of_it(int64_t*) {
  ++begun;
  std::this_thread::sleep_for(100ms);
}

class Interrupted : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Interrupted once so many kernels have begun, 0: at once.
  static RunResult run(KernelEntry kernel, const std::function<void(PTO2Runtime*)>& entry,
                       int after = 1) {
    const KernelEntry kernels[] = {kernel, [](int64_t*) {}};
    DeviceConfig config = small_device();
    config.deadline_ms = 2500;
    begun = 0;
    std::stop_source stop;
    const std::jthread interrupter([&] {
      while (begun < after) std::this_thread::sleep_for(1ms);
      stop.request_stop();
    });
    Launch what{kernels, entry, {}};
    what.stop = stop.get_token();
    return run_at(GetParam(), config, what);
  }
  static void one_task_behind_another(PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, nullptr, 0);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(OnOsThreads, Interrupted,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Interrupted, RunsNameTheKernelsThatDoNotReturn) {
  for (const KernelEntry kernel : {KernelEntry{stay}, KernelEntry{wait_in_a_library}}) {
    testing::internal::CaptureStderr();
    const RunResult result = run(kernel, one_task_behind_another);
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(result.error.code, ErrorCode::interrupted);
    EXPECT_THAT(result.error.message,
                testing::ContainsRegex("; kernel 0, task 1 of ring 0, on aic[0-9]+, had not "
                                       "returned then$"));
    EXPECT_THAT(told, testing::MatchesRegex("pto2: kernel 0, task 1 of ring 0, on aic[0-9]+, has "
                                            "not returned yet\n"));
  }
}

TEST_P(Interrupted, RunsNameKernelsOfSchedulers) {
  const RunResult result = run(wait_in_a_library, [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, nullptr, 0);
  });
  EXPECT_THAT(result.error.message, HasSubstr("; kernel 0, task 0 of ring 0, on scheduler"));
}

TEST_P(Interrupted, RunsNameEachKernel) {
  const auto two_tasks = [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  };
  EXPECT_THAT(run(wait_in_a_library, two_tasks, 2).error.message,
              AllOf(HasSubstr("task 0 of ring 0, on aic"), HasSubstr("task 1 of ring 0, on aiv")));
}

TEST_P(Interrupted, RunsSayWhereNobodyAnswers) {
  const RunResult result = run(wait_without_signals, one_task_behind_another);
  EXPECT_THAT(result.error.message,
              testing::ContainsRegex("; a kernel on aic[0-9]+, whose thread takes no signals, had "
                                     "not returned then$"));
}

TEST_P(Interrupted, RunsNameTheOrchestration) {
  const RunResult result = run(stay, [](PTO2Runtime*) { wait_in_a_library(nullptr); });
  EXPECT_THAT(result.error.message, HasSubstr("; the orchestration had not returned then"));
}

TEST_P(Interrupted, RunsThatAreNotInterruptedSayNothing) {
  testing::internal::CaptureStderr();
  const KernelEntry kernels[] = {wait_in_a_library, [](int64_t*) {}};
  const RunResult result =
      run_at(GetParam(), small_device(), {kernels, one_task_behind_another, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// What ends in time is not worth a word, even if another kernel follows.
TEST_P(Interrupted, RunsDoNotNameWhatReturns) {
  const RunResult result = run(take_part_of_it, [](PTO2Runtime* rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 60);
  });
  EXPECT_EQ(result.error.code, ErrorCode::interrupted);
  EXPECT_THAT(result.error.message, Not(HasSubstr("returned")));
}

/// Its core has heard of its exit inside of that wait, and nobody tells it again.
TEST_P(Interrupted, RunsEndWhenAKernelIsLeftInsideOfAWait) {
  const stress::HangGuard guard("a kernel that was left inside of a wait");
  const RunResult result = run(stay_in_a_look, [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  });
  EXPECT_EQ(result.error.code, ErrorCode::interrupted);
  EXPECT_THAT(result.damaged, testing::IsEmpty());
}

/// However often a look finds the thread inside of one.
TEST(StillRunning, TellsAKernelFromTheNext) {
  StillRunning still([](const std::string&) { return nullptr; }, {});
  const auto look = [&](uint64_t turn) {
    const executors::KernelState here[] = {{.thread = gettid(), .begun = turn, .inside = true}};
    still.look(here);
  };
  for (uint64_t turn = 1; turn <= 5; ++turn) look(turn);
  EXPECT_THAT(still.told(), testing::IsEmpty());
  look(5);
  look(5);
  EXPECT_THAT(still.told(), testing::SizeIs(1));
}

class LateSignals : public testing::Test {
 protected:
  LateSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former_);
  }
  ~LateSignals() override { take_signals(); }
  void take_signals() const { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

  /// The first turn of a kernel on this thread, as others are that are the first.
  static void in_a_turn(const std::function<void(uint64_t turn)>& body) {
    executors::CallingCode code;
    code.call([&] { body(code.turn()); });
  }
  static void look(StillRunning& still, uint64_t turn, int times) {
    const std::string name = "aic0";
    const executors::KernelState here[] = {
        {.thread = gettid(), .begun = turn, .inside = true, .name = &name}};
    for (int i = 0; i < times; ++i) still.look(here);
  }

  const cli::SharedWithForks<CoreCounts> counts_;  // on a page of their own
  const StillRunning::CountsOf counts_of_ = [this](const std::string&) { return counts_.get(); };
  const StillRunning::TextOf text_of_ = [](const CoreCounts&, const std::string&) {
    return std::string("it");
  };

 private:
  sigset_t former_;
};

/// Another run's kernels are in turns with the same numbers, and what was asked about is gone.
TEST_F(LateSignals, AreNotAnsweredInAnotherRun) {
  in_a_turn([&](uint64_t turn) {
    StillRunning still(counts_of_, text_of_);
    look(still, turn, 3);
    EXPECT_THAT(still.told(), testing::ElementsAre(HasSubstr("takes no signals")));
  });
  mprotect(counts_.get(), sizeof(CoreCounts), PROT_NONE);
  in_a_turn([&](uint64_t) { take_signals(); });
}

TEST_F(LateSignals, AreAnsweredThoughOtherRunsAreOver) {
  in_a_turn([&](uint64_t turn) {
    StillRunning still(counts_of_, text_of_);
    look(still, turn, 2);
    { const StillRunning other(counts_of_, text_of_); }
    take_signals();
    look(still, turn, 1);
    EXPECT_EQ(still.told(), std::vector<std::string>{"it"});
  });
}

/// What a look has no memory for, the next one does.
TEST(StillRunning, IsAskedAndToldOnceThereIsMemory) {
  const CoreCounts counts;
  uint32_t asked = 0;
  uint32_t told = 0;
  const auto lack_once = [](uint32_t& times) {
    if (++times == 1) throw std::bad_alloc();
  };
  StillRunning still(
      [&](const std::string&) {
        lack_once(asked);
        return &counts;
      },
      [&](const CoreCounts&, const std::string&) {
        lack_once(told);
        return std::string("it");
      });
  executors::CallingCode code;
  code.call([&] {
    const std::string name = "aic0";
    const executors::KernelState here[] = {
        {.thread = gettid(), .begun = code.turn(), .inside = true, .name = &name}};
    still.look(here);
    EXPECT_THROW(still.look(here), std::bad_alloc) << "asks";
    still.look(here);
    EXPECT_THROW(still.look(here), std::bad_alloc) << "tells";
    still.look(here);
    still.look(here);
  });
  EXPECT_EQ(still.told(), std::vector<std::string>{"it"});
}

}  // namespace
}  // namespace pto2::test
