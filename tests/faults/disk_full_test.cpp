/// The disk is full, or the file as large as it may be, when a program writes what it has found:
/// the rest of it is told, and the error names the file and its content.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

/// The exit code of pto2, called in a shell.
int code_of(const std::string& arguments) {
  return run_program("/bin/sh", {"-c", "\"$0\" " + arguments, PTO2_PROGRAM}).code;
}

/// A call of pto2, an option of it that names a file, and what is told all the same.
struct Call {
  Strings arguments;
  int blocks;  ///< of 512 bytes, that a file may have at most: more than those of images
  const char* option;
  const char* content;  ///< of the file, in the error
  const char* told;     ///< on stdout
};

std::vector<Call> calls() {
  const Strings run = {"run", "paged_attention_seq", "--case", "RingBufferNested"};
  const Strings simulate = {"simulate", "--random-graphs", "--seeds", "1..20"};
  const Strings stress = {"stress", "scenarios/doorbell", "--runs", "20"};
  const Strings check = {"check", "doorbell"};
  return {
      {run, 4096, "--trace", "the trace", "verdict         pass"},
      {simulate, 0, "--json", "the result as JSON", "20 seeds"},
      {simulate, 0, "--junit", "the result as JUnit", "20 seeds"},
      {stress, 0, "--json", "the result as JSON", "0 wrong"},
      {stress, 0, "--junit", "the result as JUnit", "0 wrong"},
      {check, 0, "--json", "the result as JSON", "hold, 0 do not"},
      {check, 0, "--junit", "the result as JUnit", "hold, 0 do not"},
  };
}

/// Both outputs, of a pto2 whose files have so many blocks at most. They go through a pipe.
Outcome without_room(const Strings& arguments, int blocks) {
  std::string command = "(ulimit -f " + std::to_string(blocks) + "; \"$0\"";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  Outcome outcome =
      run_program("/bin/sh", {"-c", command + " 2>&1; echo code $?) | cat", PTO2_PROGRAM});
  const std::size_t code = outcome.out.rfind("code ");
  outcome.code = std::stoi(outcome.out.substr(code + 5));
  outcome.err = outcome.out;
  return outcome;
}

Strings with(Strings arguments, const Strings& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string text_of(const Strings& arguments) {
  return testing::PrintToString(arguments);
}

TEST(DiskFull, TheRestIsToldAndTheErrorNamesTheFile) {
  for (const Call& call : calls()) {
    const Strings arguments = with(call.arguments, {call.option, "/dev/full"});
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 3) << text_of(arguments);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("pto2: /dev/full: ") + call.content +
                                       " could not be written: No space left on device"))
        << text_of(arguments);
    EXPECT_THAT(outcome.out, HasSubstr(call.told)) << text_of(arguments);
  }
}

TEST(DiskFull, AFileThatMayNotGrowIsNoOtherCase) {
  const TemporaryFolder folder;
  for (const Call& call : calls()) {
    const std::string file = folder.path("result");
    const Strings arguments = with(call.arguments, {call.option, file});
    const Outcome outcome = without_room(arguments, call.blocks);
    EXPECT_EQ(outcome.code, 3) << text_of(arguments);
    EXPECT_THAT(outcome.err, HasSubstr("pto2: " + file + ": " + call.content +
                                       " could not be written: File too large; raise the limit"))
        << text_of(arguments);
    EXPECT_THAT(outcome.out, HasSubstr(call.told)) << text_of(arguments);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << text_of(arguments);
  }
}

/// Whatever a run comes to, and whatever cannot be written.
TEST(DiskFull, ADeadlockIsTold) {
  const Strings deadlock = {"run", "deadlock", "--case", "heap"};
  for (const char* option : {"--trace", "--json"}) {
    const Outcome outcome = pto2(with(deadlock, {option, "/dev/full"}));
    EXPECT_EQ(outcome.code, 3) << option;
    EXPECT_THAT(outcome.err, HasSubstr("No space left on device")) << option;
    EXPECT_THAT(outcome.err, HasSubstr("Wait-for cycle")) << option;
    EXPECT_THAT(outcome.out, HasSubstr("heap_ring_deadlock")) << option;
  }
}

/// The result as JSON is written when the trace, or the text, cannot be; JUnit when JSON cannot.
TEST(DiskFull, OneFileKeepsNoOtherFromBeingWritten) {
  const TemporaryFolder folder;
  const std::string json = folder.path("json");
  EXPECT_EQ(pto2({"run", "vector_example", "--trace", "/dev/full", "--json", json}).code, 3);
  EXPECT_THAT(read_text(json), HasSubstr("\"verdict\": \"pass\""));
  for (const char* command :
       {"run vector_example", "check doorbell", "stress scenarios/doorbell --runs 20"}) {
    std::filesystem::remove(json);
    EXPECT_EQ(code_of(command + (" --json " + json + " > /dev/full")), 3) << command;
    EXPECT_THAT(read_text(json), HasSubstr("\"schema\"")) << command;
  }
  const std::string junit = folder.path("junit");
  EXPECT_EQ(pto2({"check", "doorbell", "--json", "/dev/full", "--junit", junit}).code, 3);
  EXPECT_THAT(read_text(junit), HasSubstr("</testsuite>"));
}

/// What is said on stderr is no result.
TEST(DiskFull, AMessageThatCannotBeWrittenChangesNoCode) {
  for (const char* err : {" 2>/dev/full", " 2>&-"}) {
    EXPECT_EQ(code_of(std::string("run nosuch") + err), 2) << err;
    EXPECT_EQ(code_of(std::string("validate /nosuch") + err), 3) << err;
    EXPECT_EQ(code_of(std::string("simulate nosuch") + err), 2) << err;
    EXPECT_EQ(code_of(std::string("stress nosuch") + err), 2) << err;
    EXPECT_EQ(code_of(std::string("check nosuch") + err), 2) << err;
    EXPECT_EQ(code_of(std::string("replay nosuch") + err), 3) << err;
  }
}

TEST(DiskFull, AMessageThatCannotBeWrittenKeepsNoResultFromBeingWritten) {
  const TemporaryFolder folder;
  const std::string json = folder.path("json");
  const std::string trace = folder.path("trace");
  const std::string deadlock = "run deadlock --case heap --json " + json + " --trace " + trace;
  EXPECT_EQ(code_of(deadlock + " 2>/dev/full"), 5);
  EXPECT_THAT(read_text(json), HasSubstr("heap_ring_deadlock"));
  EXPECT_EQ(code_of("validate " + trace + " 2>/dev/full"), 0);
}

/// A file of results does not get the descriptor of what is closed, nor what is printed there.
TEST(DiskFull, WhatIsClosedIsNoResultFile) {
  const TemporaryFolder folder;
  const std::string json = folder.path("json");
  const std::string trace = folder.path("trace");
  const std::string files = " --json " + json + " --trace " + trace;
  const auto has_json = [&] { return nlohmann::json::accept(read_text(json)); };
  EXPECT_EQ(code_of("run vector_example" + files + " >&-"), 3) << "nobody is told the result";
  EXPECT_TRUE(has_json());
  EXPECT_EQ(code_of("validate " + trace), 0);
  EXPECT_EQ(code_of("run deadlock --case heap" + files + " 2>&-"), 5);
  EXPECT_TRUE(has_json());
  EXPECT_EQ(code_of("validate " + trace + " --json " + json + " <&- 2>&-"), 0);
  EXPECT_TRUE(has_json());
  EXPECT_EQ(code_of("run vector_example --json /dev/stdout >&-"), 3);
  EXPECT_EQ(code_of("validate - <&-"), 3);
  for (const char* command :
       {"simulate --random-graphs --seeds 1..3", "check doorbell", "stress doorbell --runs 20"}) {
    EXPECT_EQ(code_of(command + (" --json " + json + " >&-")), 3) << command;
    EXPECT_TRUE(has_json()) << command;
  }
}

TEST(DiskFull, AHelpThatIsLostIsAnError) {
  for (const char* asked :
       {"--help", "--version", "run --help", "check --help", "simulate --help", "stress --help",
        "stress doorbell --list", "check doorbell --list", "list", "run vector_example"}) {
    EXPECT_EQ(code_of(asked + std::string(" > /dev/full")), 3) << asked;
  }
}

/// Images are copied before a run.
TEST(DiskFull, AnImageThatMayNotBeCopiedIsRefused) {
  const Outcome outcome = without_room({"run", "vector_example"}, 0);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out,
              HasSubstr("orchestration.so: its copy cannot be written: File too large"));
  EXPECT_THAT(outcome.out, HasSubstr("(ulimit -f)"));
}

/// Of validate, which judges a trace that there is.
TEST(DiskFull, AVerdictIsTold) {
  const TemporaryFolder folder;
  const std::string trace = folder.path("trace");
  ASSERT_EQ(pto2({"run", "vector_example", "--trace", trace}).code, 0);
  const std::string full = "/dev/full";
  const Outcome outcome = pto2({"validate", trace, "--json", full});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr(full + ": the result as JSON could not be written"));
  EXPECT_THAT(outcome.out, HasSubstr("valid"));
  const Outcome limited = without_room({"validate", trace, "--json", folder.path("json")}, 0);
  EXPECT_EQ(limited.code, 3);
  EXPECT_THAT(limited.out, HasSubstr("File too large"));
}

}  // namespace
}  // namespace pto2::test
