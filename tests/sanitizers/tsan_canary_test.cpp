// TSan sees a race, and sees none where release and acquire, or a ring, order the accesses: between
// OS threads and between fibers, of one host or of two. The time between the two accesses is no
// matter: TSan reports by happens-before.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>

#include "runtime/executors/hardware.hpp"

namespace {

using pto2::executors::Executor;
using pto2::executors::Hardware;
using pto2::executors::LogicalThread;
using pto2::executors::Team;
using pto2::executors::TeamOptions;

struct Place {
  const char* name;
  TeamOptions team;
};

/// The two threads are in groups 0 and 1, which have hosts of their own if there are two.
const Place places[] = {
    {"OsThreads", {.executor = Executor::threads}},
    {"FibersOfOneHost", {.executor = Executor::packed, .host_threads = 1}},
    {"FibersOfTwoHosts", {.executor = Executor::packed, .host_threads = 2}},
};

class TsanCanary : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void run(const std::function<void()>& one, const std::function<void()>& other) {
    Team team(GetParam().team);
    team.add("one", 0, one);
    team.add("other", 1, other);
    team.run();
  }

  /// One thread writes, then sets a flag with `publish`; the other waits for it, then reads.
  static int pass_message(std::memory_order publish) {
    int message = 0;
    int read = 0;
    std::atomic<bool> sent{false};
    run(
        [&] {
          message = 1;
          sent.store(true, publish);
        },
        [&] {
          while (!sent.load(std::memory_order_acquire)) Hardware::yield([] { return false; });
          read = message;
        });
    return read;
  }

  /// One thread writes, then rings the other, which waits for nothing else.
  static int pass_message_with_a_ring() {
    int message = 0;
    int read = 0;
    std::atomic<bool> ready{false};
    Team team(GetParam().team);
    LogicalThread* reader = nullptr;
    team.add("writer", 0, [&] {
      while (!ready.load(std::memory_order_acquire)) Hardware::yield([] { return false; });
      message = 1;
      reader->ring();
    });
    reader = &team.add("reader", 1, [&] {
      // The start of a fiber counts as a ring.
      if (GetParam().team.executor == Executor::packed) pto2::executors::idle();
      ready.store(true, std::memory_order_release);
      pto2::executors::idle();
      read = message;
    });
    team.run();
    return read;
  }
};

TEST_P(TsanCanary, APlainRaceIsReported) {
  const auto race = [] {
    int count = 0;
    run([&] { ++count; }, [&] { ++count; });
    std::exit(count);
  };
  EXPECT_DEATH(race(), "data race");
}

// Fibers have contexts that others had before them.
TEST_P(TsanCanary, ARaceIsReportedAlsoIfOthersHaveRunBefore) {
  const auto race = [] {
    int one = 0;
    int other = 0;
    for (int i = 0; i < 3; ++i) run([&] { ++one; }, [&] { ++other; });
    if (one != 3 || other != 3) std::exit(0);
    run([&] { ++one; }, [&] { ++one; });
    std::exit(1);
  };
  EXPECT_DEATH(race(), "data race");
}

TEST_P(TsanCanary, WhatComesBeforeATeamIsSeenAlsoIfOthersHaveRunBefore) {
  int written = 0;
  int read = 0;
  for (int i = 1; i <= 3; ++i) {
    written = i;
    run([&] { read = written; }, [] {});
    EXPECT_EQ(read, i);
    run([] {}, [&] { written = 0; });
  }
}

TEST_P(TsanCanary, ARelaxedPublicationIsReported) {
  EXPECT_DEATH(std::exit(pass_message(std::memory_order_relaxed)), "data race");
}

TEST_P(TsanCanary, AReleasedOneIsNot) {
  EXPECT_EQ(pass_message(std::memory_order_release), 1);
}

TEST_P(TsanCanary, WhatComesBeforeARingIsSeen) {
  EXPECT_EQ(pass_message_with_a_ring(), 1);
}

INSTANTIATE_TEST_SUITE_P(, TsanCanary, testing::ValuesIn(places),
                         [](const auto& place) { return std::string(place.param.name); });

}  // namespace
