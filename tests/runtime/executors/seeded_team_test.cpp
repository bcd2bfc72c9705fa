#include "runtime/executors/seeded_team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "runtime/executors/seeded.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

using testing::HasSubstr;

constexpr auto order = std::memory_order_seq_cst;

/// Four threads append their number to a log, with a point before each. The log is the schedule.
std::string schedule_of(uint64_t seed) {
  std::string log;
  Seeded::atomic<int> point;
  Seeded::team team({.seed = seed});
  for (char c : {'a', 'b', 'c', 'd'}) {
    team.add(std::string(1, c), 0, [&, c] {
      for (int i = 0; i < 8; ++i) {
        (void)point.load(order);
        log += c;
      }
    });
  }
  team.run();
  return log;
}

TEST(SeededTeam, ASeedIsASchedule) {
  std::set<std::string> schedules;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string schedule = schedule_of(seed);
    EXPECT_EQ(schedule.size(), 32u);
    EXPECT_EQ(schedule, schedule_of(seed)) << seed;
    schedules.insert(schedule);
  }
  EXPECT_GT(schedules.size(), 80u);  // long slices run a thread to its end: those agree
}

TEST(SeededTeam, EveryOrderOfTwoStepsComesUp) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::string log;
    Seeded::atomic<int> point;
    Seeded::team team({.seed = seed});
    for (char c : {'a', 'b'}) {
      team.add("t", 0, [&, c] {
        for (int i = 0; i < 2; ++i) {
          (void)point.load(order);
          log += c;
        }
      });
    }
    team.run();
    orders.insert(log);
  }
  EXPECT_EQ(orders.size(), 6u);
}

/// Seeds of 200 under which neither of two threads does all its steps in one piece.
int seeds_with_changes(uint64_t expected_points) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string log;
    Seeded::atomic<int> point;
    Seeded::team team(
        {.seed = seed, .strategy = Strategy::pct, .expected_points = expected_points});
    for (char c : {'a', 'b'}) {
      team.add("t", 0, [&, c] {
        for (int i = 0; i < 16; ++i) {
          (void)point.load(order);
          log += c;
        }
      });
    }
    team.run();
    changed += std::unique(log.begin(), log.end()) - log.begin() > 2 ? 1 : 0;
  }
  return changed;
}

TEST(SeededTeam, PrioritiesChangeWithinTheExpectedPoints) {
  EXPECT_GT(seeds_with_changes(32), 50);
  EXPECT_EQ(seeds_with_changes(uint64_t{1} << 40), 0);
}

std::string failure_of(const SeededOptions& options, const std::function<void(SeededTeam&)>& add) {
  Seeded::team team(options);
  add(team);
  try {
    team.run();
  } catch (const SeededFailure& failure) {
    return failure.what();
  }
  return {};
}

TEST(SeededTeam, AMissingRingIsADeadlock) {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    Seeded::atomic<int> flag{0};
    const std::string failure = failure_of({.seed = seed}, [&](SeededTeam& team) {
      team.add("waiter", 0, [&] { Seeded::await([&] { return flag.load(order) == 2; }); });
      // The first store has its ring, the second has not.
      team.add("setter", 0, [&] { flag.store(1, order); });
    });
    EXPECT_THAT(failure, HasSubstr("seed " + std::to_string(seed)));
    EXPECT_THAT(failure, HasSubstr("waits"));
    EXPECT_THAT(failure, HasSubstr("waiting: waiter"));
  }
}

TEST(SeededTeam, ARingEndsOneWaitOnly) {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    const std::string failure = failure_of({.seed = seed}, [&](SeededTeam& team) {
      SeededThread& waiter = team.add("waiter", 0, [] {
        Seeded::idle();  // the start counts as a ring
        Seeded::idle();
        Seeded::idle();
      });
      team.add("ringer", 0, [&] { waiter.ring(); });
    });
    EXPECT_THAT(failure, HasSubstr("waiting: waiter")) << "seed " << seed;
  }
}

TEST(SeededTeam, ARingAfterTheStoreEndsTheWait) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Seeded::atomic<int> flag{0};
    SeededThread* waiter = nullptr;
    const std::string failure = failure_of({.seed = seed}, [&](SeededTeam& team) {
      waiter =
          &team.add("waiter", 0, [&] { Seeded::await([&] { return flag.load(order) == 1; }); });
      team.add("setter", 0, [&] {
        flag.store(1, order);
        waiter->ring();
      });
    });
    EXPECT_EQ(failure, "");
  }
}

TEST(SeededTeam, ARingBeforeTheStoreIsALostWakeUpForSomeSeed) {
  int deadlocks = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Seeded::atomic<int> flag{0};
    SeededThread* waiter = nullptr;
    const std::string failure = failure_of({.seed = seed}, [&](SeededTeam& team) {
      waiter =
          &team.add("waiter", 0, [&] { Seeded::await([&] { return flag.load(order) == 1; }); });
      team.add("setter", 0, [&] {
        waiter->ring();
        flag.store(1, order);
      });
    });
    deadlocks += failure.empty() ? 0 : 1;
  }
  EXPECT_GT(deadlocks, 0);
}

TEST(SeededTeam, NoEndIsALivelock) {
  Seeded::atomic<int> flag{0};
  const std::string failure = failure_of({.seed = 3, .max_points = 1000}, [&](SeededTeam& team) {
    team.add("spinner", 0, [&] {
      while (flag.load(order) == 0) {
      }
    });
  });
  EXPECT_THAT(failure, HasSubstr("a livelock; not ended: spinner"));
  EXPECT_THAT(failure, testing::Not(HasSubstr("waiting")));
}

TEST(SeededTeam, SpinLetsTheHolderOfALockGoOn) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Seeded::atomic<int> lock{0};
    int inside = 0;
    const std::string failure =
        failure_of({.seed = seed, .max_points = 10'000}, [&](SeededTeam& team) {
          for (int t = 0; t < 3; ++t) {
            team.add("t", 0, [&] {
              while (lock.exchange(1, order) != 0) {
                Seeded::spin([&] { return lock.load(order) == 0; });
              }
              EXPECT_EQ(++inside, 1);
              --inside;
              lock.store(0, order);
            });
          }
        });
    EXPECT_EQ(failure, "");
  }
}

/// Two threads run a kernel each; a third takes some steps, waits for the end of one of them, and
/// takes some more. Returns the order of it all.
std::string order_with_kernels(const SeededOptions& options) {
  static std::string log;
  log.clear();
  Seeded::atomic<int> ended{0};
  SeededThread* other = nullptr;
  Seeded::team team(options);
  for (const char name : {'A', 'B'}) {
    team.add("core", 0, [&, name] {
      int64_t argument = name;
      log += static_cast<char>(std::tolower(name));
      Seeded::run_kernel([](int64_t* args) { log += static_cast<char>(*args); }, &argument);
      ended.fetch_add(1, order);
      other->ring();
    });
  }
  const auto steps = [&] {
    for (int i = 0; i < 3; ++i) {
      (void)ended.load(order);
      log += 'o';
    }
  };
  other = &team.add("other", 0, [&] {
    steps();
    Seeded::await([&] { return ended.load(order) != 0; });
    steps();
  });
  team.run();
  return log;
}

TEST(SeededTeam, KernelsEndLastIfWanted) {
  std::set<std::string> orders;
  std::set<std::string> usual;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    orders.insert(order_with_kernels({.seed = seed, .kernels_last = true}));
    usual.insert(order_with_kernels({.seed = seed}));
  }
  for (const std::string& log : orders) {
    EXPECT_THAT(log, testing::AnyOf(testing::EndsWith("AoooB"), testing::EndsWith("BoooA")));
    EXPECT_EQ(log.find_first_of("AB"), 5U) << log << ": a kernel ends before the others wait";
  }
  EXPECT_THAT(orders, testing::IsSupersetOf({"aboooAoooB", "aboooBoooA", "baoooAoooB"}))
      << "the one that was begun first may end last";
  EXPECT_GT(usual.size(), orders.size()) << "at other times a kernel may end at once";
}

TEST(SeededTeam, AKernelThatEndsLastIsLaterThanAllBefore) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Seeded::team team({.seed = seed, .kernels_last = true});
    uint64_t others = 0;
    uint64_t end = 0;
    Seeded::atomic<int> point;
    team.add("core", 0, [&] {
      Seeded::run_kernel([](int64_t*) {}, nullptr);
      end = Seeded::now();
    });
    team.add("other", 0, [&] {
      for (int i = 0; i < 5; ++i) (void)point.load(order);
      others = Seeded::now();
    });
    team.run();
    EXPECT_LT(others, end) << seed;
  }
}

/// Which may name it.
TEST(SeededTeam, TellsAWatchWhoIsInsideOfAKernel) {
  Seeded::team team({.seed = 1});
  team.add("core", 0, [&] {
    const uint64_t before = team.running_kernel().begun;
    Seeded::run_kernel(
        [](int64_t* args) {
          const KernelState state = SeededTeam::current()->running_kernel();
          EXPECT_TRUE(state.inside);
          EXPECT_EQ(state.begun, static_cast<uint64_t>(*args));
          ASSERT_NE(state.name, nullptr);
          EXPECT_EQ(*state.name, "core");
        },
        std::array{static_cast<int64_t>(before + 1)}.data());
    EXPECT_FALSE(team.running_kernel().inside);
    EXPECT_EQ(team.running_kernel().name, nullptr);
  });
  team.run();
}

TEST(SeededTeam, OneTeamMayRunAfterAFailedOne) {
  (void)failure_of({.seed = 1}, [](SeededTeam& team) {
    team.add("t", 0, [] { Seeded::await([] { return false; }); });
  });
  EXPECT_EQ(SeededTeam::current(), nullptr);
  EXPECT_EQ(Seeded::team::active(), nullptr);
  EXPECT_EQ(schedule_of(5), schedule_of(5));
}

/// Two cores that take three tasks each, of which "core" fails at its second, and a thread that
/// waits for the former until `waits_no_more(its doorbell, whether it has ended)`.
template <class Predicate>
std::string failure_of_loss(uint64_t seed, uint64_t& taken, Predicate&& waits_no_more) {
  Seeded::atomic<int> ended{0};
  uint64_t others = 0;
  const std::string failure = failure_of({.seed = seed}, [&](SeededTeam& team) {
    team.fail_by({ChipFaultKind::lost_before_ack, "core", 2});
    const auto take = [&](uint64_t& count) {
      for (int i = 0; i < 3; ++i) {
        Seeded::chip_step(ChipStep::take);
        ++count;
        Seeded::chip_step(ChipStep::kernel);
      }
    };
    const Seeded::doorbell core(team.add("core", 0, [&, take] {
      take(taken);
      ended.store(1, order);
    }));
    team.add("other", 0, [&, take] { take(others); });
    team.add("waiter", 0, [&, core] {
      Seeded::await([&] { return waits_no_more(core, ended.load(order) == 1); });
    });
  });
  EXPECT_EQ(others, 3u);
  return failure;
}

TEST(SeededTeam, WhoWaitsForALostCoreLooksAgainWhenNobodyCanGoOn) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    uint64_t taken = 0;
    EXPECT_EQ(failure_of_loss(seed, taken,
                              [](const Seeded::doorbell& core, bool ended) {
                                EXPECT_EQ(Seeded::is_lost(core), Seeded::has_lost_core());
                                return ended || Seeded::is_lost(core);
                              }),
              "");
    EXPECT_EQ(taken, 1u);
  }
}

TEST(SeededTeam, WhoWaitsOnForALostCoreIsADeadlock) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    uint64_t taken = 0;
    EXPECT_THAT(
        failure_of_loss(seed, taken, [](const Seeded::doorbell&, bool ended) { return ended; }),
        HasSubstr("waiter"));
  }
}

TEST(SeededTeam, AnAnswerIsSaidTwiceOnce) {
  Seeded::team team({.seed = 1});
  team.fail_by({ChipFaultKind::answers_twice, "core", 2});
  std::string answers;
  team.add("core", 0, [&] {
    for (const char c : {'a', 'b', 'c'}) {
      do {
        answers += c;
      } while (Seeded::answers_again());
    }
  });
  team.run();
  EXPECT_EQ(answers, "abbc");
  EXPECT_TRUE(team.fault_reached());
}

}  // namespace
}  // namespace pto2::executors
