/// Orchestrations that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

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

/// Waiting in a handler hands the thread to others, and comes back on any.
TEST_P(FailingOrchestration, GoesOnInAHandler) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
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

}  // namespace
}  // namespace pto2::test
