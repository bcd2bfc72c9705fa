/// Rings against the waits, the beginning and the end of logical threads.
///
/// What a thread waits for is stored with release: the ring alone has to order it before the look
/// at whoever waits.
#include "tests/runtime/executors/hammer.hpp"

namespace pto2::executors {
namespace {

using RingHammer = Hammer;

/// Two logical threads that each wait for the other, in turns: the ring of one meets the way of the
/// other into its wait.
void play_ping_pong(const TeamOptions& options, uint32_t rounds, uint64_t seed, uint64_t longest,
                    const std::function<void()>& progress) {
  Team team(options);
  Meeting meeting(2);
  std::array<std::atomic<uint32_t>, 2> seen{};
  std::array<LogicalThread*, 2> side{};
  for (uint32_t s = 0; s < 2; ++s) {
    side[s] = &team.add("side" + std::to_string(s), s, [&, s] {
      const Pinned pinned(s);
      Offsets offsets(seed + s + 1, longest);
      for (uint32_t round = 1; round <= rounds; ++round) {
        meeting.meet();
        offsets.wait();
        seen[s].store(round, std::memory_order_release);
        side[1 - s]->ring();
        Hardware::await([&] { return seen[1 - s].load(std::memory_order_acquire) >= round; });
        progress();
      }
    });
  }
  team.run();
}

TEST_F(RingHammer, RingAgainstIdleOfOsThreads) {
  in_parts(100'000, [this](uint32_t last, uint64_t seed) {
    play_ping_pong({.executor = Executor::threads}, last, seed, 30'000, [this] { progress(); });
  });
}

TEST_F(RingHammer, RingAgainstIdleOnAnotherHost) {
  in_parts(15'000, [this](uint32_t last, uint64_t seed) {
    play_ping_pong(packed_team(2), last, seed, 80'000, [this] { progress(); });
  });
}

/// A second ring meets the return from the wait that the first one ended.
TEST_F(RingHammer, RingAgainstReturn) {
  in_parts(40'000, [&](uint32_t last, uint64_t seed) {
    Team team({.executor = Executor::threads});
    Meeting meeting(2);
    std::atomic<uint32_t> events{0};
    LogicalThread& waiter = team.add("waiter", 0, [&] {
      const Pinned pinned(0);
      for (uint32_t round = 1; round <= last; ++round) {
        meeting.meet();
        Hardware::await([&] { return events.load() == 2 * round; });
        progress();
      }
    });
    team.add("ringer", 1, [&] {
      const Pinned pinned(1);
      Offsets offsets(seed + 1, 1'000);
      for (uint32_t round = 1; round <= last; ++round) {
        meeting.meet();
        for (int event = 0; event < 2; ++event) {
          offsets.wait();
          events.fetch_add(1);
          waiter.ring();
        }
      }
    });
    team.run();
  });
}

/// The only host sleeps at once when its fiber waits: the ring meets it on its way there, or while
/// it empties its inbox.
TEST_F(RingHammer, RingAgainstSleep) {
  in_parts(300'000, [&](uint32_t last, uint64_t seed) {
    Team team(packed_team(1));
    // The waiter's bit is in the second word of the inbox.
    for (int f = 0; f < 64; ++f) team.add("filler", 1, [] {});
    Meeting meeting(2);
    std::atomic<uint32_t> go{0};
    LogicalThread& waiter = team.add("waiter", 1, [&] {
      const Pinned pinned(0);
      Offsets offsets(seed + 1, 1'000);
      for (uint32_t round = 1; round <= last; ++round) {
        meeting.meet();
        offsets.wait();
        Hardware::await([&] { return go.load(std::memory_order_acquire) == round; });
        progress();
      }
    });
    run_with(team, {[&] {
               Offsets offsets(seed + 2, 10'000);
               for (uint32_t round = 1; round <= last; ++round) {
                 meeting.meet();
                 offsets.wait();
                 go.store(round, std::memory_order_release);
                 waiter.ring();
               }
             }});
  });
}

/// Two rings of different fibers meet in one word of an inbox, while the host sleeps.
TEST_F(RingHammer, RingAgainstRing) {
  in_parts(15'000, [&](uint32_t last, uint64_t seed) {
    Team team(packed_team(1));
    Meeting meeting(2);
    std::array<std::atomic<uint32_t>, 2> go{};
    std::array<std::atomic<uint32_t>, 2> come{};
    std::array<LogicalThread*, 2> waiters{};
    for (uint32_t w = 0; w < 2; ++w) {
      waiters[w] = &team.add("waiter" + std::to_string(w), 1, [&, w] {
        for (uint32_t round = 1; round <= last; ++round) {
          Hardware::await([&] { return go[w].load(std::memory_order_acquire) >= round; });
          come[w].store(round);
          progress();
        }
      });
    }
    const auto ringer = [&](uint32_t w) {
      return [&, w] {
        Offsets offsets(seed + w + 3, 500);
        for (uint32_t round = 1; round <= last; ++round) {
          meeting.meet();
          offsets.wait();
          go[w].store(round, std::memory_order_release);
          waiters[w]->ring();
          while (come[w].load() != round) sched_yield();
        }
      };
    };
    run_with(team, {ringer(0), ringer(1)});
  });
}

/// A ring meets the emptying of the inbox: the host is kept awake, and empties it all the time.
TEST_F(RingHammer, RingAgainstDrain) {
  in_parts(40'000, [&](uint32_t last, uint64_t seed) {
    Team team(packed_team(1));
    std::array<std::atomic<uint32_t>, 2> go{};
    std::atomic<uint32_t> come{0};
    std::array<LogicalThread*, 2> waiters{};
    for (uint32_t w = 0; w < 2; ++w) {
      waiters[w] = &team.add("waiter" + std::to_string(w), 1, [&, w] {
        for (uint32_t round = 1; round <= last; ++round) {
          Hardware::await([&] { return go[w].load(std::memory_order_acquire) >= round; });
          ++come;
          progress();
        }
      });
    }
    team.add("poller", 1, [&] {
      const Pinned pinned(0);
      while (come.load() != 2 * last) yield();
    });
    run_with(team, {[&] {
               Offsets offsets(seed + 1, 1'000);
               for (uint32_t round = 1; round <= last; ++round) {
                 for (uint32_t w = 0; w < 2; ++w) {
                   go[w].store(round, std::memory_order_release);
                   waiters[w]->ring();
                   offsets.wait();
                 }
                 Hardware::spin([&] { return come.load() >= 2 * round; });
               }
             }});
  });
}

/// A fiber that polls with yield(), which may use up a ring, looks again before it waits. Another
/// fiber of the host is runnable now and then.
TEST_F(RingHammer, RingAgainstYield) {
  in_parts(40'000, [&](uint32_t last, uint64_t seed) {
    Team team(packed_team(1));
    Meeting meeting(2);
    std::atomic<uint32_t> go{0};
    LogicalThread* neighbour = nullptr;
    LogicalThread& poller = team.add("poller", 1, [&] {
      const Pinned pinned(0);
      Random random(seed + 1);
      for (uint32_t round = 1; round <= last; ++round) {
        // Nobody rings here: each yield comes back by itself.
        neighbour->ring();
        yield();
        meeting.meet();
        for (uint64_t polls = random.below(20);
             polls != 0 && go.load(std::memory_order_acquire) != round; --polls) {
          if (random.below(4) == 0) neighbour->ring();
          yield();
        }
        Hardware::await([&] { return go.load(std::memory_order_acquire) == round; });
        progress();
      }
      neighbour->ring();
    });
    neighbour = &team.add("neighbour", 1, [&] {
      Hardware::await([&] { return go.load(std::memory_order_acquire) == last; });
    });
    run_with(team, {[&] {
               Offsets offsets(seed + 2, 4'000);
               for (uint32_t round = 1; round <= last; ++round) {
                 meeting.meet();
                 offsets.wait();
                 go.store(round, std::memory_order_release);
                 poller.ring();
               }
             }});
  });
}

/// The rings of a fiber that ends meanwhile, and of the last one of a team.
TEST_F(RingHammer, RingAgainstTheEnd) {
  constexpr uint32_t fibers = 64;
  for (uint32_t run = 0; run < rounds(1'000) && time_left(); ++run) {
    Team team(packed_team(1));
    std::vector<LogicalThread*> leavers;
    std::atomic<uint32_t> told{0};
    std::atomic<uint32_t> ended{0};
    for (uint32_t f = 0; f < fibers; ++f) {
      leavers.push_back(&team.add("leaver" + std::to_string(f), 1, [&, f] {
        Offsets offsets(run * fibers + f, 300);
        Hardware::await([&] { return told.load(std::memory_order_acquire) > f; });
        offsets.wait();
        ++ended;
      }));
    }
    run_with(team, {[&] {
               Offsets offsets(run + 1, 1'000);
               for (uint32_t f = 0; f < fibers; ++f) {
                 told.store(f + 1, std::memory_order_release);
                 for (int ring = 0; ring < 3; ++ring) {
                   leavers[f]->ring();
                   offsets.wait();
                 }
                 Hardware::spin([&] { return ended.load() > f; });
               }
             }});
    ASSERT_EQ(ended.load(), fibers);
    progress();
  }
}

/// The first ring meets the beginning of the run. The body waits at once, and looks afterwards.
TEST_F(RingHammer, RingAgainstTheBeginning) {
  in_parts(20'000, [&](uint32_t last, uint64_t seed) {
    Meeting meeting(2);
    std::atomic<LogicalThread*> waiter{nullptr};
    std::atomic<uint32_t> go{0};
    const std::jthread foreign([&] {
      const Pinned pinned(1);
      Offsets offsets(seed + 1, 6'000);
      for (uint32_t round = 1; round <= last; ++round) {
        meeting.meet();
        offsets.wait();
        go.store(round, std::memory_order_release);
        waiter.load()->ring();
        meeting.meet();
      }
    });
    const Pinned pinned(0);
    Offsets offsets(seed + 2, 3'000);
    for (uint32_t round = 1; round <= last; ++round) {
      Team team(packed_team(1));
      waiter = &team.add("waiter", 1, [&] {
        idle();
        Hardware::await([&] { return go.load(std::memory_order_acquire) == round; });
      });
      meeting.meet();
      offsets.wait();
      team.run();
      meeting.meet();
      progress();
    }
  });
}

/// The last fiber ends when a host without work goes to sleep.
TEST_F(RingHammer, TheLastEndAgainstSleep) {
  SleepEntry entry(1);
  for (uint32_t round = 1; round <= rounds(10'000) && time_left(); ++round) {
    Team team(packed_team(2));
    Meeting meeting(2);
    team.add("first", 0, [&] {
      const Pinned pinned(0);
      meeting.meet();
    });
    team.add("last", 1, [&] {
      const Pinned pinned(1);
      meeting.meet();
      entry.wait(team);
    });
    team.run();
    progress();
  }
}

/// Critical sections that wait for each other with spin(), and last longer than a wait is patient.
TEST_F(RingHammer, SpinAgainstRelease) {
  in_parts(8'000, [&](uint32_t last, uint64_t seed) {
    Team team({.executor = Executor::threads});
    Meeting meeting(2);
    std::atomic<bool> taken{false};
    std::atomic<uint32_t> inside{0};
    std::atomic<uint32_t> together{0};
    for (uint32_t t = 0; t < 2; ++t) {
      team.add("spinner" + std::to_string(t), t, [&, t] {
        const Pinned pinned(t);
        Offsets offsets(seed + t, 30'000);
        for (uint32_t round = 0; round < last; ++round) {
          meeting.meet();
          Hardware::spin([&] { return !taken.exchange(true); });
          together += ++inside == 2 ? 1 : 0;
          offsets.wait();
          --inside;
          taken.store(false);
          progress();
        }
      });
    }
    team.run();
    EXPECT_EQ(together.load(), 0u);
  });
}

}  // namespace
}  // namespace pto2::executors
