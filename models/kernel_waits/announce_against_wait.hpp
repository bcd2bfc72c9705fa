/// A kernel (role 0) asks, announces that and waits for the answer; another one (role 1) waits for
/// the question, and answers. KW-I1: an announcement rings who waits, or who waits finds what was
/// stored before it.
#pragma once

#include "core/kernel_waits.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class AnnounceAgainstWait : public Roles<P, 2> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a kernel sleeps", "a kernel need not sleep",
                                      "nobody waits for the answer yet"};

  void thread(uint32_t i) { i == 0 ? ask() : answer(); }

  void finish() {
    check<P>(waits_.empty(), "nobody waits any more");
    check<P>(waits_.announcements() == 2, "each announcement is counted");
    check<P>(firsts_[0] + firsts_[1] == (waited_[0] + waited_[1] == 0 ? 0 : 1),
             "one kernel was the first to wait");
  }

 private:
  using Waits = KernelWaits<P>;
  using Value = typename P::template atomic<uint32_t>;

  void ask() {
    tell(asked_);
    wait_for(answered_, 0);
  }
  void answer() {
    wait_for(asked_, 1);
    if (tell(answered_) == 0) happened<P>("nobody waits for the answer yet");
  }

  /// Returns how many it has rung.
  uint32_t tell(Value& value) {
    value.store(1, std::memory_order_relaxed);
    uint32_t rung = 0;
    waits_.announce([&](uint32_t place) {
      ++rung;
      this->bells[place].ring();
    });
    return rung;
  }

  void wait_for(const Value& value, uint32_t place) {
    const auto holds = [&] { return value.load(std::memory_order_relaxed) != 0; };
    if (holds()) return happened<P>("a kernel need not sleep");
    waited_[place] = 1;
    firsts_[place] = waits_.begin(place) ? 1 : 0;
    while (!holds()) {
      happened<P>("a kernel sleeps");
      P::idle();
      check<P>(waits_.reason(place) == 0, "nobody has ended the wait");
    }
    waits_.end(place);
  }

  std::array<typename Waits::Word, 2> words_;
  Waits waits_{words_};
  Value asked_{0};
  Value answered_{0};
  std::array<uint32_t, 2> waited_{};
  std::array<uint32_t, 2> firsts_{};
};

}  // namespace pto2::scenarios
