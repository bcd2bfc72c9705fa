/// For MSan: the scenarios of core under schedules of the seeded policy, without a library that is
/// not compiled with it but the C++ library and boost.context.
///
///   msan_scenarios [canary]      canary: branches on a cell that nobody wrote
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/scenarios.hpp"
#include "runtime/executors/seeded.hpp"

namespace {

using pto2::executors::Seeded;

template <pto2::scenarios::Scenario S>
void run_schedule(uint64_t seed) {
  constexpr std::size_t stack_bytes = std::size_t{256} << 10;
  pto2::scenarios::ScenarioOf<Seeded, S> scenario;
  Seeded::team team({.seed = seed, .max_points = 1'000'000, .stack_bytes = stack_bytes});
  std::vector<Seeded::doorbell> bells;
  for (uint32_t i = 0; i < S::threads; ++i) {
    bells.emplace_back(team.add("role", i, [&scenario, i] { scenario.thread(i); }));
  }
  scenario.set_bells(bells);
  team.run();
  Seeded::team end({.seed = seed, .max_points = 1'000'000, .stack_bytes = stack_bytes});
  end.add("finish", 0, [&scenario] { scenario.finish(); });
  end.run();
}

/// Memory that a logical thread never wrote decides what it does.
int branch_on_garbage() {
  int outcome = 0;
  Seeded::team team({.seed = 1, .max_points = 1000, .stack_bytes = std::size_t{256} << 10});
  team.add("role", 0, [&outcome] {
    const std::unique_ptr<int[]> values(new int[4]);
    asm volatile("" : : "r"(values.get()) : "memory");
    outcome = values[2] == 7 ? 1 : 2;
  });
  team.run();
  return outcome == 1 ? 3 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "canary") return branch_on_garbage();
  constexpr uint64_t seeds = 100;
  int scenarios = 0;
  pto2::scenarios::for_each<Seeded>([&]<class S>(const std::string&) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) run_schedule<S>(seed);
    ++scenarios;
  });
  std::printf("%d scenarios, %lu schedules each\n", scenarios, static_cast<unsigned long>(seeds));
}
