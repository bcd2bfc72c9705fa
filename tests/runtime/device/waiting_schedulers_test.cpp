/// Two schedulers, of which one cannot run what has become ready: its core is busy with a kernel
/// that waits for that, or the scheduler itself is. The other one must hear of it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::waiting_schedulers {
namespace {

struct Question {
  std::atomic<int32_t> answered{0};
  std::atomic<int32_t> unanswered{0};
};

Question& question_of(const int64_t* args) {
  return *reinterpret_cast<Question*>(args[0]);
}

void wait_for_the_answer(int64_t* args) {
  auto holds = [&] { return question_of(args).answered.load(std::memory_order_acquire) != 0; };
  if (pto_wait(args, holds) != PTOWaited::HOLDS) ++question_of(args).unanswered;
}

void answer(int64_t* args) {
  question_of(args).answered.store(1, std::memory_order_release);
  pto_announce(args);
}

void before_the_answer(int64_t*) {}

constexpr KernelEntry kernels[] = {wait_for_the_answer, answer, before_the_answer};

class WaitingSchedulers : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// On two clusters of one core of each type, with a scheduler each.
  static void expect_answered(const std::function<void(PTO2Runtime*, const PTOParam&)>& submit) {
    DeviceConfig config = small_device();
    config.chip = {"two", 2, 1, 1, 2};
    const uint64_t seeds = GetParam() == ExecutorKind::seeded ? 1000 : 50;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      Question question;
      const auto entry = [&](PTO2Runtime* rt) {
        pto2_rt_init_tensor_pool(rt);
        submit(rt, make_scalar_param(reinterpret_cast<uint64_t>(&question)));
      };
      const RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
      ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
      ASSERT_EQ(question.unanswered, 0) << "seed " << seed;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, WaitingSchedulers, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

/// The task that makes the answer ready is run by a scheduler, perhaps by that of the busy core.
TEST_P(WaitingSchedulers, WhatAnOwnTaskMakesReadyGoesToAnotherOne) {
  expect_answered([](PTO2Runtime* rt, const PTOParam& question) {
    const uint64_t shape[] = {1};
    const Tensor between = make_tensor(shape, 1);
    PTOParam waits[] = {question};
    PTOParam first[] = {make_output_param(between)};
    PTOParam answers[] = {question, make_input_param(between)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, waits, 1);
    pto2_rt_submit_task(rt, 2, PTO2_WORKER_AI_CPU, first, 1);
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, answers, 2);
  });
}

TEST_P(WaitingSchedulers, WhoRunsAnOwnTaskIsNotCountedOn) {
  expect_answered([](PTO2Runtime* rt, const PTOParam& question) {
    PTOParam params[] = {question};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_AI_CPU, params, 1);
    pto2_rt_submit_task(rt, 1, PTO2_WORKER_CUBE, params, 1);
  });
}

}  // namespace
}  // namespace pto2::test::waiting_schedulers
