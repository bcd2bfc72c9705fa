/// Explores every execution of every scenario under the C++ memory model, from the headers that
/// ship. How many there are must be what expected.hpp says; what is too large to be exhausted is
/// sampled.
///
///   exhaustive_scenarios [--long] [--jobs N] [--gtest_filter=PIECE.SCENARIO*]
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <string>
#include <vector>

#include "models/exhaustive/expected.hpp"
#include "models/scenarios.hpp"
#include "models/support/model_policy.hpp"

namespace pto2 {

void invariant_violated(const char* id, const char* what, const char* file, int line) {
  model::check(false, std::string(id) + " violated: " + what + " (" + file + ":" +
                          std::to_string(line) + ")");
  std::abort();
}

namespace scenarios {
namespace {

bool long_ones = false;
unsigned jobs = 1;

/// One doorbell per role, if the scenario idles.
template <Scenario S>
class Bells {
 public:
  explicit Bells(S& scenario) : by_thread_(S::threads + 1) {
    for (uint32_t i = 0; S::idles && i < S::threads; ++i) {
      owned_.push_back(std::make_unique<ModelBell>(S::threads + 1));
      scenario.bells[i] = Model::doorbell(*owned_.back());
      by_thread_[i + 1] = owned_.back().get();
    }
    Model::bells = &by_thread_;
  }

 private:
  std::vector<std::unique_ptr<ModelBell>> owned_;
  std::vector<ModelBell*> by_thread_;
};

template <Scenario S>
void run() {
  S scenario;
  const Bells<S> bells(scenario);
  {
    std::vector<model::thread> roles;
    for (uint32_t i = 0; i < S::threads; ++i) {
      roles.emplace_back([&scenario, i] { scenario.thread(i); }, "role" + std::to_string(i));
    }
    for (model::thread& role : roles) role.join();
  }
  scenario.finish();
}

class ScenarioTest : public testing::Test {
 public:
  ScenarioTest(std::string name, std::function<void()> body, Expectation expected)
      : name_(std::move(name)), body_(std::move(body)), expected_(expected) {}
  void TestBody() override {
    if (expected_.effort == Effort::sampled) return sample();
    model::Options options;
    options.name = name_;
    options.jobs = jobs;
    const model::Report report = model::explore(options, body_);
    EXPECT_TRUE(report.ok()) << report.to_text();
    EXPECT_EQ(report.executions, expected_.executions);
  }

 private:
  void sample() {
    using model::Strategy;
    for (const Strategy strategy : {Strategy::random_walk, Strategy::pct, Strategy::bursts}) {
      model::Options options;
      options.name = name_;
      options.strategy = strategy;
      options.samples = long_ones ? 100'000 : 5'000;
      const model::Report report = model::explore(options, body_);
      EXPECT_FALSE(report.violation) << report.to_text();
      EXPECT_GT(report.executions, 0u);
    }
  }

  std::string name_;
  std::function<void()> body_;
  Expectation expected_;
};

struct Register {
  template <class S>
  void operator()(const std::string& name) const {
    const auto entry = expectations.find(name);
    const Expectation expected = entry == expectations.end() ? Expectation{} : entry->second;
    if (expected.effort == Effort::many && !long_ones) return;
    const auto slash = name.find('/');
    testing::RegisterTest(
        name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr, nullptr, __FILE__,
        __LINE__, [=]() -> testing::Test* { return new ScenarioTest(name, run<S>, expected); });
  }
};

}  // namespace
}  // namespace scenarios
}  // namespace pto2

int main(int argc, char** argv) {
  using namespace pto2::scenarios;
  testing::InitGoogleTest(&argc, argv);
  CLI::App app("Explores every execution of every scenario.");
  app.add_flag("--long", long_ones, "those too that take more than a few seconds");
  app.add_option("--jobs", jobs, "OS threads per search")->check(CLI::Range(1, 64));
  CLI11_PARSE(app, argc, argv);
  for_each<Model>(Register{});
  return RUN_ALL_TESTS();
}
