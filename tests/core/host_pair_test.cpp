#include "core/host_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

/// Two hosts with two fibers each: 0 and 1 at the first one, 2 and 3 at the second.
class HostPairs : public testing::Test {
 protected:
  using Fiber = HostedFiber<TestPolicy>;

  HostPairs() {
    for (uint32_t f = 0; f < homes_.size(); ++f) fibers_.push_back(&fibers_here_.emplace_back(f));
    team_.emplace(fibers_, host_pointers_);
    for (FiberHost<TestPolicy>*& host : host_pointers_) {
      Words& words = words_.emplace_back();
      host = &hosts_.emplace_back(*team_, HostWords<TestPolicy>{words.runnable, words.inbox});
    }
    for (Fiber* fiber : fibers_) fiber->set_home(&hosts_[homes_[fiber->number()]]);
  }

  /// Whether the second host runs the fiber that it has taken; `ended` waits for nothing.
  [[nodiscard]] bool runs_at_second(uint32_t f, uint32_t ended = ~uint32_t{0}) {
    return pair_.runs_at_second(*fibers_[f], hosts_[1], hosts_[0], fibers_,
                                [ended](const Fiber& fiber) { return fiber.number() != ended; });
  }
  /// The number of each fiber's host.
  [[nodiscard]] std::vector<uint32_t> homes() const {
    std::vector<uint32_t> numbers;
    for (const Fiber* fiber : fibers_) numbers.push_back(fiber->home() == &hosts_[1] ? 1 : 0);
    return numbers;
  }
  using Homes = std::vector<uint32_t>;

  struct Words {
    std::array<TestPolicy::atomic<uint64_t>, 1> runnable{};
    std::array<TestPolicy::atomic<uint64_t>, 1> inbox{};
  };

  static constexpr std::array<uint32_t, 4> homes_{0, 0, 1, 1};
  std::deque<Fiber> fibers_here_;
  std::vector<Fiber*> fibers_;
  std::array<FiberHost<TestPolicy>*, 2> host_pointers_{};
  std::optional<HostTeam<TestPolicy>> team_;
  std::deque<Words> words_;
  std::deque<FiberHost<TestPolicy>> hosts_;
  HostPair<TestPolicy> pair_{false};
};

TEST_F(HostPairs, ApartEachRunsItsOwn) {
  EXPECT_TRUE(runs_at_second(2));
  EXPECT_EQ(homes(), (Homes{0, 0, 1, 1}));
}

TEST_F(HostPairs, JointTheFirstRunsAll) {
  pair_.join();
  EXPECT_TRUE(pair_.are_joint());
  EXPECT_FALSE(runs_at_second(2));
  EXPECT_EQ(homes(), (Homes{0, 0, 0, 0}));
  EXPECT_TRUE(hosts_[0].has_in_inbox(2));
  EXPECT_TRUE(hosts_[0].has_in_inbox(3)) << "it may have been rung";
}

TEST_F(HostPairs, WhoIsKeptStays) {
  pair_.join();
  fibers_[3]->keep(true);
  EXPECT_TRUE(runs_at_second(3));
  EXPECT_EQ(homes(), (Homes{0, 0, 0, 1})) << "not so the other one";
}

TEST_F(HostPairs, WhoHasEndedStays) {
  pair_.join();
  EXPECT_TRUE(runs_at_second(2, 2));
  EXPECT_EQ(homes(), (Homes{0, 0, 1, 0}));
}

TEST_F(HostPairs, ThoseMoveAsTheyPartThatAreToAndCan) {
  pair_.join();
  fibers_[1]->keep(true);
  pair_.part(hosts_[0], hosts_[1], fibers_, [](const Fiber& f) { return f.number() != 2; });
  EXPECT_FALSE(pair_.are_joint());
  EXPECT_EQ(homes(), (Homes{1, 0, 1, 1}));
  EXPECT_TRUE(hosts_[1].has_in_inbox(0));
  EXPECT_FALSE(hosts_[1].has_in_inbox(3)) << "it was there";
}

TEST_F(HostPairs, WhoHasThemPartStays) {
  pair_.join();
  hosts_[0].ring_here(1);
  struct Parted {};
  const auto part = [&](Fiber& fiber) -> bool {
    EXPECT_EQ(hosts_[0].current(), &fiber);
    pair_.part(hosts_[0], hosts_[1], fibers_, [](const Fiber&) { return true; });
    throw Parted();
  };
  EXPECT_THROW(hosts_[0].run(part, [] { return true; }), Parted);
  EXPECT_EQ(homes(), (Homes{1, 0, 1, 1}));
}

TEST_F(HostPairs, NobodyMovesWhoIsNotTo) {
  pair_.join();
  pair_.part(hosts_[0], hosts_[1], fibers_, [](const Fiber& f) { return f.number() == 1; });
  EXPECT_EQ(homes(), (Homes{0, 1, 1, 1}));
  pair_.join();
  pair_.part();
  EXPECT_FALSE(pair_.are_joint());
  EXPECT_EQ(homes(), (Homes{0, 1, 1, 1}));
}

}  // namespace
}  // namespace pto2
