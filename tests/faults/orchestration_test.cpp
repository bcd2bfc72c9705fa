/// Orchestrations that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/executors/user_code.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class FailingOrchestration : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(const std::function<void(PTO2Runtime*)>& entry, uint64_t seed = 1) {
    static constexpr KernelEntry kernels[] = {hash_kernel};
    RunResult result = run_at(GetParam(), small_device(), {kernels, entry, {}}, seed);
    EXPECT_THAT(result.damaged, IsEmpty()) << result.error.message;
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, FailingOrchestration, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// Whatever becomes of it then.
TEST_P(FailingOrchestration, LogsAThousandLinesMore) {
  const auto fail_and_log = [](PTO2Runtime* rt) {
    const PTO2RuntimeOps* const kept = rt->ops;
    LOG_INFO(rt, "before");
    pto2_rt_fail(rt, 1, "first");
    for (int line = 1; line <= 3000; ++line) {
      if (line == 2000) kept->fail(rt, 2, "second");
      LOG_INFO(rt, "%d", line);
    }
  };
  std::vector<std::string> lines;
  const auto log = [&](int32_t, const char* line) {
    lines.emplace_back(line);
    EXPECT_FALSE(executors::is_inside_any()) << "nobody is left here, who may hold locks";
  };
  EXPECT_EQ(run_at(GetParam(), small_device(), {{}, fail_and_log, log}).error.code,
            ErrorCode::orchestration_failed);
  ASSERT_EQ(lines.size(), 1001U);
  EXPECT_EQ(lines.back(), "1000");
}

/// More runs than there are handles for.
TEST_P(FailingOrchestration, StopsNoCallsOfTheNextRun) {
  for (int i = 0; i < 70; ++i) run([](PTO2Runtime* rt) { pto2_rt_fail(rt, 1, "enough"); });
  std::optional<TaskGraph> tasks;
  const RunResult result = run([&](PTO2Runtime* rt) { tasks.emplace(rt).task({}, 1, 1); });
  EXPECT_EQ(result.error.message, "");
  EXPECT_EQ(result.tasks, 1U);
}

/// Waiting in a handler hands the thread to others, and comes back on any.
TEST_P(FailingOrchestration, GoesOnInAHandler) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::string caught;
    std::optional<TaskGraph> tasks;  // kernels use it after the orchestration
    const RunResult result = run(
        [&](PTO2Runtime* rt) {
          TaskGraph& graph = tasks.emplace(rt);
          try {
            throw std::runtime_error("the first");
          } catch (const std::exception&) {
            Value value = graph.task({}, 1, 2000);
            // More than the window holds.
            for (int i = 0; i < 500; ++i) {
              PTO2_SCOPE(rt) {
                graph.task({value}, 1, i % 3 == 0 ? 60000 : 200);
              }
            }
            EXPECT_EQ(std::uncaught_exceptions(), 0);
            try {
              throw;
            } catch (const std::runtime_error& same) {
              caught = same.what();
            }
          }
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(caught, "the first");
    tasks->verify();
  }
}

/// With what it says itself; the run that follows is right.
TEST_P(FailingOrchestration, GivesUp) {
  const auto give_up = [this](int32_t code, const char* text) {
    const RunResult result = run([&](PTO2Runtime* rt) { pto2_rt_fail(rt, code, text); });
    EXPECT_EQ(result.error.code, ErrorCode::orchestration_failed);
    EXPECT_EQ(run([](PTO2Runtime*) {}).error.code, ErrorCode::ok);
    return result.error.message;
  };
  EXPECT_EQ(give_up(-7, "no such layer"), "the orchestration gave up with code -7: no such layer");
  EXPECT_EQ(give_up(0, ""), "the orchestration gave up with code 0");
  EXPECT_EQ(give_up(INT32_MIN, nullptr), "the orchestration gave up with code -2147483648");
}

/// With tasks on their way, and for good: nothing that it calls later has an effect.
TEST_P(FailingOrchestration, GivesUpOnce) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::optional<TaskGraph> tasks;
    const RunResult result = run(
        [&](PTO2Runtime* rt) {
          TaskGraph& graph = tasks.emplace(rt);
          const Value value = graph.task({});
          for (int i = 0; i < 10; ++i) graph.task({value});
          pto2_rt_fail(rt, 1, "first");
          pto2_rt_fail(rt, 2, "second");
          pto2_rt_submit_task(rt, 99, PTO2_WORKER_CUBE, nullptr, 0);
          throw std::runtime_error("third");
        },
        seed);
    EXPECT_EQ(result.error.message, "the orchestration gave up with code 1: first");
    EXPECT_EQ(result.tasks, 11U);
  }
}

/// A deadlock that was found before is what the user is told.
TEST_P(FailingOrchestration, GivesUpAfterADeadlock) {
  std::optional<TaskGraph> tasks;
  const RunResult result = run([&](PTO2Runtime* rt) {
    TaskGraph& graph = tasks.emplace(rt);
    for (uint32_t i = 0; i < 4 * small_device().window; ++i) graph.task({});
    pto2_rt_fail(rt, 1, "too late");
  });
  EXPECT_EQ(result.error.code, ErrorCode::flow_control_deadlock) << result.error.message;
}

}  // namespace
}  // namespace pto2::test
