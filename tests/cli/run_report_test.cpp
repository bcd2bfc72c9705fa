#include "runtime/cli/run_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/cli/run_exit_code.hpp"
#include "tests/cli/given_settings.hpp"

namespace pto2::cli {
namespace {

using testing::HasSubstr;

/// A report in which no two numbers are equal.
class RunReportOf : public testing::Test {
 protected:
  RunReportOf() {
    report.settings = &settings;
    report.config = settings.device_config();
    report.team = executors::TeamOptions{};
    report.repetitions = 3;
    report.wall_s = 0.25;
    report.verdict = "pass";
    report.result.tasks = 1000;
    report.result.edges_linked = 20;
    report.result.edges_early = 3;
    report.result.dispatches = 4;
    report.result.loans = 44;
    report.result.acks = 5;
    report.result.fins = 6;
    report.result.steals = 7;
    report.result.cas_retries = 8;
    report.result.waits = 9;
    report.result.peak_window = 10;
    report.result.slots_recycled = 11;
    report.result.host_threads = 12;
    report.result.kernel_ticks = 1'500'000'000;
  }

  Settings settings = given({{"workload", "vector_example"},
                             {"window", "64"},
                             {"dep-pool", "32"},
                             {"heap", "2M"},
                             {"tensormap-pool", "128"},
                             {"shards", "4"},
                             {"rings", "3"},
                             {"blocks", "6"},
                             {"schedulers", "2"},
                             {"accelerators", "3"},
                             {"fan-out", "lock"},
                             {"input-seed", "77"}});
  RunReport report;
};

TEST_F(RunReportOf, HasEachCountUnderItsName) {
  const auto json = nlohmann::json::parse(to_json(report));
  const std::map<std::string, uint64_t> counts = {
      {"tasks", 1000},        {"edges_linked", 20}, {"edges_early", 3},  {"dispatches", 4},
      {"loans", 44},          {"acks", 5},          {"fins", 6},         {"steals", 7},
      {"cas_retries", 8},     {"waits", 9},         {"peak_window", 10}, {"repeat", 3},
      {"slots_recycled", 11}, {"host_threads", 12}};
  for (const auto& [name, count] : counts) EXPECT_EQ(json[name], count) << name;
  EXPECT_DOUBLE_EQ(json["wall_s"], 0.25);
  EXPECT_DOUBLE_EQ(json["kernel_s"], 1.5);
  EXPECT_DOUBLE_EQ(json["ns_per_task"], 250'000);
}

TEST_F(RunReportOf, TellsHowItsGraphWasUsed) {
  const auto run_of = [](GraphUse::Kind kind, uint64_t wall_ns, const char* reason = "") {
    RunResult result;
    result.graph = {kind, 7, reason};
    result.wall_ns = wall_ns;
    return result;
  };
  report.graph.emplace();
  report.graph->add(run_of(GraphUse::Kind::recorded, 9'000'000'000));
  report.graph->add(run_of(GraphUse::Kind::replayed, 2'000'000'000));
  EXPECT_THAT(to_text(report), HasSubstr("1 recorded, 1 replayed (median 2"));
  report.graph->add(run_of(GraphUse::Kind::left, 8'000'000'000, "another call"));
  report.graph->add(run_of(GraphUse::Kind::none, 8'000'000'000));
  report.graph->add(run_of(GraphUse::Kind::replayed, 3'000'000'000));
  report.graph->add(run_of(GraphUse::Kind::replayed, 4'000'000'000));
  const auto graph = nlohmann::json::parse(to_json(report))["graph"];
  EXPECT_EQ(graph["recorded"], 1);
  EXPECT_EQ(graph["replayed"], 3);
  EXPECT_EQ(graph["left"], 1);
  EXPECT_EQ(graph["refused"], 0);
  EXPECT_DOUBLE_EQ(graph["replayed_wall_s"], 3);
  EXPECT_EQ(graph["reason"], "another call");
  EXPECT_THAT(to_text(report), HasSubstr(", 1 left: another call"));
}

TEST_F(RunReportOf, HasTheConfigurationOfTheDevice) {
  const auto config = nlohmann::json::parse(to_json(report))["config"];
  const std::map<std::string, uint64_t> numbers = {
      {"window", 64},      {"heap", 2 << 20}, {"dep_pool", 32}, {"tensormap_pool", 128},
      {"shards", 4},       {"rings", 3},      {"blocks", 6},    {"schedulers", 2},
      {"accelerators", 3}, {"input_seed", 77}};
  for (const auto& [name, number] : numbers) EXPECT_EQ(config[name], number) << name;
  EXPECT_EQ(config["fan_out"], "lock");
  report.config.fan_out = FanOutKind::word;
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["config"]["fan_out"], "word");
}

TEST_F(RunReportOf, HasTheSettingsOfItsExecutor) {
  using executors::Executor;
  report.team = executors::TeamOptions{.executor = Executor::packed, .host_threads = 5};
  const auto config = [&] { return nlohmann::json::parse(to_json(report))["config"]; };
  EXPECT_EQ(config()["host_threads"], 5);
  EXPECT_EQ(config()["deadline"], 60);
  EXPECT_FALSE(config().contains("seed"));
  report.team = executors::TeamOptions{.executor = Executor::threads, .host_threads = 5};
  EXPECT_FALSE(config().contains("host_threads"));
  EXPECT_EQ(config()["deadline"], 60);
  report.team = executors::SeededOptions{.seed = 5};
  EXPECT_FALSE(config().contains("host_threads"));
  EXPECT_EQ(config()["deadline"], 60);
  EXPECT_EQ(config()["seed"], 5);
}

/// Of `chip` docs/RESULT.md says that there is more.
TEST_F(RunReportOf, NamesSettingsAsTheyAreGiven) {
  std::set<std::string> names{"chip"};
  for (const SettingSpec& spec : setting_specs()) {
    std::string name = spec.name;
    std::ranges::replace(name, '-', '_');
    names.insert(name);
  }
  for (const executors::Executor executor :
       {executors::Executor::packed, executors::Executor::threads}) {
    report.team = executors::TeamOptions{.executor = executor};
    for (const auto& [key, value] : nlohmann::json::parse(to_json(report))["config"].items()) {
      EXPECT_TRUE(names.contains(key)) << key;
    }
  }
}

TEST_F(RunReportOf, SaysItInLinesToo) {
  const std::string text = to_text(report);
  for (const char* line :
       {"tasks           1000, 23 edges\n", "wall time       250.000 ms, median of 3\n",
        "kernel time     1.500 s over all cores\n", "per task        250000 ns\n",
        "host threads    12\n", "peak window     10 of 64 slots\n", "slots recycled  11\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  report.wall_s = 12e-6;
  report.repetitions = 1;
  EXPECT_THAT(to_text(report), HasSubstr("wall time       12.0 us\n"));
  report.repetitions = 5;
  for (const char* verdict : {"fail", "fault", "interrupted"}) {
    report.verdict = verdict;
    EXPECT_THAT(to_text(report), HasSubstr("wall time       12.0 us, the last of 5\n"));
  }
  report.verdict = "inconclusive";
  EXPECT_THAT(to_text(report), HasSubstr("wall time       12.0 us, median of 5\n"));
}

TEST_F(RunReportOf, WarnsOfGraphsThatLackSomething) {
  EXPECT_THAT(to_text(report), Not(HasSubstr("warning")));
  EXPECT_FALSE(nlohmann::json::parse(to_json(report)).contains("warnings"));
  report.result.tasks = 0;
  report.result.open_scopes = 2;
  const std::vector<std::string> warnings = {
      "the orchestration submitted no task",
      "scopes that the orchestration left open: 2; they ended with it, use PTO2_SCOPE"};
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["warnings"], warnings);
  for (const std::string& warning : warnings) {
    EXPECT_THAT(to_text(report), HasSubstr("warning         " + warning + "\n"));
  }
  report.result.error.code = ErrorCode::bad_submission;
  EXPECT_THAT(to_text(report), Not(HasSubstr("warning"))) << "the graph was cut short";
}

/// A run that was given up should have been judged, too.
TEST_F(RunReportOf, WarnsOfEventsThatAreMissing) {
  report.dropped = 7;
  for (const ErrorCode code : {ErrorCode::ok, ErrorCode::bad_submission}) {
    report.result.error.code = code;
    EXPECT_THAT(to_text(report), HasSubstr("warning         7 events found their buffer full"));
  }
}

TEST_F(RunReportOf, HasItsOutcomeAndWhatWasExpected) {
  EXPECT_TRUE(nlohmann::json::parse(to_json(report))["expected"].is_null());
  EXPECT_THAT(to_text(report), Not(HasSubstr("expected")));
  report.expected = "heap_ring_deadlock";
  auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["outcome"], "pass");
  EXPECT_EQ(json["expected"], "heap_ring_deadlock");
  EXPECT_THAT(to_text(report), HasSubstr("expected        heap_ring_deadlock, which it is not\n"));
  report.verdict = "fault";
  report.detail = "heap_ring_deadlock";
  json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["outcome"], "heap_ring_deadlock");
  EXPECT_EQ(json["verdict"], "fault");
  EXPECT_THAT(to_text(report), HasSubstr("expected        heap_ring_deadlock\n"));
}

TEST_F(RunReportOf, OfSeveralCasesPassesIfEachEndedAsExpected) {
  std::vector<RunReport> reports = {report, report};
  reports[0].expected = "pass";
  reports[1].expected = "tensormap_overflow";
  reports[1].verdict = "fault";
  reports[1].detail = "tensormap_overflow";
  EXPECT_EQ(to_line(reports[0]), "ok    Case1              250.000 ms pass\n");
  EXPECT_EQ(to_line(reports[1]), "ok    Case1              250.000 ms tensormap_overflow\n");
  auto json = nlohmann::json::parse(to_json(std::span<const RunReport>(reports)));
  EXPECT_EQ(json["schema"], "pto2-run-all/1");
  EXPECT_EQ(json["workload"], "vector_example");
  EXPECT_EQ(json["verdict"], "pass");
  ASSERT_EQ(json["cases"].size(), 2U);
  auto alone = nlohmann::json::parse(to_json(reports[0]));
  alone["peak_rss_bytes"] = json["cases"][0]["peak_rss_bytes"];  // of the process, which grows
  EXPECT_EQ(json["cases"][0], alone);
  for (const std::size_t wrong : {0U, 1U}) {
    auto others = reports;
    others[wrong].expected = "heap_ring_deadlock";
    json = nlohmann::json::parse(to_json(std::span<const RunReport>(others)));
    EXPECT_EQ(json["verdict"], "fail") << wrong;
    EXPECT_THAT(to_line(others[wrong]),
                testing::MatchesRegex("wrong Case1 .*, expected heap_ring_deadlock\n"));
  }
}

TEST_F(RunReportOf, ACaseThatCannotBeMadeHasNoCounts) {
  report.expected = "pass";
  RunReport refused = error_report(settings, CliError(exit_bad_input, "out of memory; buy some"));
  refused.expected = "pass";
  EXPECT_EQ(to_line(refused), "wrong Case1              -          error, expected pass\n");
  const std::vector<RunReport> reports = {report, refused, report};
  const auto json = nlohmann::json::parse(to_json(std::span<const RunReport>(reports)));
  EXPECT_EQ(json["verdict"], "error");
  const auto& error = json["cases"][1];
  EXPECT_EQ(error["verdict"], "error");
  EXPECT_EQ(error["outcome"], "error");
  EXPECT_EQ(error["expected"], "pass");
  EXPECT_EQ(error["detail"], "out of memory; buy some");
  EXPECT_EQ(error["config"]["window"], 64);
  for (const char* field : {"tasks", "repeat", "wall_s", "peak_rss_bytes", "fins"}) {
    EXPECT_TRUE(error[field].is_null()) << field;
  }
}

TEST_F(RunReportOf, ACaseThatCannotBeMadeHasTheCodeOfItsError) {
  for (const ExitCode code : {exit_usage, exit_bad_input, exit_our_bug}) {
    RunReport refused = error_report(settings, CliError(code, "no"));
    refused.expected = "pass";
    EXPECT_EQ(exit_code(refused), code);
  }
}

/// What is wrong comes before what is not known yet.
TEST_F(RunReportOf, OfSeveralCasesIsInterruptedOnlyIfNothingWasWrong) {
  RunReport interrupted = report;
  interrupted.verdict = "interrupted";
  report.expected = interrupted.expected = "pass";
  RunReport wrong = report;
  wrong.verdict = "fail";
  const RunReport refused = error_report(settings, CliError(exit_bad_input, "no"));
  const auto verdict_of = [](const std::vector<RunReport>& reports) {
    return nlohmann::json::parse(to_json(std::span<const RunReport>(reports)))["verdict"];
  };
  EXPECT_EQ(verdict_of({report, interrupted}), "interrupted");
  EXPECT_EQ(verdict_of({wrong, interrupted}), "fail");
  EXPECT_EQ(verdict_of({refused, interrupted}), "error");
  EXPECT_EQ(verdict_of({wrong, refused, interrupted}), "error");
}

TEST_F(RunReportOf, ASimulationHasNoKernelTime) {
  report.team = executors::SeededOptions{.seed = 5};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_TRUE(json["kernel_s"].is_null());
  EXPECT_EQ(json["config"]["seed"], 5);
  EXPECT_THAT(to_text(report), Not(HasSubstr("kernel time")));
}

}  // namespace
}  // namespace pto2::cli
