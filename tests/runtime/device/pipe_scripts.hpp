/// Tasks whose kernels do with their pipes what a script says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {

/// What a kernel does with one of its pipes.
struct Step {
  enum class Op { push, fill, pop, release, change } op;
  uint64_t value = 0;               ///< of a push
  int pipe = 1;                     ///< number of the argument
  uint64_t bytes = 8;               ///< of a push that copies
  void (*how)(PTOPipe&) = nullptr;  ///< a change that is none of a verb's
};

inline Step push(uint64_t value, int pipe = 1) {
  return {Step::Op::push, value, pipe};
}
inline Step fill(uint64_t value) {
  return {Step::Op::fill, value};
}
inline Step pop(int pipe = 1) {
  return {Step::Op::pop, 0, pipe};
}
inline Step release(int pipe = 1) {
  return {Step::Op::release, 0, pipe};
}
inline Step change(void (*how)(PTOPipe&)) {
  return {.op = Step::Op::change, .how = how};
}
inline std::vector<Step> times(std::size_t n, const Step& step) {
  return std::vector<Step>(n, step);
}

/// A task: what it does, and what came of it.
struct Script {
  std::vector<Step> steps;
  std::vector<uint64_t> popped;
  uint32_t refused = 0;  ///< steps that returned null or false
  uint64_t slots = 0;    ///< address of the first pipe's memory
  std::atomic<uint32_t> runs{0};
};

/// One step; false if it was refused.
inline bool play(const Step& step, Script& script, const int64_t* args) {
  switch (step.op) {
    case Step::Op::push: {
      const std::vector<uint64_t> values(step.bytes / 8, step.value);
      return TPUSH(args, step.pipe, values.data(), step.bytes);
    }
    case Step::Op::fill: {
      auto* const slot = static_cast<uint64_t*>(TPUSH(args, step.pipe));
      if (slot == nullptr) return false;
      std::fill_n(slot, pto_pipe(args, step.pipe).slot_bytes / 8, step.value);
      return true;
    }
    case Step::Op::pop: {
      const auto* const slot = static_cast<const uint64_t*>(TPOP(args, step.pipe));
      if (slot == nullptr) return false;
      script.popped.push_back(*slot);
      return true;
    }
    case Step::Op::release:
      return TFREE(args, step.pipe);
    case Step::Op::change:
      step.how(pto_pipe(args, step.pipe));
      return true;
  }
  return false;
}

/// Parameters: a script, then pipes. It spoils its arguments, which are its own.
inline void play_script(int64_t* args) {
  auto& script = *reinterpret_cast<Script*>(args[0]);
  ++script.runs;
  script.slots = pto_pipe(args, 1).slots;
  for (const Step& step : script.steps) script.refused += play(step, script, args) ? 0 : 1;
  args[1] = -1;
}

class Pipes : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Runs an orchestration; `warnings_` gets what is logged as one.
  RunResult run(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry,
                uint64_t seed = 1) {
    static constexpr KernelEntry kernels[] = {nullptr, play_script};
    warnings_.clear();
    const auto log = [this](int32_t level, const char* text) {
      if (level == PTO2_LOG_WARN) warnings_.push_back(text);
    };
    RunResult result = run_at(GetParam(), config, {kernels, entry, log}, seed);
    EXPECT_THAT(result.damaged, testing::IsEmpty()) << result.error.message;
    return result;
  }
  /// A run that passes.
  void expect_ok(const DeviceConfig& config, const std::function<void(PTO2Runtime*)>& entry,
                 uint64_t seed = 1) {
    const RunResult result = run(config, entry, seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message << result.error.hint;
  }
  /// Expects an error, and that the next launch works.
  void expect_error(ErrorCode code, const std::string& message, const char* hint,
                    const std::function<void(PTO2Runtime*)>& entry, uint64_t seed = 1) {
    const RunResult result = run(small_device(), entry, seed);
    EXPECT_EQ(result.error.code, code) << result.error.message;
    EXPECT_THAT(result.error.message, testing::HasSubstr(message));
    EXPECT_THAT(result.error.hint, testing::HasSubstr(hint));
    expect_ok(small_device(), [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, cluster, {make_pipe_out_param(7)}, {push(5)});
      submit(rt, cluster, {make_pipe_in_param(7)}, {pop(), release()});
    });
    EXPECT_THAT(scripts_.back().popped, testing::ElementsAre(5));
    EXPECT_THAT(warnings_, testing::IsEmpty());
  }

  Script& submit(PTO2Runtime* rt, int32_t cluster, const std::vector<PTOParam>& pipes,
                 const std::vector<Step>& steps, int worker_type = PTO2_WORKER_VECTOR) {
    const std::vector<PTOParam> params = params_of(pipes, steps);
    pto2_rt_submit_task_clustered(rt, 1, worker_type, params.data(),
                                  static_cast<int32_t>(params.size()), cluster);
    return scripts_.back();
  }
  std::vector<PTOParam> params_of(const std::vector<PTOParam>& pipes,
                                  const std::vector<Step>& steps) {
    Script& script = scripts_.emplace_back();
    script.steps = steps;
    std::vector<PTOParam> params{make_scalar_param(reinterpret_cast<uint64_t>(&script))};
    params.insert(params.end(), pipes.begin(), pipes.end());
    return params;
  }

  std::deque<Script> scripts_;
  std::vector<std::string> warnings_;
};

}  // namespace pto2::test
