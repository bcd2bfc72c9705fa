// Images of the user's that crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Crashes : public testing::Test {
 protected:
  Crashes() {
    fs::create_directory(folder_.path("kernels"));
    const std::string own = TEST_IMAGES;
    fs::copy_file(own + "/crash_kernel.so", folder_.path("kernels/0_crashes.so"));
    fs::copy_file(own + "/no_kernel.so", folder_.path("kernels/1_returns.so"));
  }
  /// As images/exits.cpp does it, the kernel that crashes is in task 1.
  Outcome run(const Strings& more) { return pto2(arguments(more)); }
  [[nodiscard]] Strings arguments(const Strings& more) const {
    Strings arguments{"run",
                      "--orchestration",
                      std::string(TEST_IMAGES) + "/exits.so",
                      "--kernels",
                      folder_.path("kernels"),
                      "--arg",
                      "scalar:3",
                      "--arg",
                      "scalar:0",
                      "--json",
                      folder_.path("result")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  static constexpr const char* message =
      "kernel 0 [(]crashes[)], task 1 of ring 0, on aic_?[0-9]+, crashed: SIGSEGV at address 0x18, "
      "in kernel_entry of .*/kernels/0_crashes.so[+]0x[0-9a-f]+";

  TemporaryFolder folder_;
};

TEST_F(Crashes, AreFaultsThatNameTheKernel) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome = run({"--executor", executor});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.err, ContainsRegex(std::string("FATAL: ") + message));
    EXPECT_THAT(
        outcome.err,
        ContainsRegex("\nrun it under a sanitizer [^\n]*; run with --isolate to have the result"));
    EXPECT_FALSE(fs::exists(folder_.path("result")));
  }
}

TEST_F(Crashes, AreReportedByAnotherProcess) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Outcome outcome = run({"--executor", executor, "--isolate"});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.out, HasSubstr("crashed"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("--isolate")));
    const Json result = Json::parse(read_text(folder_.path("result")));
    EXPECT_EQ(result["outcome"], "crashed");
    EXPECT_EQ(result["error"]["code"], "crashed");
    EXPECT_THAT(result["error"]["message"].get<std::string>(), ContainsRegex(message));
    EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("sanitizer"));
  }
  EXPECT_EQ(run({"--isolate", "--expect", "crashed"}).code, 0);
  EXPECT_EQ(run({"--isolate", "--expect", "kernel_threw"}).code, 1);
}

/// Who reads a pipe ends when all have closed it who write: the report goes where the result would
/// have gone.
TEST_F(Crashes, AreReportedIntoThePipeThatWasOpened) {
  mkfifo(folder_.path("result").c_str(), 0600);
  RunningProgram reader({folder_.path("result")}, "/bin/cat");
  Strings command{"20", PTO2_PROGRAM};
  for (const std::string& argument : arguments({"--isolate"})) command.push_back(argument);
  EXPECT_EQ(run_program("/usr/bin/timeout", command).code, 5);
  EXPECT_EQ(reader.end_with(0).json()["outcome"], "crashed");
}

/// Who opens a pipe waits for a reader; here the only one has left before the crash.
TEST_F(Crashes, WaitForNoOtherReaderOfThePipeThatWasOpened) {
  mkfifo(folder_.path("result").c_str(), 0600);
  RunningProgram reader({"-c", ": < " + folder_.path("result")}, "/bin/sh");
  Strings command{"20", PTO2_PROGRAM};
  for (const std::string& argument : arguments({"--isolate"})) command.push_back(argument);
  EXPECT_EQ(run_program("/usr/bin/timeout", command).code, 128 + SIGPIPE);
}

/// What is left of an earlier run would pass for the result of this one.
TEST_F(Crashes, LeaveNoEarlierResults) {
  for (const bool isolated : {false, true}) {
    folder_.file("result", "earlier");
    folder_.file("trace", "earlier");
    Strings options{"--trace", folder_.path("trace")};
    if (isolated) options.emplace_back("--isolate");
    EXPECT_EQ(run(options).code, 5);
    EXPECT_FALSE(fs::exists(folder_.path("trace")));
    EXPECT_EQ(fs::exists(folder_.path("result")), isolated);
  }
}

/// What the process would have counted is gone with it, and zeros would be wrong.
TEST_F(Crashes, LeaveNoCounts) {
  const Outcome outcome = run({"--isolate"});
  EXPECT_THAT(outcome.out, Not(ContainsRegex("tasks|time|threads|slots")));
  const Json result = Json::parse(read_text(folder_.path("result")));
  for (const char* field : {"tasks", "repeat", "wall_s", "kernel_s", "host_threads", "ns_per_task",
                            "peak_rss_bytes", "peak_window", "edges_linked"}) {
    ASSERT_TRUE(result.contains(field)) << field;
  }
  for (const auto& [field, value] : result.items()) EXPECT_FALSE(value.is_number()) << field;
  EXPECT_FALSE(result.contains("tasks_by_state"));
  EXPECT_TRUE(result["config"]["window"].is_number());
}

/// Nobody would be there to see that it is met.
TEST_F(Crashes, AreExpectedOfAnotherProcessAlone) {
  for (const std::string fault : {"crashed", "exited"}) {
    const Outcome outcome = run({"--expect", fault});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--expect " + fault + " needs --isolate"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("FATAL"))) << "the run has begun";
    const std::string file = folder_.file("expects.toml", "expect = \"" + fault + "\"\n");
    const Outcome of_file = run({"--config", file});
    EXPECT_EQ(of_file.code, 3);
    EXPECT_THAT(of_file.err, HasSubstr("expects.toml, line 1, expect " + fault + " needs --isol"));
    EXPECT_EQ(run({"--config", file, "--isolate=off"}).code, 2);
  }
}

/// A kernel that does not return is left, and its process goes on.
TEST_F(Crashes, AreNoneWhereKernelsDoNotReturn) {
  fs::copy_file(std::string(TEST_IMAGES) + "/endless_kernel.so",
                folder_.path("kernels/0_crashes.so"), fs::copy_options::overwrite_existing);
  for (const char* executor : {"packed", "threads", "seeded", "pct"}) {
    const Outcome outcome = run({"--executor", executor, "--deadline", "1", "--repeat", "3"});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.out, HasSubstr("scheduler_timeout"));
    const Json result = Json::parse(read_text(folder_.path("result")));
    EXPECT_EQ(result["outcome"], "scheduler_timeout");
    EXPECT_THAT(result["error"]["message"].get<std::string>(),
                ContainsRegex("kernel 0 [(]crashes[)], task 1 of ring 0, on aic_?[0-9]+, has not "
                              "returned for 1 s, in kernel_entry of .*/kernels/0_crashes.so[+]0x.*"
                              "; its arguments: "));
    EXPECT_THAT(result["error"]["hint"].get<std::string>(), HasSubstr("--deadline"));
  }
}

/// The page behind it stops whoever goes on over its end, within its line of 64 bytes nothing does.
TEST_F(Crashes, AreAtTheEndOfABuffer) {
  fs::copy_file(std::string(TEST_IMAGES) + "/fill_kernel.so", folder_.path("kernels/0_crashes.so"),
                fs::copy_options::overwrite_existing);
  const auto run_with = [this](const char* buffer, const char* floats = "scalar:1") {
    return pto2({"run", "--orchestration", std::string(TEST_IMAGES) + "/past_end.so", "--kernels",
                 folder_.path("kernels"), "--arg", buffer, "--arg", floats});
  };
  for (const char* buffer : {"buffer:4", "buffer:2K:random", "buffer:4032"}) {
    const Outcome outcome = run_with(buffer);
    EXPECT_EQ(outcome.code, 5) << buffer;
    EXPECT_THAT(outcome.err,
                ContainsRegex("FATAL: kernel 0 [(]crashes[)], task 0 of ring 0, on .*, crashed: "
                              "SIGSEGV at address 0x[0-9a-f]*000, in "));
  }
  for (const char* buffer : {"buffer:4033", "buffer:4K"}) EXPECT_EQ(run_with(buffer).code, 4);
  EXPECT_EQ(run_with("buffer:4K", "scalar:1024").code, 4);
  const Outcome outcome = run_with("buffer:4092", "scalar:1024");
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("FATAL: make_tensor: float32 of shape [1024] has 4096 bytes, but argument 0 "
                "has 4092; give the tensor"));
}

TEST_F(Crashes, AreReportedIfAConfigFileSaysSo) {
  const std::string file = folder_.file("isolated.toml", "isolate = \"on\"\n");
  EXPECT_EQ(run({"--config", file, "--expect", "crashed"}).code, 0);
  EXPECT_EQ(Json::parse(read_text(folder_.path("result")))["outcome"], "crashed");
  EXPECT_EQ(run({"--config", file, "--isolate=off", "--expect", "crashed"}).code, 2);
  const Outcome all = pto2({"run", "deadlock", "--all", "--config", file});
  EXPECT_EQ(all.code, 3);
  EXPECT_THAT(all.err,
              HasSubstr("isolated.toml, line 1, isolate: --all runs its cases in one process"));
}

/// What does not crash ends as it would alone.
TEST_F(Crashes, AreAllThatIsolationIsFor) {
  const std::string file = folder_.path("other");
  const Outcome outcome = pto2({"run", "vector_example", "--isolate", "--json", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(Json::parse(read_text(file))["verdict"], "pass");
  EXPECT_EQ(pto2({"run", "deadlock", "--case", "window", "--isolate"}).code, 5);
  EXPECT_EQ(pto2({"run", "deadlock", "--all", "--isolate"}).code, 2);
}

}  // namespace
}  // namespace pto2::test
