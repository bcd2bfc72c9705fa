// What the weak policy of simulations shows is what the exhaustive checker finds: nothing else, and
// all that does not need the stores to two locations in orders that contradict each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/litmus/program.hpp"
#include "models/litmus/table.hpp"
#include "runtime/executors/weak.hpp"
#include "tests/models/checker/random_program.hpp"

namespace pto2::model::litmus {
namespace {

using executors::Strategy;
using executors::Weak;
using executors::WeakOptions;

using Locations = std::deque<Weak::atomic<int>>;

/// The value that the instruction reads. For a wait, what it has read when it ends.
int perform(const Instruction& i, Locations& locations) {
  Weak::atomic<int>& location = locations[static_cast<std::size_t>(i.location)];
  int expected = i.expected;
  switch (i.operation) {
    case Operation::load:
      return location.load(i.order);
    case Operation::add:
      return location.fetch_add(i.operand, i.order);
    case Operation::exchange:
      return location.exchange(i.operand, i.order);
    case Operation::compare_exchange:
      location.compare_exchange_strong(expected, i.operand, i.order, i.failure);
      return expected;
    default:
      location.store(i.operand, i.order);
      return 0;
  }
}

/// One run.
Outcome by_weak_memory(const Program& program, const WeakOptions& options) {
  Locations locations(static_cast<std::size_t>(program.locations));
  std::vector<Outcome> read(program.threads.size());
  Weak::team team(options);
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    team.add("thread", 0, [&, t] {
      for (const Instruction& i : program.threads[t]) {
        const int value = perform(i, locations);
        if (i.reads()) read[t].push_back(value);
      }
    });
  }
  team.run();
  Outcome outcome;
  for (const Outcome& of_thread : read) {
    outcome.insert(outcome.end(), of_thread.begin(), of_thread.end());
  }
  for (const auto& location : locations) {
    outcome.push_back(location.load(std::memory_order_relaxed));
  }
  return outcome;
}

std::set<Outcome> by_weak_memory(const Program& program, uint64_t runs) {
  std::set<Outcome> outcomes;
  static constexpr Strategy strategies[] = {Strategy::random, Strategy::pct, Strategy::bursts};
  for (uint64_t seed = 0; seed < runs; ++seed) {
    outcomes.insert(by_weak_memory(
        program,
        {{.seed = seed, .strategy = strategies[seed % 3], .expected_points = 12}, std::nullopt}));
  }
  return outcomes;
}

bool is_for_weak_memory(const Program& program) {
  for (const auto& thread : program.threads) {
    for (const Instruction& i : thread) {
      if (i.operation == Operation::fence || i.operation == Operation::wait ||
          i.operation == Operation::wait_exchange) {
        return false;
      }
    }
  }
  return true;
}

std::vector<Outcome> without(const std::set<Outcome>& these, const std::set<Outcome>& others) {
  std::vector<Outcome> result;
  std::ranges::set_difference(these, others, std::back_inserter(result));
  return result;
}

class WeakLitmus : public testing::TestWithParam<Entry> {};

/// Programs with an outcome in which modification orders, or the order of seq_cst operations,
/// contradict each other or program order.
constexpr std::array<std::string_view, 7> not_all_sampled{
    "2+2W", "2+2W+rel", "S", "SB+adds-as-reads", "IRIW+sc-acq", "Z6+sc", "W+RWC+sc-through-two"};

TEST_P(WeakLitmus, ShowsWhatTheCheckerFinds) {
  const Program program = Program::parse(GetParam().program);
  if (!is_for_weak_memory(program)) GTEST_SKIP() << "it has fences, or waits";
  const std::set<Outcome> expected = by_checker(program).outcomes;
  const std::set<Outcome> seen = by_weak_memory(program, 3000);
  EXPECT_THAT(without(seen, expected), testing::IsEmpty()) << program.to_string();
  const bool all = std::ranges::find(not_all_sampled, GetParam().name) == not_all_sampled.end();
  EXPECT_EQ(without(expected, seen).empty(), all) << program.to_string();
}

std::string name_of(const testing::TestParamInfo<Entry>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(classics, WeakLitmus, testing::ValuesIn(classics()), name_of);
INSTANTIATE_TEST_SUITE_P(coherence, WeakLitmus, testing::ValuesIn(coherence()), name_of);
INSTANTIATE_TEST_SUITE_P(updates, WeakLitmus, testing::ValuesIn(updates()), name_of);
INSTANTIATE_TEST_SUITE_P(sequential_consistency, WeakLitmus,
                         testing::ValuesIn(sequential_consistency()), name_of);

/// Random programs: no outcome that the checker does not find, and at least `percent` of those that
/// it finds.
void compare(const Flavour& flavour, uint64_t seed, int programs, std::size_t percent) {
  std::mt19937_64 random(seed);
  std::size_t found = 0;
  std::size_t all = 0;
  for (int i = 0; i < programs; ++i) {
    const Program program = random_program(random, flavour);
    const std::set<Outcome> expected = by_checker(program).outcomes;
    const std::set<Outcome> seen = by_weak_memory(program, 600);
    ASSERT_THAT(without(seen, expected), testing::IsEmpty()) << program.to_string();
    all += expected.size();
    found += seen.size();
  }
  EXPECT_GE(found * 100, all * percent) << found << " of " << all;
}

TEST(WeakMemory, ShowsNothingElseOfWeakAccesses) {
  compare({3, 6, 2, 0, 0, 0}, 1, 300, 92);
}
TEST(WeakMemory, ShowsNothingElseOfUpdates) {
  compare({3, 6, 2, 0, 60, 20}, 2, 300, 92);
}
TEST(WeakMemory, ShowsNothingElseOfSequentialConsistency) {
  compare({3, 6, 2, 0, 10, 60}, 3, 300, 92);
}
TEST(WeakMemory, ShowsNothingElseOfFourThreads) {
  compare({4, 7, 2, 0, 30, 30}, 4, 200, 85);
}
TEST(WeakMemory, ShowsNothingElseOfOneLocation) {
  compare({3, 7, 1, 0, 30, 20}, 5, 200, 75);
}

}  // namespace
}  // namespace pto2::model::litmus
