// Images of the user's that call exit().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* executors[] = {"packed", "threads", "seeded"};

class Exits : public testing::Test {
 protected:
  Exits() {
    fs::create_directory(folder_.path("kernels"));
    const std::string own = TEST_IMAGES;
    fs::copy_file(own + "/exit_kernel.so", folder_.path("kernels/0_exits.so"));
    fs::copy_file(own + "/no_kernel.so", folder_.path("kernels/1_returns.so"));
  }

  /// `who` and `type` as in images/exits.cpp.
  Outcome run(const char* executor, int who, int type = 0) {
    return pto2({"run", "--orchestration", std::string(TEST_IMAGES) + "/exits.so", "--kernels",
                 folder_.path("kernels"), "--executor", executor, "--arg",
                 "scalar:" + std::to_string(who), "--arg", "scalar:" + std::to_string(type),
                 "--json", folder_.path("result")});
  }
  void expect_fault(const Outcome& outcome, const std::string& who) {
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_THAT(
        outcome.err,
        AllOf(ContainsRegex("FATAL: " + who +
                            " called exit\\(\\) or pthread_exit\\(\\) in the middle of a run"),
              HasSubstr("return from kernel_entry or aicpu_orchestration_entry")));
  }

  TemporaryFolder folder_;
};

TEST_F(Exits, OfAKernelAreFaultsThatNameItsTask) {
  for (const char* executor : executors) {
    for (const auto& [type, thread] : {std::pair(0, "aic"), {1, "aiv"}, {2, "scheduler"}}) {
      expect_fault(run(executor, 3, type),
                   std::string("kernel 0, task 1 of ring 0, on ") + thread + "_?[0-9]+,");
    }
  }
}

TEST_F(Exits, OfAnOrchestrationAreFaults) {
  for (const char* executor : executors) expect_fault(run(executor, 1), "the orchestration");
}

TEST_F(Exits, OfAnImageOutsideItsEntriesAreFaults) {
  for (const int who : {0, 2}) {
    expect_fault(run("packed", who), "an image that was loaded, or a thread that one has started,");
  }
}

}  // namespace
}  // namespace pto2::test
