// One program per kind of violation, next to a twin that is fine.
#include <gtest/gtest.h>

#include <memory>
#include <pto2/checker.hpp>
#include <stdexcept>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Hides from the compiler that a dangling pointer is used on purpose.
template <class T>
T* hidden_from_the_compiler(T* pointer) {
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
  EXPECT_NE(text.find("replay: pto2.2:"), std::string::npos) << text;
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
  expect_violation(ViolationKind::uninitialised_read, [] {
    atomic<atomic<int>*> published{nullptr};
    thread maker([&] { published.store(new atomic<int>(1), relaxed); });
    auto* const object = published.load(relaxed);
    delete object;
    maker.join();
    if (object == nullptr) delete published.load(relaxed);
  });
}

TEST(Violations, use_after_free) {
  expect_violation(ViolationKind::use_after_free, [] {
    auto* object = new atomic<int>(1);
    delete hidden_from_the_compiler(object);
    hidden_from_the_compiler(object)->load(relaxed);
  });
  expect_violation(ViolationKind::use_after_free, [] {
    auto* object = new atomic<int>(1);
    thread reader([object] { hidden_from_the_compiler(object)->load(relaxed); });
    delete hidden_from_the_compiler(object);
    reader.join();
  });
  expect_pass([] {
    auto* object = new atomic<int>(1);
    thread reader([object] { object->load(relaxed); });
    reader.join();
    delete object;
  });
}

/// The reader need not have come to its recorded step when the destruction is repeated.
TEST(Violations, use_after_free_by_who_has_not_repeated_it_yet) {
  expect_violation(ViolationKind::use_after_free, [] {
    auto* object = new atomic<int>(1);
    atomic<int> flag{0};
    thread reader([object] { object->load(relaxed); });
    thread writer([&] {
      flag.store(1, relaxed);
      flag.store(2, relaxed);
    });
    thread other([] {});
    other.join();
    const bool is_early = flag.load(relaxed) == 1;
    if (is_early) delete hidden_from_the_compiler(object);
    reader.join();
    writer.join();
    if (!is_early) delete object;
  });
}

TEST(Violations, double_free) {
  expect_violation(ViolationKind::double_free, [] {
    auto* object = new atomic<int>(1);
    delete hidden_from_the_compiler(object);
    delete hidden_from_the_compiler(object);
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
  expect_violation(ViolationKind::unreached, [] {
    atomic<int> x{0};
    thread a([&] { x.store(1, relaxed); });
    const int seen = x.load(relaxed);
    sometimes("x is zero", seen == 0);
    assume(seen == 1);
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

/// A compare-exchange that fails only loads, whether or not it does fail.
TEST(Violations, a_failure_order_that_releases_is_misuse) {
  for (const std::memory_order failure : {release, acq_rel}) {
    for (const int expected : {0, 1}) {
      expect_violation(ViolationKind::misuse, [=] {
        atomic<int> x{0};
        int old = expected;
        x.compare_exchange_strong(old, 2, acq_rel, failure);
      });
      expect_violation(ViolationKind::misuse, [=] {
        atomic<int> x{0};
        int old = expected;
        x.compare_exchange_weak(old, 2, acq_rel, failure);
      });
    }
  }
}

/// Of one order, the standard takes what a load can have for the failure.
TEST(Violations, any_order_alone_is_right_for_an_update) {
  for (const std::memory_order order : {relaxed, acquire, release, acq_rel, seq_cst}) {
    expect_pass([=] {
      atomic<int> x{0};
      int old = 1;
      x.compare_exchange_strong(old, 2, order);
      x.compare_exchange_weak(old, 2, order);
      x.compare_exchange_strong(old, 3, order, relaxed);
      x.fetch_add(1, order);
    });
  }
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

}  // namespace
}  // namespace pto2::model
