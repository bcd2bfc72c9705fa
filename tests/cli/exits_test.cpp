// Images of the user's that call exit().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* executors[] = {"packed", "threads", "seeded"};

class Exits : public testing::Test {
 protected:
  Exits() {
    fs::create_directory(folder_.path("kernels"));
    const std::string own = TEST_IMAGES;
    fs::copy_file(own + "/exit_kernel.so", folder_.path("kernels/0_exits.so"));
    fs::copy_file(own + "/no_kernel.so", folder_.path("kernels/1_returns.so"));
  }

  /// `who` and `type` as in images/exits.cpp.
  Outcome run(const char* executor, int who, int type = 0, const Strings& more = {}) {
    Strings arguments{"run",
                      "--orchestration",
                      std::string(TEST_IMAGES) + "/exits.so",
                      "--kernels",
                      folder_.path("kernels"),
                      "--executor",
                      executor,
                      "--arg",
                      "scalar:" + std::to_string(who),
                      "--arg",
                      "scalar:" + std::to_string(type),
                      "--json",
                      folder_.path("result")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pto2(arguments);
  }
  /// Another kernel that ends the process.
  void exit_by(const std::string& kernel) {
    fs::copy_file(std::string(TEST_IMAGES) + "/" + kernel + ".so",
                  folder_.path("kernels/0_exits.so"), fs::copy_options::overwrite_existing);
  }
  nlohmann::json result() const { return nlohmann::json::parse(read_text(folder_.path("result"))); }
  void expect_fault(const Outcome& outcome, const std::string& who) {
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_THAT(
        outcome.err,
        AllOf(ContainsRegex("FATAL: " + who +
                            " called exit\\(\\) or pthread_exit\\(\\) in the middle of a run"),
              HasSubstr("return from kernel_entry or aicpu_orchestration_entry instead; run with "
                        "--isolate to have the result")));
  }

  TemporaryFolder folder_;
};

TEST_F(Exits, OfAKernelAreFaultsThatNameItsTask) {
  for (const char* executor : executors) {
    for (const auto& [type, thread] : {std::pair(0, "aic"), {1, "aiv"}, {2, "scheduler"}}) {
      expect_fault(
          run(executor, 3, type),
          std::string("kernel 0 [(]exits[)], task 1 of ring 0, on ") + thread + "_?[0-9]+,");
    }
  }
}

TEST_F(Exits, OfAnOrchestrationAreFaults) {
  for (const char* executor : executors) expect_fault(run(executor, 1), "the orchestration");
}

TEST_F(Exits, OfAnImageOutsideItsEntriesAreFaults) {
  for (const int who : {0, 2, 5}) {
    expect_fault(run("packed", who), "an image that was loaded, or a thread that one has started,");
  }
}

TEST_F(Exits, BeforeDestructorsAreFaults) {
  exit_by("quick_exit_kernel");
  for (const char* executor : executors) {
    const Outcome outcome = run(executor, 3);
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.err,
                ContainsRegex("FATAL: kernel 0 \\(exits\\), task 1 of ring 0, on aic_?[0-9]+, "
                              "called quick_exit\\(\\) in the middle of a run"));
  }
}

TEST_F(Exits, AreReportedByAnotherProcess) {
  for (const auto& [kernel, call] : {std::pair("exit_kernel", "exit() or pthread_exit()"),
                                     {"quick_exit_kernel", "quick_exit()"}}) {
    exit_by(kernel);
    for (const char* executor : executors) {
      const Outcome outcome = run(executor, 3, 0, {"--isolate", "--expect", "inconclusive"});
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(outcome.err, HasSubstr("the run ended in exited, expected inconclusive"));
      EXPECT_THAT(outcome.err, Not(HasSubstr("_exit() or quick_exit() perhaps"))) << "it is told";
      EXPECT_EQ(result()["outcome"], "exited");
      EXPECT_THAT(
          result()["error"]["message"].get<std::string>(),
          AllOf(ContainsRegex("kernel 0 \\(exits\\), task 1 of ring 0, on aic_?[0-9]+, called "),
                HasSubstr(call)));
    }
    EXPECT_EQ(run("packed", 3, 0, {"--isolate", "--expect", "exited"}).code, 0);
  }
}

/// The status of such a process is no result, whatever was expected.
TEST_F(Exits, ThatNobodyHearsOfAreToldByAnotherProcess) {
  exit_by("mute_exit_kernel");
  const Outcome outcome = run("packed", 3, 0, {"--isolate", "--quiet"});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("FATAL: the process of the run ended with exit code 0 "
                                           "before the run had ended, by _exit()"),
                                 HasSubstr("return from kernel_entry")));
  EXPECT_EQ(result()["outcome"], "exited");
  EXPECT_EQ(result()["error"]["code"], "exited");
  const Outcome otherwise = run("threads", 3, 0, {"--isolate", "--expect", "kernel_threw"});
  EXPECT_EQ(otherwise.code, 1);
  EXPECT_THAT(otherwise.err, HasSubstr("the run ended in exited, expected kernel_threw"));
  EXPECT_EQ(run("packed", 3, 0, {"--isolate", "--expect", "exited"}).code, 0);
}

/// The dynamic loader runs code of an image before anybody calls it, and when it is done with it.
class EndingImages : public Exits {
 protected:
  EndingImages() { exit_by("ends_kernel"); }
  Outcome run_image(const std::string& how, const Strings& more = {}, Strings environment = {}) {
    folder_.file(result_, "earlier");
    Strings arguments{"run",
                      "--orchestration",
                      std::string(TEST_IMAGES) + "/ends_program.so",
                      "--kernels",
                      folder_.path("kernels"),
                      "--json",
                      folder_.path(result_)};
    for (int i = 0; i < 7; ++i) arguments.insert(arguments.end(), {"--arg", "scalar:0"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    environment.push_back("ENDS=" + how);
    return pto2(arguments, environment);
  }

  std::string result_ = "result";
};

TEST_F(EndingImages, LeaveNoEarlierResults) {
  for (const auto& [how, code] :
       {std::pair("exit of image", 5), {"quiet exit of image", 0}, {"abort of image", 5}}) {
    EXPECT_EQ(run_image(how).code, code) << how;
    EXPECT_FALSE(fs::exists(folder_.path("result"))) << how;
  }
}

TEST_F(EndingImages, AreAtFaultThemselves) {
  const std::pair<const char*, const char*> ends[] = {
      {"exit of image",
       "FATAL: an image that was loaded, or a thread that one has started, called "
       "exit()"},
      {"crash of image", "FATAL: an image that is loaded or unloaded crashed: SIGSEGV"},
      {"abort of image", "FATAL: an image that is loaded or unloaded crashed: SIGABRT"},
      {"abort at the end of image", "FATAL: an image that is loaded or unloaded crashed: SIGABRT"},
      {"abort of kernel", "FATAL: an image that is loaded or unloaded crashed: SIGABRT"},
      {"abort at the end of kernel", "FATAL: an image that is loaded or unloaded crashed: SIGABRT"},
      {"overflow of image", "FATAL: an image that is loaded or unloaded crashed: SIGSEGV"},
      {"overflow at the end of image",
       "FATAL: an image that is loaded or unloaded crashed: SIGSEGV"}};
  for (const auto& [how, message] : ends) {
    EXPECT_THAT(run_image(how).err, HasSubstr(message));
    const Outcome isolated = run_image(how, {"--isolate"});
    EXPECT_EQ(isolated.code, 5) << how;
    EXPECT_THAT(isolated.err, HasSubstr(message));
    EXPECT_EQ(result()["outcome"], std::string(how) == "exit of image" ? "exited" : "crashed");
  }
  EXPECT_EQ(run_image("quiet exit of image", {"--isolate"}).code, 5);
  EXPECT_EQ(result()["outcome"], "exited");
}

/// It may be one of the image's, or of anybody's.
TEST_F(EndingImages, AreNotAtFaultForAnotherThread) {
  const Outcome outcome = run_image("crash of thread of image", {"--isolate"});
  EXPECT_EQ(outcome.code, 70) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("an image that is loaded")));
  EXPECT_EQ(result()["outcome"], "runtime_crashed");
}

/// Where the report cannot be opened again.
TEST_F(EndingImages, AreToldWithoutAFileToo) {
  fs::create_directory(folder_.path("results"));
  result_ = "results/json";
  const Outcome outcome =
      run_image("quiet exit of image", {"--isolate"}, {"REMOVES=" + folder_.path("results")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("FATAL: the process of the run ended with exit code 0"),
                                 HasSubstr("results/json: the result as JSON cannot be written")));
}

/// What a run says as it ends early by its own choice is its result.
TEST_F(Exits, OfThisProgramAreNone) {
  const Outcome refused = run("packed", 4, 0, {"--isolate", "--arg", "scalar:0"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, Not(HasSubstr("FATAL")));
  EXPECT_FALSE(fs::exists(folder_.path("result")));
}

/// Nothing of the user's runs then.
TEST_F(Exits, BeforeImagesAreLoadedKeepEarlierResults) {
  folder_.file("result", "earlier");
  const Outcome refused = run("packed", 4, 0, {"--arg", "buffer:1:none"});
  EXPECT_GE(refused.code, 2);
  EXPECT_LE(refused.code, 3);
  EXPECT_EQ(read_text(folder_.path("result")), "earlier");
}

}  // namespace
}  // namespace pto2::test
