#include "core/startup.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

TEST(Startup, FlagsAreSetOneByOne) {
  Startup<TestPolicy> startup;
  Flag<TestPolicy>* const flags[] = {&startup.sm_header_ready, &startup.init_complete,
                                     &startup.orch_pointers_ready, &startup.orchestrator_done,
                                     &startup.shutdown};
  for (std::size_t set = 0; set < std::size(flags); ++set) {
    for (std::size_t i = 0; i < std::size(flags); ++i) EXPECT_EQ(flags[i]->is_set(), i < set);
    flags[set]->set();
  }
  for (const auto* flag : flags) EXPECT_TRUE(flag->is_set());
}

TEST(Startup, OneCallerIsElected) {
  Startup<TestPolicy> startup;
  EXPECT_TRUE(startup.elect_initialiser());
  EXPECT_FALSE(startup.elect_initialiser());
  EXPECT_FALSE(startup.elect_initialiser());
}

TEST(Startup, SaysWhenAFlagCameBeforeItsTurn) {
  Startup<TestPolicy> startup;
  EXPECT_TRUE(startup.invariant_holds());
  startup.sm_header_ready.set();
  EXPECT_TRUE(startup.invariant_holds());
  EXPECT_TRUE(startup.elect_initialiser());
  EXPECT_FALSE(startup.invariant_holds()) << "elected, and nothing is initialised";
  startup.init_complete.set();
  EXPECT_TRUE(startup.invariant_holds());
  startup.orch_pointers_ready.set();
  EXPECT_TRUE(startup.invariant_holds());
  startup.shutdown.set();
  EXPECT_FALSE(startup.invariant_holds()) << "shutdown before the orchestrator is done";
  startup.orchestrator_done.set();
  EXPECT_TRUE(startup.invariant_holds());

  Startup<TestPolicy> uninitialised;
  uninitialised.orch_pointers_ready.set();
  EXPECT_FALSE(uninitialised.invariant_holds());
}

}  // namespace
}  // namespace pto2
