#include "core/start_gate.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(StartGate, TellsTheDecision) {
  for (const bool begin : {false, true}) {
    StartGate<TestPolicy> gate;
    gate.decide(begin);
    EXPECT_EQ(gate.wait(), begin);
    EXPECT_EQ(gate.wait(), begin);
  }
}

TEST(StartGateDeathTest, IsDecidedOnce) {
  StartGate<TestPolicy> gate;
  gate.decide(true);
  EXPECT_DEATH(gate.decide(false), "SG-P1");
}

}  // namespace
}  // namespace pto2
