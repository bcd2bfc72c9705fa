#pragma once

#include <csignal>
#include <ctime>

namespace pto2::model::engine {

/// Interrupts the OS thread that made it in regular intervals, so that the execution running there
/// can see whether a thread of the program makes no visible step any more.
class Watchdog {
 public:
  /// Does nothing when `seconds` is 0.
  explicit Watchdog(double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  timer_t timer_{};
  bool armed_ = false;
};

}  // namespace pto2::model::engine
