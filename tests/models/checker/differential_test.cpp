// Random programs: the checker's count and outcomes must be the brute force's.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/models/checker/brute_force.hpp"
#include "tests/models/checker/random_program.hpp"

namespace pto2::model::litmus {
namespace {

using Random = std::mt19937_64;

/// PTO2_RANDOM_PROGRAMS sets by what the number of programs is multiplied in long runs.
int programs(int count) {
  const char* text = std::getenv("PTO2_RANDOM_PROGRAMS");
  return text == nullptr ? count : count * std::atoi(text);
}

void compare(const Flavour& flavour, std::uint64_t seed, int count) {
  Random random(seed);
  count = programs(count);
  for (int i = 0; i < count; ++i) {
    const Program program = random_program(random, flavour);
    const Executions expected = by_brute_force(program);
    Options options;
    options.spurious_failures = flavour.weak != 0;
    const Executions found = by_checker(program, options);
    ASSERT_EQ(found.count, expected.count) << "program " << i << ": " << program.to_string();
    ASSERT_EQ(found.outcomes, expected.outcomes) << "program " << i << ": " << program.to_string();
    if (i % 4 == 0) {
      Options shared = options;
      shared.jobs = 2;
      ASSERT_EQ(by_checker(program, shared), expected)
          << "program " << i << " shared: " << program.to_string();
    }
    Options isolated = options;
    isolated.isolated_threads = true;
    ASSERT_EQ(by_checker(program, isolated).count, expected.count)
        << "isolated program " << i << ": " << program.to_string();
  }
}

TEST(Differential, weak_accesses) {
  compare({3, 6, 2, 0, 0, 0}, 1, 250);
}
TEST(Differential, one_location) {
  compare({3, 6, 1, 0, 30, 20}, 2, 50);
}
TEST(Differential, updates) {
  compare({3, 5, 2, 0, 70, 20}, 3, 250);
}
TEST(Differential, sc_accesses) {
  compare({3, 6, 2, 0, 10, 60}, 4, 250);
}
TEST(Differential, sc_fences_between_weak_accesses) {
  compare({2, 8, 2, 35, 0, 0}, 5, 250);
}
TEST(Differential, sc_fences_and_updates) {
  compare({3, 7, 2, 30, 20, 20}, 6, 250);
}
TEST(Differential, four_threads) {
  compare({4, 7, 2, 15, 20, 30}, 7, 125);
}
TEST(Differential, two_long_threads) {
  compare({2, 8, 3, 20, 20, 30}, 8, 125);
}
TEST(Differential, failing_compare_exchanges) {
  compare({3, 6, 2, 10, 50, 40}, 9, 250);
}

TEST(Differential, spurious_failures) {
  compare({3, 5, 2, 0, 75, 10, 0, 0, 70}, 16, 250);
}
TEST(Differential, spurious_failures_of_common_values) {
  compare({3, 5, 1, 0, 60, 0, 0, 2, 70}, 17, 50);
}
TEST(Differential, spurious_failures_beside_waits) {
  compare({3, 6, 2, 5, 30, 10, 45, 2, 70}, 18, 200);
}

TEST(Differential, waiting) {
  compare({3, 6, 2, 0, 20, 20, 35}, 10, 250);
}
TEST(Differential, waiting_on_one_location) {
  compare({3, 6, 1, 0, 10, 0, 40}, 11, 150);
}
TEST(Differential, waiting_with_fences) {
  compare({3, 7, 2, 20, 10, 20, 30}, 12, 150);
}

TEST(Differential, waiting_for_several_values) {
  compare({3, 7, 2, 0, 10, 10, 60}, 13, 150);
}
TEST(Differential, waiting_for_common_values) {
  compare({3, 6, 1, 0, 10, 0, 60, 2}, 14, 125);
}
TEST(Differential, waiting_for_common_values_in_two_places) {
  compare({3, 7, 2, 5, 10, 10, 60, 2}, 15, 125);
}

}  // namespace
}  // namespace pto2::model::litmus
