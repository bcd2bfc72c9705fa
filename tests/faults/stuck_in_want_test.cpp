/// Memory fails where a kernel does not return: the launch ends in the error that says so, though
/// in fewer words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "runtime/executors/logical_thread.hpp"
#include "tests/faults/machine_faults.hpp"
#include "tests/runtime/device/task_graph.hpp"
#include "tests/support/sleep_in_place.hpp"

// Where kernels cannot be left, the process ends.
#if PTO2_CAN_LEAVE

namespace pto2::test {
namespace {

bool is_a_core() {
  return executors::running_thread().starts_with("ai");
}

void stay_in_want(int64_t* args) {
  auto& machine = *reinterpret_cast<std::optional<FailingMachine>*>(args[0]);
  machine.emplace(Failing{Operation::allocation, 1, true, is_a_core});
  stay_in_place();
}

TEST(StuckInWant, AKernelIsLeft) {
  static constexpr KernelEntry kernels[] = {stay_in_want};
  for (const auto executor : {executors::Executor::packed, executors::Executor::threads}) {
    std::optional<FailingMachine> machine;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        const PTOParam param =
                            make_scalar_param(reinterpret_cast<uint64_t>(&machine));
                        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, &param, 1);
                      },
                      {}};
    DeviceConfig config = small_device();
    config.deadline_ms = 300;
    const RunResult result = launch(config, executors::TeamOptions{.executor = executor}, what);
    machine.reset();
    EXPECT_EQ(result.error.code, ErrorCode::scheduler_timeout) << result.error.message;
    EXPECT_THAT(result.error.message,
                testing::StartsWith("kernel 0, task 0 of ring 0, has not returned; its arguments: "
                                    "0: scalar "));
  }
}

}  // namespace
}  // namespace pto2::test

#endif
