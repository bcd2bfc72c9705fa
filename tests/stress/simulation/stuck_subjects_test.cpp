/// Subjects with kernels that do not return: the run ends at the deadline and is told with its
/// token, whether the kernel can be left or not. And those with kernels that end the process; and
/// code that is called outside of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "runtime/device/crash_guard.hpp"
#include "stress/crash_report.hpp"
#include "stress/simulation/graph_subject.hpp"
#include "stress/simulation/guarded_call.hpp"
#include "stress/simulation/simulate.hpp"
#include "stress/simulation/workload_subject.hpp"
#include "tests/support/sleep_in_place.hpp"

namespace pto2::simulations {
namespace {

using testing::ElementsAre;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::MatchesRegex;

void stay(int64_t*) {
  test::stay_in_place();
}

void stay_in_a_library(int64_t*) {
  for (;;) pause();
}

void crash(int64_t*) {
  raise(SIGSEGV);
}

void fall_deeper(int64_t* arguments) {
  std::array<int64_t, 64> frame{};
  frame[0] = arguments[0] + 1;
  volatile bool again = true;
  if (again) fall_deeper(frame.data());
  arguments[0] = frame[0];  // or the call is a jump
}

void leave_the_process(int64_t*) {
  std::exit(0);
}

Options stubbed_bgemm() {
  Options options;
  options.workload = "bgemm";
  options.case_name = workloads::find_workload("bgemm").cases().front().name;
  options.stub_kernels = true;
  return options;
}

/// Seeds of it, with such kernels in every run from seed 3 on. The run of seed 2 is wrong if it is
/// to be.
Summary seeds_with(KernelEntry stuck, ExecutorKind executor, bool is_wrong_before = false) {
  Options options = stubbed_bgemm();
  options.executor = executor;
  const auto launch = [=](ExecutorKind where, DeviceConfig config, const Launch& what,
                          uint64_t seed) {
    config.deadline_ms = 300;
    const std::vector<KernelEntry> kernels(what.kernels.size(), stuck);
    Launch launched = what;
    if (seed >= 3) launched.kernels = kernels;
    RunResult result = stress::launch_on(where, config, launched, seed);
    if (seed == 2 && is_wrong_before) result.error = {ErrorCode::core_lost, "aic0", ""};
    return result;
  };
  return simulate(options, {1, 1000}, 1, {}, [&](const Options& chosen) {
    return std::make_unique<WorkloadSubject>(chosen, launch);
  });
}

TEST(StuckSubjects, EndTheSeedsAndSayWhere) {
  for (const ExecutorKind executor : {ExecutorKind::seeded, ExecutorKind::bursts}) {
    const Summary summary = seeds_with(stay, executor);
    EXPECT_EQ(summary.runs, 3U);
    EXPECT_TRUE(summary.timed_out);
    ASSERT_EQ(summary.wrong.size(), 1U);
    EXPECT_EQ(summary.wrong[0].seed, 3U);
    EXPECT_THAT(summary.wrong[0].problems,
                ElementsAre(MatchesRegex(
                    "expected .*, got scheduler_timeout: kernel [01], task [0-9]+ of ring "
                    "[0-9], on ai.*, has not returned for 0.3 s, in .*; its arguments: .*")));
  }
}

TEST(StuckSubjects, AreKernelsAndOrchestrations) {
  EXPECT_TRUE(is_timeout(ErrorCode::scheduler_timeout));
  EXPECT_TRUE(is_timeout(ErrorCode::orchestration_timeout));
  EXPECT_FALSE(is_timeout(ErrorCode::ok));
  EXPECT_FALSE(is_timeout(ErrorCode::core_lost));
}

TEST(StuckSubjects, AreGraphs) {
  const auto launch = [](ExecutorKind where, DeviceConfig config, const Launch& what,
                         uint64_t seed) {
    config.deadline_ms = 300;
    const KernelEntry kernels[] = {stay};
    Launch launched = what;
    launched.kernels = kernels;
    return stress::launch_on(where, config, launched, seed);
  };
  GraphSubject subject({}, launch);
  const SimulatedRun run = subject.run(1);
  EXPECT_TRUE(run.timed_out);
  EXPECT_THAT(run.problems, testing::Contains(HasSubstr("has not returned for 0.3 s")));
}

TEST(StuckSubjects, SayHowToRepeatTheRunWhenTheyEndTheProcess) {
  EXPECT_EXIT(static_cast<void>(seeds_with(stay_in_a_library, ExecutorKind::random)),
              ExitedWithCode(5),
              "FATAL: kernel .* has not returned for 0.3 s.*\n.*--deadline.*\n"
              "repeat: pto2 replay simulate/bgemm:.*@random:3\n$");
}

TEST(CrashingSubjects, SayWhichKernelItWasAndHowToRepeatTheRun) {
  EXPECT_EXIT(static_cast<void>(seeds_with(crash, ExecutorKind::seeded)), ExitedWithCode(5),
              "FATAL: kernel .* crashed: SIGSEGV\n.*\n"
              "repeat: pto2 replay simulate/bgemm:.*@sc:3\n$");
}

/// Their handler needs a stack of its own.
TEST(CrashingSubjects, OverflowTheirStack) {
  EXPECT_EXIT(static_cast<void>(seeds_with(fall_deeper, ExecutorKind::random)), ExitedWithCode(5),
              "FATAL: kernel .* crashed: SIGSEGV at address .*\n.*\n"
              "repeat: pto2 replay simulate/bgemm:.*@random:3\n$");
}

TEST(CrashingSubjects, CallExit) {
  EXPECT_EXIT(static_cast<void>(seeds_with(leave_the_process, ExecutorKind::seeded)),
              ExitedWithCode(5),
              "FATAL: kernel .* called exit.*\n.*\n"
              "repeat: pto2 replay simulate/bgemm:.*@sc:3\n$");
}

TEST(CrashingSubjects, SayHowToRepeatRunsThatWereWrongBefore) {
  EXPECT_EXIT(static_cast<void>(seeds_with(crash, ExecutorKind::seeded, true)), ExitedWithCode(5),
              "\nrepeat: pto2 replay simulate/bgemm:[^\n]*@sc:3\n"
              "wrong: a run that ended before\nrepeat: pto2 replay simulate/bgemm:[^\n]*@sc:2\n$");
}

/// Nothing can be learned of it then but that it has not returned.
TEST(GuardedCalls, MayTakeNoSignals) {
  const auto stay_mute = [] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    stay(nullptr);
  };
  EXPECT_EXIT(call_guarded("the code that was called", 300, stay_mute), ExitedWithCode(5),
              "FATAL: the code that was called, whose thread takes no signals, has not returned "
              "for 0.3 s");
}

TEST(GuardedCalls, OverflowTheirStack) {
  const auto overflow = [] {
    int64_t depth = 0;
    fall_deeper(&depth);
  };
  EXPECT_EXIT(call_guarded("the code that was called", 0, overflow), ExitedWithCode(5),
              "FATAL: the code that was called crashed: SIGSEGV at address");
}

/// Whatever code it is: a constructor of an image, too.
TEST(GuardedCalls, SayWhoHasThrown) {
  EXPECT_EXIT(call_guarded("an image", 0, [] { throw std::runtime_error("no table"); }),
              ExitedWithCode(5),
              "^FATAL: an exception left an image: no table\ncatch it in an image\n");
  EXPECT_EXIT(call_guarded("an image", 0, [] { throw 7; }), ExitedWithCode(5),
              "^FATAL: an exception of unknown type left an image\ncatch it in an image\n");
}

/// More are not found by several jobs than there is room for.
TEST(CrashReports, HaveTheFirstTenThatWereWrong) {
  CrashReport report([](uint64_t number) { return std::to_string(number); });
  for (uint64_t number = 1; number <= 11; ++number) report.add_wrong(number);
  EXPECT_EXIT(CrashGuard::end_mute({}, 300), ExitedWithCode(5),
              "\nrepeat: 1\n.*\nrepeat: 9\n[^\n]*\nrepeat: 10\n$");
}

TEST(CrashReports, HaveTheRunOfTheLargestNumber) {
  CrashReport report([](uint64_t number) { return std::to_string(number); });
  EXPECT_EXIT(report.during(~uint64_t{0}, [] { CrashGuard::end_mute({}, 300); }), ExitedWithCode(5),
              "\nrepeat: 18446744073709551615\n$");
}

TEST(CrashReports, HaveNoRunThatIsOver) {
  CrashReport report([](uint64_t number) { return std::to_string(number); });
  report.during(1, [] {});
  EXPECT_THROW(report.during(2, [] { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_EXIT(report.during(3, [] { CrashGuard::end_mute({}, 300); }), ExitedWithCode(5),
              "has not returned for 0.3 s[^\n]*\n([^r][^\n]*\n)?repeat: 3\n$");
}

/// No code of the user's ends it, as if an invariant were broken.
class BrokenSubject final : public Subject {
 public:
  SimulatedRun run(uint64_t) override { std::abort(); }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }
};

TEST(CrashingSubjects, SayHowToRepeatTheRunIfTheCrashIsNoKernels) {
  const auto make = [](const Options&) { return std::make_unique<BrokenSubject>(); };
  EXPECT_EXIT(static_cast<void>(simulate(stubbed_bgemm(), {7, 9}, 1, {}, make)),
              testing::KilledBySignal(SIGABRT), "^repeat: pto2 replay simulate/bgemm:.*@sc:7\n$");
}

TEST(StuckSubjects, AreNotTheOnesWhenTheyAreOver) {
  {
    const CrashReport report([](uint64_t) { return "nothing"; });
  }
  EXPECT_EXIT(CrashGuard::end_mute({}, 300), ExitedWithCode(5),
              "^[^\n]*has not returned for 0.3 s");
}

TEST(StuckSubjects, HaveTheDeadlineOfTheirOptions) {
  Options options;
  options.deadline_ms = 1;
  const KernelEntry kernels[] = {stay};
  const auto submit = [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  };
  const RunResult result = launcher_of(options)(ExecutorKind::seeded, {}, {kernels, submit, {}}, 1);
  EXPECT_EQ(result.error.code, ErrorCode::scheduler_timeout);
  EXPECT_THAT(result.error.message, HasSubstr("has not returned for 0.001 s"));
}

}  // namespace
}  // namespace pto2::simulations
