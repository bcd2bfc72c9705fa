/// Runs one scenario on OS threads, again and again.
///
/// The threads live as long as the loop. Between two runs they meet, and the last to arrive
/// checks the old scenario and makes the next: the roles of a run start together. A broken
/// property ends the program, and so does a lost wake-up, with a report of who waits.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "models/support/scenario.hpp"
#include "runtime/executors/hardware.hpp"
#include "stress/hang_guard.hpp"
#include "stress/meeting.hpp"

namespace pto2::scenarios {

template <Scenario S>
class ScenarioLoop {
 public:
  /// Stops after so many runs, or when the time is over. `name` is the scenario's, for the report;
  /// `ended`, if given, counts the runs as they end.
  ScenarioLoop(std::string name, uint64_t runs,
               std::chrono::steady_clock::duration limit = std::chrono::hours(24),
               std::atomic<uint64_t>* ended = nullptr)
      : guard_(std::move(name)),
        left_(runs),
        ended_(ended),
        deadline_(std::chrono::steady_clock::now() + limit),
        team_({.executor = executors::Executor::threads}) {
    for (uint32_t i = 0; i < S::threads; ++i) {
      bells_[i] = executors::Hardware::doorbell(team_.add("role" + std::to_string(i), i, [this, i] {
        for (;;) {
          start_.arrive([this]() noexcept { make(); });
          if (!scenario_) return;
          scenario_->thread(i);
          end_.arrive([this]() noexcept { scenario_->finish(); });
        }
      }));
    }
  }

  void run() { team_.run(); }

 private:
  void make() noexcept {
    if (scenario_ && ended_ != nullptr) ended_->fetch_add(1, std::memory_order_relaxed);
    scenario_.reset();
    guard_.progress();
    if (left_ == 0 || std::chrono::steady_clock::now() >= deadline_) return;
    --left_;
    scenario_.emplace();
    set_bells(*scenario_, bells_);
  }

  stress::HangGuard guard_;
  uint64_t left_;
  std::atomic<uint64_t>* ended_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<S> scenario_;
  std::array<executors::Hardware::doorbell, S::threads> bells_;
  Meeting start_{S::threads};
  Meeting end_{S::threads};
  executors::Hardware::team team_;
};

}  // namespace pto2::scenarios
