/// Runs every scenario on OS threads, again and again.
///
///   stress_scenarios [--runs=N] [--gtest_filter=PIECE/SCENARIO*]
///
/// The threads live as long as one test. Between two runs they meet at a barrier, whose last
/// arrival checks the old scenario and makes the next: the roles of a run start together.
#include <gtest/gtest.h>

#include <barrier>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <string_view>

#include "models/scenarios.hpp"
#include "runtime/platform/hardware.hpp"

namespace pto2::scenarios {
namespace {

using platform::Hardware;

uint64_t runs = 1000;

template <Scenario S>
class Loop {
 public:
  Loop() : team_({.executor = platform::Executor::threads}) {
    for (uint32_t i = 0; i < S::threads; ++i) {
      bells_[i] = Hardware::doorbell(team_.add("role" + std::to_string(i), i, [this, i] {
        for (uint64_t run = 0; run < runs; ++run) {
          start_.arrive_and_wait();
          scenario_->thread(i);
          end_.arrive_and_wait();
        }
      }));
    }
  }

  void run() { team_.run(); }

 private:
  void make() noexcept {
    scenario_.emplace();
    scenario_->bells = bells_;
  }
  void check_it() noexcept { scenario_->finish(); }

  struct Make {
    Loop* loop;
    void operator()() noexcept { loop->make(); }
  };
  struct Check {
    Loop* loop;
    void operator()() noexcept { loop->check_it(); }
  };

  std::optional<S> scenario_;
  std::array<Hardware::doorbell, S::threads> bells_;
  std::barrier<Make> start_{S::threads, Make{this}};
  std::barrier<Check> end_{S::threads, Check{this}};
  Hardware::team team_;
};

class StressTest : public testing::Test {
 public:
  explicit StressTest(std::function<void()> run) : run_(std::move(run)) {}
  /// A broken property ends the program, a lost wake-up meets CTest's time-out.
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
    testing::RegisterTest(name.substr(0, slash).c_str(), name.substr(slash + 1).c_str(), nullptr,
                          nullptr, __FILE__, __LINE__, []() -> testing::Test* {
                            return new StressTest([] { std::make_unique<Loop<S>>()->run(); });
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
  pto2::scenarios::for_each<pto2::platform::Hardware>(pto2::scenarios::Register{});
  return RUN_ALL_TESTS();
}
