#include "tests/runtime/device/task_graph.hpp"

#include <gmock/gmock.h>

#include <optional>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/judge/judge.hpp"

namespace pto2::test {

namespace {

/// The value of a tensor whose elements are all the same; something else if they are not.
uint64_t value_of(const PTOTensor& tensor) {
  const auto* data = tensor.data<uint64_t>();
  for (uint32_t i = 1; i < tensor.shape[0]; ++i) {
    if (data[i] != data[0]) return ~data[0];
  }
  return data[0];
}

}  // namespace

void hash_kernel(int64_t* args) {
  auto& record = *reinterpret_cast<TaskRecord*>(args[0]);
  uint64_t hash = record.number + 1;
  for (uint32_t i = 0; i < record.inputs; ++i) {
    hash = mix(hash, value_of(pto_tensor(args, static_cast<int>(1 + i))));
  }
  const PTOTensor& last = pto_tensor(args, static_cast<int>(1 + record.inputs));
  if (record.inout) hash = mix(hash, value_of(last));
  for (uint32_t i = 0; i < record.spins; ++i) asm volatile("");
  for (uint32_t i = 0; i < last.shape[0]; ++i) last.data<uint64_t>()[i] = hash;
  record.result.store(hash, std::memory_order_relaxed);
  record.runs.fetch_add(1, std::memory_order_relaxed);
}

TaskRecord& TaskGraph::add(const std::vector<Value>& inputs, uint64_t hash, uint32_t spins,
                           bool inout) {
  TaskRecord& record = records_.emplace_back();
  record.number = records_.size() - 1;
  record.inputs = static_cast<uint32_t>(inputs.size());
  record.inout = inout;
  record.spins = spins;
  record.expected = record.number + 1;
  for (const Value& input : inputs) record.expected = mix(record.expected, input.expected);
  if (inout) record.expected = mix(record.expected, hash);
  return record;
}

void TaskGraph::submit(TaskRecord& record, const std::vector<Value>& inputs, const PTOParam& last) {
  std::vector<PTOParam> params{make_scalar_param(reinterpret_cast<uint64_t>(&record))};
  for (const Value& input : inputs) params.push_back(make_input_param(input.tensor));
  params.push_back(last);
  const auto type = record.number % 3 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR;
  pto2_rt_submit_task_clustered(rt_, 0, type, params.data(), static_cast<int32_t>(params.size()),
                                cluster_);
}

Value TaskGraph::task(const std::vector<Value>& inputs, uint32_t elements, uint32_t spins) {
  TaskRecord& record = add(inputs, 0, spins, false);
  const uint64_t shape[] = {elements};
  const Tensor tensor = make_tensor(shape, 1, DataType::UINT64);
  submit(record, inputs, make_output_param(tensor));
  return {tensor, record.expected, elements};
}

void TaskGraph::update(Value& value, const std::vector<Value>& inputs, uint32_t spins) {
  TaskRecord& record = add(inputs, value.expected, spins, true);
  submit(record, inputs, make_inout_param(value.tensor));
  value.expected = record.expected;
}

Value TaskGraph::external(uint64_t* memory, uint32_t elements) {
  const uint64_t shape[] = {elements};
  return {make_tensor_external(memory, shape, 1, DataType::UINT64), memory[0], elements};
}

void TaskGraph::verify() const {
  for (const TaskRecord& record : records_) {
    ASSERT_EQ(record.runs.load(), 1u) << "runs of task " << record.number;
    ASSERT_EQ(record.result.load(), record.expected) << "result of task " << record.number;
  }
}

DeviceConfig small_device() {
  return {
      .window = 64,
      .heap_bytes = 128 << 10,
      .dep_pool = 256,
      .tensormap_pool = 256,
      .tensormap_buckets = 64,
      .shard_capacity = 16,
      .orchestrator_queue = 16,
      .chip = {"small", 3, 1, 2, 2},
  };
}

DeviceConfig tiny_device() {
  return {
      .window = 4,
      .heap_bytes = 4096,
      .dep_pool = 16,
      .tensormap_pool = 16,
      .tensormap_buckets = 1,
      .shards = 1,
      .shard_capacity = 2,
      .orchestrator_queue = 2,
      .chip = {"tiny", 1, 1, 2, 1},
  };
}

RunResult run_at(ExecutorKind where, DeviceConfig config, const Launch& what, uint64_t seed) {
  if (config.events == 0) config.events = 8192;
  RunResult result = launch_on(where, config, what, seed);
  EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty()) << "run (or seed) " << seed;
  return result;
}

void expect_graph(ExecutorKind where, const DeviceConfig& config,
                  const std::function<void(TaskGraph&)>& build, uint64_t runs) {
  static constexpr KernelEntry kernels[] = {hash_kernel};
  for (uint64_t run = 1; run <= runs; ++run) {
    std::optional<TaskGraph> graph;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        graph.emplace(rt);
                        build(*graph);
                      },
                      {}};
    const RunResult result = run_at(where, config, what, run);
    ASSERT_EQ(result.error.code, ErrorCode::ok)
        << "run " << run << ": " << result.error.message << result.error.hint;
    ASSERT_EQ(result.tasks, graph->tasks());
    ASSERT_EQ(result.dispatches, result.tasks);
    ASSERT_EQ(result.acks, result.tasks);
    ASSERT_EQ(result.fins, result.tasks);
    graph->verify();
    if (testing::Test::HasFatalFailure()) {
      FAIL() << "run (or seed) " << run;
    }
  }
}

void submit_block(PTO2Runtime* rt, const std::vector<PTOParam>& params, uint32_t block_dim,
                  int32_t type) {
  pto2_rt_submit_block_task(rt, 0, type, params.data(), static_cast<int32_t>(params.size()),
                            static_cast<int32_t>(block_dim));
}

}  // namespace pto2::test
