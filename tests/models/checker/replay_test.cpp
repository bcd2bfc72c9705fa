#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// The joins follow directly behind the last steps of the threads that they join.
TEST(Replay, joins_replay) {
  const auto body = [] {
    atomic<int> x{0};
    int seen[2] = {};
    thread first([&] { seen[0] = x.load(relaxed); });
    thread second([&] { seen[1] = x.load(relaxed); });
    x.store(1, relaxed);
    x.store(2, relaxed);
    second.join();
    first.join();
    check(seen[0] != 1 || seen[1] != 2, "never like that");
  };
  expect_violation(ViolationKind::check_failed, body);
}

/// Somebody else makes a step between an exchange that fails and the next step of its thread.
TEST(Replay, failed_exchanges_replay) {
  const auto body = [] {
    atomic<int> x{0};
    int first = 5;
    int second = 0;
    thread a([&] {
      x.compare_exchange_strong(first, 6, relaxed, relaxed);
      second = x.load(relaxed);
    });
    thread b([&] { x.store(1, relaxed); });
    a.join();
    b.join();
    check(first != 0 || second != 1, "never like that");
  };
  Options options;
  options.strategy = Strategy::random_walk;
  const Report walk = explore(options, body);
  EXPECT_TRUE(walk.violation) << walk.to_text();
  expect_violation(ViolationKind::check_failed, body);
}

/// Every thread would fail at its next step, or in front of it; the token says which one did.
TEST(Replay, the_thread_that_failed_goes_on_in_the_replay) {
  for (const bool at_step : {true, false}) {
    const auto body = [at_step] {
      atomic<int> x{0};
      cell<int> unset[3];
      const auto fail = [&](int i) { at_step ? x.load(release) : unset[i].read(); };
      thread a([&] { fail(0); });
      thread b([&] { fail(1); });
      x.load(relaxed);
      fail(2);
    };
    std::set<int> found;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Options options;
      options.strategy = Strategy::random_walk;
      options.minimise_seconds = 0;  // or the simplest of the three is shown every time
      options.seed = seed;
      const Report report = explore(options, body);
      expect_replay(report, body);
      if (report.violation) found.insert(report.violation->thread);
    }
    EXPECT_EQ(found, (std::set<int>{0, 1, 2}));
  }
}

/// Threads that start threads, of which the first is not there in the execution that is replayed.
TEST(Replay, threads_of_threads_keep_their_numbers) {
  std::set<std::int32_t> numbers;
  const auto body = [&] {
    atomic<int> x{0}, y{0, "y"};
    thread bystander([&] { y.store(1, relaxed); });
    thread first([&] {
      const int seen = x.load(relaxed);
      if (seen == 0) {
        thread other([] {});
        other.join();
      }
      check(seen == 0, "nothing is seen");
    });
    thread second([&] {
      thread writer([&] {
        numbers.insert(this_thread_id());
        x.store(1, relaxed);
      });
      writer.join();
    });
    for (thread* t : {&bystander, &first, &second}) t->join();
  };
  Options options;
  options.minimise_seconds = 0;
  const Report report = expect_violation(ViolationKind::check_failed, options, body);
  EXPECT_EQ(numbers, std::set<std::int32_t>{5});
  ASSERT_TRUE(report.violation);
  for (const ReportedEvent& event : report.violation->events) {
    EXPECT_FALSE(event.text.starts_with("y.")) << "the failure does not depend on it";
  }
}

/// In a replay of what the failure depends on, a thread that is not part of it is ready to start
/// before one that is.
TEST(Replay, threads_of_main_keep_their_numbers_beside_others) {
  for (const bool makes_a_step : {true, false}) {
    const auto body = [=] {
      atomic<int> x{0};
      thread first([&] {
        x.store(1, relaxed);
        thread other([] {});
        other.join();
      });
      const int seen = x.load(relaxed);
      thread second([&] {
        if (makes_a_step) x.load(relaxed);
        check(seen == 0, "nothing is seen");
      });
      first.join();
      second.join();
    };
    const Report report = expect_violation(ViolationKind::check_failed, body);
    ASSERT_TRUE(report.violation);
    EXPECT_EQ(report.violation->thread, 2);
    EXPECT_EQ(report.violation->events.size(), makes_a_step ? 5U : 4U) << report.to_text();
  }
}

/// The numbers of those that main has started show that it has not started all of them.
TEST(Replay, threads_of_main_behind_others_keep_their_numbers) {
  std::set<std::int32_t> numbers;
  const auto body = [&] {
    atomic<int> x{0};
    thread first([&] {
      x.store(1, relaxed);
      thread other([] {});
      other.join();
    });
    await([&] { return x.load(relaxed) == 1; });
    thread second([&] {
      numbers.insert(this_thread_id());
      check(x.load(relaxed) == 0, "never right");
    });
    first.join();
    second.join();
  };
  const Report report = expect_violation(ViolationKind::check_failed, body);
  EXPECT_EQ(numbers, std::set<std::int32_t>{3});
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->events.size(), 5U) << report.to_text();
}

/// A thread that looks at the steps of three others, two of which are started by a thread, and
/// only in some executions.
void spreading_program(unsigned seed) {
  atomic<int> x{0};
  std::minstd_rand random(seed);
  const int unseen = static_cast<int>(random() % 3);
  const bool main_looks = random() / 8 % 2 == 0;
  const auto add = [&] { x.fetch_add(1, relaxed); };
  thread a([&] {
    if (x.load(relaxed) != unseen) return;
    thread inner(add);
    inner.join();
  });
  if (main_looks) x.load(relaxed);
  thread b([&] {
    thread inner(add);
    if (x.load(relaxed) != unseen) {
      thread another(add);
      another.join();
    }
    inner.join();
  });
  thread c([&] { check(x.load(relaxed) != unseen + 1, "never so many"); });
  for (thread* t : {&a, &b, &c}) t->join();
}

TEST(Replay, programs_whose_threads_start_threads_replay) {
  int violations = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto body = [seed] { spreading_program(seed); };
    for (const Strategy strategy :
         {Strategy::exhaustive, Strategy::random_walk, Strategy::bursts}) {
      Options options;
      options.strategy = strategy;
      options.samples = 50;
      options.seed = seed;
      options.minimise_seconds = seed % 2 == 0 ? 0 : 0.3;
      const Report report = explore(options, body);
      if (!report.violation) continue;
      ++violations;
      expect_replay(report, body);
      if (testing::Test::HasFailure()) FAIL() << "program " << seed << "\n" << report.to_text();
    }
  }
  EXPECT_GT(violations, 60);
}

/// Three threads with a few random steps each, on atomics and cells, and waits.
void racing_program(unsigned seed) {
  atomic<int> flags[2] = {atomic<int>(0), atomic<int>(0)};
  cell<int> data[2] = {cell<int>(0), cell<int>(0)};
  const auto steps = [&](unsigned number) {
    std::minstd_rand random(seed * 3 + number);
    for (unsigned length = random() % 4; length != 0; --length) {
      const std::size_t i = random() / 8 % 2;
      switch (random() / 8 % 7) {
        case 0:
          flags[i].store(1, release);
          break;
        case 1:
          flags[i].load(acquire);
          break;
        case 2:
          flags[i].fetch_add(1, acq_rel);
          break;
        case 3:
          data[i].write(1);
          break;
        case 4:
          await([&] { return flags[i].load(acquire) != 0; });
          break;
        case 5:
          await([&] {
            data[i].read();
            return flags[1 - i].load(acquire) != 0;
          });
          break;
        default:
          data[i].read();
          break;
      }
    }
  };
  thread a([&] { steps(0); });
  thread b([&] { steps(1); });
  steps(2);
  a.join();
  b.join();
}

/// What collides may lie behind the last step of a thread, or in one that makes no step at all.
TEST(Replay, races_of_random_programs_replay) {
  int races = 0;
  for (unsigned seed = 1; seed <= 800; ++seed) {
    const auto body = [seed] { racing_program(seed); };
    for (const Strategy strategy :
         {Strategy::exhaustive, Strategy::random_walk, Strategy::bursts}) {
      Options options;
      options.strategy = strategy;
      options.samples = 50;
      options.hint_seconds = 0;
      options.minimise_seconds = seed % 2 == 0 ? 0 : 0.3;
      const Report report = explore(options, body);
      if (!report.violation) continue;
      ++races;
      expect_replay(report, body);
      if (testing::Test::HasFailure()) FAIL() << "program " << seed << "\n" << report.to_text();
    }
  }
  EXPECT_GT(races, 300);
}

/// What whoever collides does before it writes.
using Before = void (*)(atomic<int>& x);
constexpr Before befores[] = {
    [](atomic<int>&) {},
    [](atomic<int>& x) { x.load(relaxed); },
    [](atomic<int>& x) { x.fetch_add(1, relaxed); },
    [](atomic<int>& x) { x.store(1, relaxed), x.store(2, relaxed); },
};

/// A thread reads while it waits, without a step of its own.
void read_in_a_turn(Before before) {
  atomic<int> q{0}, x{0};
  cell<int> data{7};
  thread early([&] {
    await([&] {
      data.read();
      return q.load(acquire) == 1;
    });
  });
  thread setter([&] { q.store(1, release); });
  thread late([&] {
    before(x);
    data.write(6);
  });
  for (thread* t : {&early, &setter, &late}) t->join();
}

/// Or before it waits.
void read_before_waiting(Before before) {
  atomic<int> flag{0}, x{0};
  cell<int> data{0};
  thread reader([&] {
    data.read();
    await([&] { return flag.load(acquire) == 1; });
  });
  thread writer([&] {
    before(x);
    data.write(1);
    flag.store(1, release);
  });
  reader.join();
  writer.join();
}

TEST(Replay, who_waits_without_a_step_has_read_before_others_write) {
  for (const Strategy strategy :
       {Strategy::exhaustive, Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    for (const auto program : {read_in_a_turn, read_before_waiting}) {
      for (const Before before : befores) {
        Options options;
        options.strategy = strategy;
        options.minimise_seconds = options.hint_seconds = 0;
        for (options.seed = 1; options.seed <= 40; ++options.seed) {
          expect_violation(ViolationKind::data_race, options, [&] { program(before); });
          if (testing::Test::HasFailure()) FAIL() << "seed " << options.seed;
        }
      }
    }
  }
}

/// They came in another order than they do in the replay.
TEST(Replay, of_several_races_at_one_step_the_same_is_told) {
  const auto whole = [] {
    cell<int> data{0};
    thread reader([&] { data.read(); });
    thread writer([&] { data.write(1); });
    data.read();
    reader.join();
    writer.join();
  };
  const auto open = [] {
    atomic<int> begun{0};
    cell<int> data{0};
    thread reader([&] {
      const auto guard = data.reading();
      begun.fetch_add(1, acq_rel);
      begun.load(relaxed);
    });
    thread writer([&] {
      await([&] { return begun.load(acquire) == 2; });
      data.write(1);
    });
    {
      const auto guard = data.reading();
      begun.fetch_add(1, acq_rel);
      begun.load(relaxed);
    }
    reader.join();
    writer.join();
  };
  for (const auto& body : {std::function<void()>(whole), std::function<void()>(open)}) {
    Options options;
    options.strategy = Strategy::random_walk;
    options.minimise_seconds = options.hint_seconds = 0;
    for (options.seed = 1; options.seed <= 40; ++options.seed) {
      expect_violation(ViolationKind::data_race, options, body);
    }
  }
}

int context_switches(const Report& report) {
  int switches = 0;
  const auto& events = report.violation->events;
  for (std::size_t i = 1; i < events.size(); ++i) {
    switches += events[i].thread != events[i - 1].thread ? 1 : 0;
  }
  return switches;
}

TEST(Minimisation, violations_are_shown_with_the_fewest_context_switches) {
  const auto body = [] {
    atomic<int> x{0}, y{0}, z{0};
    thread a([&] { x.store(1, release); });
    thread b([&] {
      if (x.load(acquire) == 1) y.store(1, release);
    });
    thread c([&] { check(y.load(acquire) == 0 && z.load(acquire) == 0, "nothing is seen"); });
    thread d([&] { z.store(1, release); });
    a.join();
    b.join();
    c.join();
    d.join();
  };
  Options first;
  first.minimise_seconds = 0;
  const Report found = explore(first, body);
  ASSERT_TRUE(found.violation);
  EXPECT_EQ(context_switches(found), 3) << found.to_text();  // main, a, b, c
  const Report least = explore(Options{}, body);
  ASSERT_TRUE(least.violation);
  EXPECT_EQ(context_switches(least), 2) << least.to_text();  // main, d, c
  expect_replay(least, body);
}

TEST(Minimisation, one_order_with_few_switches_is_found_among_many) {
  // The threads can only take turns: each waits for the one before it.
  const Report report = explore(Options{}, [] {
    std::vector<std::unique_ptr<atomic<int>>> steps;
    for (int i = 0; i < 4; ++i) steps.push_back(std::make_unique<atomic<int>>(0));
    std::vector<thread> threads;
    for (std::size_t i = 4; i-- > 1;) {
      threads.emplace_back([&steps, i] {
        if (steps[i - 1]->load(acquire) == 1) steps[i]->store(1, release);
      });
    }
    threads.emplace_back([&steps] { steps[0]->store(1, release); });
    for (thread& t : threads) t.join();
    check(steps[3]->load(relaxed) == 0, "the last step is not made");
  });
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(context_switches(report), 5) << report.to_text();  // main, four threads, main
}

}  // namespace
}  // namespace pto2::model
