#include "core/fiber_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

/// Two hosts and some fibers, played by the test's own thread. All fibers are at home on host 0.
class FiberHosts : public testing::Test {
 protected:
  static constexpr uint32_t fibers = 70;  // two words

  FiberHosts() {
    for (uint32_t f = 0; f < fibers; ++f) fiber_pointers_.push_back(&fibers_.emplace_back(f));
    team_.emplace(fiber_pointers_, host_pointers_);
    for (FiberHost<TestPolicy>*& host : host_pointers_) {
      Words& words = words_.emplace_back();
      host = &hosts_.emplace_back(*team_, HostWords<TestPolicy>{words.runnable, words.inbox});
    }
    for (auto& fiber : fibers_) fiber.set_home(&hosts_[0]);
  }

  /// Runs host `h` until it has no work. Each fiber calls `body` and waits. Their numbers, in
  /// order.
  std::vector<uint32_t> run(
      uint32_t h, const std::function<void(uint32_t)>& body = [](uint32_t) {}) {
    std::vector<uint32_t> ran;
    const auto resume = [&](HostedFiber<TestPolicy>& fiber) {
      EXPECT_EQ(hosts_[h].current(), &fiber);
      body(fiber.number());
      ran.push_back(fiber.number());
      return false;
    };
    struct NoWork {};
    try {
      hosts_[h].run(resume, []() -> bool { throw NoWork(); });
    } catch (const NoWork&) {
    }
    return ran;
  }
  [[nodiscard]] uint32_t count_at_home(uint32_t h) const {
    return static_cast<uint32_t>(std::ranges::count(
        fibers_, host_pointers_[h], [](const auto& fiber) { return fiber.home(); }));
  }

  struct Words {
    std::array<TestPolicy::atomic<uint64_t>, 2> runnable{};
    std::array<TestPolicy::atomic<uint64_t>, 2> inbox{};
  };

  std::deque<HostedFiber<TestPolicy>> fibers_;
  std::vector<HostedFiber<TestPolicy>*> fiber_pointers_;
  std::array<FiberHost<TestPolicy>*, 2> host_pointers_{};
  std::optional<HostTeam<TestPolicy>> team_;
  std::deque<Words> words_;
  std::deque<FiberHost<TestPolicy>> hosts_;
};

/// What a report says of a fiber while its host is inside a kernel, and when that goes to sleep.
TEST_F(FiberHosts, AHostThatSleepsShowsNobodyRunnable) {
  for (const uint32_t f : {0u, 1u}) hosts_[0].ring_here(f);
  const auto in_a_kernel = [&](uint32_t f) {
    if (f != 0) return;
    hosts_[0].detach();
    EXPECT_TRUE(hosts_[0].seems_runnable(1));
    hosts_[0].attach();
  };
  uint32_t looks = 0;
  struct Done {};
  const auto resume = [&](HostedFiber<TestPolicy>& fiber) {
    in_a_kernel(fiber.number());
    return false;
  };
  const auto ring_before_the_sleep = [&] {
    if (looks++ != 0) throw Done();
    fibers_[2].ring(nullptr);
    return false;
  };
  EXPECT_THROW(hosts_[0].run(resume, ring_before_the_sleep), Done);
  EXPECT_FALSE(hosts_[0].seems_runnable(1));
}

TEST_F(FiberHosts, EveryRunnableFiberGetsItsTurn) {
  for (uint32_t f = 0; f < fibers; ++f) hosts_[0].ring_here(f);
  std::vector<uint32_t> all(fibers);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(run(0), all);
  fibers_[5].ring(&hosts_[0]);
  bool rung = false;
  const auto ring_itself_once = [&](uint32_t) {
    if (std::exchange(rung, true)) return;
    for (const uint32_t f : {5u, 4u, 69u}) hosts_[0].ring_here(f);
  };
  EXPECT_EQ(run(0, ring_itself_once), (std::vector<uint32_t>{5, 69, 4, 5}))
      << "who rings itself comes after the others";
}

/// Those behind it in its word come before those of the word that it was in before.
TEST_F(FiberHosts, AHostGoesOnInTheWordOfTheFiberThatItFound) {
  for (const uint32_t f : {68u, 69u}) hosts_[0].ring_here(f);
  const auto ring_another = [&](uint32_t f) {
    if (f == 68) hosts_[0].ring_here(7);
  };
  EXPECT_EQ(run(0, ring_another), (std::vector<uint32_t>{68, 69, 7}));
}

TEST_F(FiberHosts, WhoRingsItselfAloneRunsAgain) {
  fibers_[5].ring(&hosts_[0]);
  uint32_t rings = 2;
  const auto ring_itself_twice = [&](uint32_t f) {
    if (rings-- != 0) hosts_[0].ring_here(f);
  };
  EXPECT_EQ(run(0, ring_itself_twice), (std::vector<uint32_t>{5, 5, 5}));
}

/// Before it has run out of work, wherever in its words the fiber is.
TEST_F(FiberHosts, ARingFromElsewhereIsFoundAmongTheRunnable) {
  for (const uint32_t f : {5u, 68u}) hosts_[0].ring_here(f);
  const auto ring_others = [&](uint32_t f) {
    if (f != 5) return;
    for (const uint32_t other : {4u, 6u, 69u}) fibers_[other].ring(nullptr);
  };
  EXPECT_EQ(run(0, ring_others), (std::vector<uint32_t>{5, 6, 68, 69, 4}));
}

TEST_F(FiberHosts, ARingFromElsewhereIsFoundWhereNobodyIsRunnable) {
  for (const uint32_t f : {5u, 69u}) {
    fibers_[f].ring(nullptr);
    EXPECT_EQ(run(0), std::vector<uint32_t>{f});
  }
}

TEST_F(FiberHosts, ARingFromElsewhereWaitsInTheInbox) {
  EXPECT_FALSE(hosts_[0].has_mail());
  fibers_[69].ring(nullptr);
  EXPECT_TRUE(hosts_[0].has_mail());
  EXPECT_TRUE(hosts_[0].has_in_inbox(69));
  EXPECT_FALSE(hosts_[0].has_in_inbox(5)) << "the same bit of the other word";
  EXPECT_FALSE(hosts_[0].has_runnable());
  hosts_[0].drain();
  EXPECT_FALSE(hosts_[0].has_mail());
  EXPECT_TRUE(hosts_[0].has_runnable());
  EXPECT_EQ(run(0), std::vector<uint32_t>{69});
}

TEST_F(FiberHosts, AThiefTakesHalfAndNotTheOneInside) {
  for (uint32_t f = 0; f < fibers; ++f) hosts_[0].ring_here(f);
  uint32_t left = fibers - 1;
  (void)run(0, [&](uint32_t inside) {
    if (inside != 0 || left == 0) return;
    fibers_[0].ring(&hosts_[0]);
    EXPECT_FALSE(hosts_[1].steal_from(hosts_[0])) << "it is attached";
    hosts_[0].detach();
    EXPECT_TRUE(hosts_[0].seems_detached());
    while (hosts_[1].steal_from(hosts_[0])) {
      left -= (left + 1) / 2;
      EXPECT_EQ(count_at_home(1), fibers - 1 - left);
    }
    EXPECT_EQ(left, 0u);
    EXPECT_TRUE(hosts_[0].seems_runnable(0));
    EXPECT_FALSE(hosts_[0].seems_runnable(1));
    hosts_[0].attach();
  });
  EXPECT_EQ(fibers_[0].home(), &hosts_[0]);
  EXPECT_EQ(run(1).size(), fibers - 1);
}

/// Its kernel waits.
TEST_F(FiberHosts, AThiefLeavesAFiberThatIsKept) {
  for (const uint32_t f : {0u, 1u, 69u}) hosts_[0].ring_here(f);
  fibers_[1].keep(true);
  (void)run(0, [&](uint32_t inside) {
    if (inside != 0) return;
    hosts_[0].detach();
    EXPECT_TRUE(hosts_[1].steal_from(hosts_[0]));
    EXPECT_FALSE(hosts_[1].steal_from(hosts_[0])) << "what is left is kept";
    hosts_[0].attach();
  });
  EXPECT_EQ(fibers_[1].home(), &hosts_[0]);
  EXPECT_EQ(run(1), std::vector<uint32_t>{69});
  fibers_[1].keep(false);
  hosts_[0].ring_here(1);
  hosts_[0].ring_here(0);
  (void)run(0, [&](uint32_t inside) {
    if (inside != 0) return;
    hosts_[0].detach();
    EXPECT_TRUE(hosts_[1].steal_from(hosts_[0]));
    hosts_[0].attach();
  });
  EXPECT_EQ(fibers_[1].home(), &hosts_[1]);
}

/// Also one that was to run again where it was.
TEST_F(FiberHosts, AFiberThatIsHandedOverRunsThere) {
  for (const uint32_t f : {5u, 69u}) {
    hosts_[0].ring_here(f);
    hosts_[0].hand_over(fibers_[f], hosts_[1]);
    EXPECT_EQ(fibers_[f].home(), &hosts_[1]);
    EXPECT_EQ(run(0), std::vector<uint32_t>());
    EXPECT_EQ(run(1), std::vector<uint32_t>{f});
    fibers_[f].ring(&hosts_[1]);
    EXPECT_EQ(run(1), std::vector<uint32_t>{f});
  }
}

TEST_F(FiberHosts, ARingFollowsAFiberThatIsGone) {
  hosts_[0].ring_here(0);
  hosts_[0].ring_here(1);
  (void)run(0, [&](uint32_t inside) {
    if (inside != 0) return;
    hosts_[0].detach();
    EXPECT_TRUE(hosts_[1].steal_from(hosts_[0]));
    hosts_[0].attach();
  });
  EXPECT_EQ(run(1), std::vector<uint32_t>{1});
  // Its ringer has looked up the home before.
  hosts_[0].ring_remotely(1);
  EXPECT_EQ(run(0), std::vector<uint32_t>{});
  EXPECT_TRUE(hosts_[1].has_in_inbox(1));
  EXPECT_EQ(run(1), std::vector<uint32_t>{1});
}

TEST_F(FiberHosts, TheTeamIsOverWhenAllHaveEnded) {
  for (uint32_t f = 0; f < fibers; ++f) {
    EXPECT_FALSE(team_->is_over());
    team_->end_one();
  }
  EXPECT_TRUE(team_->is_over());
}

TEST(FiberHostDeathTest, AHostIsDetachedOnce) {
  TestPolicy::atomic<uint64_t> runnable{0}, inbox{0};
  HostTeam<TestPolicy> team({}, {});
  FiberHost<TestPolicy> host(team, {{&runnable, 1}, {&inbox, 1}});
  host.detach();
  EXPECT_DEATH(host.detach(), "FH-I2");
}

TEST(FiberHostDeathTest, NoFiberOfAHostRingsFromInsideAKernel) {
  TestPolicy::atomic<uint64_t> runnable{0}, inbox{0};
  HostedFiber<TestPolicy> fiber(0);
  HostTeam<TestPolicy> team({}, {});
  FiberHost<TestPolicy> host(team, {{&runnable, 1}, {&inbox, 1}});
  fiber.set_home(&host);
  host.detach();
  fiber.ring(nullptr);
  EXPECT_DEATH(fiber.ring(&host), "FH-P1");
}

TEST(FiberHostDeathTest, AHostHasABitForEveryFiber) {
  using Host = FiberHost<TestPolicy>;
  TestPolicy::atomic<uint64_t> runnable[2], inbox[2];
  const std::vector<HostedFiber<TestPolicy>*> fibers(65);
  HostTeam<TestPolicy> team(fibers, {});
  EXPECT_DEATH(Host(team, {{runnable, 1}, {inbox, 1}}), "FH-P2");
  EXPECT_DEATH(Host(team, {{runnable, 2}, {inbox, 1}}), "FH-P2");
}

}  // namespace
}  // namespace pto2
