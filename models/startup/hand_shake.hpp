/// The orchestrator (role 0) and two schedulers (roles 1, 2) start up and shut down. SU-I1, SU-I2,
/// SU-I3: nobody reads what is not set up, one initialises, all leave, and none early.
#pragma once

#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class HandShake : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"the first scheduler initialises",
                                      "the second scheduler initialises"};

  void thread(uint32_t i) { i == 0 ? orchestrate() : schedule(i - 1); }
  void finish() {
    check<P>(initialised_[0] + initialised_[1] == 1, "exactly one scheduler initialises");
    check<P>(startup_.invariant_holds(), "the flags are whole");
  }

 private:
  void orchestrate() {
    header_.write(1);
    startup_.sm_header_ready.set();
    this->ring_all();
    P::await([&] { return startup_.init_complete.is_set(); });
    check<P>(initial_.read() == 2, "the initialisation is seen");
    pointers_.write(3);
    startup_.orch_pointers_ready.set();
    startup_.orchestrator_done.set();
    last_.write(4);
    startup_.shutdown.set();
    this->ring_all();
  }

  void schedule(uint32_t s) {
    P::await([&] { return startup_.sm_header_ready.is_set(); });
    check<P>(header_.read() == 1, "the header is seen");
    if (startup_.elect_initialiser()) {
      ++initialised_[s];
      happened<P>(s == 0 ? "the first scheduler initialises" : "the second scheduler initialises");
      initial_.write(2);
      startup_.init_complete.set();
      this->ring_all();
    }
    P::await([&] { return startup_.init_complete.is_set(); });
    check<P>(initial_.read() == 2, "the initialisation is seen");
    P::await([&] { return startup_.orch_pointers_ready.is_set(); });
    check<P>(pointers_.read() == 3, "the pointers are seen");
    P::await([&] { return startup_.shutdown.is_set(); });
    check<P>(startup_.orchestrator_done.is_set(), "no shutdown before the orchestrator is done");
    check<P>(last_.read() == 4, "nobody leaves before the end");
  }

  Startup<P> startup_;
  typename P::template cell<uint32_t> header_, initial_, pointers_, last_;
  std::array<uint32_t, 2> initialised_{};  // entry s is scheduler s's
};

}  // namespace pto2::scenarios
