/// A scenario as a test: on OS threads, again and again.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "stress/scenario_loop.hpp"

namespace pto2::scenarios {

inline uint64_t runs = 1000;  ///< of each scenario

class StressTest : public testing::Test {
 public:
  explicit StressTest(std::function<void()> run) : run_(std::move(run)) {}
  /// A broken property ends the program, and so does a lost wake-up, with a report.
  void TestBody() override {
    run_();
    SUCCEED();
  }

 private:
  std::function<void()> run_;
};

/// Registers the test of a scenario, by its name.
struct Register {
  template <class S>
  void operator()(const std::string& name) const {
    const auto slash = name.find('/');
    testing::RegisterTest(
        name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr, nullptr, __FILE__,
        __LINE__, [name]() -> testing::Test* {
          return new StressTest([name] { std::make_unique<ScenarioLoop<S>>(name, runs)->run(); });
        });
  }
};

void register_pieces();
void register_whole_runtime();

}  // namespace pto2::scenarios
