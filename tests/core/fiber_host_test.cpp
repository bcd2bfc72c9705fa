#include "core/fiber_host.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

/// Two hosts and some fibers, played by the test's own thread. Fiber f starts on host 0.
class FiberHosts : public testing::Test {
 protected:
  static constexpr uint32_t fibers = 70;  // two words

  FiberHosts() {
    for (uint32_t f = 0; f < fibers; ++f) fiber_pointers_.push_back(&fibers_.emplace_back(f));
    for (uint32_t h = 0; h < 2; ++h) {
      Words& words = words_.emplace_back();
      host_pointers_[h] = &hosts_.emplace_back(
          team_.value(), HostWords<TestPolicy>{words.runnable, words.inbox, words.shown});
    }
    for (auto& fiber : fibers_) fiber.set_home(&hosts_[0]);
  }

  /// Runs host `h`; each fiber ends at once, but for `first`, which comes first and runs `body`.
  /// The numbers of those that it runs.
  std::vector<uint32_t> run(uint32_t h, const std::function<void(uint32_t)>& body) {
    std::vector<uint32_t> ran;
    const auto resume = [&](HostedFiber<TestPolicy>& fiber) {
      ran.push_back(fiber.number());
      body(fiber.number());
      return true;
    };
    // Nobody else is there: without work it is over.
    hosts_[h].run(resume, [&] {
      while (!team_->is_over()) team_->end_one();
      return true;
    });
    return ran;
  }

  struct Words {
    std::array<TestPolicy::cell<uint64_t>, 2> runnable{};
    std::array<TestPolicy::atomic<uint64_t>, 2> inbox{};
    std::array<TestPolicy::atomic<uint64_t>, 2> shown{};
  };

  std::deque<HostedFiber<TestPolicy>> fibers_;
  std::vector<HostedFiber<TestPolicy>*> fiber_pointers_ = std::vector<HostedFiber<TestPolicy>*>();
  std::array<FiberHost<TestPolicy>*, 2> host_pointers_{};
  std::deque<Words> words_;
  std::deque<FiberHost<TestPolicy>> hosts_;
  std::optional<HostTeam<TestPolicy>> team_;
};

}  // namespace
}  // namespace pto2
