/// Runs every scenario on OS threads, again and again.
///
///   stress_scenarios [--runs=N] [--gtest_filter=PIECE.SCENARIO*]
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <functional>
#include <string_view>

#include "models/runtime_scenarios.hpp"
#include "models/scenarios.hpp"
#include "stress/scenario_loop.hpp"

namespace pto2::scenarios {
namespace {

uint64_t runs = 1000;

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

bool read_runs(std::string_view argument) {
  constexpr std::string_view name = "--runs=";
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), runs);
  return error == std::errc{} && end == argument.data() + argument.size();
}

}  // namespace
}  // namespace pto2::scenarios

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (pto2::scenarios::read_runs(argv[i])) continue;
    std::fprintf(stderr, "%s: usage: %s [--runs=N]\n", argv[i], argv[0]);
    return 2;
  }
  pto2::scenarios::for_each<pto2::executors::Hardware>(pto2::scenarios::Register{});
  pto2::scenarios::for_each_of_runtime<pto2::executors::Hardware>(pto2::scenarios::Register{});
  return RUN_ALL_TESTS();
}
