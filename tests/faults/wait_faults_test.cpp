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

struct Place {
  uint64_t allocations = 0;  ///< that succeed while a kernel asks where it is
  bool lacked = false;
  PTOPlace later{};  ///< as it heard when there was memory again
};

void ask_in_want(int64_t* args) {
  auto& place = *reinterpret_cast<Place*>(args[0]);
  try {
    const FailingMachine machine({Operation::allocation, place.allocations + 1, true});
    (void)pto_place(args);
  } catch (const std::bad_alloc&) {
    place.lacked = true;
  }
  place.later = pto_place(args);
}

/// Of the names that threads are looked up by, all are there or none.
TEST(WaitsInWant, KernelsAreFoundWhenThereIsMemoryAgain) {
  static constexpr KernelEntry kernels[] = {ask_in_want};
  DeviceConfig config = small_device();
  config.chip = {"one", 1, 1, 1, 1};
  Place place;
  do {
    ++place.allocations;
    place.lacked = false;
    const auto submit = [&](PTO2Runtime* rt) {
      const PTOParam param = make_scalar_param(reinterpret_cast<uint64_t>(&place));
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
    };
    const RunResult result = launch(
        config, executors::TeamOptions{.executor = executors::Executor::packed, .host_threads = 1},
        {kernels, submit, {}});
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(place.later.cluster, 0) << "after " << place.allocations << " allocations";
  } while (place.lacked);
  EXPECT_GT(place.allocations, 3) << "a name of each worker, at least";
}

}  // namespace
}  // namespace pto2::test
