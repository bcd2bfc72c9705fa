// Accesses to plain data that last, on weak memory: from the beginning of a guard to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/weak/weak_pair.hpp"

namespace pto2::executors {
namespace {

using testing::HasSubstr;
using enum std::memory_order;

/// The flag is set in the middle of the access, which ends after it.
void edit_for_long(Message& m) {
  const auto guard = m.data.editing();
  m.flag.store(true, release);
  m.other.ring();
  *guard = 7;
}

void read_when_set(Message& m) {
  Weak::await([&] { return m.flag.load(acquire); });
  read_it(m);
}

TEST(WeakGuard, IsInUseUntilTheEndOfTheAccess) {
  EXPECT_THAT(first_failure<Message>(edit_for_long, read_when_set), HasSubstr("data race"));
}

/// The other comes behind the end, and its past has the beginning alone.
void edit_and_tell(Message& m) {
  {
    const auto guard = m.data.editing();
    m.flag.store(true, release);
  }
  m.word.store(1, relaxed);
  m.other.ring();
}
void come_after(Message& m) {
  Weak::await([&] { return m.word.load(relaxed) == 1 && m.flag.load(acquire); });
  read_it(m);
}

TEST(WeakGuard, RacesWithTheEndOfTheAccess) {
  EXPECT_THAT(first_failure<Message>(edit_and_tell, come_after),
              HasSubstr("other: data race: it reads a int that one wrote"));
}

/// A long access that waits in its middle for what the other does: both its ends are ordered with
/// that.
template <auto access>
void meet(Message& m) {
  const auto guard = (m.data.*access)();
  m.flag.store(true, release);
  m.other.ring();
  Weak::await([&] { return m.word.load(acquire) == 1; });
}
template <void (*access)(Message&)>
void come_between(Message& m) {
  Weak::await([&] { return m.flag.load(acquire); });
  access(m);
  m.word.store(1, release);
  m.one.ring();
}

TEST(WeakGuard, IsInUseInTheMiddleOfTheAccess) {
  constexpr auto edit = meet<&Weak::cell<int>::editing>;
  constexpr auto look = meet<&Weak::cell<int>::reading>;
  EXPECT_THAT(first_failure<Message>(edit, come_between<read_it>),
              HasSubstr("other: data race: it reads a int that one wrote"));
  EXPECT_THAT(first_failure<Message>(edit, come_between<write_it>), HasSubstr("that one wrote"));
  EXPECT_THAT(first_failure<Message>(look, come_between<write_it>),
              HasSubstr("other: data race: it writes a int that one read"));
  EXPECT_EQ(first_failure<Message>(look, come_between<read_it>), "");
}

/// Of two that look, the one that ends first takes nothing from the other.
void look_again(Message& m) {
  { const auto guard = m.data.reading(); }
  write_it(m);
}

TEST(WeakGuard, IsInUseWhenOneOfTwoReadersHasGone) {
  EXPECT_THAT(first_failure<Message>(meet<&Weak::cell<int>::reading>, come_between<look_again>),
              HasSubstr("other: data race: it writes a int that one read"));
}

void edit_in_parts(Message& m) {
  const auto outer = m.data.reading();
  const auto inner = m.data.editing();
  *inner = *outer + m.data.read();
}

TEST(WeakGuard, IsNotInUseByOthersIfAThreadHasItTwice) {
  EXPECT_EQ(first_failure<Message>(edit_in_parts, [](Message&) {}), "");
}

}  // namespace
}  // namespace pto2::executors
