/// Launches that know what their kernels were compiled for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

class DeclaredKernels : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// A task of each of these kernels and worker types.
  RunResult run(const std::vector<DeclaredKernel>& declared,
                const std::vector<std::pair<int32_t, PTO2WorkerType>>& tasks) {
    static constexpr KernelEntry kernels[] = {no_kernel, no_kernel, no_kernel};
    DeviceConfig config = small_device();
    config.chip.accelerators = 1;
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  for (const auto& [kernel, type] : tasks) {
                    pto2_rt_submit_task(rt, kernel, type, nullptr, 0);
                  }
                },
                {}};
    what.declared = declared;
    return run_at(GetParam(), config, what);
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, DeclaredKernels, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(DeclaredKernels, RunOnTheirTypeOfCore) {
  const std::vector<DeclaredKernel> declared{
      {"product", CoreType::cube, "kernel_config.py, line 7"}, {"sum", CoreType::vector, ""}};
  const RunResult right = run(declared, {{0, PTO2_WORKER_CUBE}, {1, PTO2_WORKER_VECTOR}});
  EXPECT_EQ(right.error.code, ErrorCode::ok) << right.error.message;
  EXPECT_EQ(right.tasks, 2U);

  const RunResult vector = run(declared, {{1, PTO2_WORKER_VECTOR}, {0, PTO2_WORKER_VECTOR}});
  EXPECT_EQ(vector.error.code, ErrorCode::bad_submission);
  EXPECT_EQ(
      vector.error.message,
      "submission 1: kernel 0 (product) is for cube cores (kernel_config.py, line 7), but the "
      "task for vector cores");
  EXPECT_THAT(vector.error.hint, HasSubstr("PTO2_WORKER_CUBE, or declare it as aiv"));

  const RunResult cube = run(declared, {{1, PTO2_WORKER_CUBE}});
  EXPECT_EQ(cube.error.message,
            "submission 0: kernel 1 (sum) is for vector cores, but the task for cube cores");
  EXPECT_THAT(cube.error.hint, HasSubstr("PTO2_WORKER_VECTOR, or declare it as aic"));
}

/// Those of which nothing is said, or less than of others, and all of them beside the clusters.
TEST_P(DeclaredKernels, RunWhereNothingIsSaid) {
  const std::vector<DeclaredKernel> declared{{"any", {}, ""}, {"sum", CoreType::vector, ""}};
  const RunResult result = run(declared, {{0, PTO2_WORKER_CUBE},
                                          {0, PTO2_WORKER_VECTOR},
                                          {1, PTO2_WORKER_AI_CPU},
                                          {1, PTO2_WORKER_ACCELERATOR},
                                          {2, PTO2_WORKER_CUBE},
                                          {2, PTO2_WORKER_VECTOR}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, 6U);
}

TEST_P(DeclaredKernels, KnowNoOtherTypes) {
  const RunResult result = run({{"any", {}, ""}}, {{0, static_cast<PTO2WorkerType>(7)}});
  EXPECT_THAT(result.error.message, HasSubstr("7 is no worker type"));
}

}  // namespace
}  // namespace pto2::test
