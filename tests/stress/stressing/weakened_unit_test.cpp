/// Units whose simulations go wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/executors/weak_memory.hpp"
#include "stress/stressing/drawn_unit.hpp"

namespace pto2::stress {
namespace {

/// A memory order that is too weak makes simulations go wrong, whose tokens say what has run.
TEST(WeakenedUnits, WorkloadsHaveTheKernelsThatAreAskedFor) {
  using executors::WeakMemory;
  WeakMemory::weakening = {"core_mailbox.dispatch", std::memory_order_relaxed};
  for (const bool stubs : {false, true}) {
    const Units units = drawn_units({.stub_kernels = stubs});
    const auto unit = std::ranges::find(units, "workloads/bgemm:Case1/threads",
                                        [](const auto& each) { return each->name(); });
    ASSERT_NE(unit, units.end());
    bool is_wrong = false;
    for (const std::string& token : (*unit)->simulations(1)) {
      EXPECT_THAT(token, testing::StartsWith(stubs ? "simulate/bgemm:Case1:stub@"
                                                   : "simulate/bgemm:Case1@"));
      is_wrong = is_wrong || (*unit)->simulate(token).token == token;
    }
    EXPECT_TRUE(is_wrong);
  }
  WeakMemory::weakening = {};
}

}  // namespace
}  // namespace pto2::stress
