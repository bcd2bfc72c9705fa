// VR-I24 to VR-I27: real traces of groups with pipes, of which a field was changed.
#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

/// Pairs such as `before` and `left`.
void add(Json& fill, int waiting, int held) {
  fill = {fill[0].get<int>() + waiting, fill[1].get<int>() + held};
}

bool is_same_pipe(const Json& a, const Json& b) {
  return a["group"] == b["group"] && a["tag"] == b["tag"];
}

/// The events of a pipe, in order.
std::vector<Json*> uses_of(EditedTrace& trace, const Json& pipe) {
  std::vector<Json*> uses;
  for (Json* line : trace.events("pipe")) {
    if (is_same_pipe(*line, pipe)) uses.push_back(line);
  }
  return uses;
}

/// As in older traces.
void forget_who_makes_pipes(EditedTrace& trace) {
  for (Json* task : trace.events("submit")) task->erase("pipes");
}

/// Without waits for entries the rule about waits would judge no pipe.
TEST(PipeRules, TheTracesHaveWhatTheyJudge) {
  EditedTrace trace(Kit::pipes);
  EXPECT_EQ(trace.events("pipe").size(), 110U);
  EXPECT_EQ(trace.events("leftover").size(), 5U);
  std::size_t waits = 0;
  for (const Json* wait : trace.events("wait")) waits += wait->value("resource", "") == "TensorMap";
  EXPECT_GT(waits, 0U);
}

TEST(PipeRules, I24NoMoreThanTheSlots) {
  expect_line_refused("VR-I24", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    forget_who_makes_pipes(trace);
    for (Json* use : uses_of(trace, line)) (*use)["capacity"] = 3;
    return true;
  });
}

/// The last event of a pipe that is left empty: nothing follows that could tell of it.
TEST(PipeRules, I24NoLessThanNothing) {
  expect_line_refused("VR-I24", Kit::pipes, "pipe", [](EditedTrace&, Json& line) {
    if (line["after"] != Json({0, 0})) return false;
    add(line["after"], -1, 1);
    line["popped"] = line["popped"].get<int>() + 1;
    return true;
  });
  expect_line_refused("VR-I24", Kit::pipes, "pipe", [](EditedTrace&, Json& line) {
    if (line["after"] != Json({0, 0})) return false;
    add(line["after"], 1, -1);
    line["popped"] = line["popped"].get<int>() - 1;
    return true;
  });
}

TEST(PipeRules, I24WhatATaskDidAddsUp) {
  for (const char* field : {"pushed", "popped", "freed"}) {
    expect_line_refused("VR-I24", Kit::pipes, "pipe", [&](EditedTrace&, Json& line) {
      line[field] = line[field].get<int>() + 1;
      return true;
    });
  }
}

/// It adds up all the same.
TEST(PipeRules, I24NobodyTakesBackWhatWasDone) {
  for (const char* least : {"pushed", "popped", "freed"}) {
    expect_line_refused("VR-I24", Kit::pipes, "pipe", [&](EditedTrace&, Json& line) {
      const int less = line[least].get<int>() + 1;
      for (const char* field : {"pushed", "popped", "freed"}) {
        line[field] = line[field].get<int>() - less;
      }
      return true;
    });
  }
}

/// The one number alone: the others are as before, or less than they were and not below 0.
TEST(PipeRules, I24NobodyPutsBackWhatWasPopped) {
  EditedTrace trace(Kit::pipes);
  const Json pipe = {{"group", 0}, {"tag", 3}};
  Json& use = *uses_of(trace, pipe).back();
  ASSERT_EQ(use["before"], Json({1, 1}));
  ASSERT_EQ(use["pushed"], 0);
  use["popped"] = -1;
  use["freed"] = 0;
  use["after"] = {2, 0};
  for (Json* line : trace.events("leftover")) {
    if (is_same_pipe(*line, pipe)) (*line)["left"] = {2, 0};
  }
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I24"));
}

/// Of a task that is consumed twice VR-I25 says nothing.
TEST(PipeRules, I24NoTaskFindsLessThanNothing) {
  EditedTrace trace(Kit::pipes);
  Json& use = *uses_of(trace, {{"group", 0}, {"tag", 3}}).front();
  add(use["before"], -1, 0);
  use["pushed"] = use["pushed"].get<int>() + 1;
  const Json consume = trace.of("consume", use);
  trace.insert(consume);
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I2", "VR-I24"));
}

/// Four entries are pushed.
TEST(PipeRules, I24APipeMayBeFull) {
  EditedTrace trace(Kit::pipes);
  for (Json* use : trace.events("pipe")) {
    if ((*use)["tag"] == 3) (*use)["capacity"] = 4;
  }
  for (Json* task : trace.events("submit")) {
    if (!task->contains("pipes")) continue;
    for (Json& pipe : (*task)["pipes"]) {
      if (pipe[0] == 3) pipe[1] = 4;
    }
  }
  EXPECT_EQ(trace.broken(), std::set<std::string>());
}

TEST(PipeRules, I24NumbersThatDoNotFit) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const char* field : {"pushed", "popped", "freed"}) {
    expect_line_refused("VR-I24", Kit::pipes, "pipe", [&](EditedTrace&, Json& line) {
      line[field] = most;
      return true;
    });
  }
  for (const int64_t number : {most, -most - 1}) {
    EditedTrace trace(Kit::pipes);
    for (Json* line : trace.events("pipe")) (*line)["after"] = {number, number};
    for (Json* line : trace.events("leftover")) (*line)["left"] = {number, number};
    EXPECT_THAT(trace.broken(), testing::IsSupersetOf({"VR-I24", "VR-I25"})) << number;
  }
}

/// All uses agree, but not with whoever has made the pipe.
TEST(PipeRules, I24TheNumberOfSlotsIsThatOfThePipeThatWasMade) {
  expect_line_refused("VR-I24", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    for (Json* use : uses_of(trace, line)) (*use)["capacity"] = 100;
    return true;
  });
  expect_refused("VR-I24", Kit::pipes, [](EditedTrace&, Json& task) {
    if (!task.contains("pipes")) return false;
    task["pipes"][0][1] = task["pipes"][0][1].get<int>() + 1;
    return true;
  });
}

TEST(PipeRules, I24APipeIsMadeOnce) {
  expect_refused("VR-I24", Kit::pipes, [](EditedTrace&, Json& task) {
    if (!task.contains("pipes")) return false;
    task["pipes"].push_back(task["pipes"][0]);
    return true;
  });
}

TEST(PipeRules, I26SomebodyMakesThePipe) {
  expect_refused("VR-I26", Kit::pipes,
                 [](EditedTrace&, Json& task) { return task.erase("pipes") != 0; });
}

/// Older traces do not say who makes pipes.
TEST(PipeRules, OlderTracesAreJudged) {
  EditedTrace trace(Kit::pipes);
  forget_who_makes_pipes(trace);
  EXPECT_EQ(trace.broken(true), std::set<std::string>());
}

TEST(PipeRules, I24TheNumberOfSlotsStays) {
  expect_line_refused("VR-I24", Kit::pipes, "pipe", [](EditedTrace&, Json& line) {
    line["capacity"] = 100;
    return true;
  });
}

TEST(PipeRules, I25APipeIsEmptyAtFirst) {
  expect_line_refused("VR-I25", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    const std::vector<Json*> uses = uses_of(trace, line);
    if (uses.front() != &line) return false;
    add(line["before"], 1, 0);
    line["pushed"] = line["pushed"].get<int>() - 1;
    return true;
  });
}

/// The same, but of a task about which nothing is certain.
TEST(PipeRules, I25NothingIsSaidOfABrokenTask) {
  expect_line_refused("VR-I2", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    if (uses_of(trace, line).front() != &line) return false;
    add(line["before"], 1, 0);
    line["pushed"] = line["pushed"].get<int>() - 1;
    trace.of("consume", line)["event"] = "wait";
    return true;
  });
}

TEST(PipeRules, I25EachTaskFindsWhatTheLastOneLeft) {
  expect_line_refused("VR-I25", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    if (uses_of(trace, line).back() == &line) return false;
    add(line["after"], 1, 0);
    line["pushed"] = line["pushed"].get<int>() + 1;
    return true;
  });
}

/// The first task of a pipe has no number. Of those after it everything is as it was.
TEST(PipeRules, I25NothingIsSaidOfATaskThatWasNotSubmitted) {
  EditedTrace trace(Kit::pipes);
  (*uses_of(trace, {{"group", 0}, {"tag", 3}}).front())["task"] = 1000;
  const std::set<std::string> broken = trace.broken();
  EXPECT_THAT(broken, testing::Contains("VR-I26"));
  EXPECT_THAT(broken, testing::Not(testing::Contains("VR-I25")));
}

/// Two tasks of a pipe change places, and what they did stays where it is.
TEST(PipeRules, I25TasksComeAsTheyWereSubmitted) {
  EditedTrace trace(Kit::pipes);
  const std::vector<Json*> uses = uses_of(trace, {{"group", 0}, {"tag", 3}});
  ASSERT_EQ(uses.size(), 3U);
  std::swap((*uses[0])["task"], (*uses[1])["task"]);
  std::swap((*uses[0])["ring"], (*uses[1])["ring"]);
  const judging::Verdict verdict = trace.verdict();
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I25"));
  bool told = false;
  for (const judging::Violation& violation : verdict.violations) {
    told |= violation.text.find("submitted later") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST(PipeRules, I25ATaskIsDoneBeforeTheNextIsReady) {
  expect_line_refused("VR-I25", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    // As if its scheduler had looked at the pipe while the kernel was running.
    const Json* before = trace.before(line);
    const uint64_t fin = time_of(trace.of("fin", line));
    if (before == nullptr || time_of(*before) >= fin) return false;
    line["t"] = fin - 1;
    return true;
  });
  expect_line_refused("VR-I25", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    // The next task of the pipe was ready all the time.
    const std::vector<Json*> uses = uses_of(trace, line);
    const auto at = std::find(uses.begin(), uses.end(), &line);
    if (at + 1 == uses.end()) return false;
    const uint64_t ready = time_of(trace.of("ready", **(at + 1)));
    for (Json& other : trace.lines()) {
      const bool between = &other != &line && other.contains("t") &&
                           other["thread"] == line["thread"] && time_of(other) >= time_of(line) &&
                           time_of(other) <= ready;
      if (between) other["t"] = ready + 1;
    }
    line["t"] = ready + 1;
    return true;
  });
}

TEST(PipeRules, I26TasksNameTheirPipes) {
  expect_refused("VR-I26", Kit::pipes, [](EditedTrace&, Json& task) {
    task["params"][3]["tag"] = 77;
    return true;
  });
  expect_refused("VR-I26", Kit::pipes, [](EditedTrace&, Json& task) {
    task["params"].push_back({{"dir", "pipe_in"}, {"tag", 77}});
    return true;
  });
}

/// A scalar has no tag, which is no name of pipe 0.
TEST(PipeRules, I26AScalarNamesNoPipe) {
  EditedTrace trace(Kit::pipes);
  Json* last = nullptr;  // that names a pipe 0
  for (Json* task : trace.events("submit")) {
    Json& param = (*task)["params"][3];
    if (param["tag"] != 3) continue;
    param["tag"] = 0;
    last = &param;
    if (task->contains("pipes")) (*task)["pipes"][0][0] = 0;
  }
  for (const char* event : {"pipe", "leftover"}) {
    for (Json* line : trace.events(event)) {
      if ((*line)["tag"] == 3) (*line)["tag"] = 0;
    }
  }
  EXPECT_EQ(trace.broken(), std::set<std::string>());
  ASSERT_NE(last, nullptr);
  *last = {{"dir", "scalar"}};
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I26"));
}

/// It names a pipe that it has no event of, and is consumed twice.
TEST(PipeRules, I26NothingIsSaidOfABrokenTask) {
  expect_refused("VR-I2", Kit::pipes, [](EditedTrace& trace, Json& task) {
    task["params"].push_back({{"dir", "pipe_in"}, {"tag", 77}});
    const Json again = trace.of("consume", task);
    trace.insert(again);
    return true;
  });
}

/// The last task has pipes; whether it has run to its end is not known.
TEST(PipeRules, I26ATaskThatIsNotConsumedNeedHaveNoEvent) {
  EditedTrace trace(Kit::pipes);
  trace.header()["given_up"] = true;
  trace.header()["error"] = "pipe_overflow";
  const Json task = *trace.events("submit").back();
  for (Json* use : trace.events("pipe")) {
    if ((*use)["ring"] == task["ring"] && (*use)["task"] == task["task"]) (*use)["event"] = "wait";
  }
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I26"));
  for (const char* event : {"consume", "reclaim"}) trace.of(event, task)["event"] = "wait";
  EXPECT_THAT(trace.broken(), testing::Not(testing::Contains("VR-I26")));
}

TEST(PipeRules, I26TasksHavePipesOfTheirGroup) {
  expect_line_refused("VR-I26", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    // All of it, so that what it holds is right.
    forget_who_makes_pipes(trace);
    const Json pipe = line;
    for (const char* event : {"pipe", "leftover"}) {
      for (Json* other : trace.events(event)) {
        if (is_same_pipe(*other, pipe)) (*other)["group"] = 1000;
      }
    }
    return true;
  });
}

/// The number of no group is that of no pipe.
TEST(PipeRules, I26ATaskOfNoGroupHasNoPipe) {
  EditedTrace trace(Kit::pipes);
  for (Json* use : uses_of(trace, Json(*trace.events("pipe").front()))) {
    (*use)["group"] = -uint64_t{1};
    for (Json* task : trace.events("submit")) {
      if ((*task)["ring"] == (*use)["ring"] && (*task)["task"] == (*use)["task"]) {
        (*task)["group"] = -1;
      }
    }
  }
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I26"));
}

/// It was made by nobody, and nobody has it.
TEST(PipeRules, I26WhoMakesAPipeNamesIt) {
  expect_line_refused("VR-I26", Kit::pipes, "submit", [](EditedTrace&, Json& line) {
    if (!line.contains("pipes") || line["group"] != 0) return false;
    line["pipes"].push_back({77, 4});
    return true;
  });
}

/// It names the pipe.
TEST(PipeRules, I26WhoMakesAPipeIsOfAGroup) {
  EditedTrace trace(Kit::pipes);
  Json& task = trace.of("submit", *uses_of(trace, {{"group", 0}, {"tag", 3}}).front());
  ASSERT_TRUE(task.contains("pipes"));
  task["group"] = -1;
  std::set<std::string> said;
  for (const judging::Violation& violation : trace.verdict().violations) {
    if (violation.rule == "VR-I26") said.insert(violation.text);
  }
  EXPECT_THAT(said, testing::Contains(testing::HasSubstr("makes pipe 3, and is of no group")));
}

/// The next task of the group that names it says that it has made it.
TEST(PipeRules, I26WhoMakesAPipeIsTheFirstToNameIt) {
  expect_line_refused("VR-I26", Kit::pipes, "submit", [](EditedTrace& trace, Json& line) {
    if (!line.contains("pipes") || line["group"] != 0) return false;
    const Json made = line["pipes"].back();
    const std::vector<Json*> uses = uses_of(trace, {{"group", line["group"]}, {"tag", made[0]}});
    if (uses.size() < 2) return false;
    trace.of("submit", *uses[1])["pipes"].push_back(made);
    line["pipes"].erase(line["pipes"].size() - 1);
    return true;
  });
}

TEST(PipeRules, I26OneEventPerTaskAndPipe) {
  expect_line_refused("VR-I26", Kit::pipes, "pipe", [](EditedTrace& trace, Json& line) {
    // A use that changes nothing, by the task of the use before it.
    Json again = line;
    for (const char* field : {"pushed", "popped", "freed"}) again[field] = 0;
    again["before"] = again["after"];
    trace.lines().insert(trace.lines().begin() + (&line - trace.lines().data()) + 1, again);
    trace.lines().back()["events"] = trace.lines().size() - 2;
    return true;
  });
}

TEST(PipeRules, I27WhatIsLeftIsReported) {
  expect_line_refused("VR-I27", Kit::pipes, "leftover", [](EditedTrace&, Json& line) {
    add(line["left"], 1, 0);
    return true;
  });
  expect_line_refused("VR-I27", Kit::pipes, "leftover", [](EditedTrace&, Json& line) {
    add(line["left"], -1, 1);
    return true;
  });
  expect_line_refused("VR-I27", Kit::pipes, "leftover", [](EditedTrace&, Json& line) {
    line["tag"] = 4;  // which is empty
    return true;
  });
  expect_line_refused("VR-I27", Kit::pipes, "leftover", [](EditedTrace&, Json& line) {
    line["event"] = "wait";
    return true;
  });
}

/// No other group has its cluster then.
TEST(PipeRules, I27WhatIsLeftInTheEndIsReported) {
  EditedTrace trace(Kit::pipes);
  (*trace.events("leftover").back())["event"] = "wait";
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I27"));
}

TEST(PipeRules, I27NothingIsNotReported) {
  EditedTrace trace(Kit::pipes);
  Json report = *trace.events("leftover").back();
  report["tag"] = 4;  // which is empty
  report["left"] = {0, 0};
  trace.insert(report);
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I27"));
}

TEST(PipeRules, I27ItIsReportedOnce) {
  EditedTrace trace(Kit::pipes);
  const Json again = *trace.events("leftover").back();
  trace.insert(again);
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I27"));
}

TEST(PipeRules, I27ItIsReportedBehindTheLastTask) {
  expect_line_refused("VR-I27", Kit::pipes, "leftover", [](EditedTrace& trace, Json& line) {
    const uint64_t last = time_of(*uses_of(trace, line).back());
    const Json* const before = trace.before(line);
    if (before == nullptr || time_of(*before) >= last) return false;
    line["t"] = last - 1;
    return true;
  });
}

TEST(PipeRules, I27ItIsReportedBeforeTheNextGroup) {
  expect_line_refused("VR-I27", Kit::pipes, "allocate", [](EditedTrace& trace, Json& line) {
    // The two lines change places.
    Json* const leftover = trace.before(line);
    if (leftover == nullptr || (*leftover)["event"] != "leftover") return false;
    std::swap(line["t"], (*leftover)["t"]);
    std::swap(line, *leftover);
    return true;
  });
}

/// Nobody has to report it: the run ended elsewhere.
TEST(PipeRules, I27ARunThatWasGivenUpReportsNothing) {
  EditedTrace trace(Kit::pipes);
  for (Json* line : trace.events("leftover")) (*line)["event"] = "wait";
  EXPECT_THAT(trace.broken(), testing::ElementsAre("VR-I27"));
  trace.header()["given_up"] = true;
  trace.header()["error"] = "pipe_overflow";
  const judging::Verdict verdict = trace.verdict();
  // But the groups whose clusters went on to others.
  EXPECT_EQ(verdict.violations.size(), 4U);
}

}  // namespace
}  // namespace pto2::test
