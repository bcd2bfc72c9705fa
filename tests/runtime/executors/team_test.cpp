/// What both executors of the hardware policy promise.
#include "runtime/executors/team.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/executors/hardware.hpp"
#include "tests/runtime/executors/teams.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

using Teams = EachTeam;

INSTANTIATE_TEST_SUITE_P(Executors, Teams, testing::ValuesIn(all_teams()), name_of_team);

// The executors keep sets of bodies in words of 64 bits.
TEST_P(Teams, EveryBodyRunsOnce) {
  for (const uint32_t bodies : {1U, 63U, 64U, 65U, 129U}) {
    SCOPED_TRACE(bodies);
    Team team(GetParam().options);
    std::vector<std::atomic<int>> runs(bodies);
    for (uint32_t i = 0; i < bodies; ++i) {
      team.add("t" + std::to_string(i), i % 5, [&runs, i] { ++runs[i]; });
    }
    team.run();
    for (auto& n : runs) EXPECT_EQ(n.load(), 1);
  }
}

TEST_P(Teams, TellsWhoRunsIt) {
  Team team(GetParam().options);
  LogicalThread* thread = nullptr;
  pid_t found = 0;
  pid_t found_of_another = 0;
  thread = &team.add("one", 1, [&] { found = team.os_thread_of(*thread) - gettid(); });
  team.add("another", 1, [&] { found_of_another = team.os_thread_of(*thread) - gettid(); });
  team.run();
  EXPECT_EQ(found, 0);
  EXPECT_NE(found_of_another, 0);
}

TEST_P(Teams, AnEmptyTeamReturns) {
  Team team(GetParam().options);
  team.run();
}

TEST_P(Teams, ARingBeforeTheRunIsRemembered) {
  Team team(GetParam().options);
  bool woke = false;
  LogicalThread& thread = team.add("sleeper", 1, [&] {
    idle();
    woke = true;
  });
  thread.ring();
  team.run();
  EXPECT_TRUE(woke);
}

TEST_P(Teams, ARingBeforeTheFirstStartIsRemembered) {
  Team team(GetParam().options);
  LogicalThread* late = nullptr;
  bool woke = false;
  team.add("first", 1, [&] { late->ring(); });
  late = &team.add("late", 1, [&] {
    idle();
    woke = true;
  });
  team.run();
  EXPECT_TRUE(woke);
}

/// A token goes round all threads; each waits for its turn and rings the next.
TEST_P(Teams, ATokenGoesRound) {
  constexpr uint32_t threads = 9;
  constexpr uint32_t rounds = 200;
  Team team(GetParam().options);
  std::atomic<uint32_t> token{0};
  std::vector<LogicalThread*> ring;
  for (uint32_t i = 0; i < threads; ++i) {
    ring.push_back(&team.add("t" + std::to_string(i), i, [&, i] {
      for (uint32_t round = 0; round < rounds; ++round) {
        Hardware::await([&] { return token.load() == round * threads + i; });
        token.fetch_add(1);
        ring[(i + 1) % threads]->ring();
      }
    }));
  }
  team.run();
  EXPECT_EQ(token.load(), threads * rounds);
}

TEST_P(Teams, ARingThatComesFirstIsNotLost) {
  Team team(GetParam().options);
  std::atomic<int> stage{0};
  LogicalThread* late = nullptr;
  LogicalThread& first = team.add("first", 1, [&] {
    stage = 1;
    late->ring();
    Hardware::await([&] { return stage.load() == 2; });
  });
  late = &team.add("late", 2, [&] {
    Hardware::await([&] { return stage.load() == 1; });
    stage = 2;
    first.ring();
  });
  team.run();
  EXPECT_EQ(stage.load(), 2);
}

TEST_P(Teams, AThreadMayBeRungAfterItLeft) {
  for (int run = 0; run < 50; ++run) {
    Team team(GetParam().options);
    std::atomic<bool> gone{false};
    LogicalThread& leaver = team.add("leaver", 1, [&] { gone = true; });
    for (uint32_t i = 0; i < 3; ++i) {
      team.add("ringer", 2 + i, [&] {
        for (int k = 0; k < 20; ++k) {
          leaver.ring();
          yield();
        }
      });
    }
    team.run();
    EXPECT_TRUE(gone.load());
  }
}

TEST_P(Teams, AForeignThreadMayRing) {
  Team team(GetParam().options);
  std::atomic<bool> go{false};
  LogicalThread& waiter =
      team.add("waiter", 1, [&] { Hardware::await([&] { return go.load(); }); });
  std::thread foreign;
  team.add("starter", 2, [&] {
    foreign = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      go = true;
      waiter.ring();
    });
  });
  team.run();
  foreign.join();
  EXPECT_TRUE(go.load());
}

TEST_P(Teams, AForeignThreadMayRingWhileTheRunStarts) {
  for (int run = 0; run < 200; ++run) {
    Team team(GetParam().options);
    std::atomic<bool> go{false};
    LogicalThread& waiter =
        team.add("waiter", 1, [&] { Hardware::await([&] { return go.load(); }); });
    std::thread foreign([&] {
      go = true;
      waiter.ring();
    });
    team.run();
    foreign.join();
    EXPECT_TRUE(go.load());
  }
}

TEST_P(Teams, DetachedSectionsRun) {
  Team team(GetParam().options);
  std::array<int64_t, 20> results{};
  for (uint32_t i = 0; i < results.size(); ++i) {
    team.add("t", i, [&results, i] { detached([](int64_t* r) { *r = 7; }, &results[i]); });
  }
  team.run();
  for (const int64_t result : results) EXPECT_EQ(result, 7);
}

TEST(Team, ReportsItsOsThreads) {
  Team threads({.executor = Executor::threads});
  for (uint32_t i = 0; i < 5; ++i) threads.add("t", i, [] {});
  EXPECT_EQ(threads.host_threads(), 5u);
  EXPECT_EQ(Team({.executor = Executor::packed, .host_threads = 3}).host_threads(), 3u);
  EXPECT_EQ(Team({.executor = Executor::packed}).host_threads(), usable_cpus());
  EXPECT_GE(usable_cpus(), 1u);
}

}  // namespace
}  // namespace pto2::executors
