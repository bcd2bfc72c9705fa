/// Apart from tests with runs in their own process: threads of theirs stay, and TSan ends a child
/// that is forked beside them, and the noise there is a thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "stress/stressing/drawn_unit.hpp"
#include "stress/stressing/stress.hpp"

namespace pto2::stress {
namespace {

/// A run of it ends the process.
class CrashingSubject final : public simulations::Subject {
 public:
  simulations::SimulatedRun run(uint64_t) override { std::abort(); }
  simulations::Shrunk shrink(uint64_t) override { return {}; }
  simulations::SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override {
    return {};
  }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }
};

TEST(DrawnUnits, ACrashIsToldWithOneCommand) {
  DrawnUnit unit("fake/threads", {},
                 [](const simulations::Options&) { return std::make_unique<CrashingSubject>(); });
  StressOptions options;
  options.repeat_tries = 0;
  PendingSignals signals;
  const UnitResult result = stress(unit, options, signals);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].text, "ended by SIGABRT");
  EXPECT_THAT(result.failures[0].command, testing::HasSubstr("fake/threads --seeds 1..1"));
}

}  // namespace
}  // namespace pto2::stress
