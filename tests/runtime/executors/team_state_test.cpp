/// What a report says of a team that runs, read from outside of it.
#include "runtime/executors/team_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <thread>

#include "runtime/executors/hardware.hpp"
#include "runtime/executors/running_teams.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

TeamOptions packed_on(uint32_t hosts) {
  return {.executor = Executor::packed, .host_threads = hosts, .stack_bytes = 64 << 10};
}

/// A kernel that runs until it is told to end.
struct OpenKernel {
  std::atomic<bool> end{false};
  void run() {
    detached(
        [](int64_t* self) {
          auto& kernel = *reinterpret_cast<OpenKernel*>(self);
          Hardware::spin([&] { return kernel.end.load(); });
        },
        reinterpret_cast<int64_t*>(this));
  }
};

/// The state, once `holds` is true of it.
TeamState state_when(const Team& team, const std::function<bool(const TeamState&)>& holds) {
  for (;;) {
    TeamState state = team.state();
    if (holds(state)) return state;
    std::this_thread::yield();
  }
}

TEST(TeamState, TheOnlyHostInAKernelHasARunnableThreadBehindIt) {
  Team team(packed_on(1));
  OpenKernel kernel;
  std::atomic<bool> begun{false};
  LogicalThread& waiter = team.add("waiter", 1, [] {
    idle();  // the start counts as a ring
    idle();
  });
  team.add("core", 1, [&] {
    yield();
    begun = true;
    kernel.run();
  });
  team.add("next", 1, [] { idle(); });
  std::thread watcher([&] {
    while (!begun.load()) std::this_thread::yield();
    const auto in_kernel = [](const TeamState& s) { return s.hosts[0].detached; };
    EXPECT_EQ(to_string(state_when(team, in_kernel)),
              "packed executor, 0 of 3 threads have finished\n"
              "  host 0: inside a kernel of core\n"
              "  waiter (host 0): waits to be rung\n"
              "  core (host 0): runs a kernel\n"
              "  next (host 0): was rung, and waits for its host to run it\n");
    waiter.ring();
    EXPECT_EQ(team.state().threads[0].activity, Activity::waiting);
    EXPECT_TRUE(team.state().threads[0].rung);
    kernel.end = true;
  });
  team.run();
  watcher.join();
}

TEST(TeamState, ARingThatNoHostHasSeenIsTold) {
  Team team(packed_on(2));
  std::atomic<uint32_t> begun{0};
  std::atomic<bool> end{false};
  LogicalThread& waiter = team.add("waiter", 0, [] {
    idle();  // the start counts as a ring
    idle();
  });
  team.add("busy0", 0, [&] {
    yield();
    ++begun;
    Hardware::spin([&] { return end.load(); });
  });
  team.add("busy1", 1, [&] {
    ++begun;
    Hardware::spin([&] { return end.load(); });
  });
  std::thread watcher([&] {
    while (begun.load() != 2) std::this_thread::yield();
    EXPECT_FALSE(team.state().threads[0].rung);
    waiter.ring();
    EXPECT_TRUE(team.state().threads[0].rung);
    end = true;
  });
  team.run();
  watcher.join();
}

TEST(TeamState, AHostThatRunsAFiberKnowsTheOthersAlone) {
  Team team(packed_on(1));
  std::atomic<bool> begun{false};
  std::atomic<bool> end{false};
  team.add("busy", 1, [&] {
    begun = true;
    Hardware::spin([&] { return end.load(); });
  });
  team.add("next", 1, [] {});
  std::thread watcher([&] {
    while (!begun.load()) std::this_thread::yield();
    EXPECT_EQ(to_string(team.state()),
              "packed executor, 0 of 2 threads have finished\n"
              "  host 0: runs busy\n"
              "  busy (host 0): runs\n"
              "  next (host 0): waits to be rung, or for its host to run it\n");
    end = true;
  });
  team.run();
  watcher.join();
}

TEST(TeamState, AHostThatHangsBeforeItsFirstTurnIsToldApart) {
  HostState asleep;
  asleep.begun = asleep.asleep = true;
  HostState naps;
  naps.begun = naps.naps = true;
  const TeamState state{.hosts = {asleep, HostState{}, naps},
                        .threads = {{.name = "next", .activity = Activity::unknown, .host = 1}}};
  EXPECT_EQ(to_string(state),
            "packed executor, 0 of 1 threads have finished\n"
            "  host 0: asleep\n"
            "  host 1: has not begun\n"
            "  host 2: naps while kernels are short\n"
            "  next (host 1): waits to be rung, or for its host to run it\n");
}

/// As by the ticker of a launch, which begins before the team does. TSan sees who reads hosts while
/// they are made.
TEST(TeamState, ItsThreadsDoNothingBeforeTheyAreMade) {
  Team team(packed_on(3));
  LogicalThread* self = nullptr;
  LogicalThread& first =
      team.add("first", 1, [&] { EXPECT_EQ(team.os_thread_of(*self), gettid()); });
  self = &first;
  EXPECT_TRUE(team.kernels().empty());
  EXPECT_EQ(team.os_thread_of(first), 0);
  std::atomic<bool> looks{false};
  std::atomic<bool> ends{false};
  std::thread watcher([&] {
    do {
      const std::size_t threads = team.kernels().size();
      EXPECT_TRUE(threads == 0 || threads == 3) << threads;
      (void)team.os_thread_of(first);
      looks = true;
    } while (!ends);
  });
  while (!looks) std::this_thread::yield();
  team.run();
  ends = true;
  watcher.join();
}

TEST(TeamState, OsThreadsRunAKernelOrWait) {
  Team team({.executor = Executor::threads});
  OpenKernel kernel;
  team.add("core", 1, [&] { kernel.run(); });
  LogicalThread& waiter = team.add("waiter", 1, [] { idle(); });
  team.add("ended", 1, [] {});
  team.add("watcher", 2, [&] {
    const TeamState state = state_when(team, [](const TeamState& s) {
      return s.threads[0].activity == Activity::in_kernel &&
             s.threads[1].activity == Activity::waiting &&
             s.threads[2].activity == Activity::finished;
    });
    EXPECT_EQ(to_string(state),
              "threads executor, 1 of 4 threads have finished\n"
              "  core: runs a kernel\n"
              "  waiter: waits to be rung\n"
              "  watcher: runs\n");
    kernel.end = true;
    waiter.ring();
  });
  team.run();
}

TEST(TeamState, AnOsThreadThatWasRungRuns) {
  Team team({.executor = Executor::threads});
  std::atomic<bool> told{false};
  std::atomic<bool> awake{false};
  std::atomic<bool> end{false};
  LogicalThread& sleeper = team.add("sleeper", 1, [&] {
    Hardware::await([&] { return told.load(); });
    awake = true;
    Hardware::spin([&] { return end.load(); });
  });
  team.add("watcher", 2, [&] {
    (void)state_when(team,
                     [](const TeamState& s) { return s.threads[0].activity == Activity::waiting; });
    told = true;
    sleeper.ring();
    Hardware::spin([&] { return awake.load(); });
    EXPECT_EQ(team.state().threads[0].activity, Activity::running);
    end = true;
  });
  team.run();
}

TEST(TeamState, OfTheTeamsThatRunIsReported) {
  Team early(packed_on(1));
  Team late(packed_on(1));
  early.add("early", 0, [] {});
  late.add("late", 0, [] {});
  const auto reports = [](const char* name) {
    return describe_running_teams().find(name) != std::string::npos;
  };
  for (const bool first_ends_first : {true, false}) {
    auto of_early = std::make_unique<RunningTeam>(early);
    auto of_late = std::make_unique<RunningTeam>(late);
    EXPECT_TRUE(reports("early") && reports("late"));
    (first_ends_first ? of_early : of_late).reset();
    EXPECT_EQ(reports("early"), !first_ends_first);
    EXPECT_EQ(reports("late"), first_ends_first);
  }
}

/// Under TSan: reading the state races with nothing that a run does.
TEST(TeamState, CanBeReadAtAnyTime) {
  for (const Executor executor : {Executor::packed, Executor::threads}) {
    std::atomic<bool> end{false};
    std::thread watcher([&] {
      while (!end.load()) EXPECT_FALSE(describe_running_teams().empty());
    });
    for (int run = 0; run < 20; ++run) {
      Team team({.executor = executor, .host_threads = 2, .stack_bytes = 64 << 10});
      std::vector<LogicalThread*> threads;
      std::atomic<uint32_t> turn{0};
      for (uint32_t i = 0; i < 4; ++i) {
        threads.push_back(&team.add("t" + std::to_string(i), i, [&, i] {
          for (uint32_t round = 0; round < 20; ++round) {
            Hardware::await([&] { return turn.load() == round * 4 + i; });
            int64_t turns = 100;
            detached(
                [](int64_t* n) {
                  for (int64_t k = 0; k < *n; ++k) asm volatile("");
                },
                &turns);
            ++turn;
            threads[(i + 1) % 4]->ring();
          }
        }));
      }
      team.run();
    }
    end = true;
    watcher.join();
  }
  EXPECT_EQ(describe_running_teams(), "no team runs\n");
}

}  // namespace
}  // namespace pto2::executors
