#include "stress/oracles/sequential_runtime.hpp"

#include <gmock/gmock.h>
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

/// What the runtime has to say against kernels that are submitted one after the other, each with a
/// parameter of its own.
std::vector<std::string> errors_of(
    std::initializer_list<std::pair<const char*, PTOParam (*)(Tensor)>> tasks,
    uint32_t columns = 1) {
  KernelLibrary kernels;
  int32_t id = 0;
  for (const auto& [image, param] : tasks) {
    const std::string path = std::string(TEST_IMAGES "/") + image + ".so";
    kernels.add(id++, image, SharedObject::from_file(path));
  }
  SequentialRuntime runtime(kernels);
  pto2_rt_init_tensor_pool(&runtime);
  const uint64_t shape[] = {2, columns};
  const Tensor tensor = make_tensor(shape, 2);
  id = 0;
  for (const auto& [image, param] : tasks) {
    const PTOParam params[] = {param(tensor)};
    pto2_rt_submit_task(&runtime, id++, PTO2_WORKER_VECTOR, params, 1);
  }
  return runtime.errors();
}

PTOParam output(Tensor tensor) {
  return make_output_param(tensor);
}
PTOParam input(Tensor tensor) {
  return make_input_param(tensor);
}
/// The last two columns.
PTOParam part_of_input(Tensor tensor) {
  const uint64_t shape[] = {2, 2};
  const uint64_t offsets[] = {0, 2};
  return make_input_param(tensor.view(shape, offsets));
}
PTOParam pipe(Tensor) {
  return make_pipe_in_param(0);
}

TEST(SequentialRuntime, TellsOfWhatARunWouldEndWith) {
  EXPECT_THAT(errors_of({{"writes_output", output}}), testing::IsEmpty());
  EXPECT_THAT(errors_of({{"pops", output}}),
              testing::ElementsAre("an argument that is no pipe, used as one"));
  EXPECT_THAT(errors_of({{"pops", pipe}}), testing::ElementsAre("the bound of a pipe"));
}

TEST(SequentialRuntime, AKernelLeavesWhatItReads) {
  EXPECT_THAT(errors_of({{"writes_output", output}, {"spoils_input", input}}),
              testing::ElementsAre("kernel spoils_input writes one of its inputs"));
  EXPECT_THAT(errors_of({{"writes_output", output}, {"spoils_input", part_of_input}}, 4),
              testing::ElementsAre("kernel spoils_input writes one of its inputs"))
      << "behind a gap";
}

}  // namespace
}  // namespace pto2::oracle
