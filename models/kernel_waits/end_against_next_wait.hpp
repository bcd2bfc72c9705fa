/// A kernel (role 0) waits twice. Somebody (role 1) finds that the first wait has lasted long, and
/// ends it; another kernel (role 2) announces what both wait for. KW-I2: the second wait is not
/// ended, and the first is, or has what it waits for.
#pragma once

#include "core/kernel_waits.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class EndAgainstNextWait : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"the first wait is ended", "the end comes too late",
                                      "the second wait is seen"};

  void thread(uint32_t i) {
    if (i == 0) wait_twice();
    if (i == 1) end_first();
    if (i == 2) announce();
  }

  void finish() { check<P>(waits_.empty(), "nobody waits any more"); }

 private:
  using Waits = KernelWaits<P>;
  static constexpr uint64_t first_wait = 1;
  static constexpr uint32_t given_up = 2;

  void wait_twice() {
    const uint32_t reason = wait_for(1);
    check<P>(reason == 0 || reason == given_up, "it was ended for the reason that was found");
    if (reason != 0) happened<P>("the first wait is ended");
    check<P>(wait_for(2) == 0, "nobody has ended the second wait");
  }
  uint32_t wait_for(uint32_t value) {
    const auto holds = [&] { return announced_.load(std::memory_order_relaxed) >= value; };
    (void)waits_.begin(0);
    uint32_t reason = 0;
    while (!holds() && (reason = waits_.reason(0)) == 0) P::idle();
    waits_.end(0);
    return reason;
  }

  void end_first() {
    bool found = false;
    bool rung = false;
    waits_.end_some(
        [&](uint32_t, uint64_t wait) {
          if (wait != first_wait) happened<P>("the second wait is seen");
          found = wait == first_wait;
          return found ? given_up : 0;
        },
        [&](uint32_t place) {
          rung = true;
          this->bells[place].ring();
        });
    if (found && !rung) happened<P>("the end comes too late");
  }

  void announce() {
    for (uint32_t value = 1; value <= 2; ++value) {
      announced_.store(value, std::memory_order_relaxed);
      waits_.announce([this](uint32_t place) { this->bells[place].ring(); });
    }
  }

  std::array<typename Waits::Word, 1> words_;
  Waits waits_{words_};
  typename P::template atomic<uint32_t> announced_{0};
};

}  // namespace pto2::scenarios
