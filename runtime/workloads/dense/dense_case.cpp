#include "runtime/workloads/dense/dense_case.hpp"

#include <algorithm>
#include <limits>

namespace pto2::workloads {

DenseCase::DenseCase(CaseInfo info, uint64_t edges) : CaseData(std::move(info)) {
  expected_tasks_ = info_.tasks;
  expected_edges_ = edges;
  tolerance_ = info_.tolerance;
}

std::byte* DenseCase::add_memory(const std::string& name, ArgumentKind kind, uint64_t bytes) {
  Memory& memory = memory_.emplace_back(Memory{name, kind, Buffer(bytes), {}});
  arguments_.push_back({name, kind, memory.buffer.address(), bytes});
  if (kind == ArgumentKind::output) {
    std::ranges::fill(memory.floats(), std::numeric_limits<float>::quiet_NaN());
  }
  return memory.buffer.as<std::byte>();
}

void DenseCase::add_scalar(const std::string& name, uint64_t value) {
  arguments_.push_back({name, ArgumentKind::scalar, value, 0});
}

void DenseCase::add_sizes() {
  for (const Memory& memory : memory_) add_scalar("size_" + memory.name, memory.buffer.bytes());
}

void DenseCase::keep_inputs() {
  keep_digests();
  for (Memory& memory : memory_) {
    if (memory.kind != ArgumentKind::inout) continue;
    memory.initial.assign(memory.floats().begin(), memory.floats().end());
  }
}

std::span<const float> DenseCase::initial(const std::string& name) const {
  return std::ranges::find(memory_, name, &Memory::name)->initial;
}

void DenseCase::reset_outputs() {
  for (const Memory& memory : memory_) {
    if (memory.kind == ArgumentKind::inout) {
      std::ranges::copy(memory.initial, memory.floats().begin());
    } else if (memory.kind == ArgumentKind::output) {
      std::ranges::fill(memory.floats(), std::numeric_limits<float>::quiet_NaN());
    }
  }
}

Verification DenseCase::compare_outputs() {
  if (reference_.empty()) reference_ = reference();
  Verification all;
  all.pass = true;
  auto wanted = reference_.begin();
  for (const Memory& memory : memory_) {
    if (!memory.is_written()) continue;
    const Verification one = compare(memory.floats(), *wanted++, tolerance_);
    all.pass = all.pass && one.pass;
    all.max_abs_error = std::max(all.max_abs_error, one.max_abs_error);
    all.mismatches += one.mismatches;
    if (all.detail.empty() && !one.pass) all.detail = memory.name + ": " + one.detail;
  }
  return all;
}

}  // namespace pto2::workloads
