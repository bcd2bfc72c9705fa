/// The packed executor: sleeping kernels, stealing, and rings that must not be lost.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/executors/hardware.hpp"
#include "runtime/executors/random.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

using std::chrono::milliseconds;

TeamOptions packed(uint32_t hosts) {
  return {.executor = Executor::packed, .host_threads = hosts, .stack_bytes = 64 << 10};
}

milliseconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return milliseconds(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

/// A kernel that sleeps until the others are done, or would never be.
struct SleepingKernel {
  const std::atomic<int>& done;
  int others;
  int64_t ms_after{0};        ///< it sleeps on for as long
  milliseconds cpu_after{0};  ///< what the process has used of a CPU meanwhile
  std::atomic<bool> begun{false};
  bool gave_up = false;

  void run() {
    detached([](int64_t* self) { reinterpret_cast<SleepingKernel*>(self)->sleep(); },
             reinterpret_cast<int64_t*>(this));
  }

 private:
  void sleep() {
    begun = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (done.load() < others && !gave_up) {
      std::this_thread::sleep_for(milliseconds(1));
      gave_up = std::chrono::steady_clock::now() > end;
    }
    const auto before = cpu_time();
    std::this_thread::sleep_for(milliseconds(ms_after));
    cpu_after = cpu_time() - before;
  }
};

/// Fibers that share a host with a sleeping kernel finish before it does, on other hosts, and
/// nobody burns a CPU while it sleeps. With three hosts a second thief comes.
TEST(PackedTeam, ASleepingKernelKeepsNobodyWaiting) {
  for (const uint32_t hosts : {2u, 3u}) {
    Team team(packed(hosts));
    std::atomic<int> done{0};
    SleepingKernel kernel{.done = done, .others = 10, .ms_after = 300};
    team.add("long", 1, [&] { kernel.run(); });
    for (int i = 0; i < kernel.others; ++i) {
      team.add("short", 1, [&] { ++done; });
    }
    team.run();
    EXPECT_FALSE(kernel.gave_up) << hosts << " hosts";
    EXPECT_LT(kernel.cpu_after.count(), 150) << hosts << " hosts";
  }
}

/// The same when the fibers become runnable during the kernel, rung from a fiber elsewhere.
TEST(PackedTeam, FibersRungDuringAKernelAreTakenOver) {
  Team team(packed(2));
  std::atomic<int> stage{0};
  std::atomic<int> done{0};
  SleepingKernel kernel{.done = done, .others = 4};
  std::vector<LogicalThread*> waiters;
  for (int i = 0; i < kernel.others; ++i) {
    waiters.push_back(&team.add("waiter", 1, [&] {
      Hardware::await([&] { return stage.load() == 1; });
      ++done;
    }));
  }
  team.add("long", 1, [&] { kernel.run(); });
  team.add("elsewhere", 0, [&] {
    // In a kernel, so that this host takes nobody over before.
    detached(
        [](int64_t* begun) {
          while (!*reinterpret_cast<std::atomic<bool>*>(begun)) {
            std::this_thread::sleep_for(milliseconds(1));
          }
        },
        reinterpret_cast<int64_t*>(&kernel.begun));
    stage = 1;
    for (auto* waiter : waiters) waiter->ring();
  });
  team.run();
  EXPECT_FALSE(kernel.gave_up);
}

/// Who gives way looks for those that were rung from another host, too.
TEST(PackedTeam, WhoWasRungElsewhereGoesFirst) {
  Team team(packed(2));
  std::atomic<int> stage{0};
  std::atomic<bool> has_run{false};
  LogicalThread& other = team.add("other", 1, [&] {
    Hardware::await([&] { return stage.load() >= 2; });
    has_run = true;
  });
  LogicalThread& elsewhere = team.add("elsewhere", 0, [&] {
    Hardware::await([&] { return stage.load() == 1; });
    stage = 2;
    other.ring();
    stage = 3;
  });
  team.add("giving way", 1, [&] {
    while (give_way()) {
    }
    stage = 1;
    elsewhere.ring();
    while (stage.load() != 3) std::this_thread::yield();
    EXPECT_TRUE(give_way());
    EXPECT_TRUE(has_run.load());
  });
  team.run();
}

/// Who gives way goes on when the others have had some rounds, not after each of them.
TEST(PackedTeam, WhoGivesWayRestsForSomeRounds) {
  Team team(packed(1));
  std::atomic<int> turns{0};
  std::atomic<bool> over{false};
  team.add("giving way", 0, [&] {
    while (turns.load() == 0) yield();
    const int before = turns.load();
    EXPECT_TRUE(give_way());
    EXPECT_GE(turns.load(), before + 8);
    EXPECT_LE(turns.load(), before + 9);
    const int between = turns.load();
    yield();
    EXPECT_LE(turns.load(), between + 1);
    over = true;
  });
  team.add("other", 0, [&] {
    for (; !over.load(); yield()) ++turns;
  });
  team.run();
}

/// With other hosts beside: those may have nothing to do until it goes on.
TEST(PackedTeam, WhoGivesWayBesideOtherHostsGoesOnSoon) {
  Team team(packed(2));
  std::atomic<int> turns{0};
  std::atomic<bool> over{false};
  team.add("giving way", 1, [&] {
    while (turns.load() == 0) yield();
    const int before = turns.load();
    EXPECT_TRUE(give_way());
    EXPECT_LE(turns.load(), before + 1);
    over = true;
  });
  team.add("other", 1, [&] {
    for (; !over.load(); yield()) ++turns;
  });
  team.run();
}

/// Three hosts, all but one inside kernels that sleep: what the last free host leaves behind when
/// it goes into a kernel of its own must reach whoever is awake first. No kernel ends before all
/// run side by side, so that the run does not end if one is forgotten.
TEST(PackedTeam, WorkLeftByAThiefIsNotForgotten) {
  Team team(packed(4));
  std::atomic<int> begun{0};
  static constexpr int kernels = 4;
  for (int i = 0; i < kernels; ++i) {
    team.add("kernel", 1, [&] {
      detached(
          [](int64_t* argument) {
            auto& all_begun = *reinterpret_cast<std::atomic<int>*>(argument);
            ++all_begun;
            while (all_begun.load() < kernels) std::this_thread::sleep_for(milliseconds(1));
          },
          reinterpret_cast<int64_t*>(&begun));
    });
  }
  team.run();
}

/// A lost ring shows as a run that does not end. Each fiber owns a counter; whoever increases it
/// rings its owner afterwards, and the owner waits for each increase. In between run kernels of
/// random length, so that fibers are stolen and rings are forwarded.
struct Storm {
  struct Fiber {
    std::atomic<uint32_t> mail{0};
    LogicalThread* thread = nullptr;
  };
  static constexpr uint32_t fibers = 12;
  std::array<Fiber, fibers> all;
  std::atomic<uint64_t> rings{0};

  void send(uint32_t to) {
    all[to].mail.fetch_add(1);
    all[to].thread->ring();
    rings.fetch_add(1, std::memory_order_relaxed);
  }
};

void spinning_kernel(int64_t* turns) {
  for (int64_t i = 0; i < *turns; ++i) asm volatile("");
  if (*turns % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(*turns % 50));
}

/// `messages` from each fiber to pseudo-random others; fiber f expects what is sent to it.
void run_storm(uint32_t hosts, uint64_t seed, uint32_t messages, int64_t longest_kernel) {
  Storm storm;
  // Who sends to whom is fixed before, so that each knows how much mail it gets.
  std::array<std::vector<uint32_t>, Storm::fibers> targets;
  std::array<uint32_t, Storm::fibers> expected{};
  Random random(seed);
  for (auto& list : targets) {
    for (uint32_t i = 0; i < messages; ++i) {
      list.push_back(static_cast<uint32_t>(random.below(Storm::fibers)));
      ++expected[list.back()];
    }
  }
  Team team(packed(hosts));
  for (uint32_t f = 0; f < Storm::fibers; ++f) {
    storm.all[f].thread =
        &team.add("f" + std::to_string(f), static_cast<uint32_t>(random.below(5)), [&, f] {
          Random own(seed * 100 + f);
          for (uint32_t i = 0; i < messages; ++i) {
            storm.send(targets[f][i]);
            if (own.below(4) == 0) {
              auto turns = static_cast<int64_t>(own.below(static_cast<uint64_t>(longest_kernel)));
              detached(spinning_kernel, &turns);
            }
            if (own.below(8) == 0) yield();
          }
          Hardware::await([&] { return storm.all[f].mail.load() == expected[f]; });
        });
  }
  team.run();
  EXPECT_EQ(storm.rings.load(), uint64_t{messages} * Storm::fibers);
}

TEST(PackedTeam, NoRingIsLostInAStorm) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    run_storm(2 + static_cast<uint32_t>(seed % 3), seed, 300, seed % 2 == 0 ? 100 : 20'000);
  }
}

/// Pairs that play ping-pong across hosts, while others run kernels: every step is a wait, and a
/// single lost ring stops a pair for good.
void run_ping_pong(uint32_t hosts, uint64_t seed, uint32_t steps, int64_t longest_kernel) {
  constexpr uint32_t pairs = 4;
  struct Pair {
    std::atomic<uint32_t> turn{0};
    std::array<LogicalThread*, 2> side{};
  };
  std::array<Pair, pairs> all;
  Team team(packed(hosts));
  for (uint32_t p = 0; p < pairs; ++p) {
    for (uint32_t side = 0; side < 2; ++side) {
      all[p].side[side] = &team.add("side", 1 + p + side, [&, p, side] {
        Pair& pair = all[p];
        Random own(seed * 1000 + p * 2 + side);
        for (uint32_t step = side; step < steps; step += 2) {
          Hardware::await([&] { return pair.turn.load() == step; });
          if (own.below(16) == 0) {
            auto turns = static_cast<int64_t>(own.below(static_cast<uint64_t>(longest_kernel)));
            detached(spinning_kernel, &turns);
          }
          pair.turn.store(step + 1);
          pair.side[1 - side]->ring();
        }
      });
    }
  }
  team.run();
  for (auto& pair : all) EXPECT_EQ(pair.turn.load(), steps);
}

/// For a second: that is two hundred of them where nothing else runs, and few where each wait costs
/// the turn of some other process; but each number of hosts and each length of kernels once.
TEST(PackedTeam, NoRingIsLostInPingPong) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (uint64_t seed = 1; seed <= 6 || std::chrono::steady_clock::now() < end; ++seed) {
    run_ping_pong(2 + static_cast<uint32_t>(seed % 3), seed, 500, seed % 2 == 0 ? 100 : 20'000);
  }
}

TEST(PackedTeam, OnlyTwoHostsBeginAsOne) {
  for (const uint32_t hosts : {1u, 2u, 3u}) {
    TeamOptions options = packed(hosts);
    options.may_join = true;
    Team team(options);
    team.add("main", 0, [&team, hosts] {
      for (uint32_t h = 0; h < hosts; ++h) {
        EXPECT_EQ(team.host_state(h).naps, hosts == 2 && h == 1) << hosts;
      }
    });
    team.run();
  }
}

}  // namespace
}  // namespace pto2::executors
