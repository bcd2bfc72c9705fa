#include "bench/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "bench/expect_report.hpp"
#include "tests/cli/program.hpp"

namespace pto2::bench {
namespace {

using testing::HasSubstr;

Rows read_rows(const std::string& file) {
  Rows rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

/// What ./dev bench gets of bin/SUBJECT_bench, of what `filter` names alone.
Rows rows_of(const std::string& subject, const std::string& filter) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path("rows");
  const test::Outcome outcome = test::run_program(PTO2_BENCHES "/" + subject + "_bench",
                                                  {"--benchmark_filter=" + filter, "--rows", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  Rows rows = read_rows(file);
  for (const nlohmann::json& row : rows) EXPECT_EQ(row.at("subject"), subject);
  return rows;
}

TEST(BenchRows, HaveThePeerOfALaunch) {
  const Rows rows = rows_of("runtime", "^launch/");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("work"), "launch/packed");
  EXPECT_EQ(rows[0].at("peer"), "threads");
  for (const char* figure : {"ns", "peer_ns", "ratio", "ping_ns"}) EXPECT_GT(rows[0].at(figure), 0);
}

/// Not that of the program that started it, which ./dev bench is after others.
TEST(BenchRows, HaveTheMemoryOfTheirOwnProcess) {
  constexpr std::size_t much = 1 << 30;
  const std::vector<char> own(much, 1);
  const Rows rows = rows_of("runtime", "^memory/10000/");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_GT(rows[0].at("peak_rss_bytes"), 1 << 20);
  EXPECT_LT(rows[0].at("peak_rss_bytes"), much);
}

/// Each of 32 tasks that are made and filled, and the whole of what has no tasks.
TEST(BenchRows, HaveNanosecondsOfATask) {
  const Rows rows = rows_of("tensormap", "^(make_and_fill|construct_and_destroy)$");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("work"), "make_and_fill");
  EXPECT_EQ(rows[1].at("work"), "construct_and_destroy");
  for (const nlohmann::json& row : rows) {
    EXPECT_GT(row.at("ns"), 2);  // no CPU makes two tensors in less
    EXPECT_LT(row.at("ns"), 1e7);
  }
}

TEST(BenchRows, HaveTheExecutionsOfASearch) {
  const Rows rows = rows_of("checker", "^readers");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("work"), "readers(16)");
  EXPECT_EQ(rows[0].at("executions"), 1 << 16);
  for (const char* figure : {"seconds", "speedup", "calibration_scale", "reference_seconds"}) {
    EXPECT_GT(rows[0].at(figure), 0);
  }
}

model::Report report_of(std::uint64_t executions) {
  model::Report report;
  report.verdict = model::Verdict::pass;
  report.complete = true;
  report.executions = executions;
  return report;
}

TEST(ExpectReport, TakesWholeSearchesOfSoManyExecutions) {
  EXPECT_EQ(expect(report_of(7), 7).executions, 7U);
  EXPECT_THROW(expect(report_of(6), 7), std::runtime_error);
  EXPECT_THROW(expect(report_of(8), 7), std::runtime_error);
  model::Report cut = report_of(7);
  cut.complete = false;
  EXPECT_THROW(expect(cut, 7), std::runtime_error);
  model::Report wrong = report_of(7);
  wrong.verdict = model::Verdict::inconclusive;
  EXPECT_THROW(expect(wrong, 7), std::runtime_error);
}

/// Of a program whose second benchmark throws.
int run_two(const std::string& file) {
  static Rows rows;
  benchmark::RegisterBenchmark("good", [](benchmark::State& state) {
    for (auto _ : state) {
    }
    rows.push_back({{"work", "good"}});
  })->Iterations(1);
  benchmark::RegisterBenchmark("bad",
                               [](benchmark::State&) { throw std::runtime_error("no result"); });
  std::vector<std::string> texts{"x_bench", "--rows", file};
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  return run_with_rows(static_cast<int>(arguments.size()), arguments.data(), rows);
}

TEST(RunWithRows, KeepsTheRowsOfWhatWasMeasuredBeforeAFailure) {
  const test::TemporaryFolder folder;
  EXPECT_EXIT(std::_Exit(run_two(folder.path("rows"))), testing::ExitedWithCode(3), "no result");
  const Rows rows = read_rows(folder.path("rows"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("work"), "good");
}

TEST(RunWithRows, FailsIfTheyCannotBeWritten) {
  const test::Outcome outcome = test::run_program(
      PTO2_BENCHES "/tensormap_bench", {"--benchmark_filter=^make", "--rows", "/nowhere/rows"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write /nowhere/rows"));
}

}  // namespace
}  // namespace pto2::bench
