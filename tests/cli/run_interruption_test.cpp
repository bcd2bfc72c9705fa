// What SIGINT and SIGTERM do to pto2 run, validate, simulate and stress.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <thread>

#include "runtime/output/descriptor.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/full_stderr.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

/// Far less than what is left to do in any of these tests, and enough for a busy machine.
constexpr double soon = 10;
/// Processor time after the first line of the orchestration, by which tasks are under way.
constexpr double begun = 0.1;

enum Kernel { slow, endless };

class RunInterruption : public testing::TestWithParam<const char*> {
 protected:
  RunInterruption() {
    fs::create_directory(folder_.path("kernels"));
    const std::string own = TEST_IMAGES;
    fs::copy_file(own + "/slow_kernel.so", folder_.path("kernels/0_slow.so"));
    fs::copy_file(own + "/endless_kernel.so", folder_.path("kernels/1_endless.so"));
  }

  /// A launch that would take half a minute or for ever.
  [[nodiscard]] Strings long_launch(Kernel kernel) const {
    return {"run",
            "--orchestration",
            std::string(TEST_IMAGES) + "/many_tasks.so",
            "--kernels",
            folder_.path("kernels"),
            "--executor",
            GetParam(),
            "--window",
            "16",
            "--deadline",
            "15",
            "--arg",
            "scalar:" + std::to_string(kernel),
            "--arg",
            "scalar:40000",
            "--json",
            folder_.path("json"),
            "--trace",
            folder_.path("trace")};
  }
  [[nodiscard]] nlohmann::json json() const {
    return nlohmann::json::parse(read_text(folder_.path("json")), nullptr, false);
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(OnOsThreads, RunInterruption, testing::Values("packed", "threads"),
                         [](const auto& test) { return std::string(test.param); });

/// The schedulers leave the rest of the graph, and what was done is told and traced.
TEST_P(RunInterruption, GivesALaunchUp) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    RunningProgram program(long_launch(slow));
    ASSERT_TRUE(program.wait_for_text("the graph has begun"));
    ASSERT_TRUE(program.wait_for_work(begun));
    const Outcome outcome = program.end_with(signal);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_LT(outcome.seconds, soon);
    EXPECT_THAT(outcome.err, HasSubstr(signal == SIGINT ? "pto2: interrupted; ending with what"
                                                        : "pto2: terminated; ending with what"));
    EXPECT_THAT(outcome.out, ContainsRegex("verdict         interrupted: in repetition 1 of 1: "
                                           "[1-9][0-9]* tasks submitted, [1-9][0-9]* completed"));
    const auto result = json();
    EXPECT_EQ(result["verdict"], "interrupted");
    EXPECT_EQ(result["outcome"], "interrupted");
    EXPECT_EQ(result["error"]["code"], "interrupted");
    EXPECT_GT(result["tasks_by_state"]["ready"], 0);
    EXPECT_GT(result["tasks"], 16);
    EXPECT_LT(result["tasks"], 40000);
    const Outcome judged = pto2({"validate", folder_.path("trace")});
    EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
  }
}

/// The parent passes on what it is told, and returns what its child does.
TEST_P(RunInterruption, ReachesARunInAProcessOfItsOwn) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    Strings arguments = long_launch(slow);
    arguments.push_back("--isolate");
    RunningProgram program(arguments);
    ASSERT_TRUE(program.wait_for_text("the graph has begun"));
    const Outcome outcome = program.end_with(signal);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_LT(outcome.seconds, soon);
    EXPECT_EQ(json()["verdict"], "interrupted");
  }
}

/// A pipe that nobody reads is opened once, before the run: nobody waits for a reader then.
TEST(RunInterruptionOfAnIsolatedRun, EndsWhereNobodyReadsTheResult) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  mkfifo(pipe.c_str(), 0600);
  RunningProgram program({"run", "vector_example", "--isolate", "--json", pipe});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Outcome outcome = program.end_with(SIGTERM);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_EQ(outcome.code, 128 + SIGTERM) << outcome.err;
}

TEST_P(RunInterruption, EndsRepetitions) {
  RunningProgram program({"run", "vector_example", "--executor", GetParam(), "--repeat", "1000000",
                          "--json", folder_.path("json")});
  ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGINT); }));
  ASSERT_TRUE(program.wait_for_work(0.5));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_THAT(outcome.out, ContainsRegex("verdict         interrupted: (after|in repetition) "
                                         "[1-9][0-9]* of 1000000"));
  EXPECT_GT(json()["repeat"], 1);
}

/// An orchestration that submits for ever makes progress, so no deadline ends it; a job bounds it
/// with timeout(1), and has what was done all the same.
TEST_P(RunInterruption, BoundsAGraphWithoutEnd) {
  Strings command = {"--preserve-status", "2", PTO2_PROGRAM};
  for (std::string argument : long_launch(slow)) {
    if (argument == "scalar:40000") argument = "scalar:" + std::to_string(INT64_MAX);
    if (argument == "15") argument = "1";  // the deadline
    command.push_back(argument);
  }
  for (const bool isolated : {false, true}) {
    if (isolated) command.push_back("--isolate");
    const Outcome outcome = run_program("/usr/bin/timeout", command);
    EXPECT_EQ(outcome.code, 143) << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex("verdict         interrupted: in repetition 1 of 1: "
                                           "[1-9][0-9]* tasks submitted, [1-9][0-9]* completed"));
    EXPECT_EQ(json()["verdict"], "interrupted");
    EXPECT_EQ(pto2({"validate", folder_.path("trace")}).code, 0);
  }
}

/// What runs is waited for, but not for ever.
TEST_P(RunInterruption, ComesTwiceIfAKernelDoesNotReturn) {
  folder_.file("json", "earlier");
  RunningProgram program(long_launch(endless));
  ASSERT_TRUE(program.wait_for_text("the graph has begun"));
  ASSERT_TRUE(program.wait_for_work(begun));
  program.send(SIGINT);
  ASSERT_TRUE(program.wait_for_text("once more ends at once"));
  ASSERT_TRUE(program.wait_for_text("pto2: kernel 1 (endless), task "));
  ASSERT_TRUE(program.wait_for_text(", on aic"));
  EXPECT_FALSE(program.has_ended());
  ASSERT_TRUE(eventually([&] {
    program.send(SIGTERM);
    return program.has_ended();
  }));
  EXPECT_EQ(program.end_with(SIGTERM).code, 143);
  EXPECT_FALSE(fs::exists(folder_.path("json")));
  EXPECT_FALSE(fs::exists(folder_.path("trace")));
}

TEST_P(RunInterruption, NamesAConfigurationThatGoesOn) {
  RunningProgram program({"run", "--orchestration",
                          std::string(TEST_IMAGES) + "/bad_configuration.so", "--kernels",
                          folder_.path("kernels"), "--executor", GetParam(), "--arg", "scalar:10"});
  ASSERT_TRUE(program.wait_for_text("the configuration goes on"));
  program.send(SIGTERM);
  ASSERT_TRUE(program.wait_for_text("pto2: aicpu_orchestration_config has not returned yet\n"));
  ASSERT_TRUE(eventually([&] {
    program.send(SIGTERM);
    return program.has_ended();
  }));
}

TEST_P(RunInterruption, EndsTheCasesOfAWorkload) {
  RunningProgram program({"run", "deadlock", "--all", "--executor", GetParam(), "--repeat",
                          "1000000", "--json", folder_.path("json")});
  // The first case deadlocks, and its repetitions are over; the second is its twin.
  ASSERT_TRUE(program.wait_for_text("ok    window "));
  ASSERT_TRUE(program.wait_for_work(begun));
  const Outcome outcome = program.end_with(SIGTERM);
  EXPECT_EQ(outcome.code, 143);
  EXPECT_LT(outcome.seconds, soon);
  EXPECT_THAT(outcome.out, ContainsRegex("\n-     window_fits +[^\n]* interrupted\n$"));
  EXPECT_EQ(json()["verdict"], "interrupted");
  EXPECT_EQ(json()["cases"].size(), 2U);
}

/// Nobody else may touch a simulation: its repetition comes to its end.
TEST(RunInterruptionOfASimulation, EndsAfterTheRepetition) {
  RunningProgram program({"run", "vector_example", "--executor", "seeded", "--repeat", "20000"});
  ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGINT); }));
  ASSERT_TRUE(program.wait_for_work(0.5));
  const Outcome outcome = program.end_with(SIGINT);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.out,
              ContainsRegex("verdict         interrupted: after [1-9][0-9]* of 20000"));
}

/// Which is the only one here, and the last.
TEST(RunInterruptionOfASimulation, EndsAfterTheLastRepetition) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("kernels"));
  const std::string own = TEST_IMAGES;
  fs::copy_file(own + "/slow_kernel.so", folder.path("kernels/0_slow.so"));
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    RunningProgram program({"run", "--orchestration", own + "/many_tasks.so", "--kernels",
                            folder.path("kernels"), "--executor", "seeded", "--arg", "scalar:0",
                            "--arg", "scalar:500", "--json", folder.path("json")});
    ASSERT_TRUE(program.wait_for_text("the graph has begun"));
    const Outcome outcome = program.end_with(signal);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("verdict         interrupted: after 1 of 1 repetitions"));
    const auto result = nlohmann::json::parse(read_text(folder.path("json")));
    EXPECT_EQ(result["verdict"], "interrupted");
    EXPECT_EQ(result["tasks"], 500);
    EXPECT_EQ(result["fins"], 500) << "it has come to its end";
  }
}

/// Says what was found, and that it is not all. `first`: a text that comes with the first results.
void expect_early_end(const Strings& command, const char* first, const char* text) {
  const TemporaryFolder folder;
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    Strings arguments = command;
    arguments.insert(arguments.end(), {"--json", folder.path("json")});
    RunningProgram program(arguments);
    ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGINT); }));
    ASSERT_TRUE(program.wait_for_text(first));
    const Outcome outcome = program.end_with(signal);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_LT(outcome.seconds, soon);
    EXPECT_THAT(outcome.out, HasSubstr(text));
    EXPECT_THAT(outcome.err, HasSubstr(signal == SIGINT ? "\npto2: interrupted; ending with what"
                                                        : "\npto2: terminated; ending with what"));
    const auto json = nlohmann::json::parse(read_text(folder.path("json")));
    EXPECT_EQ(json["interrupted"], true);
    EXPECT_EQ(json["verdict"], "interrupted");
  }
}

TEST(SimulateInterruption, EndsTheSeeds) {
  expect_early_end({"simulate", "--random-graphs", "--seeds", "0..100000000"}, "",
                   "interrupted: the seeds that follow were not tried");
}

TEST(StressInterruption, EndsTheRuns) {
  expect_early_end({"stress", "scenarios", "--runs", "200"}, "scenarios/",
                   "interrupted: what is not listed was not tried");
}

/// `pto2 validate` of a trace, and of a pipe that nobody writes; a shell begins with `first`, where
/// another pipe is full.
class Reading {
 public:
  explicit Reading(const std::string& first) {
    const std::string trace = folder_.path("trace");
    EXPECT_EQ(pto2({"run", "vector_example", "--trace", trace}).code, 0);
    for (const char* pipe : {"pipe", "full"}) mkfifo(folder_.path(pipe).c_str(), 0600);
    full_.emplace(open(folder_.path("full").c_str(), O_RDWR | O_CLOEXEC));
    fill(full_->number());
    program_.emplace(Strings{"-c",
                             "cd '" + folder_.path() + "'; exec 3<>pipe; " + first +
                                 "exec \"$0\" validate trace pipe",
                             PTO2_PROGRAM},
                     "/bin/sh");
    EXPECT_TRUE(program_->wait_for_text("valid"));
  }
  [[nodiscard]] RunningProgram& program() { return *program_; }

 private:
  TemporaryFolder folder_;
  std::optional<cli::Descriptor> full_;
  std::optional<RunningProgram> program_;
};

/// A command without results to save needs no room on stderr to end.
TEST(ReaderInterruption, WaitsForNobodyWhoReadsStderr) {
  Reading reading("exec 2<>full; ");
  EXPECT_EQ(reading.program().end_with(SIGINT).code, 130);
}

TEST(ReaderInterruption, DoesNotComeWhereItIsIgnored) {
  Reading reading("trap '' INT; ");
  reading.program().send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(reading.program().end_with(SIGTERM).code, 128 + SIGTERM);
}

/// What a shell has in the background goes on, and ends by the other signal.
TEST(RunInterruptionOfASimulation, DoesNotComeWhereItIsIgnored) {
  RunningProgram program(
      {"-c", "trap '' INT; exec \"$0\" run vector_example --executor seeded --repeat 20000",
       PTO2_PROGRAM},
      "/bin/sh");
  ASSERT_TRUE(program.wait_until([&] { return program.blocks(SIGTERM); }));
  program.send(SIGINT);
  const Outcome outcome = program.end_with(SIGTERM);
  EXPECT_EQ(outcome.code, 143);
  EXPECT_THAT(outcome.err, HasSubstr("pto2: terminated; ending with what"));
}

}  // namespace
}  // namespace pto2::test
