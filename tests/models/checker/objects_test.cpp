// Objects and threads that come and go during the run; values that are addresses.
#include <cstdint>
#include <pto2/checker/gtest.hpp>
#include <set>
#include <vector>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

struct Padded {
  char a;
  int b;
};
struct PaddedAtItsEnd {
  double x;
  char a;
};
struct Bits {
  unsigned some : 3;
};
struct Empty {};
struct Floats {
  float x, y;
};
struct Mixed {
  std::int32_t i;
  float x;
};
struct PaddedFloats {
  float x;
  double y;
};
enum class Colour : char { red };
union Word {
  int* pointer;
  std::uintptr_t bits;
};

// An update compares bits, those of padding too, which are whatever was there before.
static_assert(!Storable<Padded> && !Storable<PaddedAtItsEnd> && !Storable<PaddedFloats>);
static_assert(!Storable<Bits> && !Storable<Empty> && !Storable<long double>);
static_assert(Storable<bool> && Storable<char> && Storable<Colour> && Storable<Word>);
static_assert(Storable<float> && Storable<double> && Storable<Floats> && Storable<Mixed>);
static_assert(Storable<int*> && Storable<void (*)()> && Storable<int Mixed::*>);

struct Node {
  explicit Node(int v) : value(v, "value") {}
  atomic<Node*> next{nullptr, "next"};
  cell<int> value;
};

void push(atomic<Node*>& head, int value, std::memory_order publish) {
  auto* const node = new Node(value);
  Node* expected = head.load(relaxed);
  do {
    node->next.store(expected, relaxed);
  } while (!head.compare_exchange_weak(expected, node, publish, relaxed));
}

/// Threads push nodes from the heap; main takes them apart.
void stack_of_pointers(std::memory_order publish, std::set<std::vector<int>>* orders) {
  atomic<Node*> head{nullptr, "head"};
  thread a([&] { push(head, 1, publish); });
  thread b([&] { push(head, 2, publish); });
  if (Node* const top = head.load(acquire)) check(top->value.read() > 0, "published");
  a.join();
  b.join();
  std::vector<int> order;
  for (Node* node = head.load(relaxed); node != nullptr;) {
    order.push_back(node->value.read());
    Node* const next = node->next.load(relaxed);
    delete node;
    node = next;
  }
  check(order.size() == 2, "both are there");
  if (orders != nullptr) orders->insert(order);
}

TEST(Objects, addresses_are_values) {
  std::set<std::vector<int>> orders;
  EXPECT_TRUE(holds([&] { stack_of_pointers(release, &orders); }));
  EXPECT_EQ(orders.size(), 2u);
  const Report broken = explore({}, [] { stack_of_pointers(relaxed, nullptr); });
  ASSERT_TRUE(broken.violation);
  EXPECT_NE(broken.violation->kind, ViolationKind::nondeterminism) << broken.to_text();
}

TEST(Objects, threads_start_threads) {
  const Report report = explore({}, [] {
    atomic<int> x{0, "x"};
    thread outer(
        [&] {
          thread inner([&] { x.fetch_add(1, relaxed); }, "inner");
          x.fetch_add(2, relaxed);
          inner.join();
        },
        "outer");
    thread other([&] { x.fetch_add(4, relaxed); });
    outer.join();
    other.join();
    check(x.load(relaxed) == 7, "all have added");
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 6u);
}

/// Store buffering, where one of the two threads is cut in two by the start of a child or the join
/// of one. `order` is that of the store in front of the cut.
void store_buffering(bool cut_by_start, std::memory_order order) {
  atomic<int> x{0, "x"}, y{0, "y"};
  int seen_x = 0, seen_y = 0;
  const auto store = [&] { x.store(1, order); };
  const auto load = [&] { seen_y = y.load(seq_cst); };
  thread other([&] {
    y.store(1, seq_cst);
    seen_x = x.load(seq_cst);
  });
  if (cut_by_start) {
    store();
    thread(load).join();
  } else {
    thread(store).join();
    load();
  }
  other.join();
  check(seen_x == 1 || seen_y == 1, "one store comes first");
}

TEST(Objects, sc_holds_across_the_start_and_the_join_of_a_thread) {
  for (const bool cut_by_start : {false, true}) {
    expect_pass([&] { store_buffering(cut_by_start, seq_cst); });
    expect_violation(ViolationKind::check_failed, [&] { store_buffering(cut_by_start, relaxed); });
  }
}

TEST(Objects, starting_and_joining_a_thread_order_everything) {
  EXPECT_TRUE(holds([] {
    cell<int> data{0, "data"};
    data.write(1);
    thread reader([&] {
      check(data.read() == 1, "seen by the thread");
      data.write(2);
    });
    reader.join();
    check(data.read() == 2, "seen behind the join");
  }));
  const Report report = explore({}, [] {
    cell<int> data{0, "data"};
    thread reader([&] { data.read(); });
    data.write(1);
    reader.join();
  });
  ASSERT_TRUE(report.violation);
  EXPECT_EQ(report.violation->kind, ViolationKind::data_race);
}

/// Store buffering where one store precedes the start of the thread that loads.
TEST(Objects, locals_of_threads) {
  const Report report = explore({}, [] {
    atomic<int> shared{0, "shared"};
    const auto work = [&] {
      atomic<int> own{1, "own"};
      shared.fetch_add(own.load(relaxed), relaxed);
    };
    thread a(work);
    thread b(work);
    a.join();
    b.join();
    check(shared.load(relaxed) == 2, "both have added");
  });
  EXPECT_TRUE(report.ok()) << report.to_text();
  EXPECT_EQ(report.executions, 2u);
}

TEST(Objects, wide_and_narrow_values) {
  struct Wide {
    std::uint64_t pointer, version;
  };
  EXPECT_TRUE(holds([] {
    atomic<Wide> wide{Wide{1, 2}, "wide"};
    Wide expected{1, 2};
    check(wide.compare_exchange_strong(expected, Wide{3, 4}), "all sixteen bytes match");
    expected = {3, 5};
    check(!wide.compare_exchange_strong(expected, Wide{}), "the second half differs");
    check(expected.version == 4, "and is handed back");
    atomic<signed char> narrow{127};
    check(narrow.fetch_add(1) == 127 && narrow.load() == -128, "arithmetic wraps around");
    atomic<bool> flag{false};
    check(!flag.exchange(true) && flag, "operators work");
    int values[2] = {};
    atomic<int*> pointer{&values[0]};
    check(pointer.fetch_add(1) == &values[0] && pointer.load() == &values[1], "by elements");
    atomic<int> number{5};
    check(++number == 6 && number-- == 6 && (number += 3) == 8 && (number &= 12) == 8, "as std");
  }));
}

}  // namespace
}  // namespace pto2::model
