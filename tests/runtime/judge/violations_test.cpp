// What violations say, beside their rules.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/judge/findings.hpp"
#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

/// Violations of a rule, as lines.
std::string texts_of(const EditedTrace& trace, const std::string& rule) {
  std::string texts;
  for (const judging::Violation& violation : trace.verdict().violations) {
    if (violation.rule == rule) texts += violation.text + "\n";
  }
  return texts;
}

/// Of a line that names a task.
std::string task_of(const Json& line) {
  return fmt::format("task {} of ring {}", line["task"].get<uint64_t>(),
                     line["ring"].get<uint64_t>());
}

std::size_t number_of(EditedTrace& trace, const Json& line) {
  return static_cast<std::size_t>(&line - trace.lines().data()) + 1;
}

int number_in(const Json& line, const char* field) {
  return line[field].get<int>();
}

/// The chip of these traces has two clusters.
int other_cluster(const Json& line) {
  return 1 - number_in(line, "cluster");
}

/// The lines that are left count.
void erase(EditedTrace& trace, const Json& line) {
  trace.lines().erase(trace.lines().begin() + (&line - trace.lines().data()));
  trace.lines().back()["events"] = trace.lines().size() - 2;
}

TEST(Violations, NameTheClusterOfAPinnedTaskAndOfItsCore) {
  EditedTrace trace(Kit::pipes);
  Json& dispatch = *trace.events("dispatch").front();
  const Json join = trace.of("join", dispatch);
  const bool cube = dispatch["core"].get<std::string>().starts_with("aic");
  const std::string core =
      fmt::format("ai{}{}", cube ? 'c' : 'v', other_cluster(join) * (cube ? 1 : 2));
  dispatch["core"] = core;
  EXPECT_THAT(texts_of(trace, "VR-I8"),
              HasSubstr(fmt::format("{0} is pinned to cluster {1}, but was sent to {2} of cluster "
                                    "{3} (line {4}: dispatch of {0} to {2} of cluster {3} at ",
                                    task_of(dispatch), number_in(join, "cluster"), core,
                                    other_cluster(join), number_of(trace, dispatch))));
}

TEST(Violations, NameGroupsAndTheirClusters) {
  EditedTrace open(Kit::pipes);
  const Json close = *open.events("close")[3];
  erase(open, *open.events("close")[3]);
  EXPECT_THAT(texts_of(open, "VR-I11"),
              testing::ContainsRegex(fmt::format("group 3 is never closed .line [0-9]+: allocate "
                                                 "of group 3 on cluster {} at",
                                                 number_in(close, "cluster"))));

  EditedTrace kept(Kit::pipes);
  const Json back = *kept.events("give_back").back();
  erase(kept, *kept.events("give_back").back());
  EXPECT_THAT(texts_of(kept, "VR-I11"),
              testing::ContainsRegex(fmt::format("cluster {} of group [89] never comes back",
                                                 number_in(back, "cluster"))));

  EditedTrace elsewhere(Kit::pipes);
  Json& join = *elsewhere.events("join").back();
  const int joined = other_cluster(join);
  join["cluster"] = joined;
  EXPECT_THAT(
      texts_of(elsewhere, "VR-I12"),
      HasSubstr(fmt::format("group 9 has cluster {0}, and is joined on cluster {1} (line "
                            "{2}: join of {3} to group 9 on cluster {1} at ",
                            1 - joined, joined, number_of(elsewhere, join), task_of(join))));
}

TEST(Violations, NamePipesByTagAndGroup) {
  EditedTrace full(Kit::pipes);
  Json* use = nullptr;
  for (Json* line : full.events("pipe")) {
    if ((*line)["group"] == 5 && (*line)["tag"] == 4) use = line;
  }
  ASSERT_NE(use, nullptr);
  (*use)["after"] = {90, 0};
  EXPECT_THAT(texts_of(full, "VR-I24"),
              HasSubstr(fmt::format("pipe 4 of group 5 has 8 slots, and 90 are in use (line {}: "
                                    "pipe of {}, pipe 4 of group 5 at ",
                                    number_of(full, *use), task_of(*use))));

  EditedTrace left(Kit::pipes);
  Json& leftover = *left.events("leftover").back();
  leftover["left"] = {7, 7};
  EXPECT_THAT(
      texts_of(left, "VR-I27"),
      testing::ContainsRegex("\\[7, 7\\] is reported to be left in pipe 3 of group [0-9], and "
                             "\\[[0-9], [0-9]\\] is .line [0-9]+: leftover of pipe 3 of group"));
}

/// Ten groups of six tasks with two pipes, into which nine entries are pushed.
TEST(Figures, SayWhatWasJudged) {
  EditedTrace trace(Kit::pipes);
  const judging::Verdict verdict = trace.verdict();
  EXPECT_TRUE(verdict.valid());
  EXPECT_EQ(verdict.figures.tasks, 60U);
  EXPECT_EQ(verdict.figures.parts, 60U);
  EXPECT_EQ(verdict.figures.events, trace.lines().size() - 2);
  EXPECT_EQ(verdict.figures.pinned_tasks, 60U);
  EXPECT_EQ(verdict.figures.groups, 10U);
  EXPECT_EQ(verdict.figures.entries, 90U);
  std::set<std::pair<int, int>> pipes;
  for (const Json* use : trace.events("pipe")) {
    pipes.emplace(number_in(*use, "group"), number_in(*use, "tag"));
  }
  EXPECT_EQ(verdict.figures.pipes, pipes.size());

  const judging::Figures none = EditedTrace(Kit::roomy).verdict().figures;
  EXPECT_GT(none.tasks, 0U);
  EXPECT_EQ(none.pinned_tasks + none.groups + none.pipes + none.entries, 0U);
}

/// A sum that has no place in 64 bits is no small one.
TEST(Figures, DoNotWrap) {
  EditedTrace trace(Kit::pipes);
  for (Json* use : trace.events("pipe")) {
    (*use)["pushed"] = std::numeric_limits<int64_t>::max();
  }
  EXPECT_EQ(trace.verdict().figures.entries, std::numeric_limits<uint64_t>::max());
}

TEST(Violations, AreSortedByLineAndThenByRule) {
  EditedTrace trace(Kit::pipes);
  for (Json* ready : trace.events("ready")) {
    (*ready)["type"] = (*ready)["type"] == "cube" ? "vector" : "cube";
  }
  for (Json* use : trace.events("pipe")) (*use)["capacity"] = 0;
  const std::vector<judging::Violation> violations = trace.verdict().violations;
  const auto place_of = [](const judging::Violation& violation) {
    return std::pair(violation.line, std::stoi(violation.rule.substr(4)));
  };
  EXPECT_TRUE(std::ranges::is_sorted(violations, {}, place_of));
  // Rules took turns, or nothing was sorted.
  std::size_t turns = 0;
  for (std::size_t i = 1; i < violations.size(); ++i) {
    turns += violations[i].rule != violations[i - 1].rule;
  }
  EXPECT_GT(turns, 3U);
}

TEST(Figures, TakeNothingFromTheEntries) {
  EditedTrace trace(Kit::pipes);
  Json& use = *trace.events("pipe").front();
  const auto pushed = use["pushed"].get<uint64_t>();
  use["pushed"] = -1;
  EXPECT_EQ(trace.verdict().figures.entries, 90 - pushed);
}

/// A short file may have millions of parts that never ran, each of which breaks a rule three times.
TEST(Violations, OfPartsThatNeverRanAreCounted) {
  EditedTrace trace(Kit::few_slots);
  uint64_t parts = 0;
  uint64_t whole = 0;
  for (Json* submit : trace.events("submit")) {
    parts += std::max<uint64_t>((*submit)["block_dim"].get<uint64_t>(), 1);
    (*submit)["block_dim"] = 65535;
    whole += 65535;
  }
  const auto begin = std::chrono::steady_clock::now();
  const judging::Verdict verdict = trace.verdict();
  const auto end = std::chrono::steady_clock::now();
  EXPECT_LT(end - begin, std::chrono::seconds(5));
  const auto shown = static_cast<uint64_t>(std::ranges::count(
      verdict.violations, "VR-I2", [](const judging::Violation& it) { return it.rule; }));
  EXPECT_EQ(shown, judging::most_per_rule);
  EXPECT_GE(verdict.more, 3 * (whole - parts) - shown);
}

/// VR-I8 is judged task by task, which is not the order of the dispatches.
TEST(Violations, OfEachRuleTheFirstLinesAreKept) {
  EditedTrace trace(Kit::pipes);
  std::vector<std::size_t> lines;
  for (Json* dispatch : trace.events("dispatch")) {
    (*dispatch)["core"] = "cpu0";
    lines.push_back(number_of(trace, *dispatch));
  }
  ASSERT_GT(lines.size(), judging::most_per_rule);
  lines.resize(judging::most_per_rule);
  std::vector<std::size_t> shown;
  for (const judging::Violation& violation : trace.verdict().violations) {
    if (violation.rule == "VR-I8") shown.push_back(violation.line);
  }
  EXPECT_EQ(shown, lines);
  EXPECT_THAT(judging::problems_of(read_trace_text(trace.text())).back(),
              testing::ContainsRegex("^and [0-9]+ more$"));
}

TEST(Violations, OfEachRuleTheFirstLinesAreKeptInWhateverOrderTheyAreFound) {
  EditedTrace trace(Kit::pipes);
  const Record record = read_trace_text(trace.text());
  const judging::History history(record);
  judging::Findings findings(record, history);
  ASSERT_GT(record.events.size(), judging::most_per_rule);
  std::vector<uint32_t> lines;
  for (auto event = record.events.rbegin(); event != record.events.rend(); ++event) {
    lines.push_back(event->line);
    if (lines.size() % 2 == 0) {
      findings.add("VR-I8", "found from behind", *event);
    } else {
      findings.add(
          "VR-I8", [] { return "found from behind"; }, *event);
    }
  }
  std::ranges::sort(lines);
  lines.resize(judging::most_per_rule);
  const judging::Verdict verdict = findings.take();
  std::vector<uint32_t> shown;
  for (const judging::Violation& violation : verdict.violations) shown.push_back(violation.line);
  EXPECT_EQ(shown, lines);
  EXPECT_EQ(verdict.more, record.events.size() - judging::most_per_rule);
}

}  // namespace
}  // namespace pto2::test
