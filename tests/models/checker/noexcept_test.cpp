// Programs whose threads are cut inside of functions that let no exception out. Most are run beside
// a twin without `noexcept`, which must do the same.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <pto2/checker.hpp>
#include <string>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Both have the same violation, with a story and a token that replays.
void expect_both(ViolationKind kind, const std::function<void()>& shut,
                 const std::function<void()>& open) {
  const Report report = expect_violation(kind, shut);
  const Report twin = expect_violation(kind, open);
  ASSERT_TRUE(report.violation && twin.violation);
  EXPECT_EQ(report.violation->message, twin.violation->message);
  EXPECT_NE(report.to_text().find("noexcept_test.cpp:"), std::string::npos) << report.to_text();
  EXPECT_FALSE(report.violation->events.empty());
}

/// Both pass with the same numbers of executions.
void expect_both_pass(const std::function<void()>& shut, const std::function<void()>& open) {
  const Report report = explore({}, shut);
  const Report twin = explore({}, open);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, twin.executions);
  EXPECT_EQ(report.blocked, twin.blocked);
}

template <bool Shut>
struct Box {
  void put(int value) noexcept(Shut) {
    data.write(value);
    full.store(1, relaxed);
  }
  int take() noexcept(Shut) { return full.load(acquire) == 1 ? data.read() : 0; }

  atomic<int> full{0, "full"};
  cell<int> data{0, "data"};
};

template <bool Shut>
void race() {
  Box<Shut> box;
  thread giver([&] { box.put(1); });
  box.take();
  giver.join();
}

TEST(Noexcept, a_race_inside) {
  expect_both(ViolationKind::data_race, race<true>, race<false>);
}

template <bool Shut>
void wrong_result() {
  atomic<int> x{0, "x"};
  const auto claim = [&]() noexcept(Shut) {
    const int seen = x.load(relaxed);
    x.store(seen + 1, relaxed);
    check(seen == 0, "claimed once");
  };
  thread other(claim);
  claim();
  other.join();
}

TEST(Noexcept, a_failed_check_inside_of_a_threads_whole_body) {
  expect_both(ViolationKind::check_failed, wrong_result<true>, wrong_result<false>);
}

template <bool Shut>
struct Stack {
  struct Node {
    explicit Node(int number) : value(number) {}
    cell<int> value;
    Node* next = nullptr;
  };

  ~Stack() {
    for (Node* node = top.load(relaxed); node != nullptr;) {
      const std::unique_ptr<Node> owner(node);
      node = node->next;
    }
  }
  void push(int value) noexcept(Shut) {
    auto node = std::make_unique<Node>(value);
    Node* seen = top.load(relaxed);
    do {
      node->next = seen;
    } while (!top.compare_exchange_weak(seen, node.get(), release, relaxed));
    node.release();
  }
  /// Somebody else may delete the node before its value is read.
  int pop() noexcept(Shut) {
    Node* node = top.load(acquire);
    while (node != nullptr) {
      const int value = node->value.read();
      Node* const mine = node;
      if (top.compare_exchange_weak(node, node->next, acquire, acquire)) {
        const std::unique_ptr<Node> owner(mine);
        return value;
      }
    }
    return 0;
  }

  atomic<Node*> top{nullptr, "top"};
};

template <bool Shut>
void pop_two() {
  Stack<Shut> stack;
  stack.push(1);
  stack.push(2);
  thread first([&] { stack.pop(); });
  thread second([&] { stack.pop(); });
  first.join();
  second.join();
}

TEST(Noexcept, freed_memory_used_inside) {
  expect_both(ViolationKind::use_after_free, pop_two<true>, pop_two<false>);
}

template <bool Shut>
struct Lock {
  void lock() noexcept(Shut) {
    await([&] { return held.exchange(1, acquire) == 0; });
  }
  void unlock() noexcept(Shut) { held.store(0, release); }

  atomic<int> held{0, "held"};
};

template <bool Shut>
void count_under_lock() {
  Lock<Shut> lock;
  cell<int> count{0};
  const auto add = [&] {
    lock.lock();
    count.write(count.read() + 1);
    lock.unlock();
  };
  thread first(add);
  thread second(add);
  first.join();
  second.join();
  check(count.read() == 2, "both counted");
}

template <bool Shut>
void lock_twice() {
  Lock<Shut> lock;
  lock.lock();
  lock.lock();
}

TEST(Noexcept, waiting_inside) {
  expect_both_pass(count_under_lock<true>, count_under_lock<false>);
  expect_both(ViolationKind::deadlock, lock_twice<true>, lock_twice<false>);
}

template <bool Shut>
void assume_inside() {
  atomic<int> x{0};
  thread setter([&] { x.store(1, relaxed); });
  const auto look = [&]() noexcept(Shut) { assume(x.load(relaxed) == 1); };
  look();
  setter.join();
}

TEST(Noexcept, assumptions_inside) {
  expect_both_pass(assume_inside<true>, assume_inside<false>);
}

/// An ordinary destructor is noexcept too.
TEST(Noexcept, a_destructor_that_finds_a_mistake) {
  struct Last {
    ~Last() { check(x.load(relaxed) == 0, "nothing is left"); }
    atomic<int>& x;
  };
  expect_violation(ViolationKind::check_failed, [] {
    atomic<int> x{0, "x"};
    thread setter([&] { x.store(1, relaxed); });
    { const Last last{x}; }
    setter.join();
  });
}

/// What does not lie behind the frame that is noexcept is destroyed as ever.
TEST(Noexcept, other_threads_unwind_and_inner_frames_do) {
  struct Counter {
    explicit Counter(int& count) : count_(count) { ++count_; }
    ~Counter() { --count_; }
    int& count_;
  };
  int alive = 0;
  const Report report = explore({}, [&] {
    const Counter outer(alive);
    atomic<int> x{0};
    thread waiting([&]() noexcept {
      const auto wait = [&] {
        const Counter inner(alive);
        await([&] { return x.load(relaxed) == 1; });
      };
      wait();
    });
    assume(x.load(relaxed) == 1);
    waiting.join();
  });
  EXPECT_EQ(report.executions, 0U);
  EXPECT_EQ(alive, 0);
}

/// Cuts one execution after the other while a noexcept frame owns memory that is never touched.
void own_memory_where_executions_are_cut(std::size_t bytes) {
  atomic<int> x{0};
  const auto spoil = [&](int value) noexcept {
    char* volatile memory = new char[bytes];  // volatile, or the compiler leaves it out
    const std::unique_ptr<char[]> owner(memory);
    x.store(value, relaxed);
    assume(x.load(relaxed) == value);
  };
  thread first([&] { spoil(1); });
  thread second([&] { spoil(2); });
  thread third([&] { spoil(3); });
  first.join();
  second.join();
  third.join();
}

TEST(Noexcept, what_is_left_behind_has_a_bound) {
  const auto body = [] { own_memory_where_executions_are_cut(std::size_t{100} << 20); };
  const Report report = explore({}, body);
  EXPECT_EQ(report.verdict, Verdict::inconclusive) << report.to_text();
  EXPECT_NE(report.reason.find("MB behind"), std::string::npos) << report.reason;
  EXPECT_NE(report.reason.find("heap_leaks"), std::string::npos) << report.reason;
}

std::size_t allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Noexcept, what_is_left_behind_is_freed_where_nothing_is_kept) {
  Options options;
  options.heap_leaks = true;
  const auto body = [] { own_memory_where_executions_are_cut(std::size_t{16} << 20); };
  const std::size_t before = allocated_bytes();
  const Report report = explore(options, body);
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_GT(report.blocked, 10U);
  // The run that warms up, without watching leaks, may lose the blocks of three threads.
  EXPECT_LE(allocated_bytes(), before + (std::size_t{50} << 20));
}

}  // namespace
}  // namespace pto2::model
