#include "models/checker/engine/watchdog.hpp"

#include <unistd.h>

#include <cmath>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/process_wide.hpp"

namespace pto2::model::engine {

namespace {

int watchdog_signal() {
  return SIGRTMIN + 3;
}

ProcessWide watchdog_handlers;
struct sigaction former_action = {};

void install_handler() {
  struct sigaction action = {};
  action.sa_handler = [](int) { Execution::look_for_hang(); };
  // The handler may leave for good by switching stacks, so the signal must stay deliverable.
  action.sa_flags = SA_NODEFER | SA_RESTART;
  sigaction(watchdog_signal(), &action, &former_action);
}

void remove_handler() {
  // Discards what is pending in a thread that blocks the signal.
  signal(watchdog_signal(), SIG_IGN);
  sigaction(watchdog_signal(), &former_action, nullptr);
}

}  // namespace

Watchdog::Watchdog(double seconds) {
  if (seconds <= 0) return;
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = watchdog_signal();
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
  armed_ = true;
  watchdog_handlers.acquire(install_handler);
  struct itimerspec interval = {};
  interval.it_interval.tv_sec = static_cast<time_t>(seconds);
  interval.it_interval.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  interval.it_value = interval.it_interval;
  timer_settime(timer_, 0, &interval, nullptr);
}

Watchdog::~Watchdog() {
  if (!armed_) return;
  timer_delete(timer_);
  watchdog_handlers.release(remove_handler);
}

}  // namespace pto2::model::engine
