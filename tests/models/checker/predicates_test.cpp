// What predicates do besides looking at atomics: they assume, idle, and use cells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <pto2/checker.hpp>
#include <string>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// A reader of two values that are written one after the other; `look` is what its predicate does
/// with the value it sees.
template <class Look>
void read_of_two(Look&& look) {
  atomic<int> x{0};
  int seen = 0;
  thread writer([&] {
    x.store(1, relaxed);
    x.store(2, relaxed);
  });
  thread reader([&] {
    await([&] {
      seen = x.load(relaxed);
      return look(seen);
    });
  });
  writer.join();
  reader.join();
  sometimes("0", seen == 0);
  sometimes("2", seen == 2);
  check(seen != 1, "that is cut");
}

/// The values that the predicate is tried on are those of other executions.
TEST(Predicates, an_assumption_cuts_the_executions_in_which_it_is_false) {
  const auto body = [] {
    read_of_two([](int seen) {
      assume(seen != 1);
      return true;
    });
  };
  const Report report = explore(Options{}, body);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2U);
  Options walk;
  walk.strategy = Strategy::random_walk;
  EXPECT_FALSE(explore(walk, body).violation);
}

TEST(Predicates, so_does_one_that_idles) {
  const Report report = explore(Options{}, [] {
    read_of_two([](int seen) {
      if (seen == 1) idle();
      return true;
    });
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2U);
}

/// Whoever assumes has taken the update before it, as one outside of a predicate has.
TEST(Predicates, an_assumption_does_not_hide_the_update_before_it) {
  for (const bool awaits : {true, false}) {
    const auto body = [awaits](int refused) {
      atomic<int> x{0};
      int first = 0, second = 0;
      const auto step = [&](int& previous) {
        previous = x.fetch_add(1, relaxed);
        assume(previous != refused);
        return true;
      };
      const auto take = [&](int& previous) {
        if (!awaits) return void(step(previous));
        await([&] { return step(previous); });
      };
      thread one([&] { take(first); }), two([&] { take(second); });
      one.join();
      two.join();
      sometimes("first", first == 0);
      sometimes("second", first == 1);
    };
    const Report all = explore(Options{}, [&] { body(2); });
    EXPECT_TRUE(all.ok()) << all.to_text();
    EXPECT_EQ(all.executions, 2U);
    const Report none = explore(Options{}, [&] { body(1); });
    EXPECT_EQ(none.reason, "no execution was complete") << none.to_text();
    EXPECT_EQ(none.executions, 0U);
  }
  expect_violation(ViolationKind::check_failed, [] {
    atomic<int> x{0};
    thread other([&] { check(x.load(relaxed) == 0, "nothing is seen"); });
    await([&] {
      x.fetch_add(1, relaxed);
      assume(false);
      return true;
    });
    other.join();
  });
}

/// An assumption that cuts the next turn of who idles is no deadlock.
TEST(Predicates, who_idles_and_would_be_cut_is_no_deadlock) {
  const Report report = explore(Options{}, [] {
    atomic<int> x{0};
    while (x.load(relaxed) == 0) {
      idle();
      assume(false);
    }
  });
  EXPECT_FALSE(report.violation) << report.to_text();
  EXPECT_EQ(report.blocked, 1U);
}

constexpr Strategy samplers[] = {Strategy::random_walk, Strategy::pct, Strategy::bursts};

/// Its turns that do not hold look at more than the one that does.
TEST(Predicates, a_cell_may_be_read_in_a_turn_that_does_not_hold) {
  const auto body = [](int last) {
    return [last] {
      atomic<int> q{0}, s{0};
      cell<int> data{7};
      thread reader([&] {
        await([&] {
          if (q.load(acquire) == 1) return true;
          return s.load(acquire) == 1 && data.read() == 5;
        });
      });
      thread writer([&] {
        s.store(1, relaxed);
        s.store(last, relaxed);
        q.store(1, release);
      });
      reader.join();
      writer.join();
      data.write(1);
    };
  };
  for (const int last : {1, 2}) {
    expect_pass(body(last));
    for (const Strategy strategy : samplers) {
      Options options;
      options.strategy = strategy;
      const Report sampled = explore(options, body(last));
      EXPECT_FALSE(sampled.violation) << sampled.to_text();
    }
  }
}

/// What a turn that does not hold has read is a race if somebody else writes it, though the thread
/// goes on without: in whatever order they come.
TEST(Predicates, a_turn_that_does_not_hold_races_as_any_other) {
  for (const bool reader_is_first : {true, false}) {
    for (const bool looks_first : {true, false}) {
      expect_violation(ViolationKind::data_race, [=] {
        atomic<int> q{0};
        cell<int> data{7};
        const auto read = [&] {
          await([&] {
            if (looks_first) data.read();
            if (q.load(acquire) == 1) return true;
            if (!looks_first) data.read();
            return false;
          });
        };
        thread early([&] { reader_is_first ? read() : data.write(6); });
        thread setter([&] { q.store(1, release); });
        thread late([&] { reader_is_first ? data.write(6) : read(); });
        early.join();
        setter.join();
        late.join();
      });
    }
  }
}

/// Three threads that wait for each other's stores, and for a lock. `look` is called in each turn
/// of each predicate.
template <class Look>
void wait_in_many_ways(Look&& look) {
  atomic<int> lock{0}, x{0}, y{0};
  const auto critical = [&](int mine) {
    await([&] {
      look();
      return lock.exchange(1, acquire) == 0;
    });
    x.store(mine, relaxed);
    lock.store(0, release);
  };
  thread one([&] {
    critical(1);
    y.store(1, release);
  });
  thread two([&] {
    critical(2);
    await([&] {
      const bool is_open = y.load(relaxed) != 0;
      look();
      return is_open || x.load(relaxed) == 1;
    });
    y.store(2, relaxed);
  });
  thread three([&] {
    await([&] {
      if (x.load(relaxed) == 0) return false;
      look();
      return y.load(acquire) != 0;
    });
    x.store(3, relaxed);
  });
  one.join();
  two.join();
  three.join();
}

TEST(Predicates, a_search_finds_as_much_if_they_read_cells) {
  const Report without = explore(Options{}, [] { wait_in_many_ways([] {}); });
  const Report with = explore(Options{}, [] {
    cell<int> setting{1};
    wait_in_many_ways([&] { check(setting.read() == 1, "as it was set"); });
  });
  EXPECT_TRUE(without.ok()) << without.to_text();
  EXPECT_TRUE(with.ok()) << with.to_text();
  EXPECT_GT(with.executions, 20U);
  EXPECT_EQ(with.executions, without.executions);
}

TEST(Predicates, who_reads_a_cell_and_waits_for_ever_is_in_a_deadlock) {
  expect_violation(ViolationKind::deadlock, [] {
    atomic<int> x{0};
    cell<int> setting{1};
    thread other([&] { x.store(1, relaxed); });
    await([&] { return setting.read() == 1 && x.load(relaxed) == 2; });
    other.join();
  });
}

/// Each walk finds a race with what is read in this line.
void expect_races_in_walks(const std::function<void()>& body, const int& line) {
  for (const Strategy strategy : samplers) {
    Options options;
    options.strategy = strategy;
    options.samples = 1;
    options.minimise_seconds = options.hint_seconds = 0;
    for (options.seed = 1; options.seed <= 40; ++options.seed) {
      const Report report = expect_violation(ViolationKind::data_race, options, body);
      ASSERT_TRUE(report.violation);
      EXPECT_THAT(report.violation->message,
                  testing::HasSubstr("read at predicates_test.cpp:" + std::to_string(line)));
    }
  }
}

/// A turn that does not hold need not have been made: what it has synchronised with does not count.
/// Whoever else has read has made as few steps as the waiting thread, or more.
TEST(Predicates, a_turn_that_does_not_hold_hides_no_race_of_others) {
  int line = 0;
  for (const int loads : {0, 2}) {
    const auto body = [&] {
      atomic<int> q{0}, s{0}, f{0};
      cell<int> data{7};
      thread between([&] {
        await([&] {
          if (q.load(relaxed) == 1) return true;
          return s.load(acquire) == 1 && data.read() == 5;
        });
        f.store(1, release);
      });
      thread reader([&] {
        for (int i = 0; i < loads; ++i) f.load(relaxed);
        data.read(), line = __LINE__;
        s.store(1, release);
        q.store(1, relaxed);
      });
      thread writer([&] {
        await([&] { return f.load(acquire) == 1; });
        data.write(1);
      });
      between.join();
      reader.join();
      writer.join();
    };
    const Report report = expect_violation(ViolationKind::data_race, body);
    ASSERT_TRUE(report.violation);
    EXPECT_THAT(report.violation->message,
                testing::HasSubstr("read at predicates_test.cpp:" + std::to_string(line)));
    expect_races_in_walks(body, line);
  }
}

/// Nor what the thread has read before it began to wait, behind as many steps.
TEST(Predicates, a_turn_that_does_not_hold_hides_no_race_before_the_wait) {
  int line = 0;
  for (const int loads : {0, 2}) {
    const auto body = [&] {
      atomic<int> q{0}, s{0}, f{0};
      cell<int> data{7};
      thread reader([&] {
        for (int i = 0; i < loads; ++i) f.load(relaxed);
        data.read(), line = __LINE__;
        await([&] {
          if (q.load(relaxed) == 1) return true;
          return s.load(relaxed) == 1 && data.read() == 5;
        });
        f.store(1, relaxed);
      });
      thread setter([&] {
        s.store(1, relaxed);
        q.store(1, relaxed);
      });
      thread writer([&] {
        await([&] { return f.load(relaxed) == 1; });
        data.write(1);
      });
      reader.join();
      setter.join();
      writer.join();
    };
    expect_races_in_walks(body, line);
  }
}

/// A cell of its own is gone with the turn; any other has its value for good.
TEST(Predicates, a_turn_that_does_not_hold_must_not_have_written_a_cell) {
  const auto counts = [](const auto& wait) {
    return [wait] {
      atomic<int> y{0};
      cell<int> turns{0};
      thread setter([&] { y.store(1, release); });
      wait([&] {
        turns.write(turns.read() + 1);
        return y.load(acquire) == 1;
      });
      setter.join();
    };
  };
  const auto by_await = [](const auto& predicate) { await(predicate); };
  const auto by_idling = [](const auto& predicate) {
    while (!idle(predicate)) {
    }
  };
  const auto with_guard = [] {
    atomic<int> y{0};
    cell<int> turns{0};
    thread setter([&] { y.store(1, release); });
    await([&] {
      *turns.editing() = 1;
      return y.load(acquire) == 1;
    });
    setter.join();
  };
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    Options options;
    options.strategy = strategy;
    const Report report = expect_violation(ViolationKind::misuse, options, counts(by_await));
    ASSERT_TRUE(report.violation);
    EXPECT_THAT(report.violation->message, testing::HasSubstr("has written at predicates_test"));
    expect_violation(ViolationKind::misuse, options, counts(by_idling));
    expect_violation(ViolationKind::misuse, options, with_guard);
  }
}

TEST(Predicates, what_is_written_between_two_turns_is_of_neither) {
  const auto body = [] {
    atomic<int> y{0};
    cell<int> turns{0};
    thread setter([&] { y.store(1, release); });
    const auto is_over = [&] {
      cell<int> own{0};
      own.write(y.load(acquire));
      return own.read() == 1;
    };
    for (int count = 1; !idle(is_over) && count < 3; ++count) turns.write(count);
    setter.join();
    check(turns.read() < 3, "as it was written");
  };
  expect_pass(body);
  Options options;
  options.strategy = Strategy::random_walk;
  EXPECT_FALSE(explore(options, body).violation);
}

/// A thread waits for one thing at a time, whatever it waits by.
TEST(Predicates, no_wait_begins_in_the_predicate_of_another) {
  using Wait = std::function<void(const std::function<bool()>&)>;
  const Wait waits[] = {[](const auto& predicate) { await(predicate); },
                        [](const auto& predicate) {
                          while (!idle(predicate)) {
                          }
                        }};
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random_walk}) {
    for (const Wait& outer : waits) {
      for (const Wait& inner : waits) {
        Options options;
        options.strategy = strategy;
        const Report report = expect_violation(ViolationKind::misuse, options, [&] {
          atomic<int> x{0}, y{0};
          thread setter([&] {
            x.store(1, release);
            y.store(1, release);
          });
          outer([&] {
            inner([&] { return x.load(acquire) == 1; });
            return y.load(acquire) == 1;
          });
          setter.join();
        });
        ASSERT_TRUE(report.violation);
        EXPECT_THAT(report.violation->message, testing::HasSubstr("predicate of another"));
      }
    }
  }
}

/// Nor where the predicate comes to it on other values than the newest.
TEST(Predicates, a_wait_in_a_predicate_that_is_tried_is_told) {
  for (const bool idles : {false, true}) {
    expect_violation(ViolationKind::misuse, [idles] {
      atomic<int> z{1};
      read_of_two([&](int seen) {
        const auto is_set = [&] { return z.load(relaxed) == 1; };
        if (seen == 1) idles ? void(idle(is_set)) : await(is_set);
        return true;
      });
    });
  }
}

/// It has ended when it holds, when it does not, and with an exception.
TEST(Predicates, a_wait_may_begin_behind_the_look_of_a_polling_loop) {
  for (const bool throws : {false, true}) {
    const auto body = [throws] {
      atomic<int> x{0}, y{0}, z{0};
      thread setter([&] {
        x.store(1, relaxed);
        z.store(1, relaxed);
        y.store(1, release);
      });
      const auto is_over = [&] {
        if (y.load(acquire) == 0) return false;
        if (throws) throw 1;
        return true;
      };
      try {
        while (!idle(is_over)) await([&] { return x.load(relaxed) == 1; });
      } catch (int) {
      }
      await([&] { return z.load(relaxed) == 1; });
      setter.join();
    };
    expect_pass(body);
    for (const Strategy strategy : samplers) {
      Options options;
      options.strategy = strategy;
      const Report sampled = explore(options, body);
      EXPECT_FALSE(sampled.violation) << sampled.to_text();
      EXPECT_EQ(sampled.executions, options.samples);
    }
  }
}

}  // namespace
}  // namespace pto2::model
