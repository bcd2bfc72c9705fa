// Searches that are told to stop, and what a search does with the process's signals.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <pto2/checker.hpp>
#include <stop_token>
#include <utility>

#include "models/checker/engine/size_estimate.hpp"
#include "models/litmus/families.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// 720 executions, without a violation.
const std::function<void()> add_in_any_order = litmus::adds(6);

/// Counts the runs of a body, and requests a stop in run number `last`; 0: never.
struct Counted {
  Counted(std::function<void()> program, int last_run) : body(std::move(program)), last(last_run) {}

  void run() {
    if (source.stop_requested()) ++late;
    if (++runs == last) source.request_stop();
    body();
  }
  Report explore(Options options) {
    options.stop = source.get_token();
    return model::explore(options, [this] { run(); });
  }

  std::function<void()> body;
  int last;
  std::atomic<int> runs{0};
  std::atomic<int> late{0};  ///< runs that began after the request
  std::stop_source source;
};

TEST(Stop, ends_a_search_that_reports_what_it_covered) {
  Counted counted(add_in_any_order, 10);
  const Report report = counted.explore({});
  EXPECT_EQ(report.verdict, Verdict::inconclusive);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.reason, "it was stopped");
  EXPECT_EQ(report.executions, 10U);
  EXPECT_EQ(counted.late, 0);
}

TEST(Stop, ends_every_strategy) {
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    Counted counted(add_in_any_order, 10);
    Options options;
    options.strategy = strategy;
    options.samples = 1'000;
    const Report report = counted.explore(options);
    EXPECT_EQ(report.verdict, Verdict::inconclusive);
    EXPECT_EQ(report.reason, "it was stopped");
    EXPECT_EQ(report.executions, 10U);
  }
}

TEST(Stop, ends_all_jobs) {
  Counted counted(litmus::adds(9), 10);  // so many that none of the three comes to their end
  Options options;
  options.jobs = 3;
  const Report report = counted.explore(options);
  EXPECT_EQ(report.verdict, Verdict::inconclusive);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.reason, "it was stopped");
  // Who was between two runs looks after the next one.
  EXPECT_LE(counted.late, 2);
}

TEST(Stop, before_the_search_runs_nothing) {
  Counted counted(add_in_any_order, 0);
  counted.source.request_stop();
  const Report report = counted.explore({});
  EXPECT_EQ(report.verdict, Verdict::inconclusive);
  EXPECT_EQ(report.reason, "it was stopped");
  EXPECT_EQ(counted.runs, 0);
}

/// Fails in some executions only, unless the flag is stored with release.
void pass_message_beside_others() {
  atomic<int> data{0}, flag{0};
  thread sender([&] {
    data.store(1, relaxed);
    flag.store(1, relaxed);
  });
  thread receiver([&] {
    if (flag.load(acquire) == 1) check(data.load(relaxed) == 1, "the message is whole");
  });
  add_in_any_order();
  sender.join();
  receiver.join();
}

TEST(Stop, ends_the_search_for_a_simpler_execution) {
  Options options;
  options.minimise_seconds = 600;
  options.hint_seconds = 0;
  Counted all(pass_message_beside_others, 0);
  ASSERT_TRUE(all.explore(options).violation);
  Counted counted(pass_message_beside_others, all.runs - 500);
  const Report report = counted.explore(options);
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_TRUE(report.violation);
  EXPECT_LE(counted.late, 1);
}

TEST(Stop, ends_the_search_for_a_hint) {
  Options options;
  options.minimise_seconds = 0;
  options.hint_seconds = 600;
  Counted all(pass_message_beside_others, 0);
  const Report hinted = all.explore(options);
  ASSERT_TRUE(hinted.violation);
  ASSERT_NE(hinted.violation->hint, "");
  Counted counted(pass_message_beside_others, all.runs - 500);
  const Report report = counted.explore(options);
  EXPECT_EQ(report.verdict, Verdict::fail);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->hint, "");
  EXPECT_EQ(counted.late, 0);
}

TEST(Stop, ends_an_estimate_of_the_size) {
  Counted counted(add_in_any_order, 10);
  Options options;
  options.progress = true;
  options.stop = counted.source.get_token();
  const std::function<void()> body = [&] { counted.run(); };  // must outlive the sample
  engine::TreeSample sample(options, body);
  EXPECT_LT(sample.take(1'000), 0);
  EXPECT_EQ(counted.late, 0);
}

/// Gives one signal a handler of the test's for its own lifetime.
class OwnHandler {
 public:
  explicit OwnHandler(int signal) : signal_(signal) {
    struct sigaction action = {};
    action.sa_handler = ignore;
    sigaction(signal, &action, &former_);
  }
  ~OwnHandler() { sigaction(signal_, &former_, nullptr); }
  OwnHandler(const OwnHandler&) = delete;
  OwnHandler& operator=(const OwnHandler&) = delete;

  bool in_force() const {
    struct sigaction present = {};
    sigaction(signal_, nullptr, &present);
    return present.sa_handler == ignore;
  }

 private:
  static void ignore(int) {}

  int signal_;
  struct sigaction former_ = {};
};

TEST(Signals, are_the_programs_own) {
  const OwnHandler interrupt(SIGINT), termination(SIGTERM), watchdog(SIGRTMIN + 3);
  for (const unsigned jobs : {1U, 3U}) {
    Options options;
    options.jobs = jobs;
    const Report report = explore(options, [&] {
      EXPECT_TRUE(interrupt.in_force());
      EXPECT_TRUE(termination.in_force());
      EXPECT_FALSE(watchdog.in_force());
      add_in_any_order();
    });
    EXPECT_TRUE(report.ok()) << report.to_text();
    EXPECT_TRUE(interrupt.in_force());
    EXPECT_TRUE(termination.in_force());
    EXPECT_TRUE(watchdog.in_force());
  }
}

TEST(Signals, none_is_handled_without_the_watchdog) {
  const OwnHandler watchdog(SIGRTMIN + 3);
  Options options;
  options.watchdog_seconds = 0;
  EXPECT_TRUE(explore(options, [&] { EXPECT_TRUE(watchdog.in_force()); }).ok());
}

TEST(Signals, of_the_watchdog_do_not_outlive_the_search) {
  sigset_t blocked, former, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN + 3);
  pthread_sigmask(SIG_BLOCK, &blocked, &former);
  Options options;
  options.watchdog_seconds = 0.001;
  bool seen = false;
  explore(options, [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!seen && std::chrono::steady_clock::now() < end) {
      sigpending(&pending);
      seen = sigismember(&pending, SIGRTMIN + 3) == 1;
    }
  });
  EXPECT_TRUE(seen);
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGRTMIN + 3), 0);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

}  // namespace
}  // namespace pto2::model
