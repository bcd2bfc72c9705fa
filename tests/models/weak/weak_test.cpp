// What of the weak policy no litmus program says: plain data, queues, rings and waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "tests/models/weak/weak_pair.hpp"
#include "tests/support/popped.hpp"

namespace pto2::executors {
namespace {

using testing::HasSubstr;
using enum std::memory_order;

template <std::memory_order order>
void send(Message& m) {
  m.data.write(7);
  m.flag.store(true, order);
  m.other.ring();
}

template <std::memory_order order>
void receive(Message& m) {
  Weak::await([&] { return m.flag.load(order); });
  EXPECT_EQ(m.data.read(), 7);
}

TEST(WeakCell, IsOrderedByAReleaseThatAnAcquireReads) {
  EXPECT_EQ(first_failure<Message>(send<release>, receive<acquire>), "");
}

TEST(WeakCell, RacesWithoutTheRelease) {
  EXPECT_THAT(first_failure<Message>(send<relaxed>, receive<acquire>),
              HasSubstr("other: data race: it reads a int that one wrote"));
}

TEST(WeakCell, RacesWithoutTheAcquireAlthoughTheWaitWasRung) {
  EXPECT_THAT(first_failure<Message>(send<release>, receive<relaxed>), HasSubstr("data race"));
}

TEST(WeakCell, RacesWithAWriteAfterARead) {
  EXPECT_THAT(first_failure<Message>(read_it, write_it), HasSubstr("race: it "));
  EXPECT_THAT(first_failure<Message>(write_it, write_it), HasSubstr("writes a int that"));
  EXPECT_EQ(first_failure<Message>(read_it, read_it), "");
}

/// Two threads read; the third writes when it knows of the first alone. Whatever the order, it is
/// in a race with the second.
TEST(WeakCell, RemembersAllReaders) {
  bool found = false;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Weak::cell<int> data;
    Weak::atomic<int> done;
    Weak::team team(options(seed));
    SeededThread* writer = nullptr;
    team.add("first", 0, [&] {
      (void)data.read();
      done.store(1, release);
      Weak::doorbell(*writer).ring();
    });
    team.add("second", 0, [&] { (void)data.read(); });
    writer = &team.add("writer", 0, [&] {
      Weak::await([&] { return done.load(acquire) == 1; });
      data.write(1);
    });
    try {
      team.run();
      ADD_FAILURE() << "seed " << seed;
    } catch (const SeededFailure& failure) {
      found |= std::string(failure.what()).find("that second read") != std::string::npos;
      EXPECT_THAT(failure.what(), testing::Not(HasSubstr("first read")));
    }
  }
  EXPECT_TRUE(found);
}

TEST(WeakCell, SaysWhoCameFirstAndHow) {
  for (const bool wrote : {false, true}) {
    WeakMemory memory({{.seed = 1}, std::nullopt});
    memory.begin(2);
    PlainAccesses data;
    memory.switch_to(1);
    EXPECT_FALSE(wrote ? memory.write(data) : memory.read(data));
    memory.switch_to(0);
    const std::optional<PlainRace> race = memory.write(data);
    ASSERT_TRUE(race);
    EXPECT_EQ(race->other, 1U);
    EXPECT_EQ(race->other_wrote, wrote);
  }
}

/// Three threads read, and a fourth writes, which knows of all but the reader `unknown`. With whom
/// it is in a race.
std::optional<uint32_t> race_with_unknown(uint32_t unknown, bool first_tells_last) {
  WeakMemory memory({{.seed = 1}, std::nullopt});
  memory.begin(4);
  PlainAccesses data;
  for (const uint32_t reader : {0U, 1U, 2U}) {
    memory.switch_to(reader);
    if (reader == 2) (void)memory.hear();
    EXPECT_FALSE(memory.read(data));
    if (reader != unknown) memory.tell(3);
    if (reader == 0 && first_tells_last) memory.tell(2);
  }
  memory.switch_to(3);
  EXPECT_TRUE(memory.hear());
  const std::optional<PlainRace> race = memory.write(data);
  return race ? std::optional(race->other) : std::nullopt;
}

/// Whether or not the last of three knows of the first.
TEST(WeakCell, RemembersEachOfThreeReaders) {
  for (const bool first_tells_last : {false, true}) {
    EXPECT_EQ(race_with_unknown(1, first_tells_last), 1U);
    EXPECT_EQ(race_with_unknown(2, first_tells_last), 2U);
    EXPECT_EQ(race_with_unknown(3, first_tells_last), std::nullopt);
  }
}

void push_it(Message& m) {
  m.data.write(7);
  EXPECT_TRUE(m.queue.try_push(1));
  m.other.ring();
}
void pop_it(Message& m) {
  int value;
  Weak::await([&] { return m.queue.try_pop(value); });
  EXPECT_EQ(m.data.read(), 7);
}

TEST(WeakQueue, OrdersAPushBeforeItsPop) {
  EXPECT_EQ(first_failure<Message>(push_it, pop_it), "");
}

/// An entry says nothing of the one before.
TEST(WeakQueue, OrdersNoOtherPush) {
  bool found = false;
  for (uint64_t seed = 0; seed < seeds && !found; ++seed) {
    Weak::bounded_queue<int> queue(4);
    Weak::cell<int> data;
    Weak::team team(options(seed));
    SeededThread* popper = nullptr;
    team.add("first", 0, [&] {
      data.write(7);
      (void)queue.try_push(1);
      Weak::doorbell(*popper).ring();
    });
    team.add("second", 0, [&] {
      (void)queue.try_push(2);
      Weak::doorbell(*popper).ring();
    });
    popper = &team.add("popper", 0, [&] {
      int value;
      Weak::await([&] { return queue.try_pop(value); });
      if (value == 2) (void)data.read();
    });
    try {
      team.run();
    } catch (const SeededFailure&) {
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

/// A thread that has not heard of a push may find the queue empty, one that has may not.
TEST(WeakQueue, MayLookEmptyToWhoHasNotHeard) {
  uint32_t empty = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Weak::bounded_queue<int> queue(2);
    Weak::atomic<bool> pushed;
    Weak::team team(options(seed));
    bool before = false;
    team.add("pusher", 0, [&] {
      EXPECT_TRUE(queue.try_push(1));
      before = true;
      pushed.store(true, release);
    });
    team.add("popper", 0, [&] {
      if (!before || test::popped<int>(queue)) return;
      ++empty;
      const bool heard = pushed.load(acquire);
      EXPECT_TRUE(!heard || test::popped<int>(queue) == 1);
    });
    team.run();
  }
  EXPECT_GT(empty, 0u);
}

TEST(WeakQueue, KeepsOrderAndRefusesWhenFull) {
  Weak::bounded_queue<int> queue(2);
  EXPECT_EQ(test::popped<int>(queue), std::nullopt);
  EXPECT_TRUE(queue.try_push(1));
  EXPECT_TRUE(queue.try_push(2));
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(test::popped<int>(queue), 1);
  EXPECT_TRUE(queue.try_push(3));
  EXPECT_EQ(test::popped<int>(queue), 2);
  EXPECT_EQ(test::popped<int>(queue), 3);
}

void ring_it(Message& m) {
  m.data.write(7);
  m.flag.store(true, relaxed);
  m.other.ring();
}
/// Who finds the flag after the start may have come before the ring, and knows nothing of the data.
void hear_it(Message& m) {
  Weak::idle();  // for the start
  while (!m.flag.load(relaxed)) {
    Weak::idle();
    EXPECT_EQ(m.data.read(), 7);
  }
}

TEST(WeakDoorbell, ARingIsBeforeTheReturnThatHearsIt) {
  EXPECT_EQ(first_failure<Message>(ring_it, hear_it), "");
}

TEST(WeakDoorbell, ARingTellsNothingOfWhatFollows) {
  WeakMemory memory({{.seed = 1}, std::nullopt});
  memory.begin(2);
  PlainAccesses before;
  PlainAccesses after;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(before));
  memory.tell(1);
  EXPECT_FALSE(memory.write(after));
  memory.switch_to(1);
  EXPECT_TRUE(memory.hear());
  EXPECT_FALSE(memory.read(before));
  EXPECT_TRUE(memory.read(after));
}

/// Of those that rang since the last time each has told what it did before.
TEST(WeakDoorbell, SeveralRingsAreHeardAtOnce) {
  WeakMemory memory({{.seed = 1}, std::nullopt});
  memory.begin(3);
  std::array<PlainAccesses, 2> data;
  for (const uint32_t thread : {0U, 1U}) {
    memory.switch_to(thread);
    EXPECT_FALSE(memory.write(data[thread]));
    memory.tell(2);
  }
  memory.switch_to(2);
  EXPECT_TRUE(memory.hear());
  EXPECT_FALSE(memory.hear());
  for (PlainAccesses& each : data) EXPECT_FALSE(memory.read(each));
}

/// Whether or not the ring ends the wait for the flag, it tells of the data afterwards. Where the
/// return for the start has heard it, there is no other to wait for.
void hear_late(Message& m) {
  Weak::idle();  // for the start
  if (m.flag.load(relaxed)) return;
  Weak::await([&] { return m.flag.load(relaxed); });
  Weak::idle();
  EXPECT_EQ(m.data.read(), 7);
}

TEST(WeakDoorbell, ARingThatEndsAnotherWaitIsHeardAllTheSame) {
  EXPECT_EQ(first_failure<Message>(ring_it, hear_late), "");
}

void notify_it(Message& m) {
  m.data.write(7);
  m.word.store(1, release);
  m.word.notify_one();
}
void sleep_on_it(Message& m) {
  m.word.wait(0, acquire);
  EXPECT_EQ(m.data.read(), 7);
}

/// Nobody notifies again who has seen the value from before the notification.
TEST(WeakSleepWord, DoesNotSleepOnAnOlderValue) {
  EXPECT_EQ(first_failure<Message>(notify_it, sleep_on_it), "");
}

void set_only(Message& m) {
  m.flag.store(true, release);
}

/// One whose loads are hardly ever late.
WeakMemory prompt_memory(std::size_t threads) {
  WeakMemory memory({{.seed = 1}, uint32_t{1} << 31});
  memory.begin(threads);
  return memory;
}

TEST(WeakQueue, APushTellsNothingOfWhatFollows) {
  WeakMemory memory = prompt_memory(2);
  WeakMemory::Entries entries(2);
  PlainAccesses before;
  PlainAccesses after;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(before));
  entries.pass_on(&memory, 0);
  EXPECT_FALSE(memory.write(after));
  memory.switch_to(1);
  entries.pass_on(&memory, 0);
  EXPECT_FALSE(memory.read(before));
  EXPECT_TRUE(memory.read(after));
}

TEST(WeakQueue, AnEntrySaysNothingOfItsNeighbour) {
  WeakMemory memory = prompt_memory(2);
  WeakMemory::Entries entries(2);
  PlainAccesses data;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(data));
  entries.pass_on(&memory, 0);
  memory.switch_to(1);
  entries.pass_on(&memory, 1);
  EXPECT_TRUE(memory.read(data));
}

TEST(WeakAtomic, AReleaseTellsNothingOfWhatFollows) {
  WeakMemory memory = prompt_memory(2);
  WeakMemory::Location location;
  PlainAccesses before;
  PlainAccesses after;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(before));
  memory.store(location, 0, 1, release);
  EXPECT_FALSE(memory.write(after));
  memory.switch_to(1);
  EXPECT_EQ(memory.load(location, 1, acquire), 1U);
  EXPECT_FALSE(memory.read(before));
  EXPECT_TRUE(memory.read(after));
}

struct Told {
  WeakMemory memory = prompt_memory(2);
  WeakMemory::Location location;
  PlainAccesses data;
};

/// Thread 0 has written the data and then stored 1 with release; thread 1 runs.
Told told_by_release() {
  Told told;
  told.memory.switch_to(0);
  EXPECT_FALSE(told.memory.write(told.data));
  told.memory.store(told.location, 0, 1, release);
  told.memory.switch_to(1);
  return told;
}

/// The order for a failure says nothing of a comparison that is right: an update follows.
TEST(WeakAtomic, AComparisonThatIsRightGainsNothingByItself) {
  auto [memory, location, data] = told_by_release();
  EXPECT_EQ(memory.load_to_compare(location, 1, 1, acquire), 1U);
  memory.update(location, 1, 2, relaxed);
  EXPECT_TRUE(memory.read(data));
}

TEST(WeakAtomic, AComparisonThatIsWrongGainsWhatItReads) {
  auto [memory, location, data] = told_by_release();
  EXPECT_EQ(memory.load_to_compare(location, 1, 0, acquire), 1U);
  EXPECT_FALSE(memory.read(data));
}

/// The ninth store has the place of the first, which was a release. Whether the ninth, which the
/// third thread made or `updates`, gives what that gave.
bool ninth_store_races(bool updates) {
  WeakMemory memory = prompt_memory(3);
  WeakMemory::Location location;
  PlainAccesses data;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(data));
  memory.store(location, 0, 1, release);
  for (uint64_t value = 2; value <= 7; ++value) memory.store(location, value - 1, value, relaxed);
  memory.switch_to(2);
  memory.store(location, 7, 8, release);
  updates ? memory.update(location, 8, 9, relaxed) : memory.store(location, 8, 9, relaxed);
  memory.switch_to(1);
  EXPECT_EQ(memory.load(location, 9, acquire), 9U);
  return memory.read(data).has_value();
}

TEST(WeakAtomic, AStoreGivesNothingOfTheOneWhosePlaceItTakes) {
  EXPECT_TRUE(ninth_store_races(false));
  EXPECT_TRUE(ninth_store_races(true));
}

/// Nor does an update carry on what the ninth store does not give.
TEST(WeakAtomic, AnUpdateCarriesNothingOnThatIsForgotten) {
  WeakMemory memory = prompt_memory(2);
  WeakMemory::Location location;
  PlainAccesses data;
  memory.switch_to(0);
  EXPECT_FALSE(memory.write(data));
  memory.store(location, 0, 1, release);
  for (uint64_t value = 2; value <= 9; ++value) memory.store(location, value - 1, value, relaxed);
  memory.update(location, 9, 10, relaxed);
  memory.switch_to(1);
  EXPECT_EQ(memory.load(location, 10, acquire), 10U);
  EXPECT_TRUE(memory.read(data));
}

TEST(WeakTeam, AMissingRingIsADeadlock) {
  EXPECT_THAT(first_failure<Message>(set_only, receive<acquire>),
              HasSubstr("none will be rung; waiting: other"));
}

TEST(WeakTeam, ASeedIsARun) {
  const auto trace = [](uint64_t seed) {
    std::vector<int> seen;
    Weak::atomic<int> x;
    Weak::team team(options(seed));
    team.add("writer", 0, [&] {
      for (int i = 1; i < 20; ++i) x.store(i, relaxed);
    });
    team.add("reader", 0, [&] {
      for (int i = 0; i < 20; ++i) seen.push_back(x.load(relaxed));
    });
    team.run();
    return seen;
  };
  std::set<std::vector<int>> different;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(trace(seed), trace(seed));
    EXPECT_TRUE(std::ranges::is_sorted(trace(seed)));
    different.insert(trace(seed));
  }
  EXPECT_GT(different.size(), 30u);
}

}  // namespace
}  // namespace pto2::executors
