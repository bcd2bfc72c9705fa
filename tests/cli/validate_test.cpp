// pto2 validate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// A trace of a small run, and the number of the line where `from` became `to`.
std::string changed(const std::string& trace, const std::string& from, const std::string& to) {
  std::string text = trace;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

/// The first one of a rule, in the result of a file.
Json violation_of(const std::string& rule, const Json& file) {
  for (const Json& violation : file["violations"]) {
    if (violation["rule"] == rule) return violation;
  }
  ADD_FAILURE() << "no " << rule << " in " << file;
  return {};
}

class Validate : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = pto2({"run", "vector_example", "--executor", "seeded", "--seed", "3",
                                  "--trace", folder_.path("good")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    good_ = read_text(folder_.path("good"));
  }
  std::string write(const std::string& name, const std::string& text) {
    return folder_.file(name, text);
  }
  /// The last task runs on another core than the one that it was sent to.
  std::string broken() {
    const std::size_t place = good_.rfind("\"core\":\"aiv");
    return write("broken", good_.substr(0, place) +
                               changed(good_.substr(place), "\"core\":\"aiv", "\"core\":\"aiv1"));
  }

  const TemporaryFolder folder_;
  std::string good_;
};

TEST_F(Validate, PassesRealRuns) {
  const Outcome outcome = pto2({"validate", folder_.path("good")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex(
                               "good: valid, 5 tasks, 5 parts, [0-9]+ events; 0 tasks pinned, "
                               "0 groups, 0 pipes, 0 entries pushed\n$"));
  EXPECT_EQ(outcome.err, "");
}

/// A run on real threads that took ever so much longer: each of its nanoseconds is a second.
TEST_F(Validate, JudgesIdleCoresOfRealThreadsOnDemand) {
  const std::string file = folder_.path("threads");
  const Outcome run = pto2({"run", "vector_example", "--executor", "threads", "--trace", file});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string slow = write(
      "slow",
      std::regex_replace(read_text(file), std::regex("\"t\":([1-9][0-9]*)"), "\"t\":$01000000000"));
  const Outcome usual = pto2({"validate", slow, "--json", "-"});
  EXPECT_EQ(usual.code, 0) << usual.out;
  EXPECT_EQ(usual.json()["idle_limit_s"], nullptr);
  const Outcome limited = pto2({"validate", "--idle-limit", "1", slow, "--json", "-"});
  EXPECT_EQ(limited.code, 1) << limited.err;
  EXPECT_EQ(limited.json()["idle_limit_s"], 1);
  EXPECT_THAT(violation_of("VR-I36", limited.json()["files"][0])["text"].get<std::string>(),
              HasSubstr("it is ready, "));
  EXPECT_EQ(pto2({"validate", "--idle-limit", "1", file}).code, 0);
  EXPECT_EQ(pto2({"validate", "--idle-limit", "0", file}).code, 2);
}

/// A pipe of which a use is changed has a rule of its own.
TEST_F(Validate, JudgesPipes) {
  const std::string file = folder_.path("pipes");
  const Outcome run = pto2({"run", "clusters", "--case", "pipe", "--executor", "seeded", "--seed",
                            "2", "--trace", file});
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome good = pto2({"validate", "--races", file});
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.out, testing::ContainsRegex("; [1-9][0-9]* tasks pinned, [1-9][0-9]* groups, "
                                               "[1-9][0-9]* pipes, [1-9][0-9]* entries pushed\n$"));
  const Outcome outcome = pto2(
      {"validate", write("full", changed(read_text(file), "\"capacity\":4", "\"capacity\":0"))});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("VR-I24: pipe [0-9]+ of group [0-9]+ has 0 slots, and "
                                     "1 are in use .line [0-9]+: pipe of task"));
}

TEST_F(Validate, NamesTheRuleAndBothLines) {
  const std::string file = broken();
  const Outcome outcome = pto2({"validate", file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("broken:[0-9]+: VR-I7: .*line [0-9]+: ack of "
                                                  "task 3 of ring 1.*line [0-9]+: dispatch"));
  EXPECT_THAT(outcome.out, HasSubstr("broken: broken, 5 tasks"));
}

TEST_F(Validate, PutsTheFirstEventBehindTheFileName) {
  const std::string file = broken();
  const std::string text = pto2({"validate", file}).out;
  std::smatch lines;
  ASSERT_TRUE(std::regex_search(
      text, lines, std::regex("broken:([0-9]+): VR-I7: [^(]*.line ([0-9]+): .*; line ([0-9]+): ")))
      << text;
  EXPECT_EQ(lines[1], lines[2]);
  EXPECT_NE(lines[1], lines[3]);
  const Json result = pto2({"validate", "--json", "-", file}).json();
  EXPECT_EQ(violation_of("VR-I7", result["files"][0])["lines"],
            (Json{std::stoi(lines[2]), std::stoi(lines[3])}));
}

TEST_F(Validate, SaysItAsJson) {
  const Outcome outcome = pto2({"validate", "--json", "-", folder_.path("good"), broken()});
  EXPECT_EQ(outcome.code, 1);
  const Json result = outcome.json();
  EXPECT_EQ(result["schema"], "pto2-validate/1");
  EXPECT_EQ(result["verdict"], "broken");
  EXPECT_EQ(result["races"], false);
  ASSERT_EQ(result["files"].size(), 2U);
  EXPECT_EQ(result["files"][0]["verdict"], "valid");
  EXPECT_EQ(result["files"][0]["tasks"], 5);
  EXPECT_EQ(result["files"][0]["parts"], 5);
  EXPECT_GT(result["files"][0]["events"], 20);
  for (const char* count : {"pinned_tasks", "groups", "pipes", "entries"}) {
    EXPECT_EQ(result["files"][0][count], 0) << count;
  }
  EXPECT_EQ(result["files"][0]["violations"], Json::array());
  EXPECT_EQ(violation_of("VR-I7", result["files"][1])["lines"].size(), 2U);
  EXPECT_EQ(result["files"][1]["more"], 0);
}

TEST_F(Validate, RefusesWhatIsNoTraceWithLineAndRemedy) {
  const std::string cut = write("cut", good_.substr(0, good_.size() - 20));
  const Outcome outcome = pto2({"validate", "--json", "-", cut});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, testing::ContainsRegex("cut:[0-9]+: the last line has no end.*again"));
  const Json result = outcome.json();
  EXPECT_EQ(result["verdict"], "no trace");
  EXPECT_GT(result["files"][0]["error"]["line"], 100);
  EXPECT_THAT(result["files"][0]["error"]["remedy"], HasSubstr("--trace"));

  const std::string old = write("old", changed(good_, "pto2-trace/3", "pto2-trace/1"));
  const Outcome of_old = pto2({"validate", old});
  EXPECT_EQ(of_old.code, 3);
  EXPECT_THAT(of_old.err, HasSubstr("old:1: the schema is pto2-trace/1, neither pto2-trace/3"));
  EXPECT_EQ(of_old.out, "");

  EXPECT_EQ(pto2({"validate", folder_.path("nowhere")}).code, 3);
  const Outcome folder = pto2({"validate", folder_.path()});
  EXPECT_EQ(folder.code, 3);
  EXPECT_THAT(folder.err, HasSubstr(": is a directory; name the traces in it"));
  const Outcome foreign = pto2({"validate", write("foreign", "key = 1")});
  EXPECT_EQ(foreign.code, 3);
  EXPECT_THAT(foreign.err, HasSubstr("foreign:1: the file is no trace: "));
}

/// What `pto2 validate` says with a file as stdin.
Outcome validate_stdin(const std::string& file, const Strings& arguments) {
  Strings all = {"-c", "in=$1; shift; exec \"$0\" validate \"$@\" < \"$in\"", PTO2_PROGRAM, file};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program("/bin/sh", all);
}

TEST_F(Validate, ReadsStdin) {
  const Outcome good = validate_stdin(folder_.path("good"), {"-"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, testing::StartsWith("standard input: valid, 5 tasks, "));
  EXPECT_EQ(validate_stdin(folder_.path("good"), {"-", "--json", "-"}).json()["files"][0]["file"],
            "-");
  const Outcome bad = validate_stdin(broken(), {"-", folder_.path("good")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, testing::ContainsRegex("standard input:[0-9]+: VR-I7: "));
  const Outcome foreign = validate_stdin("/dev/null", {"-"});
  EXPECT_EQ(foreign.code, 3);
  EXPECT_THAT(foreign.err, HasSubstr("standard input:1: the file is empty"));
  const Outcome piped = run_program(
      "/bin/sh", {"-c", "cat \"$1\" | \"$0\" validate -", PTO2_PROGRAM, folder_.path("good")});
  EXPECT_EQ(piped.code, 0) << piped.err;
  const Outcome twice = validate_stdin(folder_.path("good"), {"-", "-"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("stdin can be read once"));
}

TEST_F(Validate, RefusesAFileWithoutAName) {
  const Outcome outcome = pto2({"validate", folder_.path("good"), ""});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("FILE: an empty name; name a file, or leave it out"));
}

/// As pto2 run does.
TEST_F(Validate, WritesJsonToAFile) {
  const std::string result = write("result", std::string(100'000, 'x'));
  const Outcome outcome = pto2({"validate", folder_.path("good"), "--json", result});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("good: valid, 5 tasks"));
  EXPECT_EQ(Json::parse(read_text(result))["verdict"], "valid");
  EXPECT_THAT(pto2({"validate", folder_.path("good"), "--json", "-"}).out,
              testing::StartsWith("{"));
  EXPECT_EQ(pto2({"validate", folder_.path("good"), "--json"}).code, 2);
  EXPECT_EQ(pto2({"validate", folder_.path("good"), "--json", ""}).code, 2);
  for (const char* bad : {"/nonexistent/file", "/dev/full"}) {
    const Outcome unwritable = pto2({"validate", folder_.path("good"), "--json", bad});
    EXPECT_EQ(unwritable.code, 3);
    EXPECT_THAT(unwritable.err, HasSubstr(bad));
  }
}

TEST_F(Validate, OverwritesNoTrace) {
  const std::string good = folder_.path("good");
  const std::string other = write("other", changed(good_, "pto2-trace/3", "pto2-trace/1"));
  const auto expect_refused = [&](const Outcome& outcome, const std::string& message) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(read_text(good), good_);
  };
  expect_refused(pto2({"validate", good, "--json", good}), "which is to be validated");
  expect_refused(pto2({"validate", "--json", good}), "--json has a name of its own");
  expect_refused(validate_stdin(good, {"-", "--json", good}), "which is to be validated");
  const std::string link = folder_.path("link");
  std::filesystem::create_symlink("good", link);
  expect_refused(pto2({"validate", good, "--json", link}), "which is to be validated");
  expect_refused(pto2({"validate", link, "--json", good}), "which is to be validated");
  // As the shell reads --json *.jsonl.
  expect_refused(pto2({"validate", "--json", good, other}), "good, which is a trace");
  expect_refused(pto2({"validate", "--json", other, good}), "other, which is a trace");
  EXPECT_THAT(read_text(other), HasSubstr("pto2-trace/1"));
}

/// Five gigabytes of parts, where one may be had.
TEST_F(Validate, SaysThatATraceIsTooLarge) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer needs the address space";
  constexpr int tasks = 2000;
  const std::string header = good_.substr(0, good_.find('\n') + 1);
  const std::size_t submit = good_.rfind('\n', good_.find("\"event\":\"submit\"")) + 1;
  const std::string task = changed(good_.substr(submit, good_.find('\n', submit) + 1 - submit),
                                   "\"block_dim\":0", "\"block_dim\":65535");
  std::string text = changed(header, "\"tasks\":5", "\"tasks\":2000");
  for (int i = 0; i < tasks; ++i) text += task;
  const std::string file =
      write("large", text + "{\"event\":\"end\",\"events\":2000,\"dropped\":0}\n");
  const Outcome outcome = run_program(
      "/bin/sh", {"-c", "ulimit -v 1000000; exec \"$0\" validate \"$1\"", PTO2_PROGRAM, file});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("large: there is not enough memory for a trace of this size"));
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("--heap")));
}

TEST_F(Validate, ABrokenRuleOutweighsAFileThatIsNoTrace) {
  EXPECT_EQ(pto2({"validate", write("empty", ""), broken(), folder_.path("good")}).code, 1);
  EXPECT_EQ(pto2({"validate", folder_.path("good"), write("empty", "")}).code, 3);
}

TEST_F(Validate, NeedsFiles) {
  const Outcome outcome = pto2({"validate"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("name the FILEs to validate"));
  EXPECT_EQ(pto2({"validate", "--rases", "x"}).code, 2);
}

/// Groups, pipes, block tasks, and runs that were given up.
TEST_F(Validate, PassesEveryCaseOfTheSmallWorkloads) {
  const Json list = pto2({"list", "--json"}).json();
  int cases = 0;
  for (const Json& workload : list["workloads"]) {
    const std::string name = workload["name"];
    if (name != "clusters" && name != "block_incore" && name != "deadlock") continue;
    for (const Json& one : workload["cases"]) {
      const std::string case_name = one["name"];
      const Outcome run =
          pto2({"run", name, "--case", case_name, "--quiet", "--trace", folder_.path("t")});
      EXPECT_EQ(run.code, one["outcome"] == "pass" ? 0 : 5) << name << " " << case_name << run.err;
      const Outcome outcome = pto2({"validate", folder_.path("t")});
      std::filesystem::remove(folder_.path("t"));
      EXPECT_EQ(outcome.code, 0) << name << " " << case_name << "\n" << outcome.out << outcome.err;
      ++cases;
    }
  }
  EXPECT_GE(cases, 16);
}

TEST_F(Validate, PassesRunsOfEveryKind) {
  const std::pair<int, Strings> runs[] = {
      {0, {"paged_attention", "--case", "CaseVarSeq4", "--executor", "packed"}},
      {0, {"paged_attention", "--case", "CaseVarSeq4", "--executor", "threads"}},
      {0, {"paged_attention", "--case", "CaseBatch256", "--window", "16"}},
      {5, {"paged_attention", "--case", "CaseBatch256", "--window", "8"}},
      {0, {"paged_attention", "--case", "CaseBatch256", "--heap", "256K"}},
      {0, {"paged_attention_seq", "--case", "RingBufferNested"}},
      {5, {"paged_attention_seq", "--case", "TaskRing"}},
      {0, {"paged_attention", "--repeat", "3"}}};
  for (auto [code, run] : runs) {
    run.insert(run.begin(), "run");
    run.insert(run.end(), {"--trace", folder_.path("t")});
    EXPECT_EQ(pto2(run).code, code) << run[1] << " " << run[3];
    const Outcome outcome = pto2({"validate", "--races", folder_.path("t")});
    EXPECT_EQ(outcome.code, 0) << run[1] << " " << run[3] << "\n" << outcome.out << outcome.err;
    std::filesystem::remove(folder_.path("t"));
  }
}

}  // namespace
}  // namespace pto2::test
