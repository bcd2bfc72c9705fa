#include "stress/oracles/sequential_runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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

/// A runtime with one kernel, which has id 0, and what it said.
class WithKernel {
 public:
  explicit WithKernel(const char* image) {
    const std::string path = std::string(TEST_IMAGES "/") + image + ".so";
    kernels_.add(0, image, SharedObject::from_file(path));
    pto2_rt_init_tensor_pool(&runtime_);
  }
  void submit(std::initializer_list<PTOParam> params, int32_t kernel = 0) {
    pto2_rt_submit_task(&runtime_, kernel, PTO2_WORKER_VECTOR, params.begin(),
                        static_cast<int32_t>(params.size()));
  }
  SequentialRuntime& operator*() { return runtime_; }
  SequentialRuntime* operator->() { return &runtime_; }

 private:
  KernelLibrary kernels_;
  SequentialRuntime runtime_{kernels_};
};

TEST(SequentialRuntime, AKernelIsGivenWhatWasAskedFor) {
  WithKernel runtime("shows_arguments");
  int16_t memory[4 * 6] = {};
  struct {
    PTOTensor tensor;
    int64_t scalar;
  } shown{};
  const uint64_t shape[] = {4, 6};
  const uint64_t size[] = {sizeof shown};
  const uint64_t part[] = {2, 3};
  const uint64_t offsets[] = {1, 2};
  const Tensor whole = make_tensor_external(memory, shape, 2, DataType::INT16);
  const Tensor bytes = make_tensor_external(&shown, size, 1, DataType::UINT8);
  const auto show = [&](Tensor tensor) {
    shown = {};
    runtime.submit({make_input_param(tensor), make_output_param(bytes), make_scalar_param(77)});
    return shown.tensor;
  };
  const PTOTensor view = show(whole.view(part, offsets));
  EXPECT_EQ(shown.scalar, 77);
  EXPECT_EQ(view.address, reinterpret_cast<uint64_t>(&memory[1 * 6 + 2]));
  EXPECT_EQ(view.dtype, DataType::INT16);
  EXPECT_EQ(view.ndims, 2u);
  EXPECT_THAT(view.shape, testing::ElementsAre(2, 3, 1, 1, 1));
  EXPECT_THAT(view.strides, testing::ElementsAre(6, 1, 0, 0, 0));
  EXPECT_THAT(show(whole.transpose(0, 1)).strides, testing::ElementsAre(1, 6, 0, 0, 0));
  const uint64_t flat[] = {2, 3, 4};
  const PTOTensor reshaped = show(whole.reshape(flat, 3));
  EXPECT_THAT(reshaped.shape, testing::ElementsAre(2, 3, 4, 1, 1));
  EXPECT_THAT(reshaped.strides, testing::ElementsAre(12, 4, 1, 0, 0));
  EXPECT_THAT(runtime->errors(), testing::IsEmpty());
}

TEST(SequentialRuntime, APipeHasItsSizes) {
  WithKernel runtime("shows_pipe");
  PTOPipe shown{};
  const uint64_t size[] = {sizeof shown};
  const PTOParam bytes = make_output_param(make_tensor_external(&shown, size, 1, DataType::UINT8));
  runtime.submit({make_pipe_out_param(0), bytes});
  EXPECT_EQ(shown.capacity, PTO2_PIPE_CAPACITY);
  EXPECT_EQ(shown.slot_bytes, PTO2_PIPE_SLOT_BYTES);
  EXPECT_EQ(shown.stride, PTO2_PIPE_SLOT_BYTES);
  runtime.submit({make_pipe_out_param(1, 3, 65), bytes});
  EXPECT_EQ(shown.capacity, 3u);
  EXPECT_EQ(shown.slot_bytes, 65u);
  EXPECT_EQ(shown.stride, 128u);
  const uint64_t slots = shown.slots;
  runtime.submit({make_pipe_out_param(1, 3, 65), bytes});
  EXPECT_EQ(shown.slots, slots) << "a pipe is made once";
  EXPECT_EQ(runtime->edges(), 1u) << "and orders its tasks";
}

TEST(SequentialRuntime, TellsOfWhatCannotBeSubmitted) {
  WithKernel runtime("writes_output");
  const uint64_t shape[] = {4};
  const uint64_t larger[] = {5};
  const Tensor made = make_tensor(shape, 1);
  runtime.submit({make_output_param(made)}, 9);
  runtime.submit({make_input_param(made)});
  runtime.submit({make_output_param(made)});
  made.reshape(larger, 1);
  EXPECT_THAT(runtime->errors(),
              testing::ElementsAre("no kernel 9", "an input that no task has written",
                                   "reshape to another size, or of a tensor with gaps"));
  EXPECT_EQ(runtime->tasks(), 1u);
}

/// The first of what ends it stays.
TEST(SequentialRuntime, GivesUpWithItsOrchestration) {
  WithKernel runtime("writes_output");
  const uint64_t shape[] = {4};
  const auto submit = [&] { runtime.submit({make_output_param(make_tensor(shape, 1))}); };
  submit();
  pto2_rt_fail(&*runtime, 7, "no such size");
  pto2_rt_fail(&*runtime, 8, nullptr);
  submit();
  const Tensor unwritten = make_tensor(shape, 1);
  runtime.submit({make_output_param(unwritten)});
  const uint64_t begin[] = {0};
  unwritten.view(shape, begin);
  EXPECT_THAT(runtime->errors(),
              testing::ElementsAre("the orchestration gave up with code 7: no such size"));
  EXPECT_EQ(runtime->tasks(), 1u);
  WithKernel mute("writes_output");
  pto2_rt_fail(&*mute, 1, nullptr);
  EXPECT_THAT(mute->errors(), testing::ElementsAre("the orchestration gave up with code 1"));
}

/// Who reads depends on those whose box it shares a byte with, but not on whom a later INOUT
/// covers; who writes unread, on nobody. Where the box of a tensor is not known, nobody is looked
/// for.
TEST(SequentialRuntime, CountsTheEdges) {
  WithKernel runtime("writes_output");
  float memory[4 * 4] = {};
  const uint64_t shape[] = {4, 4};
  const uint64_t half[] = {2, 4};
  const uint64_t top[] = {0, 0};
  const uint64_t bottom[] = {2, 0};
  const Tensor whole = make_tensor_external(memory, shape, 2);
  const Tensor upper = whole.view(half, top);
  const Tensor lower = whole.view(half, bottom);
  uint64_t before = 0;
  const auto edges_of = [&](std::initializer_list<PTOParam> params) {
    runtime.submit(params);
    return runtime->edges() - std::exchange(before, runtime->edges());
  };
  EXPECT_EQ(edges_of({make_output_param(upper)}), 0u);
  EXPECT_EQ(edges_of({make_input_param(lower)}), 0u) << "apart";
  EXPECT_EQ(edges_of({make_input_param(upper)}), 1u);
  EXPECT_EQ(edges_of({make_inout_param(whole)}), 1u);
  EXPECT_EQ(edges_of({make_output_param(lower)}), 0u) << "not read";
  EXPECT_EQ(edges_of({make_inout_param(lower)}), 2u);
  EXPECT_EQ(edges_of({make_inout_param(whole)}), 4u) << "the last but one covers a half";
  EXPECT_EQ(edges_of({make_input_param(lower)}), 2u) << "who only writes is not replaced";
  EXPECT_EQ(edges_of({make_input_param(whole.reshape(shape, 2)), make_scalar_param(0),
                      make_input_param(whole)}),
            3u);
}

/// Whatever it names first.
TEST(SequentialRuntime, ATaskDoesNotDependOnItself) {
  WithKernel runtime("writes_output");
  float memory[4] = {};
  const uint64_t shape[] = {4};
  const Tensor tensor = make_tensor_external(memory, shape, 1);
  runtime.submit({make_output_param(tensor), make_input_param(tensor)});
  EXPECT_EQ(runtime->edges(), 0u);
  runtime.submit({make_inout_param(tensor), make_input_param(tensor)});
  EXPECT_EQ(runtime->edges(), 1u);
}

/// The buffers of the scope that ends, and none of those around it.
TEST(SequentialRuntime, AScopeTakesItsBuffersAlong) {
  WithKernel runtime("writes_output");
  const uint64_t shape[] = {4};
  const Tensor outer = make_tensor(shape, 1);
  const Tensor inner = make_tensor(shape, 1);
  runtime.submit({make_output_param(outer)});
  runtime->ops->scope_begin(&*runtime);
  runtime.submit({make_output_param(inner)});
  runtime.submit({make_inout_param(inner)});
  runtime.submit({make_inout_param(inner)});
  runtime->ops->scope_end(&*runtime);
  EXPECT_EQ(runtime->largest_scope(), 3u);
  runtime.submit({make_inout_param(outer)});
  EXPECT_THAT(runtime->errors(), testing::IsEmpty());
  EXPECT_EQ(runtime->largest_scope(), 3u) << "and not the one with the last task";
  runtime.submit({make_input_param(inner)});
  EXPECT_THAT(runtime->errors(), testing::ElementsAre("an input that no task has written"));
}

TEST(SequentialRuntime, TellsOfTensorsThatThereAreNot) {
  WithKernel runtime("writes_output");
  float memory[4 * 4] = {};
  const uint64_t shape[] = {4, 4};
  const uint64_t half[] = {4, 2};
  const uint64_t inside[] = {0, 2};
  const uint64_t beside[] = {0, 3};
  const uint64_t flat[] = {8};
  const Tensor whole = make_tensor_external(memory, shape, 2);
  whole.view(half, beside);
  EXPECT_THAT(runtime->errors(), testing::ElementsAre("view outside its tensor"));
  whole.view(half, inside).reshape(flat, 1);
  EXPECT_THAT(
      runtime->errors(),
      testing::ElementsAre(testing::_, "reshape to another size, or of a tensor with gaps"));
  make_tensor(shape, 2).view(half, inside);
  EXPECT_THAT(runtime->errors(),
              testing::ElementsAre(testing::_, testing::_, "view of a tensor without an address"));
}

TEST(SequentialRuntime, AViewOfAViewLiesInIt) {
  WithKernel runtime("writes_output");
  float memory[4] = {};
  const uint64_t shape[] = {4};
  const uint64_t half[] = {2};
  const uint64_t one[] = {1};
  const Tensor whole = make_tensor_external(memory, shape, 1);
  runtime.submit({make_output_param(whole.view(half, half).view(one, one))});
  const auto edges_to = [&](uint64_t element) {
    const uint64_t before = runtime->edges();
    runtime.submit({make_input_param(whole.view(one, &element))});
    return runtime->edges() - before;
  };
  EXPECT_EQ(edges_to(1), 0u);
  EXPECT_EQ(edges_to(2), 0u);
  EXPECT_EQ(edges_to(3), 1u);
}

/// Whoever reads or writes it: its box is not known.
TEST(SequentialRuntime, AChangedTensorHasNoEdges) {
  WithKernel runtime("writes_output");
  float memory[4 * 4] = {};
  const uint64_t shape[] = {4, 4};
  const Tensor whole = make_tensor_external(memory, shape, 2);
  runtime.submit({make_output_param(whole)});
  runtime.submit({make_inout_param(whole.transpose(0, 1))});
  runtime.submit({make_inout_param(whole.reshape(shape, 2))});
  EXPECT_EQ(runtime->edges(), 0u);
  runtime.submit({make_input_param(whole)});
  EXPECT_EQ(runtime->edges(), 1u) << "to who wrote it as it is";
}

/// Also one whose bytes are no whole number of floats.
TEST(SequentialRuntime, ABufferIsAsLargeAsItsTensor) {
  WithKernel runtime("shows_arguments");
  struct {
    PTOTensor tensor;
    int64_t scalar;
  } shown{};
  const uint64_t size[] = {sizeof shown};
  const uint64_t shape[] = {3};
  runtime.submit({make_output_param(make_tensor(shape, 1, DataType::UINT8)),
                  make_output_param(make_tensor_external(&shown, size, 1, DataType::UINT8)),
                  make_scalar_param(0)});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(std::memcmp(shown.tensor.data<uint8_t>(), &nan, 3), 0);
}

TEST(SequentialRuntime, EachPartIsToldWhichItIs) {
  WithKernel runtime("shows_parts");
  int32_t shown[8] = {};
  const uint64_t shape[] = {8};
  const PTOParam params[] = {
      make_output_param(make_tensor_external(shown, shape, 1, DataType::INT32))};
  pto2_rt_submit_block_task(&*runtime, 0, PTO2_WORKER_VECTOR, params, 1, 3);
  EXPECT_THAT(shown, testing::ElementsAre(3, 3, 0, 3, 1, 3, 2, 0));
  EXPECT_EQ(runtime->tasks(), 1u);
}

TEST(SequentialRuntime, ATaskMayUseEachOfItsPipes) {
  WithKernel runtime("pops");
  runtime.submit({make_pipe_in_param(0), make_pipe_out_param(1)});
  EXPECT_THAT(runtime->errors(), testing::ElementsAre("the bound of a pipe"));
}

TEST(SequentialRuntime, AGroupHasPipesOfItsOwn) {
  WithKernel runtime("writes_output");
  float memory[1] = {};
  const uint64_t shape[] = {1};
  const Tensor tensor = make_tensor_external(memory, shape, 1);
  for (const uint64_t edges : {0u, 1u}) {
    runtime.submit({make_output_param(tensor), make_pipe_out_param(0)});
    EXPECT_EQ(runtime->edges(), edges);
  }
  pto2_rt_allocate_cluster(&*runtime);
  runtime.submit({make_output_param(tensor), make_pipe_out_param(0)});
  EXPECT_EQ(runtime->edges(), 1u);
}

TEST(SequentialRuntime, TheCallersMemoryMayChange) {
  WithKernel runtime("spoils_input");
  float memory[1] = {};
  const uint64_t shape[] = {1};
  runtime.submit({make_input_param(make_tensor_external(memory, shape, 1))});
  EXPECT_EQ(memory[0], 2);
  EXPECT_THAT(runtime->errors(), testing::IsEmpty());
}

TEST(SequentialRuntime, TheSecondsOfAKernelAddUp) {
  WithKernel runtime("writes_output");
  float memory[1] = {};
  const uint64_t shape[] = {1};
  const Tensor tensor = make_tensor_external(memory, shape, 1);
  for (int run = 0; run < 100; ++run) {
    const double before = runtime->kernel_seconds(0);
    runtime.submit({make_output_param(tensor)});
    ASSERT_GE(runtime->kernel_seconds(0), before);
  }
  EXPECT_EQ(runtime->kernel_seconds(), runtime->kernel_seconds(0));
}

}  // namespace
}  // namespace pto2::oracle
