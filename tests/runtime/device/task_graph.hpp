/// Task graphs made in-process, whose every task computes a hash of what it reads.
///
/// The hash of a task depends on its number and on the values of its inputs, so a task that ran
/// before a producer, twice, or on a reused buffer gives another result than the one that was
/// computed when it was submitted.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "runtime/device/device.hpp"
#include "tests/support/executors_under_test.hpp"

namespace pto2::test {

/// One task: what it is and what became of it. Its address is the first parameter of the task.
struct TaskRecord {
  uint64_t number = 0;
  uint32_t inputs = 0;
  bool inout = false;  ///< the last tensor is read, too
  uint32_t spins = 0;  ///< length of the kernel
  uint64_t expected = 0;
  std::atomic<uint64_t> result{0};
  std::atomic<uint32_t> runs{0};
};

/// Step of the hash.
constexpr uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

/// The kernel of every task: parameters are the record, the inputs, the output.
void hash_kernel(int64_t* args);

/// A tensor and the value that each of its elements will have.
struct Value {
  Tensor tensor;
  uint64_t expected = 0;
  uint32_t elements = 1;
};

/// Builds a graph inside an orchestration.
class TaskGraph {
 public:
  explicit TaskGraph(PTO2Runtime* rt) : rt_(rt) { pto2_rt_init_tensor_pool(rt); }

  /// A task that reads `inputs` and outputs a new tensor of `elements` 64-bit elements.
  Value task(const std::vector<Value>& inputs, uint32_t elements = 1, uint32_t spins = 0);
  /// A task that reads `inputs` and updates `value`.
  void update(Value& value, const std::vector<Value>& inputs = {}, uint32_t spins = 0);
  /// A tensor in `memory`, which holds `elements` equal values.
  Value external(uint64_t* memory, uint32_t elements = 1);

  /// The tasks that follow are pinned to this cluster; -1: to none.
  void pin(int32_t cluster) { cluster_ = cluster; }

  [[nodiscard]] PTO2Runtime* runtime() const { return rt_; }
  [[nodiscard]] std::size_t tasks() const { return records_.size(); }

  /// After the run: each task ran once, with the right result.
  void verify() const;

 private:
  TaskRecord& add(const std::vector<Value>& inputs, uint64_t hash, uint32_t spins, bool inout);
  void submit(TaskRecord& record, const std::vector<Value>& inputs, const PTOParam& last);

  PTO2Runtime* rt_;
  int32_t cluster_ = -1;
  std::deque<TaskRecord> records_;
};

/// Sizes that hold some fifty tasks at a time.
[[nodiscard]] DeviceConfig small_device();

inline void no_kernel(int64_t*) {}

/// Kernel 0 as a block task.
void submit_block(PTO2Runtime* rt, const std::vector<PTOParam>& params, uint32_t block_dim,
                  int32_t type = PTO2_WORKER_VECTOR);
/// The least of everything.
[[nodiscard]] DeviceConfig tiny_device();

/// One run, whose record must keep every rule (runtime/judge/rule_table.hpp).
[[nodiscard]] RunResult run_at(ExecutorKind where, DeviceConfig config, const Launch& what,
                               uint64_t seed = 1);

/// Runs `build` as the orchestration and verifies the result; the number of seeds applies to the
/// seeded executor, the others run the graph as often.
void expect_graph(ExecutorKind where, const DeviceConfig& config,
                  const std::function<void(TaskGraph&)>& build, uint64_t runs = 3);

}  // namespace pto2::test
