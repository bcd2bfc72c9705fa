// What a trace says of a task's tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "runtime/device/device.hpp"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/record/trace_writer.hpp"

namespace pto2::test {
namespace {

void no_work(int64_t*) {}

/// The trace of a run on a chip of one block.
std::string trace_of(const std::function<void(PTO2Runtime*)>& entry) {
  DeviceConfig config;
  config.window = 64;
  config.heap_bytes = 65536;
  config.dep_pool = 256;
  config.tensormap_pool = 256;
  config.tensormap_buckets = 16;
  config.shard_capacity = 64;
  config.orchestrator_queue = 64;
  config.chip = {"small", 1, 1, 2, 1};
  config.events = 4096;
  static constexpr KernelEntry kernels[] = {no_work};
  const RunResult result =
      launch(config, executors::SeededOptions{.seed = 1}, {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  std::string text;
  write_trace(result.record, [&](std::string_view part) { text += part; });
  return text;
}

/// Rows 3 and 4 of eight, in another form: a root of its own that begins behind three rows.
TEST(TaskWriter, TheOriginIsInBytes) {
  std::array<float, 64> memory{};
  const std::string text = trace_of([&](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {8, 8};
    const Tensor whole = make_tensor_external(memory.data(), shape, 2, DataType::FLOAT32);
    const uint64_t rows[] = {2, 8};
    const uint64_t offsets[] = {3, 0};
    const uint64_t flat[] = {16};
    const PTOParam in = make_input_param(whole.view(rows, offsets).reshape(flat, 1));
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &in, 1);
  });
  EXPECT_THAT(text, testing::HasSubstr(R"("external":0,"base":0,"element":4,"origin":96,)"
                                       R"("strides":[1],"start":[0],"extent":[16])"));
}

}  // namespace
}  // namespace pto2::test
