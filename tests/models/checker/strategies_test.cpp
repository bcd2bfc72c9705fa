#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <pto2/checker.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;
using Outcomes = std::set<std::vector<int>>;

/// Store buffering, IRIW and a race of updates in one: stale reads, places and SC all matter.
void mixed(Outcomes& outcomes) {
  atomic<int> x{0}, y{0};
  std::vector<int> r(4);
  thread a([&] {
    x.store(1, relaxed);
    fence(seq_cst);
    r[0] = y.load(relaxed);
  });
  thread b([&] {
    y.store(1, seq_cst);
    r[1] = x.load(seq_cst);
    r[2] = y.fetch_add(2, relaxed);
  });
  thread c([&] {
    x.store(2, relaxed);
    r[3] = x.load(relaxed);
  });
  a.join();
  b.join();
  c.join();
  r.push_back(x.load(relaxed));
  outcomes.insert(r);
}

Outcomes outcomes_of(Strategy strategy, std::uint64_t samples) {
  Outcomes outcomes;
  Options options;
  options.strategy = strategy;
  options.samples = samples;
  const Report report = explore(options, [&] { mixed(outcomes); });
  EXPECT_FALSE(report.violation) << report.to_text();
  return outcomes;
}

TEST(Strategies, walks_see_what_the_exhaustive_search_sees) {
  const Outcomes all = outcomes_of(Strategy::exhaustive, 0);
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    EXPECT_EQ(outcomes_of(strategy, 20'000), all) << static_cast<int>(strategy);
  }
}

TEST(Strategies, walks_find_violations_that_replay) {
  const auto body = [] {
    atomic<int> ticket{0, "ticket"};
    atomic<int> owner{0, "owner"};
    cell<int> data{0, "data"};
    const auto work = [&] {
      const int mine = ticket.fetch_add(1, relaxed);
      await([&] { return owner.load(relaxed) == mine; });
      data.write(data.read() + 1);
      owner.store(mine + 1, release);
    };
    thread a(work);
    thread b(work);
    a.join();
    b.join();
  };
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    Options options;
    options.strategy = strategy;
    const Report report = explore(options, body);
    ASSERT_TRUE(report.violation) << report.to_text();
    EXPECT_EQ(report.violation->kind, ViolationKind::data_race);
    expect_replay(report, body);
  }
}

TEST(Strategies, walks_find_deadlocks_and_no_false_ones) {
  const auto waiting = [](int value) {
    return [value] {
      atomic<int> flag{0};
      thread setter([&] { flag.store(1, release); });
      thread poller([&] {
        while (flag.load(acquire) == 0) idle();
      });
      await([&] { return flag.load(acquire) == value; });
      setter.join();
      poller.join();
    };
  };
  Options options;
  options.strategy = Strategy::random_walk;
  options.samples = 300;
  const Report fine = explore(options, waiting(1));
  EXPECT_FALSE(fine.violation) << fine.to_text();
  EXPECT_EQ(fine.executions, 300u);
  const Report stuck = explore(options, waiting(2));
  ASSERT_TRUE(stuck.violation);
  EXPECT_EQ(stuck.violation->kind, ViolationKind::deadlock);
}

TEST(Strategies, bounds_make_it_inconclusive) {
  const auto body = [] {
    atomic<int> x{0};
    std::vector<thread> threads;
    for (int i = 0; i < 7; ++i) threads.emplace_back([&] { x.fetch_add(1, relaxed); });
    for (thread& t : threads) t.join();
  };
  Options executions;
  executions.max_executions = 100;
  const Report some = explore(executions, body);
  EXPECT_EQ(some.verdict, Verdict::inconclusive);
  EXPECT_EQ(some.executions, 100u);
  EXPECT_FALSE(some.complete);
  Options seconds;
  seconds.max_seconds = 1e-6;
  EXPECT_EQ(explore(seconds, body).verdict, Verdict::inconclusive);
  Options memory;
  memory.max_memory_bytes = 1;
  EXPECT_EQ(explore(memory, body).verdict, Verdict::inconclusive);
  Options enough;
  enough.max_executions = 5040;
  EXPECT_EQ(explore(enough, body).verdict, Verdict::pass);
}

/// Sets one option to what makes no sense, or does.
void expect_refusal(bool refused, const std::function<void(Options&)>& set) {
  Options options;
  set(options);
  const auto search = [&] { return explore(options, [] {}); };
  if (refused) {
    EXPECT_THROW(search(), std::invalid_argument);
  } else {
    EXPECT_EQ(search().verdict, Verdict::pass);
  }
}

TEST(Strategies, senseless_options_are_refused) {
  expect_refusal(true, [](Options& options) { options.jobs = 0; });
  for (const double seconds : {-1.0, -1e-9, std::numeric_limits<double>::quiet_NaN()}) {
    expect_refusal(true, [&](Options& options) { options.max_seconds = seconds; });
  }
  expect_refusal(false, [](Options& options) {
    options.max_seconds = std::numeric_limits<double>::infinity();
  });
  constexpr std::size_t smallest = 16 * 1024, largest = std::size_t{1} << 30;
  for (const std::size_t bytes : {std::size_t{0}, smallest - 1, largest + 1, largest << 10,
                                  std::numeric_limits<std::size_t>::max()}) {
    expect_refusal(true, [&](Options& options) { options.stack_bytes = bytes; });
  }
  expect_refusal(false, [](Options& options) { options.stack_bytes = largest; });
}

TEST(Strategies, jobs_share_one_search) {
  const auto body = [] {
    atomic<int> x{0}, y{0};
    std::vector<thread> threads;
    for (int i = 0; i < 5; ++i) {
      threads.emplace_back([&, i] {
        auto own = std::make_unique<atomic<int>>(i);
        x.fetch_add(own->load(relaxed), relaxed);
        if (i < 2) y.store(i, relaxed);
      });
    }
    y.load(relaxed);
    for (thread& t : threads) t.join();
  };
  const Report alone = explore(Options{}, body);
  EXPECT_TRUE(alone.ok());
  for (const unsigned jobs : {2u, 3u}) {
    Options options;
    options.jobs = jobs;
    const Report shared = explore(options, body);
    EXPECT_TRUE(shared.ok()) << shared.to_text();
    EXPECT_EQ(shared.executions, alone.executions);
    options.max_executions = 10;
    EXPECT_EQ(explore(options, body).verdict, Verdict::inconclusive);
  }
  Options options;
  options.jobs = 2;
  const Report failed = explore(options, [] {
    atomic<int> x{0};
    thread a([&] { x.store(1, relaxed); });
    check(x.load(relaxed) == 0, "nothing seen");
    a.join();
  });
  ASSERT_TRUE(failed.violation);
  EXPECT_EQ(failed.violation->kind, ViolationKind::check_failed);
}

TEST(Strategies, weak_compare_exchange_fails_spuriously_only_when_asked) {
  const auto body = [] {
    atomic<int> x{0};
    int expected = 0;
    sometimes("fails", !x.compare_exchange_weak(expected, 1, relaxed, relaxed));
    sometimes("succeeds", expected == 0 && x.load(relaxed) == 1);
  };
  Options options;
  EXPECT_EQ(explore(options, body).executions, 1u);
  options.spurious_failures = true;
  const Report report = explore(options, body);
  EXPECT_EQ(report.executions, 2u);
  EXPECT_EQ(report.verdict, Verdict::pass);
}

/// A retry that is forgotten, where the value comes before the exchange or after it.
TEST(Strategies, a_spurious_failure_that_matters_is_found_and_replayed) {
  const auto body = [](bool sets_first) {
    atomic<int> x{0};
    const auto set = [&] { x.store(1, relaxed); };
    const auto take = [&] {
      int expected = 1;
      const bool taken = x.compare_exchange_weak(expected, 2, relaxed, relaxed);
      check(taken || expected != 1, "it takes a 1");
    };
    thread first([&] { sets_first ? set() : take(); });
    thread second([&] { sets_first ? take() : set(); });
    first.join();
    second.join();
  };
  for (const bool sets_first : {false, true}) {
    const auto program = [&] { body(sets_first); };
    expect_pass(program);
    Options options;
    options.spurious_failures = true;
    const Report report = expect_violation(ViolationKind::check_failed, options, program);
    ASSERT_TRUE(report.violation);
    EXPECT_NE(report.violation->token.find('~'), std::string::npos) << report.to_text();
    EXPECT_NE(report.to_text().find("fails spuriously"), std::string::npos) << report.to_text();
    options.strategy = Strategy::random_walk;
    expect_violation(ViolationKind::check_failed, options, program);
  }
}

/// The failed exchange reads what another one has taken already.
TEST(Strategies, an_old_value_that_is_taken_fails_spuriously_as_well) {
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.spurious_failures = true;
    options.strategy = strategy;
    expect_violation(ViolationKind::check_failed, options, [] {
      atomic<int> x{0}, taken{0};
      thread first([&] {
        int expected = 0;
        if (x.compare_exchange_strong(expected, 1, relaxed, relaxed)) taken.store(1, relaxed);
      });
      thread second([&] {
        if (taken.load(relaxed) == 0) return;
        int expected = 0;
        const bool exchanged = x.compare_exchange_weak(expected, 2, relaxed, relaxed);
        check(exchanged || expected != 0, "what is seen to be taken is taken");
      });
      first.join();
      second.join();
    });
  }
}

TEST(Strategies, waiting_with_a_weak_exchange_is_no_deadlock) {
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.spurious_failures = true;
    options.strategy = strategy;
    const Report report = explore(options, [] {
      atomic<int> turn{0};
      cell<int> data{0};
      const auto step = [&](int mine) {
        await([&] {
          int expected = mine;
          if (!turn.compare_exchange_weak(expected, -1, acquire, relaxed)) return false;
          data.write(mine);
          turn.store(mine + 1, release);
          return true;
        });
      };
      thread a([&] { step(1); }), b([&] { step(0); });
      a.join();
      b.join();
      check(data.read() == 1, "in turn");
    });
    EXPECT_FALSE(report.violation) << report.to_text();
    EXPECT_NE(report.executions, 0U);
  }
}

/// One that counts its turns, so that they are not seen to change nothing.
TEST(Strategies, a_loop_that_fails_spuriously_is_no_livelock) {
  Options options;
  options.spurious_failures = true;
  options.spin_limit = 20;
  const Report report = explore(options, [] {
    atomic<int> x{0};
    int turns = 0;
    int expected;
    do {
      expected = 0;
      ++turns;
    } while (!x.compare_exchange_weak(expected, 1, relaxed, relaxed));
    check(turns > 0, "counted");
  });
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("spins at"), std::string::npos) << report.reason;
}

TEST(Strategies, release_sequences_of_cxx20_and_of_rc11) {
  const auto body = [] {
    atomic<int> x{0}, data{0};
    thread a([&] {
      data.store(1, relaxed);
      x.store(1, release);
      x.store(2, relaxed);
    });
    if (x.load(acquire) == 2) check(data.load(relaxed) == 1, "the sequence goes on");
    a.join();
  };
  Options options;
  EXPECT_EQ(explore(options, body).verdict, Verdict::fail);
  options.rc11_release_sequences = true;
  EXPECT_EQ(explore(options, body).verdict, Verdict::pass);
}

/// The option does not stand for C++17's rule, by which the other store ends the sequence: the race
/// is one there, and what it needs, that 2 comes behind 3 and 3 behind 1, is explored.
TEST(Strategies, a_release_sequence_of_rc11_goes_on_behind_other_stores) {
  const auto body = [] {
    atomic<int> x{0};
    cell<int> data{0};
    bool in_between = false;
    thread a([&] {
      data.write(1);
      x.store(1, release);
      x.store(2, relaxed);
    });
    thread b([&] {
      in_between = x.load(relaxed) == 1;
      if (in_between) x.store(3, relaxed);
    });
    const bool seen = x.load(acquire) == 2;
    if (seen) data.read();
    a.join();
    b.join();
    sometimes("2 is read behind the other store", seen && in_between && x.load(relaxed) == 2);
  };
  Options options;
  expect_violation(ViolationKind::data_race, options, body);
  options.rc11_release_sequences = true;
  expect_pass(options, body);
}

/// What a thread has passed by in a run that was cut, it has in the execution that keeps it.
TEST(IsolatedThreads, what_was_passed_by_is_kept_with_the_thread) {
  Options options;
  options.isolated_threads = true;
  int runs = 0;
  const Report report = explore(options, [&] {
    atomic<int> x{0}, y{0};
    thread first([&] {
      ++runs;
      sometimes("first", x.fetch_add(1, relaxed) == 0);
    });
    thread setter([&] { y.store(1, relaxed); });
    thread cut([&] { assume(y.load(relaxed) == 0); });
    first.join();
    setter.join();
    cut.join();
  });
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_EQ(report.executions, 1U);
  EXPECT_EQ(report.blocked, 1U);
  EXPECT_EQ(runs, 1) << "it is not kept";
}

TEST(IsolatedThreads, main_stays_at_its_joins) {
  Options options;
  options.isolated_threads = true;
  int runs = 0;
  const auto body = [&](bool looks) {
    ++runs;
    atomic<int> x{0};
    std::vector<thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&x] { x.fetch_add(1, relaxed); });
    for (thread& t : threads) t.join();
    if (looks) check(x.load(relaxed) == 4, "all have added");
  };
  EXPECT_EQ(explore(options, [&] { body(false); }).executions, 24u);
  EXPECT_EQ(runs, 2);  // the first shows what main ends with
  runs = 0;
  EXPECT_EQ(explore(options, [&] { body(true); }).executions, 24u);
  EXPECT_GE(runs, 24);
}

TEST(IsolatedThreads, what_main_does_behind_its_joins_is_done_every_time) {
  Options options;
  options.isolated_threads = true;
  const auto body = [](bool checks, Outcomes* outcomes) {
    atomic<int> x{0};
    const auto increment = [&x] { x.store(x.load(relaxed) + 1, relaxed); };
    thread a(increment), b(increment);
    a.join();
    b.join();
    if (outcomes == nullptr && !checks) return;
    const int sum = x.load(relaxed);
    if (checks) check(sum == 2, "no increment is lost");
    if (outcomes != nullptr) outcomes->insert({sum});
  };
  const Report broken = explore(options, [&] { body(true, nullptr); });
  ASSERT_TRUE(broken.violation);
  EXPECT_EQ(broken.violation->kind, ViolationKind::check_failed);
  Outcomes outcomes;
  const Report report = explore(options, [&] { body(false, &outcomes); });
  EXPECT_EQ(outcomes, (Outcomes{{1}, {2}}));
  EXPECT_EQ(explore(options, [&] { body(false, nullptr); }).executions, report.executions);
}

TEST(IsolatedThreads, what_main_destroys_between_its_joins_is_checked_every_time) {
  const auto body = [] {
    std::optional<atomic<int>> destroyed;
    destroyed.emplace(0);
    atomic<int> flag{0};
    thread user([&] {
      destroyed->store(1, relaxed);
      flag.store(1, release);
    });
    thread looker([&] { flag.load(acquire); });
    looker.join();
    destroyed.reset();  // happens after its use if the flag was seen, as in the first execution
    user.join();
  };
  for (const bool isolated : {false, true}) {
    Options options;
    options.isolated_threads = isolated;
    expect_violation(ViolationKind::use_after_free, options, body);
  }
}

TEST(IsolatedThreads, bodies_start_from_what_they_captured) {
  Options options;
  options.isolated_threads = true;
  const Report report = explore(options, [] {
    atomic<int> x{0};
    thread a([&x, once = 0]() mutable {
      ++once;
      x.fetch_add(once, relaxed);
      check(once == 1, "the captured number is fresh");
    });
    thread b([&x] { x.fetch_add(1, relaxed); });
    a.join();
    b.join();
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2u);
}

TEST(IsolatedThreads, waiting_and_violations_leave_main_where_it_is) {
  Options options;
  options.isolated_threads = true;
  const auto body = [](bool wakes) {
    return [wakes] {
      atomic<int> x{0}, y{0};
      thread a([&] { await([&] { return x.load(acquire) == 1; }); });
      thread b([&] {
        y.fetch_add(1, relaxed);
        if (y.load(relaxed) == 1 || wakes) x.store(1, release);
      });
      thread c([&] { y.fetch_add(1, relaxed); });
      a.join();
      b.join();
      c.join();
    };
  };
  EXPECT_EQ(explore(options, body(true)).executions, explore({}, body(true)).executions);
  expect_violation(ViolationKind::deadlock, options, body(false));
}

}  // namespace
}  // namespace pto2::model
