/// Graphs of kernels that a test gives, under a guard.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {

/// What a kernel does with its arguments; the first is the address of this.
using Body = std::function<void(int64_t*)>;

inline void call_body(int64_t* args) {
  (*reinterpret_cast<const Body*>(args[0]))(args);
}

inline float* floats(int64_t* args, int i) {
  return pto_tensor(args, i).data<float>();
}

/// Writes every element of parameter i, and returns where the first is.
inline float* write(int64_t* args, int i, float value = 1) {
  const PTOTensor& tensor = pto_tensor(args, i);
  float* const first = floats(args, i);
  for (uint32_t row = 0; row < tensor.shape[0]; ++row) {
    for (uint32_t column = 0; column < tensor.shape[1]; ++column) {
      first[row * tensor.strides[0] + column * tensor.strides[1]] = value;
    }
  }
  return first;
}

/// Changes one byte, so that it is another whatever it was. That is the bug that a guard is to
/// tell: another part of the task may be looked after meanwhile, and TSan would tell it first.
[[gnu::noinline]] PTO2_UNSEEN_BY_TSAN inline void spoil(void* address, std::ptrdiff_t bytes = 0) {
  auto* const byte = static_cast<unsigned char*>(address) + bytes;
  *byte = static_cast<unsigned char>(*byte + 1);
}

constexpr uint32_t rows = 4;
constexpr uint32_t columns = 64;
constexpr std::ptrdiff_t tensor_bytes = rows * columns * sizeof(float);

/// 1 KiB, as much as the heap is divided into: without zones the next buffer would touch it.
inline Tensor some_tensor() {
  const uint32_t shape[] = {rows, columns};
  return make_tensor(shape, 2);
}

inline Tensor view(const Tensor& tensor, uint32_t row, uint32_t column, uint32_t height,
                   uint32_t width) {
  const uint32_t shape[] = {height, width};
  const uint32_t offsets[] = {row, column};
  return tensor.view(shape, offsets);
}

/// Submits kernels, whose bodies live as long as this.
class Graph {
 public:
  explicit Graph(PTO2Runtime* rt) : rt_(rt) { pto2_rt_init_tensor_pool(rt); }
  void submit(const Body& body, std::vector<PTOParam> params, int type = PTO2_WORKER_VECTOR,
              int32_t cluster = -1) {
    params.insert(params.begin(), make_scalar_param(reinterpret_cast<uint64_t>(&body)));
    pto2_rt_submit_task_clustered(rt_, 0, type, params.data(), static_cast<int32_t>(params.size()),
                                  cluster);
  }
  void submit_block(const Body& body, std::vector<PTOParam> params, int32_t parts) {
    params.insert(params.begin(), make_scalar_param(reinterpret_cast<uint64_t>(&body)));
    pto2_rt_submit_block_task(rt_, 0, PTO2_WORKER_VECTOR, params.data(),
                              static_cast<int32_t>(params.size()), parts);
  }
  /// A task that does nothing, and has no parameter but this.
  void submit_idle(const PTOParam& param) {
    pto2_rt_submit_task(rt_, 1, PTO2_WORKER_VECTOR, &param, 1);
  }
  [[nodiscard]] PTO2Runtime* runtime() const { return rt_; }

 private:
  PTO2Runtime* rt_;
};
using Build = std::function<void(Graph&)>;

inline const Body write_first = [](int64_t* args) { write(args, 1); };
inline const Body nothing = [](int64_t*) {};

class Guard : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(GuardKind guard, const Build& build, uint64_t seed = 1,
                DeviceConfig config = small_device()) {
    static constexpr KernelEntry kernels[] = {call_body, [](int64_t*) {}};
    config.guard = guard;
    const auto entry = [&](PTO2Runtime* rt) {
      Graph graph(rt);
      build(graph);
    };
    RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
    EXPECT_THAT(result.damaged, testing::IsEmpty()) << result.error.message;
    return result;
  }
  /// On several schedules; the run that follows each in this process is right.
  std::string message_of(const Build& build, ErrorCode code = ErrorCode::kernel_overran,
                         GuardKind guard = GuardKind::on, DeviceConfig config = small_device()) {
    std::string message;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(guard, build, seed, config);
      EXPECT_EQ(result.error.code, code) << result.error.message;
      EXPECT_THAT(result.error.hint, testing::Not(testing::IsEmpty()));
      expect_right(
          [](Graph& graph) { graph.submit(write_first, {make_output_param(some_tensor())}); });
      message = result.error.message;
    }
    return message;
  }
  void expect_right(const Build& build, GuardKind guard = GuardKind::all,
                    DeviceConfig config = small_device()) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(guard, build, seed, config);
      EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    }
  }
};

}  // namespace pto2::test
