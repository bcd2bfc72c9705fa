#include "stress/hang_guard.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime/executors/running_teams.hpp"

namespace pto2::stress {

int test_slowdown() {
  return PTO2_TEST_SLOWDOWN;
}

std::chrono::milliseconds hang_limit_in_force(std::chrono::milliseconds limit) {
  if (const char* const seconds = std::getenv("PTO2_HANG_SECONDS")) {
    return std::chrono::milliseconds(static_cast<int64_t>(std::atof(seconds) * 1000));
  }
  return limit * test_slowdown();
}

HangGuard::HangGuard(std::string what, std::chrono::milliseconds limit)
    : what_(std::move(what)), limit_(hang_limit_in_force(limit)), thread_(start()) {}

HangGuard::~HangGuard() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

std::thread HangGuard::start() {
  is_starting = true;
  std::thread thread([this] { watch(); });
  is_starting = false;
  return thread;
}

void HangGuard::watch() {
  // In slices: a program that is stopped for a while, by whoever wants the CPUs, loses one of them.
  constexpr int slices = 20;
  std::unique_lock lock(mutex_);
  uint64_t seen = steps_.load(std::memory_order_relaxed);
  int quiet = 0;
  while (!wake_.wait_for(lock, limit_ / slices, [this] { return over_; })) {
    const uint64_t steps = steps_.load(std::memory_order_relaxed);
    quiet = steps == seen ? quiet + 1 : 0;
    if (quiet == slices) report();
    seen = steps;
  }
}

void HangGuard::report() const {
  std::fprintf(stderr, "hang: %s: nothing has ended for %.1f s, %lu steps came before; now\n%s",
               what_.c_str(), std::chrono::duration<double>(limit_).count(),
               static_cast<unsigned long>(steps_.load(std::memory_order_relaxed)),
               executors::describe_running_teams().c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace pto2::stress
