#include "runtime/output/result_files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "runtime/output/exit_codes.hpp"
#include "runtime/output/json_text.hpp"

namespace pto2::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Results : public testing::Test {
 protected:
  Results() {
    std::string pattern = (fs::temp_directory_path() / "pto2-results-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    folder_ = pattern;
  }
  ~Results() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }

  fs::path folder_;
};

/// Writes everything to the files of these names, and returns what stdout got.
std::string stdout_of(const ResultNames& names) {
  testing::internal::CaptureStdout();
  {
    // They give stdout back as they end: to what is captured, not to what googletest has restored.
    ResultFiles results(names);
    if (results.trace() != nullptr) {
      results.trace()->write("trace\n");
      results.trace()->finish();
    }
    results.print("text\n");
    results.finish([] { return std::string("json\n"); }, "suite", {}, false);
  }
  return testing::internal::GetCapturedStdout();
}

TEST_F(Results, GoToTheFilesThatAreNamed) {
  EXPECT_EQ(stdout_of({.json = path("j"), .junit = path("x"), .trace = path("t")}), "text\n");
  EXPECT_EQ(read(path("j")), "json\n");
  EXPECT_THAT(read(path("x")), HasSubstr("<testsuite name=\"suite\""));
  EXPECT_EQ(read(path("t")), "trace\n");
}

/// All of them, if the process that was to write them has ended behind that.
TEST_F(Results, BeginAgainBehindAFork) {
  ResultFiles results({.json = path("j"), .junit = path("x"), .trace = path("t")});
  const pid_t fork_of_this = fork();
  if (fork_of_this == 0) {
    results.trace()->write("trace\n");
    results.finish_trace();
    results.finish([] { return std::string("json\n"); }, "suite", {}, false);
    _exit(0);
  }
  waitpid(fork_of_this, nullptr, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);
  results.begin_again();
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// A reader of XML takes nothing of a file that is no UTF-8 all through.
TEST(JunitText, HasUtf8Alone) {
  const std::string text = junit_text("s\xff", {{"\xc3\xa4\xc3", 1, "a\x80<", false}}, false);
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"s\xef\xbf\xbd\""));
  EXPECT_THAT(text, HasSubstr("<testcase name=\"\xc3\xa4\xef\xbf\xbd\""));
  EXPECT_THAT(text, HasSubstr("<failure message=\"a\xef\xbf\xbd&lt;\"/>"));
  EXPECT_THAT(junit_text("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbc", {}, false),
              HasSubstr("\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbc\""))
      << "no characters of XML";
  EXPECT_THAT(junit_text("\xef\xbf\xbe \xef\xbf\xbe", {}, false),
              HasSubstr("\"\xef\xbf\xbd \xef\xbf\xbd\""))
      << "more than one";
}

TEST_F(Results, LeaveStdoutToTheOneThatIsThere) {
  EXPECT_EQ(stdout_of({}), "text\n");
  EXPECT_EQ(stdout_of({.json = "-"}), "json\n");
  EXPECT_EQ(stdout_of({.trace = "-"}), "trace\n");
  EXPECT_THAT(stdout_of({.junit = "-"}), testing::StartsWith("<?xml"));
  EXPECT_EQ(stdout_of({.json = path("j"), .trace = "-"}), "trace\n");
}

/// A kernel may print as it likes, also into a buffer that is written later.
TEST_F(Results, OnStdoutAreAlone) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  std::printf("before\n");
  {
    ResultFiles results({.json = "-"});
    std::printf("buffered\n");
    EXPECT_EQ(write(STDOUT_FILENO, "direct\n", 7), 7);
    results.finish([] { return std::string("json\n"); });
    std::printf("late\n");
  }
  std::printf("after\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\njson\nafter\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "direct\nbuffered\nlate\n");
}

TEST_F(Results, AreNotMadeUnlessTheyAreWanted) {
  ResultFiles results({.trace = path("t")});
  results.finish([]() -> std::string { throw std::logic_error("nobody wants it"); });
  EXPECT_EQ(ResultFiles({.json = path("j")}).trace(), nullptr);
  EXPECT_TRUE(fs::is_empty(folder_)) << "what is not finished leaves nothing";
}

/// Why the names are refused; no file is there then.
std::string refusal_of_names(const ResultNames& names) {
  try {
    const ResultFiles results(names);
  } catch (const CliError& error) {
    EXPECT_EQ(error.code(), exit_usage);
    return error.what();
  }
  return "none";
}

TEST_F(Results, NeedAFileEach) {
  fs::create_symlink("a", path("link"));
  const std::string a = path("a");
  const std::string link = path("link");
  EXPECT_EQ(refusal_of_names({.json = a, .junit = link}), "--json and --junit name the same file");
  EXPECT_EQ(refusal_of_names({.json = a, .trace = link}), "--trace and --json name the same file");
  EXPECT_EQ(refusal_of_names({.junit = a, .trace = link}),
            "--trace and --junit name the same file");
  EXPECT_EQ(refusal_of_names({.json = "-", .junit = "-"}),
            "--json and --junit cannot both be stdout");
  EXPECT_EQ(refusal_of_names({.json = "-", .trace = "-"}),
            "--trace and --json cannot both be stdout");
  EXPECT_EQ(refusal_of_names({.json = "-", .junit = "/dev/stdout"}),
            "--json and --junit cannot both be stdout");
  EXPECT_EQ(refusal_of_names({.json = "/dev/stdout", .junit = "-"}),
            "--json and --junit cannot both be stdout");
  EXPECT_EQ(refusal_of_names({.json = "-", .trace = "/dev/fd/1"}),
            "--trace and --json cannot both be stdout");
  EXPECT_EQ(refusal_of_names({.json = a, .junit = path("b"), .trace = "-"}), "none");
  EXPECT_FALSE(fs::exists(a));
}

/// The same while stdout is `file`, which is closed.
std::string refusal_on(int file, const ResultNames& names) {
  std::fflush(stdout);
  const int former = dup(STDOUT_FILENO);
  dup2(file, STDOUT_FILENO);
  const std::string refusal = refusal_of_names(names);
  dup2(former, STDOUT_FILENO);
  close(file);
  close(former);
  return refusal;
}

/// A device keeps nothing that could be mixed; but /dev/stdout would be stderr.
TEST_F(Results, MayGoWhereStdoutIsADevice) {
  const auto null = [] { return open("/dev/null", O_WRONLY | O_CLOEXEC); };
  const char* const same = "--trace and --json cannot both be stdout";
  EXPECT_EQ(refusal_on(null(), {.json = "-", .trace = "/dev/null"}), "none");
  EXPECT_EQ(refusal_on(null(), {.json = "-", .trace = "/dev/stdout"}), same);
  const std::string out = path("out");
  EXPECT_EQ(refusal_on(creat(out.c_str(), 0600), {.json = "-", .trace = out}), same);
}

TEST_F(Results, MayGoToOneDevice) {
  fs::create_symlink("/dev/null", path("link"));
  for (const std::string& name : {std::string("/dev/null"), path("link")}) {
    EXPECT_EQ(refusal_of_names({.json = name, .junit = "/dev/null"}), "none");
    EXPECT_EQ(refusal_of_names({.json = "/dev/null", .trace = name}), "none");
  }
  // What is open already is one place for both.
  const auto null = [] { return open("/dev/null", O_WRONLY | O_CLOEXEC); };
  const char* const same = "--trace and --json name the same file";
  EXPECT_EQ(refusal_on(null(), {.json = "/dev/stdout", .trace = "/dev/fd/1"}), same);
  EXPECT_EQ(refusal_on(null(), {.json = "/dev/stdout", .trace = "/dev/null"}), "none");
}

TEST(JsonText, IsADocument) {
  EXPECT_EQ(text_of_json({{"b", 1}, {"a", "\xff"}}),
            "{\n  \"b\": 1,\n  \"a\": \"\xef\xbf\xbd\"\n}\n");
}

}  // namespace
}  // namespace pto2::cli
