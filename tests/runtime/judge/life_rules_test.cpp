// VR-I1 to VR-I7, VR-I9, VR-I17 to VR-I22: real traces of which a field was changed.
#include <gmock/gmock.h>

#include <utility>

#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

TEST(LifeRules, HoldForRealTraces) {
  for (const Kit kit : {Kit::roomy, Kit::few_slots, Kit::small_heap, Kit::odd_buffers,
                        Kit::few_nodes, Kit::independent, Kit::pipes, Kit::deadlock}) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      const judging::Verdict verdict = EditedTrace(kit, seed).verdict(true);
      ASSERT_TRUE(verdict.valid())
          << static_cast<int>(kit) << " seed " << seed << ": " << verdict.violations.front().text;
    }
  }
}

/// Without a word in the header that the run was given up, its unfinished tasks break the rules.
TEST(LifeRules, UnfinishedTasksNeedARunThatWasGivenUp) {
  EditedTrace trace(Kit::deadlock);
  trace.header()["error"] = "ok";
  trace.header()["given_up"] = false;
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I2"));
}

TEST(LifeRules, I1EventsAreOfTasksAndParts) {
  expect_refused("VR-I1", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("fin", task)["part"] = 1;
    return true;
  });
  expect_refused("VR-I1", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("reclaim", task)["task"] = 999;
    return true;
  });
}

TEST(LifeRules, I1TasksComeInTheirTurn) {
  expect_refused("VR-I1", Kit::roomy, [](EditedTrace& trace, Json& task) {
    task["task"] = task["task"].get<uint64_t>() + 1;
    return &task == trace.events("submit").back();
  });
}

TEST(LifeRules, I1OneThreadSubmits) {
  expect_refused("VR-I1", Kit::roomy, [](EditedTrace& trace, Json& task) {
    task["thread"] = "scheduler0";
    return trace.events("submit").front() != &task;
  });
}

TEST(LifeRules, I2EachEventOnce) {
  expect_refused("VR-I2", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("consume", task)["event"] = "reclaim";
    return true;
  });
  expect_refused("VR-I2", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("fin", task)["task"] = task["task"].get<uint64_t>() == 0 ? 1 : 0;
    return true;
  });
  expect_refused("VR-I2", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("ack", task)["event"] = "fin";
    return true;
  });
}

TEST(LifeRules, I3TimesOfAThreadAscend) {
  expect_refused("VR-I3", Kit::roomy, [](EditedTrace& trace, Json& task) {
    // A core's wait, which says nothing else.
    const Json& fin = trace.of("fin", task);
    for (Json* wait : trace.events("wait")) {
      if ((*wait)["thread"] != fin["thread"] || trace.before(*wait) != &fin) continue;
      (*wait)["t"] = time_of(fin) - 1;
      return true;
    }
    return false;
  });
  expect_refused("VR-I3", Kit::roomy, [](EditedTrace& trace, Json& task) {
    task["t"] = time_of(*trace.before(task)) - 1;
    return true;
  });
}

TEST(LifeRules, I4TheOrderOfALife) {
  for (const auto& [earlier, later] : {std::pair{"ready", "dispatch"}, {"dispatch", "ack"}}) {
    expect_refused("VR-I4", Kit::roomy, [&](EditedTrace& trace, Json& task) {
      trace.of(later, task)["t"] = time_of(trace.of(earlier, task)) - 1;
      return true;
    });
  }
  expect_refused("VR-I4", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.of("ready", task)["t"] = time_of(task) - 1;
    return true;
  });
}

TEST(LifeRules, I5ReadyAfterItsProducers) {
  expect_refused("VR-I5", Kit::roomy, [](EditedTrace& trace, Json& task) {
    if (task["producers"].empty()) return false;
    const Json& edge = task["producers"][0];
    const Json producer = {{"ring", edge[0]}, {"task", edge[1]}};
    trace.of("ready", task)["t"] = time_of(trace.of("fin", producer)) - 1;
    return true;
  });
  expect_refused("VR-I5", Kit::roomy, [](EditedTrace&, Json& task) {
    if (task["producers"].empty()) return false;
    task["producers"][0][1] = task["task"];
    return true;
  });
}

TEST(LifeRules, I6AClaimSaysWhatHadHappened) {
  for (const char* claim : {"early", "none"}) {
    expect_refused("VR-I6", Kit::roomy, [&](EditedTrace&, Json& task) {
      if (task["producers"].empty() || task["producers"].back()[2] == claim) return false;
      task["producers"].back()[2] = claim;
      return true;
    });
  }
}

TEST(LifeRules, I7TheRightCore) {
  expect_refused("VR-I7", Kit::roomy, [](EditedTrace& trace, Json& task) {
    Json& core = trace.of("dispatch", task)["core"];
    if (core != "aiv0") return false;
    core = "aiv1";
    return true;
  });
  expect_refused("VR-I7", Kit::roomy, [](EditedTrace&, Json& task) {
    task["type"] = task["type"] == "cube" ? "vector" : "cube";
    return true;
  });
  expect_refused("VR-I7", Kit::roomy, [](EditedTrace& trace, Json& task) {
    Json& type = trace.of("ready", task)["type"];
    type = type == "cube" ? "vector" : "cube";
    return true;
  });
}

TEST(LifeRules, I9OneTaskAtATimePerCore) {
  // Sent to a core before that one has finished.
  expect_refused("VR-I9", Kit::independent, [](EditedTrace& trace, Json& task) {
    Json& dispatch = trace.of("dispatch", task);
    dispatch["t"] = time_of(*trace.before(dispatch));
    return true;
  });
  // On the core that runs another one.
  expect_refused("VR-I9", Kit::independent, [](EditedTrace& trace, Json& task) {
    Json& dispatch = trace.of("dispatch", task);
    const std::string core = dispatch["core"];
    if (!core.starts_with("aiv")) return false;
    for (const char* other : {"aiv0", "aiv1", "aiv2", "aiv3"}) {
      if (core == other) continue;
      EditedTrace moved(trace);
      moved.of("dispatch", task)["core"] = other;
      moved.of("ack", task)["thread"] = other;
      moved.of("fin", task)["thread"] = other;
      if (moved.broken() == std::set<std::string>{"VR-I9"}) {
        trace = moved;
        return true;
      }
    }
    return false;
  });
}

/// As early as the thread's event before allows: something that it waits for is later.
bool as_early_as_can_be(EditedTrace& trace, const char* event, const Json& task) {
  Json& line = trace.of(event, task);
  const Json* const before = trace.before(line);
  if (before == nullptr || time_of(*before) == time_of(line)) return false;
  line["t"] = time_of(*before);
  return true;
}

TEST(LifeRules, I17ConsumedAfterItsUsers) {
  expect_refused("VR-I17", Kit::roomy, [](EditedTrace& trace, Json& task) {
    return as_early_as_can_be(trace, "consume", task);
  });
}

/// Moves a line to a scheduler that was at work in [from, until).
bool move_into(EditedTrace& trace, Json& line, uint64_t from, uint64_t until) {
  Json moved = line;
  for (const Json& other : trace.lines()) {
    if (!other.contains("t") || !other["thread"].get<std::string>().starts_with("scheduler")) {
      continue;
    }
    if (time_of(other) < from || time_of(other) >= until) continue;
    moved["t"] = other["t"];
    moved["thread"] = other["thread"];
    trace.lines().erase(trace.lines().begin() + (&line - trace.lines().data()));
    trace.insert(moved);
    return true;
  }
  return false;
}

TEST(LifeRules, I17ConsumedAfterTheEndOfItsScope) {
  expect_refused("VR-I17", Kit::independent, [](EditedTrace& trace, Json& task) {
    const uint64_t end = time_of(*trace.events("scope_end").front());
    return move_into(trace, trace.of("consume", task), time_of(trace.of("fin", task)), end);
  });
}

TEST(LifeRules, I18ReclaimedAfterItsUsers) {
  expect_refused("VR-I18", Kit::roomy, [](EditedTrace& trace, Json& task) {
    Json& reclaim = trace.of("reclaim", task);
    return move_into(trace, reclaim, time_of(trace.of("ready", task)), time_of(reclaim));
  });
}

/// The two lines of a thread change places.
TEST(LifeRules, I18ReclaimedAfterItIsConsumed) {
  expect_refused("VR-I18", Kit::roomy, [](EditedTrace& trace, Json& task) {
    Json& consume = trace.of("consume", task);
    Json& reclaim = trace.of("reclaim", task);
    if (consume["thread"] != reclaim["thread"] || trace.before(reclaim) != &consume) return false;
    std::swap(consume["event"], reclaim["event"]);
    return true;
  });
}

TEST(LifeRules, I19ReclaimedInOrder) {
  expect_refused("VR-I19", Kit::roomy, [](EditedTrace& trace, Json& task) {
    const uint64_t number = task["task"];
    if (number == 0) return false;
    Json& own = trace.of("reclaim", task);
    Json& other = trace.of("reclaim", {{"ring", task["ring"]}, {"task", number - 1}});
    own["task"] = number - 1;
    other["task"] = number;
    return true;
  });
  // In a run that was given up, a task that is not reclaimed holds those behind it.
  expect_refused("VR-I19", Kit::roomy, [](EditedTrace& trace, Json& task) {
    trace.header()["error"] = "bad_submission";
    trace.header()["given_up"] = true;
    trace.of("reclaim", task)["event"] = "wait";
    return true;
  });
}

TEST(LifeRules, I20ScopesNest) {
  for (const char* field : {"depth", "scope"}) {
    expect_refused("VR-I20", Kit::roomy, [&](EditedTrace& trace, Json& task) {
      // One that nothing else hangs on: the last.
      task[field] = task[field].get<uint64_t>() + 1;
      return &task == trace.events("submit").back() || std::string(field) == "depth";
    });
    for (const char* event : {"scope_begin", "scope_end"}) {
      expect_refused("VR-I20", Kit::roomy, [&](EditedTrace& trace, Json& task) {
        for (Json* line : trace.events(event)) {
          if ((*line)["scope"] != task["scope"]) continue;
          if (std::string(field) == "depth") {
            (*line)["depth"] = 7;
          } else {
            (*line)["scope"] = 77;
          }
          return true;
        }
        return false;
      });
    }
  }
}

TEST(LifeRules, I21WaitsAreExplained) {
  const auto edit_wait = [](const char* resource, const std::function<bool(Json&)>& edit) -> Edit {
    return [=](EditedTrace& trace, Json& task) {
      for (Json* wait : trace.events("wait")) {
        if (wait->value("resource", "") != resource || (*wait)["task"] != task["task"]) continue;
        return edit(*wait);
      }
      return false;
    };
  };
  expect_refused("VR-I21", Kit::few_slots, edit_wait("TaskRing", [](Json& wait) {
                   wait["resource"] = "HeapRing";
                   wait["requested"] = 1024;
                   return true;
                 }));
  expect_refused("VR-I21", Kit::few_slots, edit_wait("TaskRing", [](Json& wait) {
                   wait["resource"] = "DepPool";
                   return true;
                 }));
  expect_refused("VR-I21", Kit::few_slots, edit_wait("TaskRing", [](Json& wait) {
                   wait["resource"] = "TensorMap";
                   return true;
                 }));
  expect_refused("VR-I21", Kit::few_slots, edit_wait("TaskRing", [](Json& wait) {
                   wait["task"] = wait["task"].get<uint64_t>() + 1;
                   return true;
                 }));
  expect_refused("VR-I21", Kit::small_heap, edit_wait("HeapRing", [](Json& wait) {
                   wait["requested"] = 0;
                   return true;
                 }));
  expect_refused("VR-I21", Kit::small_heap, edit_wait("HeapRing", [](Json& wait) {
                   wait["resource"] = "TaskRing";
                   return true;
                 }));
}

/// What the next task takes is there.
TEST(LifeRules, I21NobodyWaitsForBytesThatAreFree) {
  expect_line_refused("VR-I21", Kit::few_slots, "wait", [](EditedTrace& trace, Json& line) {
    if (!line.contains("resource")) return false;
    line["resource"] = "HeapRing";
    line["requested"] = trace.of("submit", Json(line))["heap"][1];
    return true;
  });
}

/// Who reclaims a task may tell of it as late as can be: what has come back by then is not known.
TEST(LifeRules, I21IsSilentAboutWhatMayNotHaveComeBack) {
  for (const Kit kit :
       {Kit::few_slots, Kit::small_heap, Kit::odd_buffers, Kit::few_nodes, Kit::pipes}) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      EditedTrace trace(kit, seed);
      for (Json* reclaim : trace.events("reclaim")) (*reclaim)["event"] = "wait";
      EXPECT_THAT(trace.broken(), testing::Not(testing::Contains("VR-I21")))
          << static_cast<int>(kit) << " seed " << seed;
    }
  }
}

/// The same, of those who reclaim the tasks from some number on.
TEST(LifeRules, I21IsSilentAboutTheLatestThatMayHaveComeBack) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    EditedTrace trace(Kit::odd_buffers, seed);
    const std::vector<Json*> reclaims = trace.events("reclaim");
    for (auto at = reclaims.rbegin(); at != reclaims.rend(); ++at) {
      (**at)["event"] = "wait";
      ASSERT_THAT(trace.broken(), testing::Not(testing::Contains("VR-I21")))
          << "seed " << seed << " without " << **at;
    }
  }
}

TEST(LifeRules, I22ExitIsLast) {
  expect_header_refused("VR-I22", Kit::independent, [](EditedTrace& trace) {
    // Of a core for which there was no task.
    std::erase_if(trace.lines(), [](const Json& line) {
      return line.contains("thread") && line["thread"] == "aic0";
    });
    trace.lines().back()["events"] = trace.lines().size() - 2;
  });
  expect_header_refused("VR-I22", Kit::roomy, [](EditedTrace& trace) {
    (*trace.events("exit").back())["event"] = "wait";
  });
  expect_header_refused("VR-I22", Kit::roomy, [](EditedTrace& trace) {
    for (Json* wait : trace.events("wait")) {
      if ((*wait)["thread"] == "aic0") return static_cast<void>((*wait)["event"] = "exit");
    }
  });
}

/// The one that the message names, and no other thread.
TEST(LifeRules, I22ALostCoreHasNoExit) {
  const auto broken_of = [](const char* error, const char* message) {
    EditedTrace trace(Kit::roomy);
    trace.header()["error"] = error;
    trace.header()["message"] = message;
    trace.header()["given_up"] = true;
    for (Json* exit : trace.events("exit")) {
      if ((*exit)["thread"] == "aic0") (*exit)["event"] = "wait";
    }
    return trace.broken();
  };
  const char* const message = "core aic0 does not answer: it was given task 1 of ring 0";
  EXPECT_THAT(broken_of("core_lost", message), testing::Not(testing::Contains("VR-I22")));
  EXPECT_THAT(broken_of("kernel_threw", message), testing::Contains("VR-I22"));
  for (const char* other : {"core aic1 does not answer", "core aic00 does not answer"}) {
    EXPECT_THAT(broken_of("core_lost", other), testing::Contains("VR-I22")) << other;
  }
}

TEST(LifeRules, I22ALostCoreThatLeavesWasNotLost) {
  EditedTrace trace(Kit::roomy);
  trace.header()["error"] = "core_lost";
  trace.header()["message"] = "core aic0 does not answer: it was given task 1 of ring 0";
  trace.header()["given_up"] = true;
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I22"});
}

TEST(Violations, CiteTwoEventsWithTheirLines) {
  EditedTrace trace(Kit::roomy);
  Json* const task = trace.events("submit").front();
  trace.of("consume", *task)["t"] = 0;
  for (const judging::Violation& violation : trace.verdict().violations) {
    if (violation.rule != "VR-I17") continue;
    EXPECT_EQ(trace.lines()[violation.line - 1]["event"], "consume");
    EXPECT_GT(violation.other_line, 1U);
    EXPECT_THAT(violation.text, testing::HasSubstr("of task 0 of ring 1"));
    EXPECT_THAT(violation.text, testing::HasSubstr("line " + std::to_string(violation.other_line)));
    return;
  }
  FAIL() << "VR-I17 says nothing";
}

TEST(Violations, AreCountedBeyondTheFirstOfEachRule) {
  EditedTrace trace(Kit::roomy);
  for (Json* ready : trace.events("ready")) {
    (*ready)["type"] = (*ready)["type"] == "cube" ? "vector" : "cube";
  }
  const judging::Verdict verdict = trace.verdict();
  EXPECT_EQ(verdict.violations.size(), judging::most_per_rule);
  EXPECT_EQ(verdict.more, trace.events("ready").size() - judging::most_per_rule);
}

}  // namespace
}  // namespace pto2::test
