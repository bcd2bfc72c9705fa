// pto2 check and pto2 replay on a catalogue of toys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

Outcome toys(const Strings& arguments, const Strings& environment = {}) {
  return run_program(TOYS, arguments, environment);
}

TEST(CheckProgram, AWholeNameIsThatScenarioAlone) {
  const auto found = [](const char* pattern) {
    return toys({"check", pattern, "--json", "-"}).json()["harnesses"].size();
  };
  EXPECT_EQ(found("toy/message"), 1U);
  EXPECT_EQ(found("toy/mess"), 2U);
}

TEST(CheckProgram, WeakensOrdersOfLongScenariosOnDemand) {
  EXPECT_EQ(toys({"check", "--weaken", "long.publish"}).code, 2);
  const Outcome deep = toys({"check", "--weaken", "long.publish", "--deep"});
  EXPECT_EQ(deep.code, 0) << deep.err;
  EXPECT_THAT(deep.out, HasSubstr("toy/long"));
}

/// After the mistake is corrected.
TEST(CheckProgram, ATokenWhoseExecutionHoldsPasses) {
  const Strings broken{"TOYS_ARE_BROKEN=1"};
  const Outcome search = toys({"check", "toy/message", "--json", "-"}, broken);
  EXPECT_EQ(search.code, 1);
  const std::string token = search.json()["harnesses"][0].value("replay", "none");
  EXPECT_EQ(toys({"replay", token}, broken).code, 1) << token;
  const Outcome mended = toys({"replay", token});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_THAT(mended.out, HasSubstr("1 executions"));
}

TEST(CheckProgram, UpdatesNothingButAnIndex) {
  const Outcome outcome = toys({"check", "--update"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--index"));
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace pto2::test
