// Images that the user brings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/cli/program.hpp"

namespace pto2::test::images_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string orchestration = images() + "/vector_example/orchestration.so";
const std::string kernels = images() + "/vector_example/kernels";

/// The arguments of vector_example: three matrices, their sizes, the number of elements.
const Strings example_arguments = {"--arg", "buffer:64K:random", "--arg", "buffer:64K:zero",
                                   "--arg", "buffer:65536",      "--arg", "scalar:65536",
                                   "--arg", "scalar:65536",      "--arg", "scalar:65536",
                                   "--arg", "scalar:16384"};

Outcome run_own(const Strings& more) {
  Strings arguments = {"run", "--orchestration", orchestration, "--kernels", kernels};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pto2(arguments);
}

TEST(OwnImages, WithoutAReferenceAreInconclusive) {
  Strings arguments = example_arguments;
  const Outcome text = run_own(arguments);
  EXPECT_EQ(text.code, 4) << text.err;
  EXPECT_THAT(text.out, HasSubstr("inconclusive: there is no reference"));
  for (const auto& [outcome, code] : {std::pair("inconclusive", 0), {"pass", 1}}) {
    Strings expecting = arguments;
    expecting.insert(expecting.end(), {"--expect", outcome});
    EXPECT_EQ(run_own(expecting).code, code) << outcome;
  }
  arguments.insert(arguments.end(), {"--json", "-"});
  const auto json = run_own(arguments).json();
  EXPECT_EQ(json["verdict"], "inconclusive");
  EXPECT_EQ(json["tasks"], 5);
  EXPECT_TRUE(json["workload"].is_null());
  EXPECT_TRUE(json["max_abs_error"].is_null());
}

TEST(OwnImages, WithTheArgumentsOfAWorkloadAreCompared) {
  const Outcome outcome = run_own({"vector_example", "--case", "CaseRandom", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["verdict"], "pass");
}

TEST(OwnImages, AWrongKernelFails) {
  const TemporaryFolder folder;
  fs::copy(kernels, folder.path("kernels"));
  fs::rename(folder.path("kernels/0_add.so"), folder.path("kernels/9_add.so"));
  fs::rename(folder.path("kernels/2_multiply.so"), folder.path("kernels/0_multiply.so"));
  fs::rename(folder.path("kernels/9_add.so"), folder.path("kernels/2_add.so"));
  const Outcome outcome =
      pto2({"run", "vector_example", "--kernels", folder.path("kernels"), "--json", "-"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.json()["verdict"], "fail");
  EXPECT_GT(outcome.json()["max_abs_error"], 1);
  EXPECT_THAT(outcome.json()["detail"], HasSubstr("16384 elements are outside the tolerance"));
}

TEST(OwnImages, EachRepetitionMustWriteTheOutputs) {
  const TemporaryFolder folder;
  fs::copy(kernels, folder.path("kernels"));
  fs::copy_file(std::string(TEST_IMAGES) + "/add_twice.so", folder.path("kernels/0_add.so"),
                fs::copy_options::overwrite_existing);
  const Strings once = {"run", "vector_example", "--kernels", folder.path("kernels"), "--json",
                        "-"};
  EXPECT_EQ(pto2(once).json()["verdict"], "pass");
  Strings again = once;
  again.insert(again.end(), {"--repeat", "3"});
  const Outcome outcome = pto2(again);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.json()["detail"], HasSubstr("(repetition 2)"));
}

TEST(OwnImages, WithoutATaskAreWarnedOf) {
  const Outcome outcome = pto2({"run", "--orchestration",
                                std::string(TEST_IMAGES) + "/log_levels.so", "--kernels", kernels});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("warning         the orchestration submitted no task\n"));
}

TEST(OwnImages, SayWhatTheLogLevelLetsThrough) {
  const Strings levels = {"error", "warn", "info", "debug"};
  for (std::size_t chosen = 0; chosen < levels.size(); ++chosen) {
    const Outcome outcome =
        pto2({"run", "--orchestration", std::string(TEST_IMAGES) + "/log_levels.so", "--kernels",
              kernels, "--log-level", levels[chosen]});
    EXPECT_THAT(outcome.err, HasSubstr("pto2: always: line 4\n")) << levels[chosen];
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto line = HasSubstr("pto2: " + levels[i] + ": line " + std::to_string(i) + "\n");
      if (i <= chosen) {
        EXPECT_THAT(outcome.err, line) << levels[chosen];
      } else {
        EXPECT_THAT(outcome.err, Not(line)) << levels[chosen];
      }
    }
  }
}

/// What prints.cpp prints, in three ways, is not in the document.
TEST(OwnImages, PrintBesideADocument) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("kernels"));
  const std::string image = std::string(TEST_IMAGES) + "/prints.so";
  fs::copy_file(image, folder.path("kernels/0_prints.so"));
  const auto run_prints = [&](const Strings& more) {
    Strings arguments = {"run", "--orchestration", image, "--kernels", folder.path("kernels")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pto2(arguments);
  };
  const auto printed = AllOf(HasSubstr("configuration prints\n"),
                             HasSubstr("orchestration prints\n"), HasSubstr("kernel prints\n"),
                             HasSubstr("kernel writes\n"), HasSubstr("program prints\n"));
  EXPECT_THAT(run_prints({}).out, AllOf(printed, Not(HasSubstr("warning"))));
  for (const Strings& more : {Strings{"--json", "-"}, {"--json", "-", "--isolate"}}) {
    const Outcome outcome = run_prints(more);
    EXPECT_EQ(outcome.json()["verdict"], "inconclusive") << outcome.out;
    EXPECT_THAT(outcome.err, printed);
  }
  const Outcome traced = run_prints({"--trace", "-"});
  EXPECT_THAT(traced.out, Not(HasSubstr("prints\n")));
  EXPECT_THAT(traced.err, printed);
}

/// What sums.cpp says of a buffer that is random and of one that is zero, in each repetition.
Strings sums_of(const Strings& more) {
  Strings arguments = {"run",
                       "--orchestration",
                       std::string(TEST_IMAGES) + "/sums.so",
                       "--kernels",
                       kernels,
                       "--arg",
                       "buffer:64K:random",
                       "--arg",
                       "buffer:64K:zero"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = pto2(arguments);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  const std::string prefix = "pto2: error: ";
  Strings sums;
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) sums.push_back(line.substr(prefix.size()));
  }
  return sums;
}

TEST(OwnImages, GetTheBuffersThatArgumentsDescribe) {
  const Strings sums = sums_of({"--input-seed", "5"});
  ASSERT_EQ(sums.size(), 2U);
  const auto filled = nlohmann::json::parse(sums[0]);
  EXPECT_EQ(filled.at("argument"), 0);
  EXPECT_GE(filled.at("min"), -1);
  EXPECT_LE(filled.at("max"), 1);
  EXPECT_EQ(filled.at("equal"), false);
  EXPECT_EQ(sums[1], R"({"argument":1,"sum":0,"min":0,"max":0,"equal":true})");
  EXPECT_EQ(sums_of({"--input-seed", "5"}), sums);
  EXPECT_NE(sums_of({"--input-seed", "6"}), sums);
  // The orchestration writes to its buffers, so the second repetition must find them as new.
  Strings twice = sums;
  twice.insert(twice.end(), sums.begin(), sums.end());
  EXPECT_EQ(sums_of({"--input-seed", "5", "--repeat", "2"}), twice);
}

TEST(OwnImages, GetScalarsOf64Bits) {
  for (const char* number : {"-1", "-9223372036854775808", "9223372036854775807", "0"}) {
    const Outcome outcome =
        pto2({"run", "--orchestration", std::string(TEST_IMAGES) + "/tells_scalar.so", "--kernels",
              kernels, "--arg", std::string("scalar:") + number});
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("pto2: error: ") + number + "\n"));
  }
}

TEST(OwnImages, AreNotOverwritten) {
  const TemporaryFolder folder;
  const std::string own = folder.path("mine.so");
  const std::string own_kernels = folder.path("kernels");
  fs::copy_file(orchestration, own);
  fs::copy(kernels, own_kernels);
  const std::pair<std::string, const char*> files[] = {
      {own, "which --orchestration reads"}, {own_kernels + "/0_add.so", "which --kernels reads"}};
  const auto run_into = [&](const char* option, const std::string& file) {
    return pto2(
        {"run", "vector_example", "--orchestration", own, "--kernels", own_kernels, option, file});
  };
  for (const auto& [file, reason] : files) {
    const std::string before = read_text(file);
    for (const char* option : {"--json", "--trace"}) {
      const Outcome outcome = run_into(option, file);
      EXPECT_EQ(outcome.code, 2) << option << ' ' << file;
      EXPECT_THAT(outcome.err, HasSubstr(reason));
      EXPECT_TRUE(read_text(file) == before) << option << ' ' << file;
    }
  }
  EXPECT_EQ(run_into("--json", own_kernels + "/result.json").code, 0) << "no kernel";
}

TEST(OwnImages, AMissingKernelIsAFault) {
  const TemporaryFolder folder;
  fs::copy(kernels, folder.path("kernels"));
  fs::remove(folder.path("kernels/1_add_scalar.so"));
  const Outcome outcome = pto2({"run", "vector_example", "--kernels", folder.path("kernels")});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("FATAL: "), HasSubstr("kernel 1")));
}

/// Whoever has a folder with a golden.py is told of the command for it.
TEST(OwnImages, AFolderIsForAnotherCommand) {
  const std::string folder = "runtime/workloads/folders/elementwise";
  for (const Strings& of_folders :
       {Strings{"--kernel-checks", "all"}, {"-g", "golden.py"}, {"-k", "kernels"}}) {
    Strings arguments = {"run", "vector_example"};
    arguments.insert(arguments.end(), of_folders.begin(), of_folders.end());
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr(of_folders.front()), HasSubstr("is an option of pto2 run-folder")));
  }
  const Outcome workload = pto2({"run", folder});
  EXPECT_EQ(workload.code, 2);
  EXPECT_THAT(workload.err, HasSubstr("pto2 run-folder " + folder + " runs one"));
  const Outcome kernel = pto2({"run", "vector_example", "--kernels", folder + "/kernels"});
  EXPECT_EQ(kernel.code, 3);
  EXPECT_THAT(kernel.err, HasSubstr("holds no kernel; pto2 run-folder compiles and runs"));
}

TEST(OwnImages, AWrongNumberOfArgumentsIsRefused) {
  const Outcome outcome = run_own({"--arg", "buffer:64K"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(orchestration), HasSubstr("expects 7 arguments"),
                                 HasSubstr("there are 1")));
}

Outcome run_bad_configuration(const std::string& argument, const Strings& more = {}) {
  Strings arguments = {"run",
                       "--orchestration",
                       std::string(TEST_IMAGES) + "/bad_configuration.so",
                       "--kernels",
                       kernels,
                       "--arg",
                       "scalar:" + argument,
                       "--json",
                       "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return pto2(arguments);
}

/// What it says after such a call is no answer.
TEST(OwnImages, AConfigurationThatCallsTheRuntimeIsAFault) {
  for (const char* executor : {"packed", "seeded"}) {
    const Outcome outcome = run_bad_configuration("4", {"--executor", executor});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_EQ(outcome.json()["detail"], "wrong_thread");
    EXPECT_THAT(outcome.err,
                HasSubstr("FATAL: make_tensor() was called in aicpu_orchestration_config, before "
                          "the run, and did nothing\ncall it from the thread of "
                          "aicpu_orchestration_entry alone"));
  }
  EXPECT_EQ(run_bad_configuration("4", {"--expect", "wrong_thread"}).code, 0);
  EXPECT_EQ(run_bad_configuration("0").code, 4);
}

TEST(OwnImages, AConfigurationThatThrowsIsAFault) {
  const Outcome outcome = run_bad_configuration("1");
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(outcome.json()["detail"], "orchestration_threw");
  EXPECT_THAT(outcome.err,
              HasSubstr("FATAL: an exception left the orchestration: no configuration\n"
                        "catch it in aicpu_orchestration_config"));
  EXPECT_EQ(run_bad_configuration("1", {"--expect", "orchestration_threw"}).code, 0);
}

TEST(OwnImages, AConfigurationThatCrashesIsNamed) {
  const Outcome outcome = run_bad_configuration("2");
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("FATAL: aicpu_orchestration_config crashed: SIGILL"));
  EXPECT_THAT(run_bad_configuration("9").err,
              HasSubstr("FATAL: aicpu_orchestration_config crashed: SIGSEGV"));
}

/// As an orchestration that does so.
TEST(OwnImages, AConfigurationThatDoesNotReturnIsLeft) {
  const auto told = [](const std::string& argument, const char* place) {
    const Outcome outcome = run_bad_configuration(argument, {"--deadline", "1"});
    EXPECT_EQ(outcome.code, 5) << argument;
    EXPECT_EQ(outcome.json()["detail"], "orchestration_timeout") << argument;
    EXPECT_THAT(outcome.err,
                ContainsRegex(std::string("FATAL: aicpu_orchestration_config has not returned for "
                                          "1 s, in .*") +
                              place + ".*\nif it is only slow, give --deadline"));
  };
  told("5", "bad_configuration.so[+]0x[0-9a-f]+");
  told("8", "libc");
  EXPECT_EQ(
      run_bad_configuration("8", {"--deadline", "1", "--expect", "orchestration_timeout"}).code, 0);
  EXPECT_EQ(run_bad_configuration("0", {"--deadline", "0"}).code, 4);
}

TEST(OwnImages, AConfigurationThatCannotBeLeftEndsTheProcess) {
  const Outcome in_library = run_bad_configuration("6", {"--deadline", "1"});
  EXPECT_EQ(in_library.code, 5);
  EXPECT_THAT(in_library.err,
              ContainsRegex("FATAL: aicpu_orchestration_config has not returned for 1 s, in "));
  const Outcome mute = run_bad_configuration("7", {"--deadline", "1"});
  EXPECT_EQ(mute.code, 5);
  EXPECT_THAT(mute.err, HasSubstr("FATAL: aicpu_orchestration_config, whose thread takes no "
                                  "signals, has not returned for 1 s\n"));
}

TEST(OwnImages, BadArgumentsAreUsageErrors) {
  for (const char* argument :
       {"scalar", "scalar:x", "scalar:-", "scalar:--1", "scalar:-0x1",
        "scalar:-9223372036854775809", "scalar:18446744073709551616", "buffer:0", "buffer:1K:full",
        "buffer:99999999999G", "tensor:5", "buffer:1K:zero:zero"}) {
    const Outcome outcome = run_own({"--arg", argument});
    EXPECT_EQ(outcome.code, 2) << argument;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr(std::string("'") + argument + "'"), HasSubstr("buffer:BYTES")));
  }
  EXPECT_EQ(run_own({"vector_example", "--arg", "scalar:1"}).code, 2);
  EXPECT_EQ(pto2({"run", "--orchestration", orchestration}).code, 2);
  EXPECT_EQ(pto2({"run", "--kernels", kernels}).code, 2);
}

TEST(BadImages, TruncatedKernelsAreRefused) {
  const TemporaryFolder folder;
  fs::copy(kernels, folder.path("kernels"));
  const std::string kernel = folder.path("kernels/0_add.so");
  const auto size = fs::file_size(kernel);
  for (const auto cut :
       {uintmax_t{0}, uintmax_t{10}, uintmax_t{64}, size / 4, size / 2, size - 1}) {
    fs::remove(kernel);
    fs::copy_file(kernels + "/0_add.so", kernel);
    fs::resize_file(kernel, cut);
    const Outcome outcome = pto2({"run", "vector_example", "--kernels", folder.path("kernels")});
    EXPECT_EQ(outcome.code, 3) << cut << " of " << size;
    EXPECT_THAT(outcome.err, HasSubstr("0_add.so: "));
  }
}

TEST(BadImages, OtherFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string text = folder.file("text.so", "no image");
  const Strings orchestrations = {text, folder.path("none.so"), folder.path(),
                                  kernels + "/0_add.so", PTO2_PROGRAM};
  for (const std::string& path : orchestrations) {
    const Outcome outcome =
        pto2({"run", "vector_example", "--orchestration", path, "--kernels", kernels});
    EXPECT_EQ(outcome.code, 3) << path;
    EXPECT_THAT(outcome.err, HasSubstr(path));
  }
  for (const std::string& path : {folder.path(), folder.path("none"), text}) {
    EXPECT_EQ(pto2({"run", "vector_example", "--kernels", path}).code, 3) << path;
  }
}

TEST(BadImages, MissingOnesAreNamed) {
  const Outcome outcome = pto2({"run", "vector_example"}, {"PTO2_WORKLOADS=/nonexistent"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("/nonexistent/vector_example"),
                    HasSubstr("let PTO2_WORKLOADS name the folder that has them, or unset it")));
  EXPECT_EQ(pto2({"run", "vector_example"}, {"PTO2_WORKLOADS="}).code, 0) << "empty is not set";
}

}  // namespace
}  // namespace pto2::test::images_test
