// Which input is named when a target ends the process, by what of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/program.hpp"

#ifdef __has_feature  // clang's
#if __has_feature(memory_sanitizer)
#define PTO2_MEMORY_SANITIZER
#endif
#endif

namespace pto2::test {
namespace {

using testing::HasSubstr;

/// The target on a corpus of a harmless file and one with `content`.
Outcome replay(const std::string& content, const Strings& more = {}) {
  const TemporaryFolder folder;
  folder.file("first", "zzzzzzzz");
  folder.file("second", content);
  Strings arguments = {folder.path()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(PTO2_ENDING_REPLAY, arguments);
}

void expect_named(const char* content) {
  const Outcome outcome = replay(content);
  EXPECT_NE(outcome.code, 0) << content;
  EXPECT_THAT(outcome.err, HasSubstr("input: file second\n")) << content;
}

TEST(Replay, NamesTheInputThatEndsTheProcess) {
  // Aborts, SIGBUS, a stack that is used up, a null pointer.
  for (const char* content : {"a", "b", "d", "n"}) expect_named(content);
}

#ifdef __SANITIZE_ADDRESS__
TEST(Replay, NamesTheInputOfAReport) {
  // Reads behind its end; overflows an int.
  for (const char* content : {"o", "s"}) expect_named(content);
}
#endif

#ifdef PTO2_MEMORY_SANITIZER
TEST(Replay, NamesTheInputOfAnUninitialisedRead) {
  expect_named("u");
}
#endif

TEST(Replay, RepeatsTheInputThatItNames) {
  const Outcome all = replay("b", {"5"});
  EXPECT_THAT(all.err, HasSubstr("input: file second\n"));
  EXPECT_EQ(replay("b", {"5", "file first"}).out, "1 inputs\n");
  EXPECT_EQ(replay("b", {"5", "file first, change 4"}).out, "1 inputs\n");
  EXPECT_THAT(replay("b", {"5", "file second"}).err, HasSubstr("input: file second\n"));
  for (const char* none : {"file third", "file first, change 5"}) {
    const Outcome outcome = replay("b", {"5", none});
    EXPECT_EQ(outcome.code, 2) << none;
    EXPECT_THAT(outcome.err, HasSubstr("there is no such input in "));
  }
}

TEST(Replay, TellsOfAFolderWithoutInputs) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program(PTO2_ENDING_REPLAY, {folder.path()}).code, 2);
}

TEST(Replay, TellsOfAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(PTO2_ENDING_REPLAY, {folder.path("none")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("none"));
  EXPECT_THAT(outcome.err, HasSubstr("No such file or directory"));
}

/// Else it would be an empty input, with which a target ends well. Who may read all files may not
/// read this one.
TEST(Replay, TellsOfAFileThatCannotBeRead) {
  const TemporaryFolder folder;
  folder.file("first", "zzzz");
  std::filesystem::create_symlink("/proc/self/mem", folder.path("memory"));
  const Outcome outcome = run_program(PTO2_ENDING_REPLAY, {folder.path()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/memory"));
  EXPECT_EQ(outcome.out, "");
}

TEST(Replay, TellsOfAFileThatCannotBeOpened) {
  const TemporaryFolder folder;
  const std::string file = folder.file("shut", "zzzz");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (std::ifstream(file).is_open()) GTEST_SKIP() << "all files can be opened by this user";
  const Outcome outcome = run_program(PTO2_ENDING_REPLAY, {folder.path()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/shut"));
}

TEST(Replay, RefusesOtherArguments) {
  for (const char* changes : {"", "many", "5x", "-1", "1.5", "99999999999999999999999"}) {
    const Outcome outcome = replay("zzzz", {changes});
    EXPECT_EQ(outcome.code, 2) << changes;
    EXPECT_THAT(outcome.err, HasSubstr("usage: ")) << changes;
  }
  EXPECT_EQ(replay("zzzz", {"5", "file first", "5"}).code, 2);
}

TEST(Replay, CountsWhatItRan) {
  const Outcome outcome = replay("zzzz", {"3"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "8 inputs\n");
}

}  // namespace
}  // namespace pto2::test
