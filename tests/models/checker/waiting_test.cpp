// Waiting: what ends, what never does, and loops that should have waited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <pto2/checker.hpp>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

TEST(Waiting, deadlock) {
  expect_violation(ViolationKind::deadlock, [] {
    atomic<int> flag{0};
    await([&] { return flag.load(acquire) == 1; });
  });
  expect_violation(ViolationKind::deadlock, [] {
    atomic<int> a{0}, b{0};
    const auto lock = [](atomic<int>& l) { await([&] { return l.exchange(1, acquire) == 0; }); };
    thread one([&] {
      lock(a);
      lock(b);
      b.store(0, release);
      a.store(0, release);
    });
    thread two([&] {
      lock(b);
      lock(a);
      a.store(0, release);
      b.store(0, release);
    });
    one.join();
    two.join();
  });
  expect_violation(ViolationKind::deadlock, [] {
    atomic<int> flag{0};
    while (flag.load(acquire) == 0) idle();
  });
}

TEST(Waiting, waiting_that_ends_is_no_deadlock) {
  expect_pass([] {
    atomic<int> flag{0};
    thread setter([&] { flag.store(1, release); });
    while (flag.load(acquire) == 0) idle();
    setter.join();
  });
}

/// Takes two values from a box, then ends when it is told to. `turn_ends` idles and says whether
/// the loop is over.
template <class TurnEnds>
void poll_two_values(TurnEnds&& turn_ends) {
  atomic<int> box{0}, taken{0}, stop{0};
  thread poller([&] {
    for (int count = 0;;) {
      if (box.exchange(0, acquire) != 0) {
        taken.store(++count, release);
      } else if (turn_ends([&] { return stop.load(acquire) == 1; })) {
        check(count == 2, "stop comes behind both values");
        return;
      }
    }
  });
  for (int value = 1; value <= 2; ++value) {
    box.store(value, release);
    await([&] { return taken.load(acquire) == value; });
  }
  stop.store(1, release);
  poller.join();
}

TEST(Waiting, a_polling_loop_may_wait_for_its_end) {
  const Report plain = explore(Options{}, [] {
    poll_two_values([](const auto& is_over) {
      if (is_over()) return true;
      idle();
      return false;
    });
  });
  const auto body = [] { poll_two_values([](const auto& is_over) { return idle(is_over); }); };
  const Report waiting = explore(Options{}, body);
  ASSERT_TRUE(plain.ok()) << plain.to_text();
  ASSERT_TRUE(waiting.ok()) << waiting.to_text();
  EXPECT_EQ(waiting.executions, plain.executions);
  EXPECT_LT(waiting.blocked, plain.blocked);
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
    Options options;
    options.strategy = strategy;
    const Report sampled = explore(options, body);
    EXPECT_FALSE(sampled.violation) << sampled.to_text();
    EXPECT_EQ(sampled.executions, 1000U);
  }
}

int line_of_question = 0;

/// Asks for something, once, and polls for it. `asked` is called behind the question and says
/// whether the turn goes on to its end, which idles.
template <class Asked, class TurnEnds>
void ask_and_poll(Asked&& asked, TurnEnds&& turn_ends) {
  atomic<int> question{0}, answer{0}, stop{0}, setting{0};
  thread other([&] {
    await([&] { return question.load(acquire) == 1; });
    answer.store(1, release);
  });
  // What a turn looks at first, and last, need not be what it waits for.
  bool has_asked = false;
  while (!(has_asked && setting.load(relaxed) != 0) && answer.load(acquire) == 0) {
    if (!has_asked) {
      has_asked = true;
      question.store(1, release), line_of_question = __LINE__;
      check(stop.load(relaxed) == 0, "nobody stops it");
      if (!asked()) continue;
    }
    turn_ends([&] { return stop.load(relaxed) == 1; });
  }
  other.join();
}

TEST(Waiting, who_idles_behind_something_done_is_told) {
  const auto plain = [](const auto&) { idle(); };
  const auto with_end = [](const auto& is_over) { idle(is_over); };
  const auto yes = [] { return true; };
  const auto no = [] { return false; };
  const Report report = expect_violation(ViolationKind::misuse, [&] { ask_and_poll(yes, plain); });
  EXPECT_THAT(report.violation->message,
              testing::HasSubstr("behind a turn that had an effect at waiting_test.cpp:" +
                                 std::to_string(line_of_question) + ","));
  expect_violation(ViolationKind::misuse, [&] { ask_and_poll(yes, with_end); });
  expect_pass([&] { ask_and_poll(no, plain); });
  expect_pass([&] { ask_and_poll(no, with_end); });
}

/// Nobody answers what it does.
TEST(Waiting, who_idles_may_count_its_turns) {
  expect_pass([] {
    atomic<int> box{0}, turns{0};
    thread other([&] { box.store(1, release); });
    while (box.load(acquire) == 0) {
      turns.fetch_add(1, relaxed);
      idle();
    }
    other.join();
  });
  const Report alone = explore(Options{}, [] {
    atomic<int> box{0}, turns{0};
    while (box.load(acquire) == 0) {
      turns.fetch_add(1, relaxed);
      idle();
    }
  });
  EXPECT_FALSE(alone.violation) << alone.to_text();
  EXPECT_EQ(alone.blocked, 1U);
}

/// Nobody tells the poller to stop; whether it gets something to do decides.
void poll_without_end(bool with_a_value) {
  atomic<int> box{0}, stop{0};
  thread poller([&] {
    for (;;) {
      if (box.load(acquire) != 0) return;
      if (idle([&] { return stop.load(acquire) == 1; })) return;
    }
  });
  thread other([&] { stop.store(2, relaxed); });
  if (with_a_value) box.store(1, release);
  other.join();
  poller.join();
}

TEST(Waiting, a_polling_loop_without_end_is_a_deadlock) {
  expect_violation(ViolationKind::deadlock, [] { poll_without_end(false); });
  expect_pass([] { poll_without_end(true); });
}

TEST(Waiting, a_predicate_that_fails_must_not_have_written) {
  const Report writes = explore(Options{}, [] {
    atomic<int> x{0}, y{0};
    thread setter([&] { y.store(1, release); });
    await([&] {
      x.store(1, relaxed);
      return y.load(acquire) == 1;
    });
    setter.join();
  });
  ASSERT_TRUE(writes.violation);
  EXPECT_EQ(writes.violation->kind, ViolationKind::misuse) << writes.to_text();
  EXPECT_NE(writes.violation->message.find("waiting_test.cpp:"), std::string::npos);

  // Exchanging one for one changes nothing.
  const Report exchanges = explore(Options{}, [] {
    atomic<int> lock{1}, y{0};
    thread setter([&] {
      lock.store(0, release);
      y.store(1, release);
    });
    await([&] { return lock.exchange(1, acquire) == 0 && y.load(acquire) == 0; });
    setter.join();
  });
  EXPECT_TRUE(exchanges.violation);  // it takes the lock, and may find y set
  const Report waits = explore(Options{}, [] {
    atomic<int> lock{1};
    thread setter([&] { lock.store(0, release); });
    await([&] { return lock.exchange(1, acquire) == 0; });
    setter.join();
  });
  EXPECT_TRUE(waits.ok()) << waits.to_text();

  // Nobody sees what the last update of a predicate writes that does not hold.
  expect_violation(ViolationKind::misuse, [] {
    atomic<int> x{0};
    await([&] { return x.fetch_add(1, relaxed) == 1; });
  });
  expect_violation(ViolationKind::misuse, [] {
    atomic<int> x{0};
    thread setter([&] { x.store(1, relaxed); });
    await([&] { return x.exchange(2, relaxed) == 1; });
    setter.join();
  });
}

/// Each evaluation makes them anew, and they are the same ones in all runs.
TEST(Waiting, a_predicate_may_use_objects_of_its_own) {
  const auto body = [] {
    atomic<int> y{0}, z{0};
    thread setter([&] {
      y.store(1, release);
      z.store(1, release);
    });
    await([&] {
      atomic<int> own{y.load(acquire)};
      cell<int> last{0};
      last.write(own.load(relaxed));
      return last.read() == 1;
    });
    atomic<int> later{0};
    check(later.load(relaxed) == 0, "it is new");
    while (z.load(acquire) == 0) idle();
    setter.join();
  };
  expect_pass(body);
  for (const Strategy strategy : {Strategy::random_walk, Strategy::pct}) {
    Options options;
    options.strategy = strategy;
    options.samples = 200;
    const Report report = explore(options, body);
    EXPECT_FALSE(report.violation) << report.to_text();
  }
}

/// `look(has_seen, has_won)` inside a predicate, of which both can never be: who sees the other's
/// store also sees its exchange, which was there first.
void look_for_two_winners(const std::function<void(bool has_seen, bool has_won)>& look) {
  atomic<int> x{0}, y{0};
  thread one([&] {
    if (x.exchange(1, relaxed) == 0) y.store(1, relaxed);
  });
  thread two([&] {
    await([&] {
      const int seen = y.load(relaxed);
      int expected = 0;
      const bool won = x.compare_exchange_strong(expected, 2, relaxed);
      look(seen == 1, won);
      return true;
    });
  });
  one.join();
  two.join();
}

/// The same of values that the SC axiom forbids together.
void look_for_a_cycle(const std::function<void(bool is_first, bool is_second)>& look) {
  atomic<int> x{0}, y{0}, z{0};
  thread one([&] {
    y.store(1, seq_cst);
    z.store(x.load(seq_cst) == 0 ? 1 : 2, relaxed);
  });
  thread two([&] {
    x.store(1, seq_cst);
    await([&] {
      const bool is_first = y.load(seq_cst) == 0;
      look(is_first, z.load(relaxed) == 1);
      return true;
    });
  });
  one.join();
  two.join();
}

/// Of the two exchanges either may be first, however the predicate looks at its own.
TEST(Waiting, what_a_predicate_finds_wrong_is_told_where_it_can_be) {
  const auto check_and_note = [](bool has_seen, bool has_won) {
    check(!(has_seen && has_won), "one at most");
    sometimes("the second", has_won);
  };
  expect_pass([&] { look_for_two_winners(check_and_note); });
  expect_violation(ViolationKind::check_failed, [] {
    look_for_two_winners([](bool, bool has_won) { check(!has_won, "never the second"); });
  });
  expect_violation(ViolationKind::check_failed, [] {
    look_for_two_winners([](bool has_seen, bool) { check(!has_seen, "never seen"); });
  });
}

using LookForBoth = void (*)(const std::function<void(bool, bool)>&);

TEST(Waiting, what_a_predicate_is_tried_on_is_no_execution) {
  for (const LookForBoth program : {&look_for_two_winners, &look_for_a_cycle}) {
    expect_pass([&] { program([](bool a, bool b) { check(!(a && b), "one at most"); }); });
    expect_pass([&] {
      program([](bool a, bool b) {
        if (a && b) __builtin_trap();
      });
    });
    const Report report = explore(Options{}, [&] {
      program([](bool a, bool b) {
        sometimes("neither", !a && !b);
        sometimes("first", a && !b);
        sometimes("second", !a && b);
        sometimes("both", a && b);
      });
    });
    ASSERT_TRUE(report.violation) << report.to_text();
    EXPECT_EQ(report.violation->kind, ViolationKind::unreached);
    EXPECT_THAT(report.violation->message, testing::HasSubstr("both")) << report.to_text();
  }
}

/// Its objects are made anew however many values it is tried on.
TEST(Waiting, a_predicate_may_only_create) {
  const Report report = explore(Options{}, [] {
    atomic<int> y{0};
    thread setter([&] {
      y.store(1, release);
      y.store(2, release);
    });
    int seen = 0;
    await([&] {
      const atomic<int> own{0};
      seen = y.load(acquire);
      return seen != 0;
    });
    atomic<int> later{seen};
    check(later.load(relaxed) == seen, "it is new");
    setter.join();
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2u);
}

TEST(Waiting, a_predicate_that_fails_must_not_have_started_a_thread) {
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.strategy = strategy;
    expect_violation(ViolationKind::misuse, options, [] {
      atomic<int> x{0}, y{0};
      thread setter([&] { y.store(1, release); });
      await([&] {
        thread helper([&] { x.store(1, relaxed); });
        helper.join();
        return y.load(acquire) == 1;
      });
      setter.join();
    });
  }
}

TEST(Waiting, what_a_predicate_that_fails_has_made_does_not_outlive_it) {
  expect_violation(ViolationKind::misuse, [] {
    atomic<int> y{0};
    std::unique_ptr<atomic<int>> kept;
    thread setter([&] { y.store(1, release); });
    await([&] {
      kept = std::make_unique<atomic<int>>(0);
      return y.load(acquire) == 1;
    });
    setter.join();
  });
  expect_violation(ViolationKind::misuse, [] {
    atomic<int> y{0};
    std::unique_ptr<cell<int>> kept;
    thread setter([&] { y.store(1, release); });
    await([&] {
      kept = std::make_unique<cell<int>>(0);
      return y.load(acquire) == 1;
    });
    setter.join();
  });
  expect_pass([] {
    atomic<int> y{0};
    std::unique_ptr<atomic<int>> kept;
    thread setter([&] { y.store(1, release); });
    await([&] {
      if (y.load(acquire) != 1) return false;
      kept = std::make_unique<atomic<int>>(0);
      return true;
    });
    check(kept->load(relaxed) == 0, "it is new");
    setter.join();
  });
}

TEST(Waiting, nor_must_that_of_a_polling_loop) {
  const auto body = [] {
    atomic<int> x{0}, y{0};
    thread setter([&] { y.store(1, release); });
    const auto is_over = [&] {
      x.store(1, relaxed);
      return y.load(acquire) == 1;
    };
    while (!idle(is_over)) {
    }
    setter.join();
  };
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.strategy = strategy;
    expect_violation(ViolationKind::misuse, options, body);
  }

  // What is written between two turns is nobody's look.
  expect_pass([] {
    atomic<int> x{0}, y{0};
    thread setter([&] { y.store(1, release); });
    if (!idle([&] { return y.load(acquire) == 1; })) x.store(1, relaxed);
    setter.join();
  });
}

TEST(Waiting, a_predicate_may_act_when_it_holds) {
  const Report report = explore(Options{}, [] {
    atomic<int> turn{0};
    cell<int> data{0};
    const auto step = [&](int mine) {
      await([&] {
        if (turn.load(acquire) != mine) return false;
        data.write(mine);
        turn.store(mine + 1, release);
        return true;
      });
    };
    thread a([&] { step(2); }), b([&] { step(0); }), c([&] { step(1); });
    a.join();
    b.join();
    c.join();
    check(data.read() == 2, "in turn");
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 1u);
}

TEST(Waiting, silent_loop_is_stopped_and_named) {
  Options options;
  options.watchdog_seconds = 0.05;
  const Report report = explore(options, [] {
    atomic<int> x{0};
    thread quiet(
        [&] {
          volatile int turns = x.load(relaxed);
          while (turns >= 0) turns = 0;
        },
        "quiet");
    quiet.join();
  });
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->kind, ViolationKind::livelock);
  EXPECT_NE(report.violation->message.find("quiet makes no visible step any more; its last one "
                                           "was at waiting_test.cpp:"),
            std::string::npos)
      << report.violation->message;
}

TEST(Waiting, silent_loop_before_any_step_is_named) {
  Options options;
  options.watchdog_seconds = 0.05;
  const auto hang = [] {
    for (volatile int turns = 0; turns >= 0;) turns = 0;
  };
  const Report of_main = explore(options, hang);
  EXPECT_NE(of_main.to_text().find(": thread main makes no visible step (main)\n"),
            std::string::npos)
      << of_main.to_text();
  const Report of_thread = explore(options, [&] { thread(hang, "quiet").join(); });
  EXPECT_NE(
      of_thread.to_text().find(": thread quiet makes no visible step (quiet at waiting_test.cpp:"),
      std::string::npos)
      << of_thread.to_text();
}

}  // namespace
}  // namespace pto2::model
