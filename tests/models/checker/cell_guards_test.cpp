// Accesses to a cell that last: from the beginning of a guard to its end, whatever comes between.
#include <optional>

#include "tests/models/checker/expectations.hpp"

namespace pto2::model {
namespace {

using enum std::memory_order;

struct Pair {
  int a = 0;
  int b = 0;
};

/// A cell of which one thread has a guard when another one comes, and for as long as that needs.
/// Both ends of the guard are ordered with what the other does.
struct Meeting {
  std::optional<cell<Pair>> data{std::in_place, Pair{}, "data"};
  atomic<int> begun{0, "begun"};
  atomic<int> done{0, "done"};

  void meet() {
    begun.store(1, release);
    await([&] { return done.load(acquire) == 1; });
  }
  void edit() {
    const auto guard = data->editing();
    guard->a = 1;
    meet();
    guard->b = 1;
  }
  void look() {
    const auto guard = data->reading();
    meet();
    check(guard->a == guard->b, "both or none");
  }
};
using Access = void (*)(Meeting&);

void read(Meeting& m) {
  (void)m.data->read();
}
void write(Meeting& m) {
  m.data->write({2, 2});
}
void read_with_guard(Meeting& m) {
  const auto guard = m.data->reading();
  check(guard->a == guard->b, "both or none");
}
void write_with_guard(Meeting& m) {
  const auto guard = m.data->editing();
  guard->a = guard->b = 2;
}
void destroy(Meeting& m) {
  m.data.reset();
}

std::function<void()> meeting(void (Meeting::*one)(), Access other) {
  return [one, other] {
    Meeting m;
    thread first([&] { (m.*one)(); });
    thread second([&] {
      await([&] { return m.begun.load(acquire) == 1; });
      other(m);
      m.done.store(1, release);
    });
    first.join();
    second.join();
  };
}

TEST(CellGuards, nobody_else_accesses_what_is_edited) {
  for (const Access other : {read, write, read_with_guard, write_with_guard, destroy}) {
    const Report report =
        expect_violation(ViolationKind::data_race, meeting(&Meeting::edit, other));
    EXPECT_NE(report.to_text().find("at cell_guards_test.cpp:28, which has not ended"),
              std::string::npos)
        << report.to_text();
  }
}

TEST(CellGuards, nobody_else_changes_what_is_looked_at) {
  for (const Access other : {write, write_with_guard, destroy}) {
    expect_violation(ViolationKind::data_race, meeting(&Meeting::look, other));
  }
  for (const Access other : {read, read_with_guard}) expect_pass(meeting(&Meeting::look, other));
}

TEST(CellGuards, their_ends_race_as_other_accesses_do) {
  const auto program = [](Access one, Access other, std::memory_order publish) {
    return [=] {
      Meeting m;
      thread first([&] {
        one(m);
        m.begun.store(1, publish);
      });
      await([&] { return m.begun.load(acquire) == 1; });
      other(m);
      first.join();
    };
  };
  for (const Access writes : {write, write_with_guard}) {
    for (const Access any : {read, read_with_guard, write, write_with_guard}) {
      expect_pass(program(writes, any, release));
      expect_pass(program(any, writes, release));
      expect_violation(ViolationKind::data_race, program(writes, any, relaxed));
      expect_violation(ViolationKind::data_race, program(any, writes, relaxed));
    }
  }
}

TEST(CellGuards, are_no_obstacle_to_their_own_thread) {
  expect_pass([] {
    cell<Pair> data{Pair{}};
    const auto outer = data.reading();
    {
      const auto inner = data.editing();
      inner->a = inner->b = data.read().b + 1;
      const auto more = data.editing();
      more->a = more->b = outer->a + 1;
    }
    check(data.read().a == 2, "all is done");
  });
}

/// The guard goes on with somebody else, who ends it.
TEST(CellGuards, may_end_in_another_thread) {
  expect_pass([] {
    cell<Pair> data{Pair{}};
    const cell<Pair>::write_guard* guard = nullptr;
    thread first([&] { guard = new cell<Pair>::write_guard(data.editing()); });
    first.join();
    thread second([&] { delete guard; });
    second.join();
    data.write({1, 1});
  });
}

/// In the first execution the thread is cut while it has a guard.
TEST(CellGuards, end_with_their_execution) {
  expect_pass([] {
    cell<Pair> data{Pair{}};
    atomic<int> x{0, "x"};
    thread editor([&] {
      if (x.load(relaxed) == 0) return;
      const auto guard = data.editing();
      assume(guard->a == 1);
    });
    x.store(1, relaxed);
    editor.join();
    check(data.read().a == 0, "nobody has edited it");
  });
}

TEST(CellGuards, end_with_each_turn_of_a_wait) {
  expect_pass([] {
    Meeting m;
    thread writer([&] {
      m.begun.store(1, relaxed);
      await([&] { return m.done.load(acquire) == 1; });
      write(m);
    });
    await([&] { return m.data->reading()->a == 0 && m.begun.load(relaxed) == 1; });
    m.done.store(1, release);
    writer.join();
  });
}

}  // namespace
}  // namespace pto2::model
