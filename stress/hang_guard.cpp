#include "stress/hang_guard.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime/executors/running_teams.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::stress {
namespace {

using std::chrono::milliseconds;

// In slices: a program that is stopped for a while, by whoever wants the CPUs, loses one of them.
constexpr int slices = 20;
constexpr milliseconds shortest_limit = slices * milliseconds(1);
constexpr milliseconds longest_limit = 365 * std::chrono::hours(24);

milliseconds limit_of(std::string_view text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || last != end || !std::isfinite(seconds) || seconds <= 0) {
    throw cli::CliError(
        cli::exit_bad_input,
        "PTO2_HANG_SECONDS is '" + std::string(text) +
            "', which is no number of seconds above 0; unset it, or say after how many seconds "
            "in which nothing ends there is a hang");
  }
  const double most = std::chrono::duration<double>(longest_limit).count();
  return milliseconds(static_cast<int64_t>(std::min(seconds, most) * 1000));
}

}  // namespace

int test_slowdown() {
  return PTO2_TEST_SLOWDOWN;
}

milliseconds hang_limit_in_force(milliseconds limit) {
  const char* const seconds = std::getenv("PTO2_HANG_SECONDS");
  const bool is_given = seconds != nullptr && *seconds != 0;
  return std::max(is_given ? limit_of(seconds) : limit * test_slowdown(), shortest_limit);
}

HangGuard::HangGuard(std::string what, milliseconds limit)
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
