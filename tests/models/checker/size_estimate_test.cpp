// How large a search will be, and the progress line that says so.
#include "models/checker/engine/size_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <pto2/checker.hpp>
#include <string>
#include <vector>

#include "models/checker/engine/ledger.hpp"
#include "models/litmus/families.hpp"
#include "models/litmus/locks.hpp"

namespace pto2::model::engine {
namespace {

using enum std::memory_order;

/// Store buffering with fences, a weak exchange and a wait: every kind of choice there is.
void mixed() {
  atomic<int> x{0}, y{0};
  thread a([&] {
    x.store(1, relaxed);
    fence(seq_cst);
    int expected = 0;
    y.compare_exchange_weak(expected, 2, acquire, relaxed);
  });
  thread b([&] {
    y.store(1, seq_cst);
    x.load(seq_cst);
    y.fetch_add(2, relaxed);
  });
  thread c([&] {
    x.store(2, relaxed);
    await([&] { return y.load(acquire) > 1; });
    x.exchange(3, relaxed);
  });
  a.join();
  b.join();
  c.join();
}

TEST(SizeEstimate, a_sample_of_everything_is_exact) {
  Options options;
  options.spurious_failures = true;
  const std::function<void()> bodies[] = {
      mixed,
      litmus::adds(5),
      litmus::cas_rotation(7),
      litmus::fibonacci(2),
      litmus::last_zero(6),
      litmus::indexer(13),
      litmus::ring_of_buffers(5),
      litmus::counter_under<litmus::TtasLock>(3, 1, {}),
      litmus::counter_under<litmus::TicketLock>(3, 1, {}),
  };
  for (const auto& body : bodies) {
    const Report report = explore(options, body);
    ASSERT_TRUE(report.complete) << report.to_text();
    EXPECT_GT(report.executions, 1u);
    EXPECT_EQ(TreeSample(options, body).take(100'000), static_cast<double>(report.executions));
  }
}

TEST(SizeEstimate, narrow_samples_are_right_on_average) {
  const std::function<void()> body = litmus::adds(8);
  const Options options;
  TreeSample sample(options, body);
  double sum = 0;
  for (int i = 0; i < 100; ++i) sum += sample.take(64);
  // The deviation of one sample is about half of the mean, that of the sum of a hundred a tenth of
  // that.
  EXPECT_NEAR(sum / 100, 40'320, 0.2 * 40'320);
  EXPECT_GT(sample.memory(), 0u);
}

TEST(SizeEstimate, a_violation_ends_it) {
  const std::function<void()> body = [] {
    atomic<int> x{0};
    thread a([&] { x.store(1, relaxed); });
    check(x.load(relaxed) == 0, "nothing seen");
    a.join();
  };
  EXPECT_LT(TreeSample({}, body).take(10), 0);
}

TEST(SizeEstimate, estimates_count_by_their_weight) {
  WeightedMean mean;
  mean.add(10, 1);
  mean.add(20, 3);
  EXPECT_DOUBLE_EQ(mean.mean(), 17.5);
  EXPECT_TRUE(std::isinf(mean.relative_error())) << "two values say little about the spread";
  WeightedMean equal;
  for (const double value : {8.0, 12.0, 10.0, 14.0, 6.0}) equal.add(value, 2);
  // The textbook's sqrt(sum of squared deviations / (n - 1) / n) / mean.
  EXPECT_NEAR(equal.relative_error(), std::sqrt(40.0 / 4 / 5) / 10, 1e-12);
  WeightedMean same;
  for (int i = 0; i < 4; ++i) same.add(5, 1);
  EXPECT_EQ(same.relative_error(), 0);
}

TEST(SizeEstimate, the_line_says_what_is_known) {
  Report report;
  report.executions = 250;
  report.blocked = 3;
  EXPECT_EQ(progress_line(report, 100.4, 0), "250 executions, 3 blocked, 100 per second");
  EXPECT_EQ(progress_line(report, 100.4, 249), progress_line(report, 100.4, 0)) << "is refuted";
  EXPECT_EQ(progress_line(report, 100.4, 1004),
            "250 executions, 3 blocked, 100 per second, about 1000 in all, 24.9 %");
  EXPECT_EQ(progress_line(report, 1, 7.6e16),
            "250 executions, 3 blocked, 1 per second, about 7.6e+16 in all, 0.0 %");
}

/// 12 stores and 7 threads that read one of them or the initial value: 13^7 executions.
void readers_of_many_values() {
  atomic<int> x{0};
  thread writer([&] {
    for (int i = 1; i <= 12; ++i) x.store(i, relaxed);
  });
  std::vector<thread> readers;
  for (int i = 0; i < 7; ++i) readers.emplace_back([&] { x.load(relaxed); });
  writer.join();
  for (thread& reader : readers) reader.join();
}

/// Lets a search run in longer and longer tries until its line has an estimate: samples take a
/// share of the time, so a busy machine or a sanitizer needs some more of it.
void expect_estimate(unsigned jobs) {
  std::string shown;
  for (double seconds = 1.5; seconds < 200; seconds *= 2) {
    Options options;
    options.name = "readers";
    options.progress = true;
    options.isolated_threads = true;
    options.jobs = jobs;
    options.max_seconds = seconds;
    testing::internal::CaptureStderr();
    explore(options, readers_of_many_values);
    shown = testing::internal::GetCapturedStderr();
    EXPECT_NE(shown.find("readers: "), std::string::npos) << shown;
    const std::size_t about = shown.rfind("about ");
    if (about == std::string::npos) continue;
    const double executions = std::pow(13, 7);
    EXPECT_NEAR(std::stod(shown.substr(about + 6)) / executions, 1, 0.8) << shown;
    return;
  }
  FAIL() << "no estimate was shown:\n" << shown;
}

TEST(SizeEstimate, the_search_shows_it) {
  expect_estimate(1);
}
TEST(SizeEstimate, jobs_show_one_for_all) {
  expect_estimate(2);
}

}  // namespace
}  // namespace pto2::model::engine
