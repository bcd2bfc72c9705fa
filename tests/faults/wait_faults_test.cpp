/// Memory fails where a kernel waits: the launch says that it lacked memory, not that the kernel
/// threw something, and the next one is right.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <optional>

#include "runtime/include/pto_core_calls.h"
#include "tests/faults/machine_faults.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// What the kernel that waits is to see, and what fails from then on.
struct Meeting {
  std::optional<Failing> failing;
  std::optional<FailingMachine> machine;
  std::atomic<bool> answered{false};
};

void wait_in_want(int64_t* args) {
  auto& meeting = *reinterpret_cast<Meeting*>(args[0]);
  if (meeting.failing) meeting.machine.emplace(*meeting.failing);
  auto holds = [&] { return meeting.answered.load(std::memory_order_acquire); };
  (void)pto_wait(args, holds);
}

void answer(int64_t* args) {
  reinterpret_cast<Meeting*>(args[0])->answered.store(true, std::memory_order_release);
  pto_announce(args);
}

/// On one host thread, with stacks of a size that is not kept from before.
RunResult launch_meeting(Meeting& meeting, std::size_t stack_bytes) {
  static constexpr KernelEntry kernels[] = {wait_in_want, answer};
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(&meeting))};
                      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, params, 1);
                      if (!meeting.failing) {
                        pto2_rt_submit_task(rt, 1, PTO2_WORKER_VECTOR, params, 1);
                      }
                    },
                    {}};
  return launch(
      small_device(),
      executors::TeamOptions{
          .executor = executors::Executor::packed, .host_threads = 1, .stack_bytes = stack_bytes},
      what);
}

/// Of the stack that its host goes on with, and of the names that threads are looked up by.
TEST(WaitsInWant, LackMemoryAndBlameNoKernel) {
  std::size_t stack_bytes = 3 << 17;
  for (const Operation operation : {Operation::mapping, Operation::allocation}) {
    Meeting lacking{.failing = Failing{operation, 1, true}, .machine = {}};
    EXPECT_THROW((void)launch_meeting(lacking, stack_bytes += 1 << 16), std::bad_alloc)
        << name_of(operation);
    lacking.machine.reset();
    Meeting meeting;
    const RunResult result = launch_meeting(meeting, stack_bytes);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.completions, 2U);
  }
}

}  // namespace
}  // namespace pto2::test
