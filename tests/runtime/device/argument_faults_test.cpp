/// Kernels that use an argument as a pipe which is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::argument_faults {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

enum Verb : uint64_t { none, push, copy, pop, release, release_then_pop };

std::atomic<uint32_t> calls{0};

/// Arguments: what to do with which argument.
void misuse(int64_t* args) {
  ++calls;
  const auto argument = static_cast<int>(args[1]);
  const uint64_t value = 1;
  bool done = false;
  if (args[0] == push) done = TPUSH(args, argument) != nullptr;
  if (args[0] == copy) done = TPUSH(args, argument, &value, sizeof value);
  if (args[0] == pop) done = TPOP(args, argument) != nullptr;
  if (args[0] == release || args[0] == release_then_pop) done = TFREE(args, argument);
  if (args[0] == release_then_pop) done = TPOP(args, 1) != nullptr;
  EXPECT_FALSE(done);
}

void use_pipe(int64_t* args) {
  EXPECT_NE(TPUSH(args, 2), nullptr);
  EXPECT_NE(TPOP(args, 2), nullptr);
  EXPECT_TRUE(TFREE(args, 2));
}

using Params = std::vector<PTOParam>;

Params with(Verb verb, int64_t argument, const Params& more = {}) {
  Params params{make_scalar_param(verb), make_scalar_param(static_cast<uint64_t>(argument))};
  params.insert(params.end(), more.begin(), more.end());
  return params;
}

void submit(PTO2Runtime* rt, int kernel, const Params& params, int32_t cluster = -1,
            int type = PTO2_WORKER_VECTOR) {
  pto2_rt_submit_task_clustered(rt, kernel, type, params.data(),
                                static_cast<int32_t>(params.size()), cluster);
}

Tensor some_tensor() {
  const uint64_t shape[] = {4};
  return make_tensor(shape, 1);
}

class ArgumentFaults : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(const std::function<void(PTO2Runtime*)>& entry, uint64_t seed = 1) {
    static constexpr KernelEntry kernels[] = {misuse, use_pipe};
    calls = 0;
    DeviceConfig config = small_device();
    config.events = 4096;
    RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
    EXPECT_THAT(result.damaged, IsEmpty()) << result.error.message;
    return result;
  }
  void expect_fault(const std::string& message, const std::function<void(PTO2Runtime*)>& entry) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(entry, seed);
      EXPECT_EQ(result.error.code, ErrorCode::not_a_pipe) << result.error.message;
      EXPECT_THAT(result.error.message, HasSubstr(message));
      EXPECT_THAT(result.error.hint, HasSubstr("make_pipe_out_param"));
    }
    EXPECT_EQ(run([](PTO2Runtime* rt) { submit(rt, 0, with(none, 0)); }).error.code, ErrorCode::ok);
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ArgumentFaults, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(ArgumentFaults, NameTheVerbTheTaskAndTheArgument) {
  for (const auto& [verb, name] : {std::pair(push, "TPUSH"),
                                   {copy, "TPUSH"},
                                   {pop, "TPOP"},
                                   {release, "TFREE"},
                                   {release_then_pop, "TFREE"}}) {
    expect_fault(
        fmt::format("kernel 0, task 1 of ring 0: {} of argument 2, which is no pipe", name),
        [&](PTO2Runtime* rt) {
          pto2_rt_init_tensor_pool(rt);
          submit(rt, 0, with(none, 0));
          submit(rt, 0, with(verb, 2, {make_output_param(some_tensor())}));
        });
  }
}

/// A scalar, one that looks like an address, and what is no parameter.
TEST_P(ArgumentFaults, AreOfAnyArgument) {
  const std::pair<int64_t, const char*> arguments[] = {
      {0, "TPOP of argument 0, which is no pipe"},
      {2, "TPOP of argument 2, which is no pipe"},
      {3, "TPOP of argument 3, but the task has 3 parameters"},
      {31, "TPOP of argument 31, but the task has 3 parameters"},
      {32, "TPOP of an argument that is none of 0 to 31, but the task has 3 parameters"},
      {-1, "TPOP of an argument that is none of 0 to 31, but the task has 3 parameters"},
      {INT32_MAX, "none of 0 to 31"},
      {INT32_MIN, "none of 0 to 31"}};
  for (const auto& [argument, message] : arguments) {
    expect_fault(message, [&](PTO2Runtime* rt) {
      submit(rt, 0, with(pop, argument, {make_scalar_param(1)}));
    });
  }
}

/// Whoever depends on the task does not run, nor does any task after a run that was given up.
TEST_P(ArgumentFaults, EndTheRun) {
  const bool has_seeds = GetParam() == ExecutorKind::seeded;
  for (const int type : {PTO2_WORKER_VECTOR, PTO2_WORKER_AI_CPU}) {
    for (uint64_t seed = 1; seed <= (has_seeds ? 500 : 20); ++seed) {
      const RunResult result = run(
          [type](PTO2Runtime* rt) {
            pto2_rt_init_tensor_pool(rt);
            const Tensor tensor = some_tensor();
            submit(rt, 0, with(push, 2, {make_output_param(tensor)}), -1, type);
            for (int i = 0; i < 20; ++i) submit(rt, 0, with(none, 0, {make_inout_param(tensor)}));
          },
          seed);
      EXPECT_EQ(result.error.code, ErrorCode::not_a_pipe);
      EXPECT_EQ(calls, 1U);
    }
  }
}

/// A core whose part is to blame claims no other.
TEST_P(ArgumentFaults, EndTheWorkOnABlockTask) {
  const RunResult result = run([](PTO2Runtime* rt) {
    const Params params = with(pop, 1);
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_CUBE, params.data(), 2, 1000);
  });
  EXPECT_EQ(result.error.code, ErrorCode::not_a_pipe);
  EXPECT_LE(calls, small_device().chip.cores());
}

std::atomic<bool> misused{false};
std::atomic<bool> returned{false};

void misuse_and_stay(int64_t* args) {
  EXPECT_EQ(TPOP(args, 0), nullptr);
  misused = true;
  while (!returned) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void return_after_the_misuse(int64_t*) {
  while (!misused) std::this_thread::yield();
  returned = true;
}

/// Who returns meanwhile sees that there was a misuse, and that it was not his.
TEST(ArgumentFaultsOfOthers, AreNotThoseOfWhoReturnsFirst) {
  static constexpr KernelEntry kernels[] = {misuse_and_stay, return_after_the_misuse};
  misused = returned = false;
  const auto entry = [](PTO2Runtime* rt) {
    submit(rt, 0, {make_scalar_param(0)});
    submit(rt, 1, {}, -1, PTO2_WORKER_CUBE);
  };
  const RunResult result = run_at(ExecutorKind::threads, small_device(), {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::not_a_pipe);
  EXPECT_THAT(result.error.message, HasSubstr("kernel 0, task 0 of ring 0: TPOP of argument 0"));
}

/// Another argument of a task with a pipe, and that of a task whose arguments lie where those of
/// one with a pipe were.
TEST_P(ArgumentFaults, AreToldFromPipes) {
  expect_fault("task 1 of ring 0: TPOP of argument 3, which is no pipe", [](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    const Params params = with(pop, 3, {make_pipe_out_param(0), make_output_param(some_tensor())});
    submit(rt, 1, params, cluster);
    submit(rt, 0, params, cluster);
  });
  const auto after_pipes = [this](const char* message, Params (*last)()) {
    expect_fault(message, [last](PTO2Runtime* rt) {
      pto2_rt_init_tensor_pool(rt);
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      for (int i = 0; i < 200; ++i) {
        PTO2_SCOPE(rt) {
          submit(rt, 1, with(none, 0, {make_pipe_out_param(0)}), cluster);
        }
      }
      PTO2_SCOPE(rt) {
        submit(rt, 0, last(), cluster);
        submit(rt, 0, last());
      }
    });
  };
  after_pipes("TPOP of argument 2, but the task has 2 parameters", [] { return with(pop, 2); });
  after_pipes("TPOP of argument 2, which is no pipe",
              [] { return with(pop, 2, {make_output_param(some_tensor())}); });
}

TEST_P(ArgumentFaults, AreFoundInPartsAndOnSchedulers) {
  const Params params = with(pop, 1);
  for (const int type : {PTO2_WORKER_CUBE, PTO2_WORKER_AI_CPU}) {
    expect_fault("kernel 0, task 0 of ring 0: TPOP of argument 1, which", [&](PTO2Runtime* rt) {
      pto2_rt_submit_block_task(rt, 0, type, params.data(), 2, 40);
    });
    expect_fault("kernel 0, task 0 of ring 0: TPOP of argument 1, which",
                 [&](PTO2Runtime* rt) { submit(rt, 0, params, -1, type); });
  }
  expect_fault("kernel 0, task 0 of ring 0: TPOP of argument 2, but", [](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    const Params behind = with(pop, 2);  // block_dim is no pipe, either
    const std::vector<int32_t> clusters(3, cluster);
    pto2_rt_submit_block_task_clustered(rt, 0, PTO2_WORKER_VECTOR, behind.data(), 2, 3,
                                        clusters.data());
  });
}

}  // namespace
}  // namespace pto2::test::argument_faults
