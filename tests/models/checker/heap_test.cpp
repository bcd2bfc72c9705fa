// Memory from operator new that is neither an atomic nor a cell: leaks, second deletions, and what
// must not be taken for one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <pto2/checker.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

/// Hides from the compiler that memory is lost or freed twice on purpose.
template <class T>
T* opaque(T* pointer) {
  T* volatile hidden = pointer;
  return hidden;
}

Options watching() {
  Options options;
  options.heap_leaks = true;
  return options;
}

/// Loses memory in the one of three executions where the thread reads 1.
void lose_now_and_then() {
  atomic<int> x{0, "x"};
  thread reader(
      [&] {
        auto number = std::make_unique<std::uint64_t>(7);
        if (x.load(relaxed) == 1) opaque(number.release());
      },
      "reader");
  x.store(1, relaxed);
  x.store(2, relaxed);
  reader.join();
}

TEST(Heap, a_leak_is_seen_and_placed) {
  const Report report = expect_violation(ViolationKind::leak, watching(), lose_now_and_then);
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->message, "8 bytes from operator new are never deleted");
  EXPECT_EQ(report.violation->thread, 1);
  Options jobs = watching();
  jobs.jobs = 2;
  expect_violation(ViolationKind::leak, jobs, lose_now_and_then);
  Options walk = watching();
  walk.strategy = Strategy::random_walk;
  expect_violation(ViolationKind::leak, walk, lose_now_and_then);
  Options isolated = watching();
  isolated.isolated_threads = true;
  expect_violation(ViolationKind::leak, isolated, lose_now_and_then);
}

TEST(Heap, every_form_of_new_is_watched) {
  struct alignas(64) Line {
    char bytes[64];
  };
  expect_violation(ViolationKind::leak, watching(), [] { opaque(new int[3]); });
  expect_violation(ViolationKind::leak, watching(), [] { opaque(new Line); });
  expect_violation(ViolationKind::leak, watching(), [] { opaque(new Line[2]); });
  expect_violation(ViolationKind::leak, watching(), [] { opaque(new (std::nothrow) int(1)); });
  expect_violation(ViolationKind::leak, watching(), [] { opaque(new std::vector<int>(3)); });
  expect_pass(watching(), [] {
    delete opaque(new int(1));
    delete[] opaque(new int[3]);
    delete opaque(new Line);
    delete[] opaque(new Line[2]);
    delete opaque(new (std::nothrow) int(1));
    delete opaque(new (std::nothrow) Line);
    delete opaque(new std::vector<int>(3));
    for (int i = 0; i < 1000; ++i) delete opaque(new std::string(100, 'x'));
  });
}

/// Without the option only what the checker has made itself is missed.
TEST(Heap, leaks_of_plain_memory_are_reported_on_demand) {
  expect_pass({}, lose_now_and_then);
  const Report report = expect_violation(ViolationKind::leak, {}, [] {
    auto* const atomics = opaque(new std::vector<std::unique_ptr<atomic<int>>>);
    atomics->push_back(std::make_unique<atomic<int>>(0, "lost"));
  });
  EXPECT_NE(report.violation->message.find("lost"), std::string::npos);
}

/// std::malloc is none of the checker's business.
TEST(Heap, malloc_is_not_watched) {
  expect_pass(watching(), [] { opaque(std::malloc(8)); });
}

TEST(Heap, memory_older_than_the_body_is_not_its_leak) {
  auto before = std::make_unique<std::vector<int>>(5);
  auto consumed = std::make_unique<int>(1);
  int runs = 0;
  expect_pass(watching(), [&] {
    atomic<int> x{0};
    thread t([&] { x.store(before->at(2), relaxed); });
    x.load(relaxed);
    t.join();
    consumed.reset();  // in the first run, and gone in all others
    ++runs;
  });
  EXPECT_GT(runs, 1);
  EXPECT_EQ(before->size(), 5u);
  before.reset();
}

TEST(Heap, what_the_first_run_sets_up_is_no_leak) {
  expect_pass(watching(), [] {
    static const auto table = std::make_unique<std::vector<int>>(100);
    atomic<int> x{static_cast<int>(table->size())};
    check(x.load() == 100, "set up");
  });
}

/// Everything that the library allocates on behalf of the program is the library's.
TEST(Heap, the_checkers_own_memory_is_no_leak) {
  for (const bool isolated : {false, true}) {
    Options options = watching();
    options.isolated_threads = isolated;
    expect_pass(options, [] {
      atomic<int> x{0, "a name that is too long for a small string"};
      const auto number = std::make_shared<int>(3);
      std::vector<thread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back(
            [&x, number, a = 1L, b = 2L, c = 3L] {
              for (int k = 0; k < 2; ++k) {
                x.fetch_add(static_cast<int>(*number + a + b + c), relaxed);
              }
            },
            "a thread whose name is too long for a small string");
      }
      for (thread& t : threads) t.join();
      sometimes("a condition with a name that is too long for a small string", true);
    });
  }
  expect_pass(watching(), [] {
    atomic<bool> ready{false};
    cell<std::string> text{std::string("longer than the small-string buffer holds")};
    thread t([&] {
      text.write(text.read() + ", and longer");
      ready.store(true, release);
    });
    await([&] { return ready.load(acquire); });
    check(text.read().size() > 50, "both parts");
    t.join();
  });
}

/// Blocked executions end in the middle of things.
TEST(Heap, what_a_cut_execution_holds_is_no_leak) {
  Options options = watching();
  options.allow_deadlocks = true;
  const Report report = explore(options, [] {
    atomic<int> x{0};
    thread t([&] {
      const auto held = std::make_unique<int>(1);
      assume(x.load(relaxed) == 1);
    });
    x.store(1, relaxed);
    t.join();
  });
  EXPECT_EQ(report.verdict, Verdict::pass) << report.to_text();
  EXPECT_EQ(report.blocked, 1u);
}

TEST(Heap, a_second_deletion_is_seen) {
  for (const Options& options : {Options{}, watching()}) {
    expect_violation(ViolationKind::double_free, options, [] {
      int* const number = opaque(new int(1));
      delete opaque(number);
      delete opaque(number);
    });
    expect_violation(ViolationKind::double_free, options, [] {
      int* const numbers = opaque(new int[2]);
      delete[] opaque(numbers);
      delete[] opaque(numbers);
    });
  }
}

/// Two threads take the same block from a shared pointer, when neither sees the other's store.
TEST(Heap, a_second_deletion_by_another_thread_is_seen) {
  const auto body = [](bool atomically) {
    return [atomically] {
      atomic<int*> shared{new int(1), "shared"};
      const auto take = [&] {
        if (atomically) {
          delete shared.exchange(nullptr);
          return;
        }
        int* const taken = shared.load();
        shared.store(nullptr);
        delete taken;
      };
      thread a(take, "a");
      thread b(take, "b");
      a.join();
      b.join();
    };
  };
  const Report report = expect_violation(ViolationKind::double_free, {}, body(false));
  ASSERT_TRUE(report.violation);
  EXPECT_GT(report.violation->thread, 0);
  EXPECT_NE(report.to_text().find("heap_test.cpp"), std::string::npos) << report.to_text();
  expect_pass(watching(), body(true));
}

/// A violation may cut an execution while a block has two owners for a moment.
TEST(Heap, cut_executions_may_delete_twice) {
  const Report report = explore({}, [] {
    atomic<int*> slot{nullptr};
    atomic<bool> taken{false};
    thread giver([&] {
      auto number = std::make_unique<int>(1);
      slot.store(number.get());
      await([&] { return taken.load(); });
      number.release();
    });
    const std::unique_ptr<int> number(slot.exchange(nullptr));
    check(number == nullptr, "cut here");
    taken.store(true);
    giver.join();
  });
  ASSERT_TRUE(report.violation) << report.to_text();
  EXPECT_EQ(report.violation->message, "cut here");
}

/// The function of a thread goes away when the thread ends, as that of a std::thread.
TEST(Heap, what_a_threads_function_owns_ends_with_it) {
  for (const Options& options : {Options{}, watching()}) {
    expect_pass(options, [] {
      atomic<int> ended{0, "ended"};
      struct Signal {
        atomic<int>& ended;
        ~Signal() { ended.fetch_add(1, release); }
      };
      thread t([owned = std::make_shared<atomic<int>>(0, "owned"),
                signal = std::make_shared<Signal>(ended)] { owned->fetch_add(1, relaxed); });
      await([&] { return ended.load(acquire) == 1; });
      t.join();
    });
  }
}

/// The same for threads that never began when their execution was cut.
TEST(Heap, what_an_unstarted_threads_function_owns_ends_with_the_run) {
  int alive = 0;
  struct Counted {
    explicit Counted(int& a) : alive(a) { ++alive; }
    ~Counted() {
      value.load();  // gets the newest value, as everywhere in an unwinding
      --alive;
    }
    int& alive;
    atomic<int> value{0};
  };
  const Report report = explore({}, [&] {
    atomic<int> x{0};
    thread early([&] { x.store(1, relaxed); });
    thread late([owned = std::make_shared<Counted>(alive)] { owned->value.load(); });
    check(x.load(relaxed) == 0, "nothing seen");
    early.join();
    late.join();
  });
  EXPECT_TRUE(report.violation);
  EXPECT_EQ(alive, 0);
}

/// Counts its calls, and is not there any more after two.
int handled = 0;
void give_up_later() {
  if (++handled == 2) std::set_new_handler(nullptr);
}

/// The size that is asked for, rounded up to the alignment, is none.
TEST(Heap, memory_of_an_alignment_may_be_too_large_to_be_there) {
  volatile std::size_t bytes = SIZE_MAX - 10;
  const std::align_val_t line{64};
  EXPECT_EQ(operator new(bytes, line, std::nothrow), nullptr);
  EXPECT_THROW(operator delete(operator new(bytes, line), line), std::bad_alloc);
  handled = 0;
  std::set_new_handler(give_up_later);
  EXPECT_THROW(operator delete[](operator new[](bytes, line), line), std::bad_alloc);
  EXPECT_EQ(handled, 2);
  std::set_new_handler(give_up_later);
  handled = 0;
  EXPECT_EQ(operator new(bytes, line, std::nothrow), nullptr);
  EXPECT_EQ(handled, 2);
}

TEST(Heap, memory_of_an_alignment_has_it) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4097}}) {
    const std::align_val_t page{4096};
    void* const memory = opaque(operator new(bytes, page));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
    operator delete(memory, page);
  }
}

/// What it deletes is not there for another evaluation.
TEST(Heap, a_predicate_may_delete_when_it_holds) {
  const Report given = explore(Options{}, [] {
    atomic<int*> slot{nullptr};
    thread giver([&] { slot.store(new int(1), release); });
    await([&] {
      int* const taken = slot.exchange(nullptr, acquire);
      delete taken;
      return taken != nullptr;
    });
    giver.join();
  });
  EXPECT_TRUE(given.ok()) << given.to_text();
  const auto delete_at = [](int last) {
    return [last] {
      auto* const made = new atomic<int>(0);
      auto* const other = new cell<int>(0);
      atomic<int> step{0};
      thread counter([&] {
        for (int i = 1; i <= last; ++i) step.store(i, relaxed);
      });
      thread waiter([&] {
        await([&] {
          const int value = step.load(relaxed);
          if (value == 1) delete made;
          if (value == 1) delete other;
          return value != 0;
        });
      });
      counter.join();
      waiter.join();
    };
  };
  Options options;
  options.heap_leaks = true;
  const Report always = explore(options, delete_at(1));
  EXPECT_TRUE(always.ok()) << always.to_text();
  const Report sometimes = explore(options, delete_at(2));
  ASSERT_FALSE(sometimes.ok()) << "where the second value is read, nobody deletes";
  EXPECT_EQ(sometimes.violation->kind, ViolationKind::leak) << sometimes.to_text();
}

/// The same of what is no memory of its own.
template <class Kept>
void drop_at_one() {
  std::optional<Kept> kept(std::in_place, 0);
  atomic<int> step{0};
  thread counter([&] {
    step.store(1, relaxed);
    step.store(2, relaxed);
  });
  int seen = 0;
  thread waiter([&] {
    await([&] {
      seen = step.load(relaxed);
      if (seen == 1) kept.reset();
      return seen != 0;
    });
  });
  counter.join();
  waiter.join();
  check(kept.has_value() == (seen == 2), "dropped where it is 1");
}

TEST(Heap, a_predicate_may_drop_what_it_holds_for) {
  for (const auto& body : {drop_at_one<atomic<int>>, drop_at_one<cell<int>>}) {
    const Report report = explore(Options{}, body);
    EXPECT_TRUE(report.ok()) << report.to_text();
    EXPECT_EQ(report.executions, 2U);
  }
}

}  // namespace
}  // namespace pto2::model
