// pto2 run --trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct Trace {
  Json header;
  std::vector<Json> events;
  Json end;
};

Trace parse(const std::string& text) {
  Trace trace;
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  EXPECT_GE(lines.size(), 2U);
  trace.header = lines.front();
  trace.end = lines.back();
  trace.events.assign(lines.begin() + 1, lines.end() - 1);
  return trace;
}

Trace trace_of(Strings arguments, int code = 0) {
  const TemporaryFolder folder;
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--trace", folder.path("trace.jsonl")});
  const Outcome outcome = pto2(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return parse(read_text(folder.path("trace.jsonl")));
}

/// Each task has each event once, in the order of its life but for what two threads may swap.
void expect_complete(const Trace& trace, std::size_t tasks) {
  using Key = std::tuple<int, int, std::string>;
  std::map<Key, uint64_t> at;
  uint64_t last = 0;
  for (const Json& event : trace.events) {
    EXPECT_GE(event["t"], last);
    last = event["t"];
    if (event["event"] == "wait" || !event.contains("task")) continue;
    const Key key{event["ring"], event["task"], event["event"]};
    EXPECT_TRUE(at.emplace(key, last).second) << event;
  }
  EXPECT_EQ(at.size(), 7 * tasks);
  for (const auto& [key, time] : at) {
    const auto& [ring, task, event] = key;
    if (event != "submit") continue;
    const auto when = [&, r = ring, t = task](const char* name) { return at.at(Key{r, t, name}); };
    EXPECT_LE(when("ready"), when("dispatch"));
    EXPECT_LE(when("dispatch"), when("ack"));
    EXPECT_LE(when("ack"), when("fin"));
    EXPECT_LE(when("fin"), when("consume"));
    EXPECT_LE(when("fin"), when("reclaim"));  // whoever reclaims need not be who says consume
  }
}

TEST(Trace, OnStdoutIsAloneThere) {
  const Outcome outcome = pto2({"run", "vector_example", "--trace", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_complete(parse(outcome.out), 5);
}

TEST(Trace, HasEveryEventOfEveryTaskOnce) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Trace trace =
        trace_of({"paged_attention", "--case", "CaseVarSeq4", "--executor", executor});
    expect_complete(trace, 33);
    EXPECT_EQ(trace.header["schema"], "pto2-trace/3");
    EXPECT_EQ(trace.header["tasks"], 33);
    EXPECT_EQ(trace.header["executor"], executor);
    EXPECT_EQ(trace.header["clock"], std::string(executor) == "seeded" ? "points" : "ns");
    EXPECT_EQ(trace.header["kernels"]["0"], "qk");
    EXPECT_EQ(trace.header["threads"].size(), 76U);
    EXPECT_EQ(trace.end["events"], trace.events.size());
    EXPECT_EQ(trace.end["dropped"], 0);
  }
}

/// The strategies of simulations, but for the first on weak memory; and each seed has its schedule.
TEST(Trace, OfASimulationSaysWhatItSimulates) {
  for (const std::string executor : {"seeded", "random", "pct", "bursts"}) {
    const auto with_seed = [&](const char* seed) {
      return trace_of({"vector_example", "--blocks", "2", "--executor", executor, "--seed", seed});
    };
    const Trace trace = with_seed("7");
    expect_complete(trace, 5);
    EXPECT_EQ(trace.header["clock"], "points");
    EXPECT_EQ(trace.header["seed"], 7);
    EXPECT_EQ(trace.header.value("weak_memory", false), executor != "seeded") << executor;
    EXPECT_EQ(with_seed("7").events, trace.events) << executor;
    EXPECT_NE(with_seed("8").events, trace.events) << executor;
  }
}

/// As in all programs that draw schedules, kernels end last under some seeds.
TEST(Trace, OfASimulationHasTheScheduleOfItsSeed) {
  std::set<bool> seen;
  for (int seed = 1; seed <= 12; ++seed) {
    const Trace trace = trace_of({"vector_example", "--blocks", "1", "--executor", "seeded",
                                  "--seed", std::to_string(seed)});
    seen.insert(trace.header.value("kernels_last", false));
  }
  EXPECT_EQ(seen, (std::set<bool>{false, true}));
}

TEST(Trace, DetailsHaveNames) {
  const Trace trace = trace_of({"paged_attention"});
  std::set<std::string> used;
  for (const Json& event : trace.events) {
    if (event["event"] == "submit") {
      EXPECT_EQ(event["thread"], "orchestrator");
      used.insert(std::to_string(event["kernel"].get<int>()));
    }
    if (event["event"] == "dispatch") {
      EXPECT_THAT(event["core"], testing::MatchesRegex("ai[cv][0-9]+"));
    }
  }
  std::set<std::string> known;
  for (const auto& kernel : trace.header["kernels"].items()) known.insert(kernel.key());
  EXPECT_EQ(used, known) << "each kernel has tasks, and no other";
  // The core that takes a task is of the type that the task needs.
  std::map<int, std::string> type;
  for (const Json& event : trace.events) {
    if (event["event"] == "ready") type[event["task"]] = event["type"];
    if (event["event"] == "ack") {
      const bool cube = event["thread"].get<std::string>().starts_with("aic");
      EXPECT_EQ(type[event["task"]], cube ? "cube" : "vector") << event;
    }
  }
  // The core that took a task is the one that it was sent to.
  std::map<int, std::string> sent;
  for (const Json& event : trace.events) {
    if (event["event"] == "dispatch") sent[event["task"]] = event["core"];
    if (event["event"] == "ack") {
      EXPECT_EQ(sent[event["task"]], event["thread"].get<std::string>());
    }
  }
}

TEST(Trace, WaitsNameTheResource) {
  const Trace trace = trace_of({"paged_attention", "--case", "CaseBatch256", "--window", "16"});
  expect_complete(trace, 208);
  const auto waits = std::count_if(trace.events.begin(), trace.events.end(), [](const Json& event) {
    return event["event"] == "wait" && event.value("resource", "") == "TaskRing";
  });
  EXPECT_GT(waits, 0);
}

TEST(Trace, EveryThreadSaysWhenItWaits) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Trace trace = trace_of({"paged_attention", "--executor", executor});
    std::set<std::string> waiting;
    for (const Json& event : trace.events) {
      if (event["event"] == "wait" && !event.contains("task")) waiting.insert(event["thread"]);
    }
    const auto& threads = trace.header["threads"];
    EXPECT_EQ(waiting, std::set<std::string>(threads.begin(), threads.end())) << executor;
  }
}

TEST(Trace, EndsEveryThreadWithItsExit) {
  for (const char* executor : {"packed", "threads", "seeded"}) {
    const Trace trace = trace_of({"paged_attention", "--executor", executor});
    std::map<std::string, std::vector<std::string>> events;
    for (const Json& event : trace.events) events[event["thread"]].push_back(event["event"]);
    EXPECT_EQ(events.size(), trace.header["threads"].size());
    for (const auto& [thread, names] : events) {
      EXPECT_EQ(names.back(), "exit") << thread;
      EXPECT_EQ(std::count(names.begin(), names.end(), "exit"), 1) << thread;
    }
  }
}

TEST(Trace, IsWrittenForAFaultToo) {
  const Trace trace = trace_of({"paged_attention", "--case", "CaseBatch256", "--window", "8"}, 5);
  EXPECT_EQ(trace.header["error"], "flow_control_deadlock");
  EXPECT_FALSE(trace.events.empty());
}

/// Hardware traces count from their first event; points of a schedule stay as they are.
TEST(Trace, BeginsAtZeroUnlessTicksArePoints) {
  EXPECT_EQ(trace_of({"vector_example"}).events.front()["t"], 0);
  uint64_t latest = 0;
  for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    const Trace trace = trace_of({"vector_example", "--executor", "seeded", "--seed", seed});
    latest = std::max(latest, trace.events.front()["t"].get<uint64_t>());
  }
  EXPECT_GT(latest, 0u) << "no schedule is that lucky eight times";
}

TEST(Trace, FollowsFromTheSeed) {
  const TemporaryFolder folder;
  const auto run = [&](const char* seed) {
    const Outcome outcome = pto2({"run", "paged_attention", "--case", "Case3", "--executor",
                                  "seeded", "--seed", seed, "--trace", folder.path("t")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return read_text(folder.path("t"));
  };
  const std::string first = run("17");
  EXPECT_EQ(first, run("17"));
  EXPECT_NE(first, run("18"));
}

TEST(Trace, FullBuffersAreSaid) {
  const TemporaryFolder folder;
  // One schedule, so that the same happens in both runs.
  const auto run = [&](const char* room, const char* repeat) {
    return pto2({"run", "paged_attention", "--executor", "seeded", "--seed", "5", "--trace-events",
                 room, "--trace", folder.path("t"), "--repeat", repeat, "--quiet", "--json",
                 folder.path("j")});
  };
  const auto expect_warned = [&](std::size_t events) {
    const std::string warning = std::to_string(events) +
                                " events found their buffer full, so that not all was judged; use "
                                "--trace-events";
    EXPECT_EQ(Json::parse(read_text(folder.path("j")))["warnings"], Json({warning}));
  };
  const Outcome enough = run("64K", "1");
  EXPECT_EQ(enough.code, 0) << enough.err;
  EXPECT_EQ(enough.err, "");
  EXPECT_FALSE(Json::parse(read_text(folder.path("j"))).contains("warnings"));
  const Trace complete = parse(read_text(folder.path("t")));
  EXPECT_EQ(complete.end["dropped"], 0);

  const Outcome outcome = run("2", "1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Trace trace = parse(read_text(folder.path("t")));
  const auto dropped = trace.end["dropped"].get<std::size_t>();
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(trace.end["events"], trace.events.size());
  EXPECT_EQ(trace.events.size() + dropped, complete.events.size());
  expect_warned(dropped);
  std::map<std::string, int> kept;
  for (const Json& event : trace.events) ++kept[event["thread"]];
  for (const auto& [thread, events] : kept) EXPECT_LE(events, 2) << thread;
  EXPECT_EQ(run("2", "3").code, 0);
  expect_warned(3 * dropped);
}

/// On stdout it leaves no room for the text that has the warning.
TEST(Trace, FullBuffersAreSaidBesideATraceOnStdout) {
  const Outcome outcome = pto2({"run", "vector_example", "--trace-events", "2", "--trace", "-"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("pto2: warning: "));
  EXPECT_THAT(outcome.err, HasSubstr("events found their buffer full"));
  const Outcome quiet =
      pto2({"run", "vector_example", "--trace-events", "2", "--trace", "-", "--quiet"});
  EXPECT_EQ(quiet.err, "");
}

/// Their number is no setting of a run without a trace, unless a file has it for all runs.
TEST(Trace, EventsAreOfATrace) {
  const TemporaryFolder folder;
  const Outcome refused = pto2({"run", "vector_example", "--trace-events", "64"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--trace-events needs --trace"));
  const std::string file = folder.file("c.toml", "trace-events = 64");
  EXPECT_EQ(pto2({"run", "vector_example", "--config", file}).code, 0);
}

TEST(Trace, SubmissionsSayWhatTheTaskIs) {
  const Trace trace = trace_of({"vector_example", "--executor", "seeded", "--seed", "3"});
  std::vector<Json> tasks;
  for (const Json& event : trace.events) {
    if (event["event"] == "submit") tasks.push_back(event);
  }
  ASSERT_EQ(tasks.size(), 5U);
  EXPECT_EQ(tasks[0]["type"], "vector");
  EXPECT_EQ(tasks[0]["scope"], 0);
  EXPECT_EQ(tasks[0]["heap"], Json({0, 65536}));
  EXPECT_EQ(tasks[0]["producers"], Json::array());
  EXPECT_EQ(tasks[0]["cluster"], -1);
  EXPECT_EQ(tasks[0]["group"], -1);
  EXPECT_EQ(tasks[0]["block_dim"], 0);
  const Json read = {{"dir", "in"}, {"external", 1},  {"base", 0},    {"element", 4},
                     {"origin", 0}, {"strides", {1}}, {"start", {0}}, {"extent", {16384}}};
  EXPECT_EQ(tasks[0]["params"][1], read);
  // The second task of the nested scope: c from the outer one, and a buffer and a scalar of its
  // own.
  const Json& inner = tasks[2];
  EXPECT_EQ(inner["scope"], 1);
  EXPECT_EQ(inner["depth"], 1);
  EXPECT_EQ(inner["heap"], Json({65536, 65536}));
  EXPECT_EQ(inner["nodes"], Json({2, 1}));
  EXPECT_EQ(inner["producers"][0][0], 0);
  EXPECT_EQ(inner["producers"][0][1], 0);
  EXPECT_EQ(inner["params"][0]["owner"], Json({0, 0}));
  EXPECT_EQ(inner["params"][1]["owner"], Json({1, 1}));
  EXPECT_EQ(inner["params"][1]["base"], 65536);
  EXPECT_EQ(inner["params"][2], Json({{"dir", "scalar"}}));
}

TEST(Trace, HeaderDescribesChipAndRings) {
  const Trace trace =
      trace_of({"paged_attention", "--blocks", "2", "--schedulers", "1", "--window", "32"});
  const Json& cores = trace.header["cores"];
  ASSERT_EQ(cores.size(), 7U);
  EXPECT_EQ(
      cores[1],
      Json({{"name", "aic1"}, {"type", "cube"}, {"cluster", 1}, {"scheduler", "scheduler0"}}));
  EXPECT_EQ(
      cores[4],
      Json({{"name", "aiv2"}, {"type", "vector"}, {"cluster", 1}, {"scheduler", "scheduler0"}}));
  EXPECT_EQ(cores[6], Json({{"name", "cpu0"},
                            {"type", "ai_cpu"},
                            {"cluster", -1},
                            {"thread", "scheduler0"},
                            {"scheduler", "scheduler0"}}));
  ASSERT_EQ(trace.header["rings"].size(), 4U);
  EXPECT_EQ(trace.header["rings"][3]["window"], 32);
  EXPECT_EQ(trace.header["rings"][3]["dep_pool"], 65536);
  EXPECT_EQ(trace.header["given_up"], false);
}

TEST(Trace, ScopesOpenAndClose) {
  const Trace trace = trace_of({"paged_attention_seq", "--case", "TaskRingNested"});
  std::vector<uint64_t> open;
  uint64_t begun = 0;
  for (const Json& event : trace.events) {
    if (event["event"] == "submit") {
      EXPECT_EQ(event["scope"], open.back());
    }
    if (event["event"] == "scope_begin") {
      EXPECT_EQ(event["depth"], open.size());
      EXPECT_EQ(event["scope"], begun);
      open.push_back(begun++);
    } else if (event["event"] == "scope_end") {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(event["scope"], open.back());
      open.pop_back();
      EXPECT_EQ(event["depth"], open.size());
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_GT(begun, 64U);
}

TEST(Trace, OfTheLastRepetitionAlone) {
  expect_complete(trace_of({"paged_attention", "--repeat", "3"}), 13);
}

}  // namespace
}  // namespace pto2::test
