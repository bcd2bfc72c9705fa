// `pto2 stress` as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Stress, ListsItsUnits) {
  const Outcome all = pto2({"stress", "--list"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("graphs/clustered/threads\n"));
  EXPECT_THAT(all.out, HasSubstr("scenarios/watermark/two_advancers"));
  EXPECT_THAT(all.out, HasSubstr("workloads/paged_attention:"));
  const Outcome some = pto2({"stress", "graphs/plain/", "--executor", "packed", "--list"});
  EXPECT_EQ(some.out, "graphs/plain/packed\n");
  const Outcome other = pto2({"stress", "workloads/paged_attention:Case3/packed", "--list"});
  EXPECT_EQ(other.out, "workloads/paged_attention:Case3/packed\n");
}

TEST(Stress, RunsAScenarioAndGraphsWithNoise) {
  const Outcome outcome = pto2({"stress", "graphs/plain/", "--runs", "3", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json.at("noise"), "all");
  ASSERT_EQ(json.at("units").size(), 2U);
  EXPECT_EQ(json.at("units").at(0).at("runs"), 3);
  EXPECT_EQ(json.at("units").at(0).at("last_seed"), 3);
  const Outcome scenario = pto2({"stress", "scenarios/watermark/two_advancers", "--runs", "20"});
  EXPECT_EQ(scenario.code, 0) << scenario.err;
  EXPECT_THAT(scenario.out, HasSubstr("20 runs"));
}

TEST(Stress, TasksAreSharedByTheUnits) {
  const auto json =
      pto2({"stress", "graphs/plain/", "--tasks", "400", "--noise", "none", "--json", "-"}).json();
  ASSERT_EQ(json.at("units").size(), 2U);
  for (const auto& unit : json.at("units")) {
    EXPECT_GE(unit.at("tasks"), 200);
    EXPECT_LT(unit.at("tasks"), 400);
  }
}

/// Each takes its share at least, and not one of them the whole.
TEST(Stress, SecondsAreSharedByTheUnits) {
  const auto json = pto2({"stress", "graphs/", "--seconds", "1.6", "--json", "-"}).json();
  ASSERT_EQ(json.at("units").size(), 8U);
  double least = 1.6;
  for (const auto& unit : json.at("units")) {
    EXPECT_GE(unit.at("wall_s"), 0.2) << unit.at("name");
    least = std::min<double>(least, unit.at("wall_s"));
  }
  EXPECT_LT(least, 1.6);
}

TEST(Stress, TheFanOutThatIsAskedForIsThatOfTheRuns) {
  for (const char* fan_out : {"word", "lock"}) {
    const auto json = pto2({"stress", "graphs/plain/packed", "--runs", "1", "--fan-out", fan_out,
                            "--seeds", "3..9", "--json", "-"})
                          .json();
    EXPECT_EQ(json.at("units").at(0).at("fan_out"), fan_out);
    EXPECT_EQ(json.at("seeds_wanted"), nlohmann::json({{"first", 3}, {"last", 9}}));
  }
}

/// What each line of progress says: the unit, runs, tasks, tasks per second, seconds.
std::vector<std::vector<std::string>> progress_lines(const std::string& text) {
  static const std::regex line(R"((\S+) +(\d+) runs, (\d+) tasks, (\d+)/s, (\d+) s )");
  std::vector<std::vector<std::string>> lines;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) {
    lines.emplace_back(std::next(match->begin()), match->end());
  }
  return lines;
}

TEST(Stress, ATerminalIsToldHowFarAUnitIs) {
  for (const std::string unit : {"scenarios/watermark/two_advancers", "graphs/plain/packed"}) {
    const Outcome outcome =
        pto2_on_terminal({"stress", unit, "--seconds", "1.2", "--noise", "none"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, testing::EndsWith("\r" + std::string(100, ' ') + "\r"));
    const auto lines = progress_lines(outcome.err);
    ASSERT_GE(lines.size(), 3U) << outcome.err;
    // Not the last: a unit that has ended knows its tasks.
    const std::vector<std::string>& told = lines[lines.size() / 2];
    EXPECT_EQ(told[0], unit);
    for (const std::size_t number : {1, 2, 3}) {
      EXPECT_GT(std::stoul(told[number]), 0U) << outcome.err;
    }
  }
  EXPECT_EQ(pto2({"stress", "graphs/plain/packed", "--seconds", "0.5"}).err, "");
}

TEST(Stress, SeedsAloneRunOnceEach) {
  const Outcome outcome =
      pto2({"stress", "graphs/clustered/threads", "--seeds", "17..19", "--noise", "none"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 runs"));
  EXPECT_THAT(outcome.out, HasSubstr("seeds 17..19"));
}

/// If the process ends now, nobody takes the results of an earlier one for its own.
TEST(Stress, RemovesEarlierResultsWhenItBegins) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const std::string junit = folder.file("junit", "earlier");
  const auto stress = [&](const char* unit) {
    return Strings{"stress", unit, "--seconds", "60", "--json", json, "--junit", junit};
  };
  EXPECT_EQ(pto2(stress("no_such_unit")).code, 2);
  EXPECT_EQ(read_text(json), "earlier") << "nothing has begun";
  const RunningProgram program(stress("graphs/plain/"));
  EXPECT_TRUE(program.wait_until([&] { return !fs::exists(json) && !fs::exists(junit); }));
}

TEST(Stress, RefusesWhatCannotBeMeant) {
  const auto refused = [](std::vector<std::string> arguments, const char* why) {
    arguments.insert(arguments.begin(), "stress");
    const Outcome outcome = pto2(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  refused({"no-such-unit"}, "pto2 stress --list shows them");
  refused({""}, "PATTERN is empty");
  refused({"graphs", "--noise", ""}, "--noise is empty");
  refused({"graphs", "--seeds", ""}, "--seeds is empty");
  refused({"workloads", "--case", ""}, "--case is empty");
  refused({"workloads", "--case", "nosuch"}, "no unit of case nosuch");
  refused({"graphs/plain/packed", "--executor", "threads"}, "no unit on threads");
  refused({"graphs", "--seconds", "nan"}, "is no number");
  refused({"graphs", "--noise", "loud"}, "there are yields, delays");
  refused({"graphs", "--executor", "seeded"}, "--executor");
  refused({"graphs", "--runs", "1", "--seconds", "1"}, "excludes");
  refused({"graphs", "--seeds", "5..4"}, "--seeds");
  refused({"--seeds", "1..4"}, "has no seeds");
  refused({"scenarios", "--runs", "3", "--seeds", "5..9"}, "--seeds has no effect on scenarios");
  refused({"watermark", "--case", "Case3", "--list"}, "--case has no effect on scenarios");
  refused({"watermark", "--executor", "packed", "--runs", "1"}, "--executor has no effect");
  refused({"scenarios", "--fan-out", "lock", "--list"}, "--fan-out has no effect");
  refused({"scenarios", "--stub-kernels", "--list"}, "--stub-kernels has no effect");
  refused({"--case", "nosuch", "--runs", "1"}, "no unit of case nosuch is selected");
  refused({"/packed", "--case", "nosuch", "--list"}, "no unit of case nosuch is selected");
  refused({"graphs", "--case", "Case3", "--list"}, "no unit of case Case3 is selected");
  refused({"graphs", "--stub-kernels", "--list"}, "--stub-kernels has no effect on scenarios and");
  refused({"graphs", "--json", "-", "--junit", "-"}, "cannot both be stdout");
  refused({"graphs", "--noise", "loud", "--list"}, "there are yields, delays");
  refused({"graphs", "--seeds", "5..4", "--list"}, "--seeds");
  refused({"--seeds", "1..4", "--list"}, "has no seeds");
}

/// Wherever it ends. One that has all of a case's name selects that case, which need not be the
/// first of its workload.
TEST(Stress, APatternIsPartOfNames) {
  const auto listed = [](const char* pattern) { return pto2({"stress", pattern, "--list"}).out; };
  const std::string units = "workloads/bgemm:Case1/packed\nworkloads/bgemm:Case1/threads\n";
  for (const char* pattern :
       {"bgemm:Ca", "workloads/bgemm:Ca", "workloads/bgemm:", "workloads/bg"}) {
    EXPECT_EQ(listed(pattern), units) << pattern;
  }
  EXPECT_EQ(listed("workloads/bgemm:Case1/p"), "workloads/bgemm:Case1/packed\n");
  EXPECT_EQ(listed("workloads/paged_attention:Case3/p"),
            "workloads/paged_attention:Case3/packed\n");
  EXPECT_EQ(listed("workloads/deadlock:window_fits/p"), "workloads/deadlock:window_fits/packed\n");
}

/// Before anything begins.
TEST(Stress, RefusesAHangLimitThatIsNone) {
  const TemporaryFolder folder;
  const std::string json = folder.file("json", "earlier");
  const Outcome outcome = pto2({"stress", "graphs/plain/packed", "--runs", "1", "--json", json},
                               {"PTO2_HANG_SECONDS=soon"});
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("PTO2_HANG_SECONDS is 'soon'"));
  EXPECT_EQ(read_text(json), "earlier");
}

/// It is no wrong run, and not tried again.
TEST(Stress, AUnitThatFindsNoImageIsBadInput) {
  const Outcome outcome = pto2({"stress", "workloads/vector_example:Case1/packed", "--runs", "1"},
                               {"PTO2_WORKLOADS=/nonexistent"});
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_THAT(outcome.err, testing::StartsWith("pto2: workloads/vector_example:Case1/packed: "));
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("wrong")));
}

/// Has one run of the workloads that begin with b, of which bgemm has another kernel.
Outcome run_with_kernel(const std::string& workloads, const std::string& kernel) {
  fs::copy_file(std::string(TEST_IMAGES) + "/" + kernel, workloads + "/bgemm/kernels/0_gemm.so",
                fs::copy_options::overwrite_existing);
  return pto2({"stress", "workloads/b", "--executor", "packed", "--runs", "1", "--noise", "none",
               "--json", "-"},
              {"PTO2_WORKLOADS=" + workloads});
}

/// The first unit has a kernel that does something else, and the second one no images.
TEST(Stress, WhatWasWrongBeforeAUnitThatCannotRunIsTold) {
  const TemporaryFolder folder;
  fs::copy(images() + "/bgemm", folder.path("bgemm"), fs::copy_options::recursive);
  const Outcome outcome = run_with_kernel(folder.path("."), "clear_kernel.so");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("pto2: workloads/block_incore:expansion/packed: "));
  EXPECT_EQ(outcome.json().at("units").size(), 1U);
}

/// The kernel of the first unit sees to that.
TEST(Stress, WhatWasWrongBeforeTheSystemRefusedAProcessIsTold) {
  const TemporaryFolder folder;
  fs::copy(images(), folder.path("workloads"), fs::copy_options::recursive);
  const Outcome outcome = run_with_kernel(folder.path("workloads"), "lacks_files.so");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("workloads/bgemm:Case1/packed is not tried again any more: "));
  EXPECT_THAT(outcome.err, HasSubstr("pto2: the system refused: pipe: "));
  ASSERT_EQ(outcome.json().at("units").size(), 1U);
  EXPECT_EQ(outcome.json().at("units")[0].at("failures").size(), 1U);
}

/// One more than there are units: a run of a scenario is a task.
TEST(Stress, AllUnitsTogetherRunTheTasksThatAreAskedFor) {
  const std::string listed = pto2({"stress", "scenarios/core_mailbox", "--list"}).out;
  const auto tasks = std::count(listed.begin(), listed.end(), '\n') + 1;
  ASSERT_GE(tasks, 3);
  const auto json = pto2({"stress", "scenarios/core_mailbox", "--tasks", std::to_string(tasks),
                          "--noise", "none", "--json", "-"})
                        .json();
  int64_t run = 0;
  for (const auto& unit : json.at("units")) run += unit.at("tasks").get<int64_t>();
  EXPECT_GE(run, tasks);
}

/// Stubs are in the place of kernels, so it is the orchestration that goes wrong: it is another
/// one, which calls exit(). It is not tried again.
TEST(Stress, TheCommandThatRepeatsAFailureHasItsOptions) {
  const TemporaryFolder folder;
  fs::copy(images() + "/paged_attention", folder.path("paged_attention"),
           fs::copy_options::recursive);
  fs::copy_file(std::string(TEST_IMAGES) + "/lacks_files.so",
                folder.path("paged_attention/orchestration.so"),
                fs::copy_options::overwrite_existing);
  const Outcome outcome =
      pto2({"stress", "workloads/paged_attention:", "--executor", "packed", "--fan-out", "lock",
            "--case", "Case3", "--stub-kernels", "--noise", "none", "--seeds", "5..7"},
           {"PTO2_WORKLOADS=" + folder.path(".")});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("repeat: pto2 stress workloads/paged_attention:Case3/packed --seeds 5..5 "
                        "--noise none --fan-out lock --stub-kernels\n"));
}

}  // namespace
}  // namespace pto2::test
