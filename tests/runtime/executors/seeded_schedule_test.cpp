/// The schedule of the seeded executor, driven by hand: no thread, no fiber.
#include "runtime/executors/seeded_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/executors/seeded_team.hpp"

namespace pto2::executors {
namespace {

/// `threads` take `steps` points each, one letter per step: the order in which they do.
std::string order_of(uint64_t seed, uint32_t threads, uint32_t steps) {
  SeededSchedule schedule({.seed = seed});
  std::vector<uint32_t> left(threads, steps);
  for (uint32_t t = 0; t < threads; ++t) EXPECT_EQ(schedule.add(), t);
  std::string order;
  while (!schedule.is_over()) {
    const uint32_t t = schedule.next().value();
    bool switched = false;
    while (!switched && left[t] != 0) {
      order += static_cast<char>('a' + t);
      --left[t];
      switched = schedule.point();
    }
    if (left[t] == 0 && !switched) schedule.end();
  }
  return order;
}

TEST(SeededSchedule, ASeedIsAnOrder) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::string order = order_of(seed, 3, 6);
    EXPECT_EQ(order.size(), 18u);
    EXPECT_EQ(order, order_of(seed, 3, 6)) << seed;
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 40u);
}

TEST(SeededSchedule, EveryOrderOfTwoStepsComesUp) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 500; ++seed) orders.insert(order_of(seed, 2, 2));
  EXPECT_EQ(orders.size(), 6u);
}

/// Seeds of one kind take any runnable thread at each turn; the others let few run for long.
TEST(SeededSchedule, AThirdOfTheSeedsChoosesUniformly) {
  uint32_t mixed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SeededSchedule schedule({.seed = seed});
    for (uint32_t t = 0; t < 3; ++t) schedule.add();
    std::set<uint32_t> met;
    for (uint32_t turn = 0; turn < 20; ++turn) met.insert(schedule.next().value());
    mixed += met.size() > 1 ? 1 : 0;
  }
  EXPECT_GE(mixed, 70u);
  EXPECT_LE(mixed, 130u);
}

/// Lengths of the first runs of a thread that is alone, in points.
std::vector<uint64_t> lengths_of(const ScheduleOptions& options, std::size_t runs) {
  SeededSchedule schedule(options);
  (void)schedule.add();
  std::vector<uint64_t> lengths;
  while (lengths.size() < runs) {
    EXPECT_EQ(schedule.next(), 0u);
    uint64_t length = 1;
    while (!schedule.point()) ++length;
    lengths.push_back(length);
  }
  return lengths;
}

/// How many of 900 seeds have runs of 1 to 2 n points, by n.
std::map<uint64_t, uint32_t> mean_lengths(Strategy strategy) {
  std::map<uint64_t, uint32_t> seeds;
  for (uint64_t seed = 0; seed < 900; ++seed) {
    const auto lengths = lengths_of({.seed = seed, .strategy = strategy}, 200);
    const auto [least, most] = std::ranges::minmax(lengths);
    const uint64_t mean = std::bit_ceil(most) / 2;
    ++seeds[mean];
    EXPECT_LE(least, 1 + mean / 10);
    uint64_t sum = 0;
    for (const uint64_t length : lengths) sum += length;
    const double average = static_cast<double>(sum) / static_cast<double>(lengths.size());
    EXPECT_NEAR(average, static_cast<double>(mean) + 0.5, 0.25 * static_cast<double>(mean));
  }
  return seeds;
}

TEST(RunLengths, OfAnyThreadAreOneOrTwo) {
  EXPECT_THAT(mean_lengths(Strategy::random), testing::ElementsAre(testing::Pair(1u, 900u)));
}

/// One of nine means is drawn from the seed, each as often as another.
TEST(RunLengths, OfBurstsAreUpTo512) {
  const auto seeds = mean_lengths(Strategy::bursts);
  EXPECT_EQ(seeds.size(), 9u);
  for (uint64_t mean = 1; mean <= 256; mean *= 2) {
    ASSERT_TRUE(seeds.contains(mean)) << mean;
    EXPECT_NEAR(seeds.at(mean), 100, 45) << mean;
  }
}

TEST(RunLengths, OfAMixedScheduleAreUpTo512) {
  const auto seeds = mean_lengths(Strategy::mixed);
  EXPECT_EQ(seeds.size(), 7u);
  for (const uint64_t mean : {1u, 2u, 4u, 8u, 16u, 64u, 256u}) {
    ASSERT_TRUE(seeds.contains(mean)) << mean;
    EXPECT_NEAR(seeds.at(mean), 900.0 / 7, 50) << mean;
  }
}

/// One to eight in a run of as many points as are expected, each number as often as another.
TEST(RunLengths, OfPrioritiesLeaveFewChanges) {
  std::map<uint64_t, uint32_t> seeds;  // by the mean number of changes
  for (uint64_t seed = 0; seed < 800; ++seed) {
    const auto lengths =
        lengths_of({.seed = seed, .strategy = Strategy::pct, .expected_points = 840}, 1000);
    const uint64_t most = std::ranges::max(lengths);
    ++seeds[(2 * 840 + most / 2) / most];
    EXPECT_LE(std::ranges::min(lengths), 20u);
  }
  EXPECT_EQ(seeds.size(), 8u);
  for (uint64_t changes = 1; changes <= 8; ++changes) {
    EXPECT_NEAR(seeds[changes], 100, 45) << changes;
  }
}

/// The thread whose run ends gets the lowest priority: of three, all run in turn.
TEST(RunLengths, OfPrioritiesEndBehindAllOthers) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SeededSchedule schedule({.seed = seed, .strategy = Strategy::pct, .expected_points = 100});
    for (uint32_t t = 0; t < 3; ++t) (void)schedule.add();
    std::vector<uint32_t> order;
    while (order.size() < 30) {
      order.push_back(schedule.next().value());
      while (!schedule.point()) EXPECT_EQ(schedule.next(), order.back()) << "it is the highest";
    }
    for (std::size_t i = 3; i < order.size(); ++i) EXPECT_EQ(order[i], order[i - 3]);
    EXPECT_EQ(std::set<uint32_t>(order.begin(), order.end()).size(), 3u);
  }
}

/// Bursts and single accesses are of any thread.
TEST(RunLengths, AnyThreadIsAsLikelyAsAnother) {
  for (const Strategy strategy : {Strategy::random, Strategy::bursts}) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> pairs;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      SeededSchedule schedule({.seed = seed, .strategy = strategy});
      for (uint32_t t = 0; t < 3; ++t) (void)schedule.add();
      uint32_t last = schedule.next().value();
      for (int turn = 0; turn < 180; ++turn) {
        while (!schedule.point()) continue;
        const uint32_t next = schedule.next().value();
        ++pairs[{last, next}];
        last = next;
      }
    }
    EXPECT_EQ(pairs.size(), 9u);
    for (const auto& [pair, times] : pairs) EXPECT_NEAR(times, 1000, 150);
  }
}

/// Accesses until there is a point behind a store; 0: there is none.
uint64_t stores_per_point(const ScheduleOptions& options) {
  SeededSchedule schedule(options);
  (void)schedule.add();
  (void)schedule.next();
  const uint64_t before = schedule.points();
  for (uint64_t stores = 1; stores <= 16; ++stores) {
    (void)schedule.point_after_store();
    if (schedule.points() != before) return stores;
  }
  return 0;
}

bool chooses_uniformly(const ScheduleOptions& options) {
  SeededSchedule schedule(options);
  for (uint32_t t = 0; t < 3; ++t) (void)schedule.add();
  std::set<uint32_t> met;
  for (uint32_t turn = 0; turn < 20; ++turn) met.insert(schedule.next().value());
  return met.size() > 1;
}

/// What a seed draws, by its name.
std::map<std::string, uint64_t> drawn_by(uint64_t seed, Strategy strategy) {
  const SeededOptions drawn = options_of_seed(seed, strategy);
  const ScheduleOptions options{
      .seed = seed, .strategy = strategy, .expected_points = drawn.expected_points};
  const bool has_changes = strategy == Strategy::pct;
  return {
      {"kernels last", drawn.kernels_last ? 1 : 0},
      {"expected points", drawn.expected_points},
      {"polling rounds", drawn.polling_rounds},
      {"stores per point", stores_per_point(options)},
      {"uniform choice", chooses_uniformly(options) ? 1 : 0},
      {"mean length", has_changes ? 0 : std::bit_ceil(std::ranges::max(lengths_of(options, 50)))}};
}

/// Else a schedule of one kind would never have a run of another kind.
TEST(SeededSchedule, WhateverIsDrawnComesWithAllElse) {
  for (const Strategy strategy :
       {Strategy::mixed, Strategy::random, Strategy::pct, Strategy::bursts}) {
    std::map<std::string, std::set<uint64_t>> values;
    std::map<std::string, std::set<std::pair<uint64_t, uint64_t>>> pairs;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
      const auto drawn = drawn_by(seed, strategy);
      for (const auto& [one, value] : drawn) {
        values[one].insert(value);
        for (const auto& [other, too] : drawn) pairs[one + ", " + other].insert({value, too});
      }
    }
    for (const auto& [one, of_one] : values) {
      for (const auto& [other, of_other] : values) {
        if (one >= other) continue;
        EXPECT_EQ(pairs.at(one + ", " + other).size(), of_one.size() * of_other.size())
            << one << " and " << other << " of strategy " << static_cast<int>(strategy);
      }
    }
    EXPECT_EQ(values.at("kernels last").size(), 2u);
    EXPECT_EQ(values.at("expected points").size(), 8u);
    EXPECT_EQ(values.at("polling rounds").size(), 2u);
    EXPECT_EQ(values.at("stores per point").size(), 4u);
  }
}

/// A thread of two that runs now; the other one has ended.
class AloneInSeeds : public testing::TestWithParam<uint64_t> {
 protected:
  AloneInSeeds() {
    schedule_.add();
    schedule_.add();
    while (schedule_.next() != 1u) (void)schedule_.point();
    schedule_.end();
    EXPECT_EQ(schedule_.next(), 0u);
  }
  SeededSchedule schedule_{{.seed = GetParam()}};
};

TEST_P(AloneInSeeds, TheStartCountsAsARing) {
  EXPECT_FALSE(schedule_.park());
  schedule_.heard();
  EXPECT_TRUE(schedule_.park());
  EXPECT_EQ(schedule_.next(), std::nullopt) << "it waits, and nobody is left to ring it";
  EXPECT_FALSE(schedule_.is_over());
}

TEST_P(AloneInSeeds, ARingEndsOneWait) {
  schedule_.heard();
  EXPECT_TRUE(schedule_.park());
  schedule_.ring(0);
  schedule_.ring(0);
  EXPECT_EQ(schedule_.next(), 0u);
  schedule_.heard();
  EXPECT_TRUE(schedule_.park()) << "two rings before it has heard one are one";
}

TEST_P(AloneInSeeds, ARingIsRemembered) {
  schedule_.heard();
  schedule_.ring(0);
  EXPECT_FALSE(schedule_.park());
}

TEST_P(AloneInSeeds, ItEnds) {
  schedule_.end();
  EXPECT_TRUE(schedule_.is_over());
  EXPECT_EQ(schedule_.next(), std::nullopt);
}

TEST_P(AloneInSeeds, PointsAreCountedOneByOne) {
  const uint64_t before = schedule_.points();
  for (uint64_t n = 1; n <= 1000; ++n) {
    (void)schedule_.point();
    EXPECT_EQ(schedule_.points(), before + n);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AloneInSeeds, testing::Range(uint64_t{0}, uint64_t{50}));

TEST(SeededSchedule, KernelsEndLastIfWanted) {
  std::set<uint32_t> first_to_end;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SeededSchedule schedule({.seed = seed, .kernels_last = true});
    for (uint32_t t = 0; t < 3; ++t) (void)schedule.add();
    uint32_t kernels = 0;
    while (kernels != 2) {
      if (schedule.next() == 2u) {
        schedule.give_way();
        continue;
      }
      EXPECT_TRUE(schedule.enter_kernel());
      ++kernels;
    }
    for (int turn = 0; turn < 20; ++turn) EXPECT_EQ(schedule.next(), 2u) << "it can still go on";
    schedule.end();
    first_to_end.insert(schedule.next().value());
  }
  EXPECT_EQ(first_to_end, (std::set<uint32_t>{0, 1}));
}

TEST(SeededSchedule, AKernelEndsAtOnceOtherwise) {
  SeededSchedule schedule({.seed = 1});
  (void)schedule.add();
  EXPECT_EQ(schedule.next(), 0u);
  EXPECT_FALSE(schedule.enter_kernel());
}

TEST(SeededSchedule, StoresHaveAPointAsOftenAsAsked) {
  for (const uint32_t stores : {0u, 1u, 3u}) {
    SeededSchedule schedule({.seed = 1, .stores_per_point = stores});
    (void)schedule.add();
    EXPECT_EQ(schedule.next(), 0u);
    const uint64_t before = schedule.points();
    for (int n = 0; n < 30; ++n) (void)schedule.point_after_store();
    EXPECT_EQ(schedule.points() - before, stores == 0 ? 0 : 30 / stores);
  }
}

TEST(SeededSchedule, WhoGivesWayComesAfterTheOthers) {
  uint32_t others = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SeededSchedule schedule({.seed = seed});
    (void)schedule.add();
    (void)schedule.add();
    const uint32_t first = schedule.next().value();
    schedule.give_way();
    others += schedule.next() != first ? 1 : 0;
  }
  EXPECT_GT(others, 70u) << "always by priorities, half of the time by uniform choice";
}

/// A slow thread is never starved, since others may spin for what it has; those wait after three
/// points.
TEST(SeededSchedule, ASlowThreadTakesASingleStepNowAndThen) {
  constexpr uint32_t turns = 3000;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SeededSchedule schedule({.seed = seed});
    for (uint32_t t = 0; t < 3; ++t) (void)schedule.add();
    uint64_t points = 0;
    const auto run = [&](uint64_t most) {
      uint64_t steps = 1;
      while (!schedule.point() && steps < most) ++steps;
      points += steps;
      return steps;
    };
    while (schedule.next() != 0u) (void)run(3);
    schedule.slow_down();
    (void)run(3);
    uint32_t slow = 0;
    for (uint32_t turn = 0; turn < turns; ++turn) {
      const bool is_slow = schedule.next() == 0u;
      const uint64_t steps = run(is_slow ? UINT64_MAX : 3);
      ASSERT_TRUE(steps == 1 || !is_slow) << seed;
      slow += is_slow ? 1 : 0;
    }
    EXPECT_GE(slow, 1u) << seed;
    EXPECT_LE(slow, turns / 8) << seed;
    EXPECT_EQ(schedule.points(), points) << seed;
  }
}

TEST(SeededSchedule, ASlowThreadGoesOnAlone) {
  SeededSchedule schedule({.seed = 1});
  (void)schedule.add();
  for (int turn = 0; turn < 100; ++turn) {
    ASSERT_EQ(schedule.next(), 0u);
    schedule.slow_down();
    while (!schedule.point()) {
    }
  }
}

}  // namespace
}  // namespace pto2::executors
