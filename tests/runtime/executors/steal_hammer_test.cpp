/// Kernels against rings, sleep and thieves: the lock on a host's fibers changes hands.
#include "tests/runtime/executors/hammer.hpp"

namespace pto2::executors {
namespace {

using StealHammer = Hammer;

/// A kernel that ends only when its fiber's neighbours have been run, by another host: what rings
/// them, or leaves them behind, must reach that host while it sleeps, goes to sleep or looks
/// around. Neighbours that have moved do not come back, so each serves once, and each team a few
/// rounds.
class Neighbours {
 public:
  static constexpr uint32_t rounds = 40;

  /// `stages` are the rings that each neighbour waits for.
  Neighbours(uint32_t hosts, uint32_t stages, uint64_t seed)
      : team_(packed_team(hosts)), entry_(seed) {
    for (uint32_t n = 0; n < rounds; ++n) {
      neighbours_.push_back(&team_.add("neighbour" + std::to_string(n), 1, [this, n, stages] {
        Hardware::await([&] { return stage_[n].load() == stages; });
        ended_.fetch_add(1);
      }));
    }
  }

  Team& team() { return team_; }
  /// By the core at first: a fiber is runnable when it has been started, and would be taken away
  /// with the first kernel.
  static void let_them_wait() { yield(); }
  void ring(uint32_t n) {
    stage_[n].store(stage_[n].load() + 1, std::memory_order_release);
    neighbours_[n]->ring();
  }
  void run_kernel_until_ended(uint32_t count) {
    run_kernel([this, count] { Hardware::spin([&] { return ended_.load() >= count; }); });
  }
  /// Until the other host is about to sleep.
  void wait_for_sleep() { entry_.wait(team_); }

 private:
  Team team_;
  SleepEntry entry_;
  std::vector<LogicalThread*> neighbours_;
  std::array<std::atomic<uint32_t>, rounds> stage_{};
  std::atomic<uint32_t> ended_{0};
};

/// A foreign thread rings neighbours `rings` times around the time when their host goes into a
/// kernel.
void ring_against_detach(uint64_t seed, uint32_t rings, uint64_t longest) {
  Neighbours neighbours(2, rings, seed);
  Call call;
  neighbours.team().add("core", 1, [&] {
    const Pinned pinned(1);
    Neighbours::let_them_wait();
    Offsets offsets(seed * 2, 2'000);
    for (uint32_t n = 0; n < Neighbours::rounds; ++n) {
      neighbours.wait_for_sleep();
      call.call(n + 1);
      offsets.wait();
      neighbours.run_kernel_until_ended(n + 1);
    }
  });
  const auto ringer = [&] {
    Offsets offsets(seed * 2 + 1, longest);
    for (uint32_t n = 0; n < Neighbours::rounds; ++n) {
      call.await(n + 1);
      for (uint32_t ring = 0; ring < rings; ++ring) {
        offsets.wait();
        neighbours.ring(n);
      }
    }
  };
  // On the CPU of the host that sleeps.
  run_with(neighbours.team(), {ringer}, 0);
}

TEST_F(StealHammer, RingAgainstDetach) {
  for (uint32_t run = 1; run <= rounds(1'200) && time_left(); ++run) {
    ring_against_detach(run, 1, 4'000);
    progress();
  }
}

/// The first ring has a thief take the neighbour away, and later ones follow it to its new home.
TEST_F(StealHammer, RingAgainstSteal) {
  for (uint32_t run = 1; run <= rounds(1'200) && time_left(); ++run) {
    ring_against_detach(run, 4, 12'000);
    progress();
  }
}

/// The neighbour is runnable when its host goes into the kernel.
TEST_F(StealHammer, DetachWithWorkAgainstSleep) {
  for (uint32_t run = 1; run <= rounds(400) && time_left(); ++run) {
    Neighbours neighbours(2, 1, run);
    neighbours.team().add("core", 1, [&] {
      const Pinned pinned(1);
      Neighbours::let_them_wait();
      Offsets offsets(run, 2'000);
      for (uint32_t n = 0; n < Neighbours::rounds; ++n) {
        neighbours.wait_for_sleep();
        neighbours.ring(n);
        offsets.wait();
        neighbours.run_kernel_until_ended(n + 1);
      }
    });
    neighbours.team().run();
    progress();
  }
}

/// Three or four kernels side by side on as many hosts: a thief that goes into a kernel leaves work
/// behind, on its victim and on itself, for those that sleep.
TEST_F(StealHammer, AThiefAgainstTheNextThief) {
  for (uint32_t run = 1; run <= rounds(40'000) && time_left(); ++run) {
    const uint32_t kernels = 3 + run % 2;
    Team team(packed_team(kernels));
    std::atomic<uint32_t> inside{0};
    for (uint32_t k = 0; k < kernels; ++k) {
      team.add("core" + std::to_string(k), 1, [&, k] {
        yield();  // nobody is woken because of its own start
        if (k == 0) Offsets(run, 150'000).wait();
        run_kernel([&] {
          ++inside;
          Hardware::spin([&] { return inside.load() == kernels; });
        });
      });
    }
    team.run();
    progress();
  }
}

/// Fibers that ring each other and run short kernels, so that each host steals from the other while
/// it comes back. No fiber may run on both, which would also break its stack.
void steal_against_attach(uint32_t hosts, uint32_t last, uint64_t seed,
                          const std::function<void()>& progress) {
  constexpr uint32_t fibers = 6;
  Team team(packed_team(hosts));
  struct Member {
    LogicalThread* thread = nullptr;
    std::atomic<uint32_t> mail{0};
    std::atomic<bool> running{false};
  };
  std::array<Member, fibers> members;
  std::atomic<uint32_t> twice{0};
  for (uint32_t f = 0; f < fibers; ++f) {
    members[f].thread = &team.add("member" + std::to_string(f), 1, [&, f] {
      Offsets offsets(seed + f + hosts, 16'000);
      Member& self = members[f];
      Member& next = members[(f + 1) % fibers];
      for (uint32_t round = 1; round <= last; ++round) {
        twice += self.running.exchange(true) ? 1 : 0;
        next.mail.fetch_add(1);
        next.thread->ring();
        run_kernel([&] { offsets.wait(); });
        self.running.store(false);
        Hardware::await([&] { return self.mail.load() >= round; });
        progress();
      }
    });
  }
  team.run();
  EXPECT_EQ(twice.load(), 0u);
}

TEST_F(StealHammer, StealAgainstAttach) {
  in_parts(40'000, [this](uint32_t last, uint64_t seed) {
    steal_against_attach(2, last, seed, [this] { progress(); });
  });
}

/// A fiber moves on while a ring follows it.
TEST_F(StealHammer, StealAgainstAttachOfThree) {
  in_parts(40'000, [this](uint32_t last, uint64_t seed) {
    steal_against_attach(3, last, seed, [this] { progress(); });
  });
}

}  // namespace
}  // namespace pto2::executors
