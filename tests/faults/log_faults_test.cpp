/// Memory fails where the orchestration logs: the launch says that it lacked memory, and the
/// orchestration, which may know no exceptions, goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/faults/machine_faults.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

class LogsInWant : public testing::Test {
 protected:
  /// A run whose orchestration is in want while it logs a line of so many bytes, after it has given
  /// up if it `fails`.
  RunResult log(std::size_t bytes, bool fails = false) {
    const std::string text(bytes, 'x');
    const auto entry = [&](PTO2Runtime* rt) {
      if (fails) pto2_rt_fail(rt, 7, "first");
      log_in_want(rt, text);
      LOG_INFO(rt, "after");
    };
    const auto sink = [&](int32_t, const char* line) { logged_.push_back(std::string(line)); };
    logged_.reserve(8);
    return launch(small_device(), executors::SeededOptions{.seed = 1}, {{}, entry, sink});
  }

  void log_in_want(PTO2Runtime* rt, const std::string& text) {
    const FailingMachine machine({Operation::allocation, 1, true});
    LOG_INFO(rt, "%s", text.c_str());
    went_on_ = true;
  }

  std::vector<std::string> logged_;
  bool went_on_ = false;
};

/// Of a sink that keeps the line.
TEST_F(LogsInWant, LackMemoryForALine) {
  EXPECT_THROW((void)log(600), std::bad_alloc);
  EXPECT_TRUE(went_on_);
  EXPECT_THAT(logged_, testing::ElementsAre("after"));
}

TEST_F(LogsInWant, LackMemoryForALongLine) {
  EXPECT_THROW((void)log(6000), std::bad_alloc);
  EXPECT_TRUE(went_on_);
}

/// It deadlocks, and goes on to find out what it would need.
TEST_F(LogsInWant, LoseALineOfARunThatIsCounted) {
  const auto entry = [&](PTO2Runtime* rt) {
    for (int i = 0; i < 100; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
    log_in_want(rt, std::string(6000, 'x'));
  };
  const KernelEntry kernels[] = {[](int64_t*) {}};
  const RunResult result = launch(small_device(), executors::SeededOptions{.seed = 1},
                                  {kernels, entry, [](int32_t, const char*) {}});
  EXPECT_EQ(result.error.code, ErrorCode::flow_control_deadlock) << result.error.message;
  EXPECT_TRUE(went_on_);
}

/// It has its reason to end.
TEST_F(LogsInWant, LoseALineOfARunThatHasFailed) {
  for (const std::size_t bytes : {600U, 6000U}) {
    logged_.clear();
    const RunResult result = log(bytes, true);
    EXPECT_EQ(result.error.code, ErrorCode::orchestration_failed) << result.error.message;
    EXPECT_TRUE(went_on_);
    EXPECT_THAT(logged_, testing::ElementsAre("after"));
  }
}

}  // namespace
}  // namespace pto2::test
