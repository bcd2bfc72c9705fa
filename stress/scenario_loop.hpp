/// Runs one scenario on OS threads, again and again.
///
/// The threads live as long as the loop. Between two runs they meet, and the last to arrive
/// checks the old scenario and makes the next: the roles of a run start together. A broken
/// property ends the program, and so does a lost wake-up, with a report of who waits.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/support/scenario.hpp"
#include "runtime/executors/hardware.hpp"
#include "stress/hang_guard.hpp"
#include "stress/meeting.hpp"

namespace pto2::scenarios {

/// What a loop of any scenario does. It is compiled once, and not with each of them.
class RoleLoop {
 public:
  virtual ~RoleLoop() = default;
  RoleLoop(const RoleLoop&) = delete;
  RoleLoop& operator=(const RoleLoop&) = delete;

  void run() { team_.run(); }

 protected:
  RoleLoop(std::string name, uint32_t threads, uint64_t runs,
           std::chrono::steady_clock::duration limit, std::atomic<uint64_t>* ended)
      : guard_(std::move(name)),
        left_(runs),
        ended_(ended),
        deadline_(std::chrono::steady_clock::now() + limit),
        start_(threads),
        end_(threads),
        team_({.executor = executors::Executor::threads}) {
    for (uint32_t i = 0; i < threads; ++i) {
      bells_.emplace_back(team_.add("role" + std::to_string(i), i, [this, i] { take_part(i); }));
    }
  }

 private:
  /// In the place of the one before, which end_scenario() has ended.
  virtual AnyScenario<executors::Hardware>& make_scenario() = 0;
  virtual void end_scenario() = 0;

  void take_part(uint32_t role) {
    for (;;) {
      start_.arrive([this]() noexcept { make(); });
      if (scenario_ == nullptr) return;
      scenario_->thread(role);
      end_.arrive([this]() noexcept { scenario_->finish(); });
    }
  }

  void make() noexcept {
    if (scenario_ != nullptr) {
      if (ended_ != nullptr) ended_->fetch_add(1, std::memory_order_relaxed);
      scenario_ = nullptr;
      end_scenario();
    }
    guard_.progress();
    if (left_ == 0 || std::chrono::steady_clock::now() >= deadline_) return;
    --left_;
    scenario_ = &make_scenario();
    scenario_->set_bells(bells_);
  }

  stress::HangGuard guard_;
  uint64_t left_;
  std::atomic<uint64_t>* ended_;
  std::chrono::steady_clock::time_point deadline_;
  AnyScenario<executors::Hardware>* scenario_ = nullptr;
  std::vector<executors::Hardware::doorbell> bells_;
  Meeting start_;
  Meeting end_;
  executors::Hardware::team team_;
};

template <Scenario S>
class ScenarioLoop final : public RoleLoop {
 public:
  /// Stops after so many runs, or when the time is over. `name` is the scenario's, for the report;
  /// `ended`, if given, counts the runs as they end.
  ScenarioLoop(std::string name, uint64_t runs,
               std::chrono::steady_clock::duration limit = std::chrono::hours(24),
               std::atomic<uint64_t>* ended = nullptr)
      : RoleLoop(std::move(name), S::threads, runs, limit, ended) {}

 private:
  AnyScenario<executors::Hardware>& make_scenario() override { return scenario_.emplace(); }
  void end_scenario() override { scenario_.reset(); }

  std::optional<ScenarioOf<executors::Hardware, S>> scenario_;
};

}  // namespace pto2::scenarios
