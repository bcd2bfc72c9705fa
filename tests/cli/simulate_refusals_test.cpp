// What pto2 simulate, and pto2 replay of its tokens, refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

TEST(Simulate, RefusesOptionsWithoutEffect) {
  const std::pair<std::vector<std::string>, const char*> calls[] = {
      {{"bgemm", "--mistakes"}, "--mistakes goes with --random-graphs"},
      {{"bgemm", "--graphs", "plain"}, "--graphs goes with --random-graphs"},
      {{"--random-graphs", "--stub-kernels"}, "--stub-kernels goes with a WORKLOAD"},
      {{"--random-graphs", "--case", "Case1"}, "--case goes with a WORKLOAD"}};
  for (const auto& [options, message] : calls) {
    std::vector<std::string> arguments{"simulate"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Simulate, RefusesWhatThereIsNot) {
  const auto expect_refused = [](const std::vector<std::string>& arguments, int code,
                                 const std::string& message) {
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  };
  expect_refused({"simulate"}, 2, "name a WORKLOAD");
  expect_refused({"simulate", "bgemm", "--random-graphs"}, 2, "name one of the two");
  expect_refused({"simulate", "bgenn"}, 2, "bgenn");
  expect_refused({"simulate", "bgenn", "--case", "Case1"}, 2, "no workload is called 'bgenn'");
  expect_refused({"simulate", "bgemm", "--case", "Case99"}, 2, "Case99");
  expect_refused({"simulate", "bgemm", "--seeds", "5..4"}, 2, "A..B with A <= B");
  expect_refused({"simulate", "bgemm", "--seeds", "x"}, 2, "not 'x'");
  expect_refused({"simulate", "bgemm", "--seeds", "0..18446744073709551615"}, 2, "A..B");
  expect_refused({"simulate", "bgemm", "--strategy", "luck"}, 2, "luck");
  for (const char* file : {"--json", "--junit"}) {
    expect_refused({"simulate", "bgemm", "--seeds", "1", file, ""}, 2, "an empty name");
  }
  expect_refused({"simulate", "bgemm", "--weaken", "core_mailbox.dispatch"}, 2, "no effect");
  expect_refused({"simulate", "bgemm", "--strategy", "random", "--seeds", "1", "--weaken", ""}, 2,
                 "--weaken is empty; leave it out, or say which");
  expect_refused({"simulate", "bgemm", "--seeds", "1", "--case", ""}, 2, "--case is empty");
  expect_refused({"simulate", "", "--random-graphs", "--seeds", "1"}, 2, "WORKLOAD is empty");
  expect_refused({"simulate", "bgemm", "--seeds", ""}, 2, "--seeds is empty");
  expect_refused({"simulate", "--random-graphs", "--strategy", "pct", "--seeds", "1..2", "--weaken",
                  "no.order"},
                 2, "no run asked for a memory order called no.order");
}

TEST(Simulate, RefusesTokensThatCannotBeReplayed) {
  const std::pair<const char*, const char*> refusals[] = {
      {"simulate/x", "the payload of the token simulate/x, '' at character 11"},
      {"simulate/x@sc:1", "the subject of the token simulate/x@sc:1, 'x' at character 10"},
      {"simulate/graphs:odd@sc:1", "plain or clustered"},
      {"simulate/bgenn:Case1@sc:1", "'bgenn:Case1' at character 10: no workload"},
      {"simulate/bgemm:Case99@sc:1", "the subject of the token"},
      {"simulate/graphs:plain@sc:-1", "is no number"},
      {"simulate/bgemm:Case1@sc:1:5-9999-1", "'sc:1:5-9999-1' at character 22: 9999 blocks"},
      {"simulate/graphs:plain@sc:1:0-99999999999", "too many decisions"},
      {"simulate/graphs:plain+core_mailbox.dispatch@sc:1", "without effect on the memory"},
      {"simulate/graphs:plain+no.order@random:1", "'no.order' at character 23: the run asked for"}};
  for (const auto& [token, message] : refusals) {
    const Outcome outcome = pto2({"replay", token});
    EXPECT_EQ(outcome.code, 3) << token;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.err, HasSubstr("tokens are\n  check/SCENARIO"));
    EXPECT_EQ(outcome.out, "");
  }
}

/// Each kind of token goes to the program that has made it.
TEST(Simulate, ReplayOfATokenRefusesOtherOptions) {
  const std::vector<std::vector<std::string>> calls = {
      {"simulate/graphs:plain@sc:1", "--tarce", "x"},
      {"x@pto2.2:0", "--trace", "x"},
      {"check/x@pto2.2:0", "--trace", "simulate/x"},
      {"--trace", "simulate/x", "check/x@pto2.2:0"}};
  for (std::vector<std::string> arguments : calls) {
    arguments.insert(arguments.begin(), "replay");
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("pto2 replay --help"));
  }
}

}  // namespace
}  // namespace pto2::test
