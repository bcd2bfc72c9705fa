// VR-I8, VR-I10, VR-I11, VR-I12, and the parts of block tasks: real traces, to which groups and
// parts were added that fit what happened.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

uint64_t cluster_of(EditedTrace& trace, const std::string& name) {
  for (const Json& core : trace.header()["cores"]) {
    if (core["name"] == name) return core["cluster"];
  }
  ADD_FAILURE() << "no core " << name;
  return 0;
}

/// Every task whose cluster is free when it is submitted becomes a group of its own there.
EditedTrace with_groups() {
  EditedTrace trace(Kit::few_slots);
  std::map<uint64_t, uint64_t> free_at;
  std::vector<Json> lines;
  std::vector<Json> give_backs;
  uint64_t groups = 0;
  for (Json line : std::vector<Json>(trace.lines())) {
    if (line.value("event", "") != "submit") {
      lines.push_back(line);
      continue;
    }
    const uint64_t t = time_of(line);
    const uint64_t cluster = cluster_of(trace, trace.of("dispatch", line)["core"]);
    // Between a wait and what it was for there is nothing.
    const auto before = std::find_if(lines.rbegin(), lines.rend(), [](const Json& other) {
      return other.value("thread", "") == "orchestrator";
    });
    const bool waited = before != lines.rend() && before->contains("resource");
    if (free_at[cluster] > t || waited) {
      lines.push_back(line);
      continue;
    }
    const Json group = {{"t", t},
                        {"thread", "orchestrator"},
                        {"event", "allocate"},
                        {"group", groups},
                        {"cluster", cluster}};
    line["cluster"] = cluster;
    line["group"] = groups++;
    const Json join = {{"t", t},
                       {"thread", "orchestrator"},
                       {"event", "join"},
                       {"ring", line["ring"]},
                       {"task", line["task"]},
                       {"part", 0},
                       {"group", line["group"]},
                       {"cluster", cluster}};
    lines.insert(lines.end(), {group, line, join, group});
    lines.back()["event"] = "close";
    free_at[cluster] = time_of(trace.of("fin", line)) + 1;
    give_backs.push_back({{"t", free_at[cluster]},
                          {"thread", "scheduler0"},
                          {"event", "give_back"},
                          {"cluster", cluster}});
  }
  trace.lines() = lines;
  for (const Json& line : give_backs) trace.insert(line);
  return trace;
}

/// The rule alone refuses the edit of one of the groups' lines.
void expect_group_refused(const std::string& rule, const char* event,
                          const std::function<bool(EditedTrace&, Json&)>& edit) {
  EditedTrace original = with_groups();
  ASSERT_EQ(original.broken(true), std::set<std::string>());
  const std::size_t lines = original.events(event).size();
  ASSERT_GT(lines, 3U);
  std::string others;
  for (std::size_t i = 0; i < lines; ++i) {
    EditedTrace edited(original);
    if (!edit(edited, *edited.events(event)[i])) continue;
    const std::set<std::string> broken = edited.broken();
    if (broken == std::set{rule}) return;
    others += testing::PrintToString(broken);
  }
  ADD_FAILURE() << rule << " alone refuses none, but: " << others;
}

TEST(ClusterRules, I8PinnedTasksStayInTheirCluster) {
  EditedTrace trace = with_groups();
  Json& cores = trace.header()["cores"];
  std::swap(cores[2]["cluster"], cores[4]["cluster"]);
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I8"});
}

TEST(ClusterRules, I10OneGroupAtATime) {
  // A cluster that comes back only when the next group has it.
  expect_group_refused("VR-I10", "give_back", [](EditedTrace& trace, Json& line) {
    Json late = line;
    const Json* next = nullptr;
    for (const Json* allocate : trace.events("allocate")) {
      const bool after = time_of(*allocate) >= time_of(late);
      if (next == nullptr && after && (*allocate)["cluster"] == late["cluster"]) next = allocate;
    }
    if (next == nullptr) return false;
    const uint64_t allocated = time_of(*next);
    for (const Json& other : trace.lines()) {
      if (!other.contains("t") || other["thread"] != late["thread"]) continue;
      if (time_of(other) <= allocated) continue;
      late["t"] = time_of(other);
      break;
    }
    trace.lines().erase(trace.lines().begin() + (&line - trace.lines().data()));
    trace.insert(late);
    return true;
  });
}

TEST(ClusterRules, I11ClustersComeBackAfterTheLastTask) {
  expect_group_refused("VR-I11", "give_back", [](EditedTrace& trace, Json& line) {
    // Before its thread's time, as the last fin ends later.
    const Json* before = trace.before(line);
    if (before == nullptr) return false;
    line["t"] = time_of(*before);
    return true;
  });
  expect_group_refused("VR-I11", "close", [](EditedTrace&, Json& line) {
    line["cluster"] = 1 - line["cluster"].get<int>();
    return true;
  });
  expect_group_refused("VR-I11", "close", [](EditedTrace&, Json& line) {
    const uint64_t group = line["group"];
    if (group == 0) return false;
    line["group"] = group - 1;
    return true;
  });
  expect_group_refused("VR-I11", "give_back", [](EditedTrace& trace, Json& line) {
    line["event"] = "wait";
    return trace.events("give_back").back() != &line;
  });
}

TEST(ClusterRules, I12TasksJoinOpenGroups) {
  expect_group_refused("VR-I12", "allocate", [](EditedTrace&, Json& line) {
    line["group"] = 77;
    return true;
  });
  expect_group_refused("VR-I12", "submit", [](EditedTrace&, Json& line) {
    if (line["group"] == -1) return false;
    line["group"] = line["group"].get<int>() - 1;
    return line["group"] != -1;
  });
  expect_group_refused("VR-I12", "submit", [](EditedTrace&, Json& line) {
    if (line["group"] == -1) return false;
    line["cluster"] = 1 - line["cluster"].get<int>();
    return true;
  });
  expect_group_refused("VR-I12", "close", [](EditedTrace& trace, Json& line) {
    // The group is closed before its task joins: the two lines change places.
    Json* const join = trace.before(line);
    std::swap(line, *join);
    return true;
  });
}

/// Beside a join, or in its place, there is another one.
TEST(ClusterRules, I12TasksJoinOnce) {
  expect_group_refused("VR-I12", "join", [](EditedTrace& trace, Json& line) {
    auto& lines = trace.lines();
    const Json again = line;
    lines.insert(lines.begin() + (&line - lines.data()), again);
    lines.back()["events"] = lines.size() - 2;
    return true;
  });
}

TEST(ClusterRules, I12TasksJoinAsTheyAreSubmitted) {
  expect_line_refused("VR-I12", Kit::pipes, "join", [](EditedTrace& trace, Json& line) {
    // Behind the next event of the orchestrator.
    for (Json* next = &line + 1; next->contains("t"); ++next) {
      if ((*next)["thread"] != line["thread"]) continue;
      std::swap(line["t"], (*next)["t"]);
      std::swap(line, *next);
      return true;
    }
    return trace.lines().empty();
  });
}

TEST(ClusterRules, I12PinnedTasksJoin) {
  expect_group_refused("VR-I12", "join", [](EditedTrace&, Json& line) {
    line["event"] = "wait";
    return true;
  });
}

/// The scheduler of a cluster, of which there is one for each.
std::string scheduler_of(uint64_t cluster) {
  return cluster == 0 ? "scheduler0" : "scheduler1";
}

/// The first task becomes one of two parts; the second runs on the other cluster's core.
EditedTrace with_parts() {
  EditedTrace trace(Kit::roomy);
  Json& task = *trace.events("submit").front();
  task["block_dim"] = 2;
  const Json copy = task;
  const Json dispatch = trace.of("dispatch", copy);
  const std::string other = dispatch["core"] == "aic0" ? "aic1" : "aic0";
  uint64_t t = time_of(dispatch);
  for (const char* event : {"dispatch", "ack", "fin"}) {
    Json line = trace.of(event, copy);
    line["part"] = 1;
    line["t"] = t;
    if (line.contains("core")) {
      line["core"] = other;
      line["thread"] = scheduler_of(cluster_of(trace, other));
    } else {
      line["thread"] = other;
    }
    trace.insert(line);
  }
  return trace;
}

TEST(BlockRules, PartsRunOnceEach) {
  EXPECT_EQ(with_parts().broken(true), std::set<std::string>());
  EditedTrace twice = with_parts();
  Json& fin = *twice.events("fin").front();
  fin["part"] = 1 - fin["part"].get<int>();
  EXPECT_EQ(twice.broken(), std::set<std::string>{"VR-I2"});
  EditedTrace missing = with_parts();
  (*missing.events("submit").front())["block_dim"] = 3;
  EXPECT_EQ(missing.broken(), std::set<std::string>{"VR-I2"});
  EditedTrace strange = with_parts();
  (*strange.events("submit").front())["block_dim"] = 1;
  EXPECT_EQ(strange.broken(), std::set<std::string>{"VR-I1"});
}

/// The dispatches of the first task's parts.
std::vector<Json*> dispatches_of_parts(EditedTrace& trace) {
  const Json& task = *trace.events("submit").front();
  std::vector<Json*> found;
  for (Json* line : trace.events("dispatch")) {
    if ((*line)["ring"] == task["ring"] && (*line)["task"] == task["task"]) found.push_back(line);
  }
  return found;
}

TEST(BlockRules, I28CoresClaimPartsForThemselves) {
  EditedTrace trace = with_parts();
  const std::vector<Json*> parts = dispatches_of_parts(trace);
  ASSERT_EQ(parts.size(), 2U);
  for (Json* part : parts) (*part)["thread"] = (*part)["core"];
  EXPECT_EQ(trace.broken(), std::set<std::string>());
  std::swap((*parts[0])["thread"], (*parts[1])["thread"]);
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I28"});
}

/// A consumer waits for every part.
TEST(BlockRules, TheLastPartCompletes) {
  EditedTrace trace = with_parts();
  for (Json* fin : trace.events("fin")) {
    if ((*fin)["part"] != 1) continue;
    // It has been running all the time.
    const Json& exit = *trace.events("exit").front();
    (*fin)["t"] = time_of(exit);
  }
  EXPECT_THAT(trace.broken(), testing::IsSupersetOf({"VR-I5", "VR-I17", "VR-I18"}));
}

/// The parts of the first task are of two groups, each on the cluster where the part runs.
EditedTrace with_pinned_parts() {
  EditedTrace trace = with_parts();
  Json* const task = trace.events("submit").front();
  const Json orchestrator = {{"t", time_of(*task)}, {"thread", "orchestrator"}};
  std::vector<Json> before;
  std::vector<Json> after;
  std::vector<Json> give_backs;
  for (Json* dispatch : trace.events("dispatch")) {
    if ((*dispatch)["ring"] != (*task)["ring"] || (*dispatch)["task"] != (*task)["task"]) continue;
    Json allocate = orchestrator;
    allocate["event"] = "allocate";
    allocate["group"] = before.size();
    allocate["cluster"] = cluster_of(trace, (*dispatch)["core"]);
    Json join = allocate;
    join["event"] = "join";
    for (const char* field : {"ring", "task"}) join[field] = (*task)[field];
    join["part"] = (*dispatch)["part"];
    Json close = allocate;
    close["event"] = "close";
    before.push_back(allocate);
    after.insert(after.begin(), join);
    after.push_back(close);
    give_backs.push_back({{"t", time_of(*trace.events("exit").front())},
                          {"thread", "orchestrator"},
                          {"event", "give_back"},
                          {"cluster", allocate["cluster"]}});
  }
  auto& lines = trace.lines();
  const auto place = task - lines.data();
  lines.insert(lines.begin() + place + 1, after.begin(), after.end());
  lines.insert(lines.begin() + place, before.begin(), before.end());
  for (Json& line : give_backs) {
    // Before the exit of its thread.
    for (const Json* exit : trace.events("exit")) {
      if ((*exit)["thread"] == "orchestrator") line["t"] = time_of(*exit);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].value("event", "") != "exit" || lines[i]["thread"] != "orchestrator") continue;
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), line);
      break;
    }
  }
  lines.back()["events"] = lines.size() - 2;
  return trace;
}

TEST(BlockRules, I12AllPartsJoinOrNone) {
  EditedTrace trace = with_pinned_parts();
  (*trace.events("join").back())["event"] = "wait";
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I12"});
}

TEST(BlockRules, I28NobodyClaimsPinnedParts) {
  EditedTrace trace = with_pinned_parts();
  Json& part = *dispatches_of_parts(trace).front();
  part["thread"] = part["core"];
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I28"});
}

/// A task whose parts are in different groups names none itself.
TEST(BlockRules, I12PartsJoinOpenGroups) {
  EditedTrace trace = with_pinned_parts();
  auto& lines = trace.lines();
  const auto close = lines.begin() + (trace.events("close").front() - lines.data());
  const auto task = lines.begin() + (trace.events("submit").front() - lines.data());
  ASSERT_LT(task, close);
  std::rotate(task, close, close + 1);
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I12"});
}

/// A task is pinned if its parts are, and is one task.
TEST(BlockRules, PinnedPartsAreCounted) {
  const judging::Figures counts = with_pinned_parts().verdict().figures;
  EXPECT_EQ(counts.parts, counts.tasks + 1);
  EXPECT_EQ(counts.pinned_tasks, 1U);
  EXPECT_EQ(counts.groups, 2U);
}

TEST(BlockRules, I1PartsThatThereAreNot) {
  for (const char* event : {"dispatch", "ack", "fin", "join"}) {
    for (const uint64_t part : {2, 7, 60000}) {
      EditedTrace trace = with_pinned_parts();
      auto& lines = trace.lines();
      const auto place = trace.events(event).front() - lines.data();
      lines.insert(lines.begin() + place, lines[static_cast<std::size_t>(place)]);
      lines[static_cast<std::size_t>(place)]["part"] = part;
      lines.back()["events"] = lines.size() - 2;
      EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I1"}) << event << " " << part;
    }
  }
}

TEST(BlockRules, I8PinnedPartsStayInTheirCluster) {
  EditedTrace trace = with_pinned_parts();
  ASSERT_EQ(trace.broken(true), std::set<std::string>());
  const std::vector<Json*> joins = trace.events("join");
  ASSERT_EQ(joins.size(), 2U);
  std::swap((*joins[0])["group"], (*joins[1])["group"]);
  std::swap((*joins[0])["cluster"], (*joins[1])["cluster"]);
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I8"});
  judging::Verdict verdict = trace.verdict();
  std::erase_if(verdict.violations,
                [](const judging::Violation& violation) { return violation.rule != "VR-I8"; });
  ASSERT_EQ(verdict.violations.size(), 2U);
  for (const judging::Violation& violation : verdict.violations) {
    EXPECT_THAT(violation.text,
                testing::ContainsRegex("part [01] of task 0 of ring 1 is pinned to cluster [01], "
                                       "but was sent to aic[01] of cluster [01] .line [0-9]+: "
                                       "dispatch of task 0 of ring 1, part [01] to aic[01] of "
                                       "cluster [01] at .* join of task 0 of ring 1, part [01] to "
                                       "group [01] on cluster [01] at"));
  }
}

TEST(ClusterRules, I21NobodyWaitsBesideAFreeCluster) {
  expect_group_refused("VR-I21", "allocate", [](EditedTrace& trace, Json& line) {
    // Another wait that has not ended would be refused anyhow.
    if (line["group"] < 4 || trace.before(line)->contains("resource")) return false;
    const Json wait = {{"t", line["t"]},  {"thread", "orchestrator"},
                       {"event", "wait"}, {"resource", "Cluster"},
                       {"requested", 1},  {"ring", 0},
                       {"task", 0}};
    auto& lines = trace.lines();
    lines.insert(lines.begin() + (&line - lines.data()), wait);
    lines.back()["events"] = lines.size() - 2;
    return true;
  });
}

}  // namespace
}  // namespace pto2::test
