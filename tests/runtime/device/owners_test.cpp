/// A buffer stays as long as any task that names it has not completed, whichever task allocated it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

constexpr uint64_t mark_of_later_writer = 0xb;
constexpr uint64_t mark_of_next_buffer = 0xc;

std::atomic<bool> later_writer_done{false};
std::atomic<uint64_t> foreign_elements{0};

/// Parameters of all kernels: tensors of 64-bit elements.
std::span<uint64_t> elements_of(int64_t* args, uint32_t i = 0) {
  const PTOTensor& tensor = pto_tensor(args, i);
  return {tensor.data<uint64_t>(), tensor.shape[0]};
}

void allocate_only(int64_t*) {}

/// The later writer's, whose outputs are two buffers.
void write_in_time(int64_t* args) {
  for (uint32_t i = 0; i < 2; ++i) std::ranges::fill(elements_of(args, i), mark_of_later_writer);
}
void write_late(int64_t* args) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  write_in_time(args);
  later_writer_done = true;
}

void write_next(int64_t* args) {
  std::ranges::fill(elements_of(args), mark_of_next_buffer);
}

void count_foreign(int64_t* args) {
  const auto elements = elements_of(args);
  foreign_elements +=
      elements.size() - static_cast<uint64_t>(std::ranges::count(elements, mark_of_next_buffer));
}
void count_foreign_in_the_end(int64_t* args) {
  while (!later_writer_done.load()) std::this_thread::yield();
  count_foreign(args);
}

/// A large buffer and a small one in a scope of its own, each allocated by a task of its own and
/// written by another task, which names them in one order or the other; then a somewhat smaller
/// buffer, for which the heap has room only where the first lay.
RunResult run_buffers(ExecutorKind where, std::span<const KernelEntry> kernels, uint64_t seed,
                      bool large_first) {
  DeviceConfig config = small_device();
  config.rings = 1;
  config.heap_bytes = 768 << 10;
  const Launch what{kernels,
                    [large_first](PTO2Runtime* rt) {
                      pto2_rt_init_tensor_pool(rt);
                      const uint64_t large[] = {(512 << 10) / sizeof(uint64_t)};
                      const uint64_t small[] = {1};
                      const auto submit = [&](int32_t kernel, const PTOParam& param) {
                        pto2_rt_submit_task(rt, kernel, PTO2_WORKER_VECTOR, &param, 1);
                      };
                      PTO2_SCOPE(rt) {
                        const Tensor first = make_tensor(large, 1, DataType::UINT64);
                        const Tensor other = make_tensor(small, 1, DataType::UINT64);
                        PTOParam both[] = {make_output_param(first), make_output_param(other)};
                        submit(0, both[0]);
                        submit(0, both[1]);
                        if (!large_first) std::swap(both[0], both[1]);
                        pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, both, 2);
                      }
                      const uint64_t smaller[] = {(400 << 10) / sizeof(uint64_t)};
                      const Tensor next = make_tensor(smaller, 1, DataType::UINT64);
                      submit(2, make_output_param(next));
                      submit(3, make_input_param(next));
                    },
                    {}};
  later_writer_done = false;
  foreign_elements = 0;
  return run_at(where, config, what, seed);
}

class Owners : public testing::TestWithParam<ExecutorKind> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, Owners, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Owners, ALaterWriterKeepsTheBuffer) {
  const bool seeded = GetParam() == ExecutorKind::seeded;
  // A kernel that waits for another one would keep the seeded executor's only OS thread.
  const std::array<KernelEntry, 4> kernels{allocate_only, seeded ? write_in_time : write_late,
                                           write_next,
                                           seeded ? count_foreign : count_foreign_in_the_end};
  for (uint64_t run = 1; run <= (seeded ? 200 : 5); ++run) {
    const RunResult result = run_buffers(GetParam(), kernels, run, run % 2 == 0);
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    ASSERT_EQ(result.holds, 2U);
    ASSERT_EQ(foreign_elements.load(), 0U) << "run (or seed) " << run;
  }
}

/// The reference takes a node: one pool entry per task that does not read what it writes.
TEST_P(Owners, AHoldTakesANodeOfTheDependencyPool) {
  DeviceConfig config = small_device();
  config.dep_pool = 16;
  static constexpr KernelEntry kernels[] = {allocate_only};
  const auto run_with = [&](int writers) {
    const auto entry = [writers](PTO2Runtime* rt) {
      pto2_rt_init_tensor_pool(rt);
      const uint64_t shape[] = {1};
      const Tensor tensor = make_tensor(shape, 1);
      const PTOParam output = make_output_param(tensor);
      for (int i = 0; i <= writers; ++i) {
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &output, 1);
      }
    };
    return run_at(GetParam(), config, {kernels, entry, {}});
  };
  EXPECT_EQ(run_with(16).error.code, ErrorCode::ok);
  const RunResult overflow = run_with(17);
  EXPECT_EQ(overflow.error.code, ErrorCode::dependency_pool_overflow);
  EXPECT_NE(overflow.error.hint.find("--dep-pool 17"), std::string::npos) << overflow.error.hint;
}

/// A null address asks for memory, which is the runtime's then.
TEST_P(Owners, AreOfExternalTensorsNowhere) {
  static constexpr KernelEntry kernels[] = {no_kernel};
  const auto submit = [](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const std::array<uint64_t, 1> two{2};
    const std::array<uint64_t, 1> one{1};
    const Tensor tensor = make_tensor_external(nullptr, two.data(), 1, DataType::UINT64);
    const PTOParam write = make_output_param(tensor);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &write, 1);
    const PTOParam read = make_input_param(tensor.view(one.data(), one.data()));
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &read, 1);
  };
  const RunResult result = run_at(GetParam(), small_device(), {kernels, submit, {}});
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  const std::vector<pto2::TaskRecord>& tasks = result.record.tasks;
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_FALSE(tasks[0].params[0].external);
  EXPECT_EQ(tasks[0].params[0].owner, tasks[0].task);
  EXPECT_EQ(tasks[1].producers.size(), 1U);
}

}  // namespace
}  // namespace pto2::test
