// Waiting: what ends, what never does, and loops that should have waited.
#include <gtest/gtest.h>

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

TEST(Waiting, spinning_is_named) {
  const Report alone = explore(Options{}, [] {
    atomic<int> flag{0, "flag"};
    while (flag.load(acquire) == 0) {
    }
  });
  ASSERT_TRUE(alone.violation);
  EXPECT_EQ(alone.violation->kind, ViolationKind::livelock);
  EXPECT_NE(alone.violation->message.find("waiting_test.cpp:"), std::string::npos);

  const Report report = explore(Options{}, [] {
    atomic<int> flag{0, "flag"};
    thread setter([&] { flag.store(1, release); });
    while (flag.load(acquire) == 0) {
    }
    setter.join();
  });
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("spins at waiting_test.cpp:"), std::string::npos) << report.reason;
}

TEST(Waiting, spinning_over_several_places_is_named) {
  const Report alone = explore(Options{}, [] {
    atomic<int> x{0, "x"}, y{0, "y"};
    while (x.load(relaxed) == 0 && y.load(relaxed) == 0) fence(acquire);
  });
  ASSERT_TRUE(alone.violation);
  EXPECT_EQ(alone.violation->kind, ViolationKind::livelock);

  const Report report = explore(Options{}, [] {
    atomic<int> x{0, "x"}, y{0, "y"};
    thread setter([&] { y.store(1, release); });
    while (x.load(relaxed) == 0 && y.load(relaxed) == 0) fence(acquire);
    setter.join();
  });
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("spins at waiting_test.cpp:"), std::string::npos) << report.reason;
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
  EXPECT_NE(report.violation->message.find("quiet makes no visible step"), std::string::npos)
      << report.violation->message;
}

}  // namespace
}  // namespace pto2::model
