/// Kernels that test a signal again and again, beside others: what they keep nobody from.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>

#include "pto/intrinsic.h"
#include "pto/pto-inst.hpp"
#include "runtime/device/device.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using namespace pto;
using testing::HasSubstr;
using KernelBody = std::function<void()>;

/// As kernel_entry.h has it.
void run_body(int64_t* args) {
  pto::detail::begin_call(args);
  (*reinterpret_cast<const KernelBody*>(args[0]))();
  pto::detail::end_call();
}
constexpr KernelEntry kernel_of_bodies[] = {run_body};

bool test_of(int32_t& word) {
  return comm::TTEST(comm::Signal(&word), 1, comm::WaitCmp::GE);
}
void set(int32_t& word) {
  comm::TNOTIFY(comm::Signal(&word), 1, comm::NotifyOp::Set);
}
void wait_for(int32_t& word) {
  comm::TWAIT(comm::Signal(&word), 1, comm::WaitCmp::GE);
}

/// How a run of two kernels ends that may run at the same time.
RunError run_both(ExecutorKind executor, const KernelBody& one, const KernelBody& other) {
  const auto entry = [&](PTO2Runtime* rt) {
    for (const KernelBody* body : {&one, &other}) {
      PTOParam param = make_scalar_param(reinterpret_cast<uint64_t>(body));
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
    }
  };
  return run_at(executor, small_device(), {kernel_of_bodies, entry, {}}, 1).error;
}

class Polling : public testing::TestWithParam<ExecutorKind> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Polling, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// Who polls for nothing goes on by itself, and may answer who waits for it.
TEST_P(Polling, MayEndBeforeAnotherWait) {
  std::array<int32_t, 2> words = {};
  const auto polls = [&words] {
    for (int tests = 0; tests < 300; ++tests) test_of(words[0]);
    set(words[1]);
  };
  const RunError error = run_both(GetParam(), polls, [&words] { wait_for(words[1]); });
  EXPECT_EQ(error.code, ErrorCode::ok) << error.message;
}

TEST_P(Polling, EndsWithTheRun) {
  int32_t begun = 0, never = 0;
  bool has_gone_on = false;
  const auto polls = [&] {
    set(begun);
    for (int tests = 0; tests < 10'000'000; ++tests) test_of(never);
    has_gone_on = true;
  };
  const auto throws = [&begun] {
    wait_for(begun);
    throw std::runtime_error("enough");
  };
  const RunError error = run_both(GetParam(), polls, throws);
  EXPECT_EQ(error.code, ErrorCode::kernel_threw) << error.message;
  EXPECT_FALSE(has_gone_on);
}

/// Who polls for ever keeps nobody else from being told.
TEST(PollingForEver, EndsWithTheWaitThatNobodyEnds) {
  int32_t never = 0;
  const auto polls = [&never] {
    while (!test_of(never)) {
    }
  };
  const RunError error = run_both(ExecutorKind::seeded, polls, [&never] { wait_for(never); });
  EXPECT_EQ(error.code, ErrorCode::kernel_threw);
  EXPECT_THAT(error.message, HasSubstr("a signal is 0 and shall be >= 1, and nobody changes that"));
}

}  // namespace
}  // namespace pto2::test
