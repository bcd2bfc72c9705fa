// VR-I28 to VR-I30, and what else is about who takes which step, and when.
#include <gmock/gmock.h>

#include <utility>

#include "runtime/run/error.hpp"
#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

/// The lines of the trace from a place on, one more.
void insert_at(EditedTrace& trace, std::ptrdiff_t place, const Json& line) {
  trace.lines().insert(trace.lines().begin() + place, line);
  trace.lines().back()["events"] = trace.lines().size() - 2;
}

std::ptrdiff_t place_of(EditedTrace& trace, const Json& line) {
  return &line - trace.lines().data();
}

/// Another thread takes the steps of an event.
void expect_thread_refused(const char* event, const char* thread) {
  SCOPED_TRACE(std::string(event) + " by " + thread);
  expect_line_refused("VR-I28", Kit::pipes, event, [thread](EditedTrace&, Json& line) {
    const bool other = line["thread"] != thread;
    line["thread"] = thread;
    return other;
  });
}

TEST(ThreadRules, I28TheOrchestratorsSteps) {
  for (const char* event : {"scope_begin", "scope_end", "allocate", "close", "join", "leftover"}) {
    expect_thread_refused(event, "scheduler0");
    expect_thread_refused(event, "aic0");
  }
}

TEST(ThreadRules, I28WhatCoresLeaveToOthers) {
  for (const char* event : {"ready", "consume", "reclaim", "give_back"}) {
    expect_thread_refused(event, "aiv1");
  }
}

TEST(ThreadRules, I28WhoSendsATaskLooksAtItsPipes) {
  for (const char* thread : {"orchestrator", "aic0", "scheduler0", "scheduler1"}) {
    expect_thread_refused("pipe", thread);
  }
}

TEST(ThreadRules, I28EachCoreHasItsScheduler) {
  for (const char* thread : {"orchestrator", "aic0", "scheduler0", "scheduler1"}) {
    SCOPED_TRACE(thread);
    expect_line_refused("VR-I28", Kit::independent, "dispatch", [thread](EditedTrace&, Json& line) {
      return std::exchange(line["thread"], thread) != thread;
    });
  }
}

/// Even if nobody else ever serves it.
TEST(ThreadRules, I28EachCoreHasTheSchedulerThatTheHeaderNames) {
  expect_header_refused("VR-I28", Kit::independent, [](EditedTrace& trace) {
    const Json& served = (*trace.events("dispatch").front())["core"];
    for (Json& core : trace.header()["cores"]) {
      Json& scheduler = core["scheduler"];
      if (core["name"] == served)
        scheduler = scheduler == "scheduler0" ? "scheduler1" : "scheduler0";
    }
  });
}

/// The version before does not name it.
TEST(ThreadRules, I28EachCoreOfAnOlderTraceHasOneScheduler) {
  EditedTrace trace(Kit::independent);
  trace.header()["schema"] = "pto2-trace/2";
  for (Json& core : trace.header()["cores"]) core.erase("scheduler");
  EXPECT_EQ(trace.broken(), std::set<std::string>());
  Json& thread = (*trace.events("dispatch").back())["thread"];
  thread = thread == "scheduler0" ? "scheduler1" : "scheduler0";
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I28"));
}

TEST(ThreadRules, I28ACoreClaimsNothingButParts) {
  expect_line_refused("VR-I28", Kit::independent, "dispatch", [](EditedTrace&, Json& line) {
    line["thread"] = line["core"];
    return true;
  });
}

TEST(ThreadRules, I28ASchedulerRunsItsOwnTasks) {
  EditedTrace trace(Kit::independent);
  Json& dispatch = *trace.events("dispatch").front();
  Json& task = trace.of("submit", Json(dispatch));
  const bool first = dispatch["thread"] == "scheduler0";
  task["type"] = trace.of("ready", Json(dispatch))["type"] = "ai_cpu";
  dispatch["core"] = first ? "cpu1" : "cpu0";
  trace.of("ack", Json(dispatch))["thread"] = first ? "scheduler1" : "scheduler0";
  trace.of("fin", Json(dispatch))["thread"] = first ? "scheduler1" : "scheduler0";
  EXPECT_THAT(trace.broken(), testing::Contains("VR-I28"));
}

TEST(ThreadRules, I28TheOrchestratorMakesReadyWhatItSubmits) {
  expect_line_refused("VR-I28", Kit::roomy, "ready", [](EditedTrace&, Json& line) {
    return std::exchange(line["thread"], "orchestrator") != "orchestrator";
  });
}

TEST(ThreadRules, I28ASchedulerMakesReadyWhatItCompletes) {
  for (const char* thread : {"scheduler0", "scheduler1"}) {
    SCOPED_TRACE(thread);
    expect_line_refused("VR-I28", Kit::pipes, "ready", [thread](EditedTrace&, Json& line) {
      return line["thread"] != "orchestrator" && std::exchange(line["thread"], thread) != thread;
    });
  }
}

TEST(ThreadRules, I1NobodyElseSubmits) {
  EditedTrace trace(Kit::roomy);
  for (Json* task : trace.events("submit")) (*task)["thread"] = "scheduler0";
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I1"});
}

TEST(ThreadRules, I9ACoreDoesNothingElseMeanwhile) {
  expect_line_refused("VR-I9", Kit::roomy, "ack", [](EditedTrace& trace, Json& line) {
    const Json wait = {{"t", line["t"]}, {"thread", line["thread"]}, {"event", "wait"}};
    insert_at(trace, place_of(trace, line) + 1, wait);
    return true;
  });
}

TEST(ThreadRules, I29AGroupIsClosedWithItsScope) {
  expect_line_refused("VR-I29", Kit::pipes, "close", [](EditedTrace& trace, Json& line) {
    // Behind the beginning of the next scope; by then its cluster has not come back.
    const std::ptrdiff_t place = place_of(trace, line);
    for (std::size_t i = static_cast<std::size_t>(place) + 1; i < trace.lines().size(); ++i) {
      const Json other = trace.lines()[i];
      if (other.value("event", "") == "give_back" && other["cluster"] == line["cluster"]) break;
      if (other.value("event", "") != "scope_begin") continue;
      Json late = line;
      late["t"] = other["t"];
      trace.lines().insert(trace.lines().begin() + static_cast<std::ptrdiff_t>(i) + 1, late);
      trace.lines().erase(trace.lines().begin() + place);
      return true;
    }
    return false;
  });
}

TEST(ThreadRules, I29AGroupBelongsToAScope) {
  EditedTrace trace(Kit::pipes);
  Json& begin = *trace.events("scope_begin").front();
  Json early = *trace.events("allocate").front();
  early["t"] = begin["t"];
  trace.lines().erase(trace.lines().begin() + place_of(trace, *trace.events("allocate").front()));
  insert_at(trace, place_of(trace, *trace.events("scope_begin").front()), early);
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I29"});
}

/// The last group is never closed, and its cluster never comes back.
TEST(ThreadRules, I29AlsoWhereTheRunIsGivenUp) {
  EditedTrace trace(Kit::pipes);
  trace.header()["error"] = "pipe_overflow";
  trace.header()["given_up"] = true;
  Json& close = *trace.events("close").back();
  Json* back = nullptr;
  for (Json* line : trace.events("give_back")) {
    if ((*line)["cluster"] == close["cluster"]) back = line;
  }
  ASSERT_NE(back, nullptr);
  (*back)["event"] = "wait";
  EXPECT_EQ(trace.broken(), std::set<std::string>());
  close["event"] = "wait";
  EXPECT_EQ(trace.broken(), std::set<std::string>{"VR-I29"});
}

/// The rule alone refuses an edit of the run that was given up.
void expect_deadlock_refused(const std::function<void(EditedTrace&)>& edit) {
  expect_header_refused("VR-I30", Kit::deadlock, edit);
}

TEST(OutcomeRules, I30RunsEndAsRunsCan) {
  expect_deadlock_refused([](EditedTrace& trace) { trace.header()["error"] = "bad_luck"; });
  expect_deadlock_refused([](EditedTrace& trace) { trace.header()["error"] = ""; });
}

/// The rules know the runtime's errors by their names alone.
TEST(OutcomeRules, I30ARunMayEndWithAnyErrorOfTheRuntime) {
  const auto expect_known = [](const std::string& error) {
    EditedTrace trace(Kit::deadlock);
    trace.header()["error"] = error;
    trace.header()["given_up"] = outcome_called(error)->ends_early;
    for (const judging::Violation& violation : trace.verdict().violations) {
      EXPECT_THAT(violation.text, testing::Not(testing::HasSubstr("no run ends with")));
    }
  };
  for (const OutcomeRow& row : outcome_table()) {
    if (row.leaves_trace) expect_known(row.name);
  }
}

/// Nobody has written one when the process had ended.
TEST(OutcomeRules, I30ARunWhoseProcessEndsLeavesNoTrace) {
  for (const ErrorCode end :
       {ErrorCode::crashed, ErrorCode::exited, ErrorCode::runtime_crashed, ErrorCode::killed}) {
    expect_deadlock_refused(
        [end](EditedTrace& trace) { trace.header()["error"] = error_name(end); });
  }
}

TEST(OutcomeRules, I30SomebodyWaitsInADeadlock) {
  expect_deadlock_refused([](EditedTrace& trace) {
    Json& wait = *[&] {
      Json* last = nullptr;
      for (Json* line : trace.events("wait")) last = line->contains("resource") ? line : last;
      return last;
    }();
    for (const char* field : {"ring", "task", "resource", "requested"}) wait.erase(field);
  });
}

TEST(OutcomeRules, I30ForTheResourceOfTheDeadlock) {
  for (const char* error : {"cluster_deadlock", "heap_ring_deadlock", "dependency_pool_overflow",
                            "tensormap_overflow"}) {
    SCOPED_TRACE(error);
    expect_deadlock_refused([error](EditedTrace& trace) { trace.header()["error"] = error; });
  }
}

TEST(OutcomeRules, I30WhichIsStillLacking) {
  expect_deadlock_refused([](EditedTrace& trace) {
    // Whoever waits need not know of what came back; in the end it has to.
    trace.header()["weak_memory"] = true;
    trace.header()["rings"][1]["window"] = 16;
  });
}

/// What was waited for has come back, and a submission looks for something else behind it. It looks
/// for no cluster.
TEST(OutcomeRules, I30OrForOneThatComesBehindIt) {
  const auto broken_by = [](const char* error) {
    EditedTrace trace(Kit::deadlock);
    trace.header()["weak_memory"] = true;
    trace.header()["rings"][1]["window"] = 16;
    trace.header()["error"] = error;
    return trace.broken();
  };
  EXPECT_EQ(broken_by("heap_ring_deadlock"), std::set<std::string>());
  EXPECT_EQ(broken_by("cluster_deadlock"), std::set<std::string>{"VR-I30"});
}

TEST(OutcomeRules, I30NobodyWaitsWhoseCallWasWrong) {
  for (const char* error : {"bad_submission", "orchestration_threw"}) {
    expect_deadlock_refused([error](EditedTrace& trace) { trace.header()["error"] = error; });
  }
}

TEST(OutcomeRules, I30EverythingHasFinishedInADeadlock) {
  expect_refused("VR-I30", Kit::deadlock, [](EditedTrace& trace, Json& task) {
    if (&task != trace.events("submit").back()) return false;
    for (const char* event : {"dispatch", "ack", "fin"}) trace.of(event, task)["event"] = "wait";
    return true;
  });
}

TEST(WaitRules, I21NothingComesInBetween) {
  expect_line_refused("VR-I21", Kit::small_heap, "wait", [](EditedTrace& trace, Json& line) {
    // The scope begins, for whose first task it waits.
    Json* const before = trace.before(line);
    if (!line.contains("resource") || (*before)["event"] != "scope_begin") return false;
    std::swap(line["t"], (*before)["t"]);
    std::swap(line, *before);
    return true;
  });
}

TEST(WaitRules, I21WhatWasWaitedForIsTaken) {
  const auto request = [](int64_t difference) {
    return [difference](EditedTrace&, Json& line) {
      if (!line.contains("requested")) return false;
      line["requested"] = line["requested"].get<int64_t>() + difference;
      return true;
    };
  };
  expect_line_refused("VR-I21", Kit::few_slots, "wait", request(1));
  expect_line_refused("VR-I21", Kit::small_heap, "wait", request(1024));
  expect_line_refused("VR-I21", Kit::small_heap, "wait", request(-1));
  expect_line_refused("VR-I21", Kit::pipes, "wait", request(1));
  // Of nodes it may take fewer.
  expect_line_refused("VR-I21", Kit::few_nodes, "wait", request(-1));
}

}  // namespace
}  // namespace pto2::test
