// pto2 simulate, and pto2 replay, of orchestrations and images that end the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// With vector_example's orchestration replaced by images/ends_program.cpp.
class EndingOrchestration : public testing::Test {
 protected:
  EndingOrchestration() {
    fs::copy(images(), workloads_, fs::copy_options::recursive);
    fs::copy_file(std::string(TEST_IMAGES) + "/ends_program.so",
                  workloads_ + "/vector_example/orchestration.so",
                  fs::copy_options::overwrite_existing);
  }
  [[nodiscard]] Outcome run(Strings arguments, const std::string& how) const {
    arguments.insert(arguments.end(), {"--deadline", "1"});
    return pto2_within(30, arguments, {"PTO2_WORKLOADS=" + workloads_, "ENDS=" + how});
  }

  /// The program ends with this on stderr, and what repeats it; earlier results are gone.
  void expect_end(const std::string& how, const std::string& message) const {
    const std::string json = folder_.file("json", "earlier");
    const Outcome outcome =
        run({"simulate", "vector_example", "--seeds", "4..9", "--json", json}, how);
    ASSERT_EQ(outcome.code, 5) << how << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << how;
    EXPECT_THAT(outcome.err, testing::EndsWith("repeat: pto2 replay simulate/vector_example:Case1"
                                               "@sc:4 --deadline 1\n"));
    EXPECT_FALSE(fs::exists(json)) << how;
    const std::string trace = folder_.file("trace", "earlier");
    const Outcome again =
        run({"replay", "simulate/vector_example:Case1@sc:4", "--trace", trace}, how);
    EXPECT_EQ(again.code, 5) << how;
    EXPECT_THAT(again.err, HasSubstr(message));
    EXPECT_FALSE(fs::exists(trace)) << how;
  }

  TemporaryFolder folder_;
  std::string workloads_ = folder_.path("workloads");
};

/// Its calls are recorded before the first run.
TEST_F(EndingOrchestration, HasTheExitCodeAndTheCommandOfARun) {
  const std::pair<const char*, const char*> ends[] = {
      {"exit", "the orchestration that was recorded called exit()"},
      {"crash", "the orchestration that was recorded crashed: SIGSEGV"},
      {"spin", "the orchestration that was recorded has not returned for 1 s"},
      {"submit", "the orchestration that was recorded has not returned for 1 s"},
      {"mute",
       "the orchestration that was recorded, whose thread takes no signals, has not returned for "},
      {"exit of image", "an image that was loaded called exit()"},
      {"crash of image", "an image that was loaded crashed: SIGSEGV"},
      {"spin of image", "an image that was loaded has not returned for 1 s"}};
  for (const auto& [how, message] : ends) {
    expect_end(how, message);
    if (HasFailure()) return;  // the others may take as long
  }
}

/// As it would in a run: not as if what it throws were of the program's own.
TEST_F(EndingOrchestration, EndsTheProgramByWhatItThrows) {
  const std::pair<const char*, const char*> thrown[] = {
      {"runtime_error", "exception left the orchestration that was recorded: lacks a file\n"},
      {"invalid_argument", "exception left the orchestration that was recorded: of no use\n"},
      {"out_of_range", "exception left the orchestration that was recorded: too far\n"},
      {"number", "exception of unknown type left the orchestration that was recorded\n"}};
  for (const auto& [type, message] : thrown) {
    expect_end(
        std::string("throw ") + type,
        std::string("FATAL: an ") + message + "catch it in the orchestration that was recorded\n");
  }
}

TEST_F(EndingOrchestration, EndsTheProgramWithItsThread) {
  expect_end("exit of thread", "the orchestration that was recorded called exit() or pthread_exit");
}

/// As before a run.
TEST_F(EndingOrchestration, IsConfiguredBeforeItsCallsAreRecorded) {
  const Outcome outcome =
      run({"simulate", "vector_example", "--stub-kernels", "--seeds", "4..4"}, "nothing");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 tasks, expected 5\n"));
}

TEST_F(EndingOrchestration, MayEndInItsConfiguration) {
  expect_end("exit of configuration", "FATAL: aicpu_orchestration_config called exit()");
  expect_end("throw of configuration",
             "FATAL: an exception left aicpu_orchestration_config: no configuration\n"
             "catch it in aicpu_orchestration_config\n");
  expect_end("spin of configuration", "FATAL: aicpu_orchestration_config has not returned for 1 s");
  expect_end("call of configuration",
             "FATAL: make_tensor() was called in aicpu_orchestration_config, before the run, "
             "and did nothing\n");
}

TEST_F(EndingOrchestration, OfOtherArgumentsIsRefused) {
  for (const Strings& command : {Strings{"simulate", "vector_example"},
                                 Strings{"replay", "simulate/vector_example:Case1@sc:4"}}) {
    const Outcome outcome = run(command, "more arguments");
    EXPECT_EQ(outcome.code, 3) << outcome.out;
    EXPECT_EQ(outcome.err, "pto2: " + workloads_ +
                               "/vector_example/orchestration.so: the orchestration expects 9 "
                               "arguments, but there are 7; name the workload that it is written "
                               "for\n");
  }
  const Outcome fewer = run({"simulate", "vector_example"}, "fewer arguments");
  EXPECT_EQ(fewer.code, 3) << fewer.out;
  EXPECT_THAT(fewer.err, HasSubstr("the orchestration expects 6 arguments, but there are 7;"));
}

TEST_F(EndingOrchestration, IsNotBlamedForTheTimeThatIsSpentOnItsTasks) {
  const Outcome outcome = run({"simulate", "vector_example", "--stub-kernels", "--no-validate",
                               "--no-shrink", "--seeds", "4..4"},
                              "many");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("8002 tasks, expected 5\n"));
}

TEST_F(EndingOrchestration, MakesMistakesThatRunsAreWrongBy) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"scope", ""}, {"tensor", ""}, {"large tensor", ", but a has "}};
  for (const auto& [how, message] : mistakes) {
    const Outcome outcome =
        run({"simulate", "vector_example", "--stub-kernels", "--seeds", "4..4"}, how);
    EXPECT_EQ(outcome.code, 1) << how << ": " << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("expected ok, got bad_submission")) << how;
    EXPECT_THAT(outcome.out, HasSubstr(message));
    EXPECT_THAT(outcome.out,
                HasSubstr("repeat: pto2 replay simulate/vector_example:Case1:stub@sc:4:"));
  }
}

}  // namespace
}  // namespace pto2::test
