#include "stress/oracles/sequential_runtime.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/include/pto_orchestration_api.h"

namespace pto2::oracle {
namespace {

/// A kernel that counts on zeros gives a wrong result.
TEST(SequentialRuntime, ABufferBeginsWithNoNumber) {
  KernelLibrary kernels;
  kernels.add(0, "reads_output", SharedObject::from_file(TEST_IMAGES "/reads_output.so"));
  SequentialRuntime runtime(kernels);
  pto2_rt_init_tensor_pool(&runtime);
  const uint64_t shape[] = {1};
  float found = 0;
  const PTOParam params[] = {make_output_param(make_tensor(shape, 1)),
                             make_output_param(make_tensor_external(&found, shape, 1))};
  pto2_rt_submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params, 2);
  EXPECT_TRUE(runtime.errors().empty());
  EXPECT_EQ(runtime.tasks(), 1U);
  EXPECT_TRUE(std::isnan(found)) << found;
}

/// A run with it ends with not_a_pipe.
TEST(SequentialRuntime, AKernelUsesNothingElseAsAPipe) {
  KernelLibrary kernels;
  kernels.add(0, "pops_tensor", SharedObject::from_file(TEST_IMAGES "/pops_tensor.so"));
  SequentialRuntime runtime(kernels);
  pto2_rt_init_tensor_pool(&runtime);
  const uint64_t shape[] = {1};
  const PTOParam params[] = {make_output_param(make_tensor(shape, 1))};
  pto2_rt_submit_task(&runtime, 0, PTO2_WORKER_VECTOR, params, 1);
  ASSERT_EQ(runtime.errors().size(), 1U);
  EXPECT_EQ(runtime.errors().front(), "an argument that is no pipe, used as one");
}

}  // namespace
}  // namespace pto2::oracle
