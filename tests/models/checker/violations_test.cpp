// One program per kind of violation, next to a twin that is fine.
#include <gtest/gtest.h>

#include <memory>
#include <pto2/checker.hpp>
#include <stdexcept>

namespace pto2::model {
namespace {

using enum std::memory_order;

void expect_violation(ViolationKind kind, const std::function<void()>& body) {
  const Report report = explore(Options{}, body);
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->kind, kind) << report.to_text();
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_FALSE(report.ok());
  if (report.violation->token.empty()) return;
  Options options;
  options.strategy = Strategy::replay;
  options.token = report.violation->token;
  const Report again = explore(options, body);
  ASSERT_TRUE(again.violation) << again.to_text();
  EXPECT_EQ(again.violation->kind, kind) << again.to_text();
}

void expect_pass(const std::function<void()>& body) {
  const Report report = explore(Options{}, body);
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.executions, 0u);
}

/// Hides from the compiler that a dangling pointer is used on purpose.
template <class T>
T* opaque(T* pointer) {
  T* volatile hidden = pointer;
  return hidden;
}

void message_passing(std::memory_order publish, std::memory_order observe) {
  atomic<int> flag{0, "flag"};
  cell<int> data{0, "data"};
  thread producer([&] {
    data.write(1);
    flag.store(1, publish);
  });
  if (flag.load(observe) == 1) check(data.read() == 1, "message seen");
  producer.join();
}

TEST(Violations, race_on_a_cell) {
  expect_violation(ViolationKind::data_race, [] { message_passing(relaxed, acquire); });
  expect_violation(ViolationKind::data_race, [] { message_passing(release, relaxed); });
  expect_pass([] { message_passing(release, acquire); });
}

TEST(Violations, race_between_two_writes_and_between_write_and_read) {
  expect_violation(ViolationKind::data_race, [] {
    cell<int> data{0};
    thread a([&] { data.write(1); });
    thread b([&] { data.write(2); });
    a.join();
    b.join();
  });
  expect_violation(ViolationKind::data_race, [] {
    cell<int> data{0};
    thread a([&] { data.read(); });
    thread b([&] { data.write(2); });
    a.join();
    b.join();
  });
  expect_pass([] {
    cell<int> data{0};
    thread a([&] { data.read(); });
    thread b([&] { data.read(); });
    a.join();
    b.join();
    data.write(1);
  });
}

void stale_read(std::memory_order publish) {
  atomic<int> x{0, "x"};
  atomic<int> flag{0, "flag"};
  thread producer([&] {
    x.store(1, relaxed);
    flag.store(1, publish);
  });
  thread consumer([&] {
    if (flag.load(acquire) == 1) check(x.load(relaxed) == 1, "x is seen with the flag");
  });
  producer.join();
  consumer.join();
}

TEST(Violations, check) {
  expect_violation(ViolationKind::check_failed, [] { stale_read(relaxed); });
  expect_pass([] { stale_read(release); });
}

TEST(Violations, report_tells_the_story) {
  const Report report = explore(Options{}, [] { stale_read(relaxed); });
  const std::string text = report.to_text();
  EXPECT_NE(text.find("check failed: x is seen with the flag"), std::string::npos) << text;
  EXPECT_NE(text.find("violations_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("x.load(relaxed) = 0"), std::string::npos) << text;
  EXPECT_NE(text.find("missed 1 from T1"), std::string::npos) << text;
  EXPECT_NE(text.find("replay: pto2.1:"), std::string::npos) << text;
  EXPECT_NE(report.to_json().find("\"schema\": \"pto2.checker.report/1\""), std::string::npos);
  EXPECT_NE(report.violation->dot.find("label=rf"), std::string::npos);
  // Nothing of the joins is left: they have no part in it.
  EXPECT_EQ(text.find("joins"), std::string::npos) << text;
}

TEST(Violations, hint_names_the_order_that_is_too_weak) {
  const Report report = explore(Options{}, [] { stale_read(relaxed); });
  ASSERT_TRUE(report.violation);
  EXPECT_NE(report.violation->hint.find("acquire/release order at violations_test.cpp:"),
            std::string::npos)
      << report.violation->hint;
  // No order helps where the check itself is wrong.
  const Report hopeless = explore(Options{}, [] {
    atomic<int> x{0};
    check(x.load(relaxed) == 1, "x is one");
  });
  ASSERT_TRUE(hopeless.violation);
  EXPECT_EQ(hopeless.violation->hint, "");
}

TEST(Violations, deadlock) {
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

TEST(Violations, waiting_that_ends_is_no_deadlock) {
  expect_pass([] {
    atomic<int> flag{0};
    thread setter([&] { flag.store(1, release); });
    while (flag.load(acquire) == 0) idle();
    setter.join();
  });
}

TEST(Violations, spinning_is_named) {
  const Report alone = explore(Options{}, [] {
    atomic<int> flag{0, "flag"};
    while (flag.load(acquire) == 0) {
    }
  });
  ASSERT_TRUE(alone.violation);
  EXPECT_EQ(alone.violation->kind, ViolationKind::livelock);
  EXPECT_NE(alone.violation->message.find("violations_test.cpp:"), std::string::npos);

  const Report report = explore(Options{}, [] {
    atomic<int> flag{0, "flag"};
    thread setter([&] { flag.store(1, release); });
    while (flag.load(acquire) == 0) {
    }
    setter.join();
  });
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("spins at violations_test.cpp:"), std::string::npos)
      << report.reason;
}

TEST(Violations, spinning_over_several_places_is_named) {
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
  EXPECT_NE(report.reason.find("spins at violations_test.cpp:"), std::string::npos)
      << report.reason;
}

TEST(Violations, a_predicate_that_fails_must_not_have_written) {
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
  EXPECT_NE(writes.violation->message.find("violations_test.cpp:"), std::string::npos);

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

TEST(Violations, a_predicate_may_act_when_it_holds) {
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

TEST(Violations, silent_loop_is_stopped_and_named) {
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

TEST(Violations, uninitialised_read) {
  expect_violation(ViolationKind::uninitialised_read, [] {
    cell<int> data;
    data.read();
  });
  expect_violation(ViolationKind::uninitialised_read, [] {
    atomic<atomic<int>*> published{nullptr};
    thread maker([&] { published.store(new atomic<int>(1), relaxed); });
    if (auto* object = published.load(acquire)) object->load(relaxed);
    maker.join();
    delete published.load(relaxed);
  });
}

TEST(Violations, use_after_free) {
  expect_violation(ViolationKind::use_after_free, [] {
    auto* object = new atomic<int>(1);
    delete opaque(object);
    opaque(object)->load(relaxed);
  });
  expect_violation(ViolationKind::use_after_free, [] {
    auto* object = new atomic<int>(1);
    thread reader([object] { opaque(object)->load(relaxed); });
    delete opaque(object);
    reader.join();
  });
  expect_pass([] {
    auto* object = new atomic<int>(1);
    thread reader([object] { object->load(relaxed); });
    reader.join();
    delete object;
  });
}

TEST(Violations, double_free) {
  expect_violation(ViolationKind::double_free, [] {
    auto* object = new atomic<int>(1);
    delete opaque(object);
    delete opaque(object);
  });
}

TEST(Violations, leak) {
  expect_violation(ViolationKind::leak, [] { new atomic<int>(1); });
  expect_violation(ViolationKind::leak, [] { new cell<int>(1); });
}

TEST(Violations, exception) {
  expect_violation(ViolationKind::exception, [] {
    atomic<int> x{0};
    thread a([&] {
      if (x.load(relaxed) == 1) throw std::runtime_error("one");
    });
    x.store(1, relaxed);
    a.join();
  });
}

TEST(Violations, unreached) {
  expect_violation(ViolationKind::unreached, [] {
    atomic<int> x{0};
    sometimes("x is one", x.load(relaxed) == 1);
  });
  expect_pass([] {
    atomic<int> x{0};
    thread a([&] { x.store(1, relaxed); });
    sometimes("x is one", x.load(relaxed) == 1);
    a.join();
  });
  Options options;
  options.expected = {"never passed by"};
  const Report report = explore(options, [] {});
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, ViolationKind::unreached);
}

TEST(Violations, nondeterminism) {
  int runs = 0;
  const Report report = explore(Options{}, [&] {
    atomic<int> x{0}, y{0};
    thread a([&] { x.store(1, relaxed); });
    if (++runs > 1) y.load(relaxed);
    x.load(relaxed);
    a.join();
  });
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->kind, ViolationKind::nondeterminism);
}

TEST(Violations, misuse) {
  expect_violation(ViolationKind::misuse, [] {
    atomic<int> x{0};
    x.load(release);
  });
  expect_violation(ViolationKind::misuse, [] { thread a([] {}); });
  EXPECT_THROW(atomic<int>{0}, std::logic_error);
}

TEST(Violations, assumptions_cut) {
  const Report report = explore(Options{}, [] {
    atomic<int> x{0};
    thread a([&] { x.store(1, relaxed); });
    assume(x.load(relaxed) == 1);
    a.join();
  });
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.executions, 1u);
  EXPECT_EQ(report.blocked, 1u);
  const Report nothing = explore(Options{}, [] { assume(false); });
  EXPECT_EQ(nothing.verdict, Verdict::inconclusive);
}

TEST(Violations, nothing_is_observed_of_a_cut_execution) {
  int observed = 0;
  const Report report = explore({}, [&] {
    atomic<int> x{0}, y{0};
    thread a([&] {
      await([&] { return x.load(relaxed) == 1; });
      y.store(1, relaxed);
    });
    thread b([&] {
      assume(y.load(relaxed) == 0);
      x.store(1, relaxed);
    });
    a.join();
    b.join();
    ++observed;
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(static_cast<int>(report.executions), observed);
  Options options;
  options.allow_deadlocks = true;
  const Report stuck = explore(options, [&] {
    atomic<int> x{0};
    thread a([&] { await([&] { return x.load(relaxed) == 1; }); });
    a.join();
    x.load(relaxed);
    observed = -1;
  });
  EXPECT_EQ(stuck.executions, 0u);
  EXPECT_NE(observed, -1);
}

/// What a destructor does with atomics while its thread is unwound neither throws nor hangs.
TEST(Violations, destructors_use_atomics_while_an_execution_is_cut) {
  struct Drain {
    explicit Drain(atomic<int>& x) : x_(x) {}
    ~Drain() {
      for (int value = x_.load(relaxed); value > 0;) {
        if (x_.compare_exchange_weak(value, value - 1, relaxed)) --value;
      }
    }
    atomic<int>& x_;
  };
  const Report report = explore({}, [] {
    atomic<int> x{3};
    const Drain drain(x);
    thread a([&] { x.fetch_add(1, relaxed); });
    assume(x.load(relaxed) == 4);
    a.join();
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_GT(report.blocked, 0u);
}

TEST(Violations, objects_unwind_when_an_execution_is_cut) {
  int alive = 0;
  struct Counter {
    explicit Counter(int& count) : count_(count) { ++count_; }
    ~Counter() { --count_; }
    int& count_;
  };
  explore(Options{}, [&] {
    const Counter counter(alive);
    atomic<int> x{0};
    thread a([&] {
      const Counter inner(alive);
      await([&] { return x.load(relaxed) == 1; });
    });
    assume(x.load(relaxed) == 1);
    a.join();
  });
  EXPECT_EQ(alive, 0);
}

int context_switches(const Report& report) {
  int switches = 0;
  const auto& events = report.violation->events;
  for (std::size_t i = 1; i < events.size(); ++i) {
    switches += events[i].thread != events[i - 1].thread ? 1 : 0;
  }
  return switches;
}

TEST(Violations, are_shown_with_the_fewest_context_switches) {
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
  Options replay;
  replay.strategy = Strategy::replay;
  replay.token = least.violation->token;
  const Report again = explore(replay, body);
  ASSERT_TRUE(again.violation) << again.to_text();
  EXPECT_EQ(again.violation->message, "nothing is seen");
}

TEST(Violations, one_order_with_few_switches_is_found_among_many) {
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
