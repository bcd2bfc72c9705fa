// Random programs: the checker's count and outcomes must be the brute force's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/models/checker/brute_force.hpp"

namespace pto2::model::litmus {
namespace {

using Random = std::mt19937_64;
using enum std::memory_order;

/// What a family of random programs is rich in.
struct Flavour {
  int threads;
  int instructions;  ///< in all
  int locations;
  int fences;      ///< chance of a fence, in percent
  int updates;     ///< chance of a read-modify-write, in percent
  int sc;          ///< chance that an order is seq_cst, in percent
  int waits = 0;   ///< chance that a thread waits for a value, in percent
  int values = 0;  ///< how many values there are; 0: each write has its own
};

int roll(Random& random, int sides) {
  return static_cast<int>(random() % sides);
}

std::memory_order pick(Random& random, int sc, std::initializer_list<std::memory_order> weak) {
  if (roll(random, 100) < sc) return seq_cst;
  return weak.begin()[roll(random, static_cast<int>(weak.size()))];
}

Instruction random_instruction(Random& random, const Flavour& flavour, int number) {
  Instruction i;
  i.location = roll(random, flavour.locations);
  i.operand = number + 1;
  const int dice = roll(random, 100);
  if (dice < flavour.fences) {
    i.operation = Operation::fence;
    i.order = pick(random, 60, {acquire, release, acq_rel});
  } else if (dice < flavour.fences + flavour.updates) {
    const int kind = roll(random, 4);
    i.order = pick(random, flavour.sc, {relaxed, acquire, release, acq_rel});
    i.operation = kind == 0   ? Operation::add
                  : kind == 1 ? Operation::exchange
                              : Operation::compare_exchange;
    if (kind >= 2) {
      i.failure = pick(random, flavour.sc, {relaxed, acquire});
      // Mostly values that occur; now and then one that never does, so that it always fails.
      i.expected = roll(random, 8) == 0 ? 99 : roll(random, number + 2);
      if (roll(random, 2) == 0) i.expected = 0;
    }
  } else if (dice < flavour.fences + flavour.updates + flavour.waits) {
    i.operation = roll(random, 2) == 0 ? Operation::wait : Operation::wait_exchange;
    i.order = pick(random, flavour.sc, {relaxed, acquire});
    i.expected = roll(random, number + 2);
  } else if (roll(random, 2) == 0) {
    i.operation = Operation::load;
    i.order = pick(random, flavour.sc, {relaxed, acquire});
  } else {
    i.operation = Operation::store;
    i.order = pick(random, flavour.sc, {relaxed, release});
  }
  if (flavour.values != 0) {
    i.operand %= flavour.values;
    i.expected %= flavour.values;
  }
  return i;
}

/// Lets some waits that follow each other share one predicate.
void join_waits(Random& random, Program& program) {
  for (auto& thread : program.threads) {
    for (std::size_t i = 0; i + 1 < thread.size(); ++i) {
      const Operation next = thread[i + 1].operation;
      if (thread[i].operation != Operation::wait) continue;
      if (next != Operation::wait && next != Operation::wait_exchange) continue;
      thread[i].joined = roll(random, 3) != 0;
    }
  }
}

Program random_program(Random& random, const Flavour& flavour) {
  Program program;
  program.locations = flavour.locations;
  program.threads.resize(static_cast<std::size_t>(flavour.threads));
  for (int number = 0; number < flavour.instructions; ++number) {
    const std::size_t thread = number < flavour.threads
                                   ? static_cast<std::size_t>(number)
                                   : static_cast<std::size_t>(roll(random, flavour.threads));
    program.threads[thread].push_back(random_instruction(random, flavour, number));
  }
  if (flavour.waits != 0) join_waits(random, program);
  return program;
}

/// PTO2_RANDOM_PROGRAMS sets the number of programs per flavour for long runs.
int programs_per_flavour(int otherwise) {
  const char* text = std::getenv("PTO2_RANDOM_PROGRAMS");
  return text == nullptr ? otherwise : std::atoi(text);
}

void compare(const Flavour& flavour, std::uint64_t seed, int count) {
  Random random(seed);
  count = programs_per_flavour(count);
  for (int i = 0; i < count; ++i) {
    const Program program = random_program(random, flavour);
    const Executions expected = by_brute_force(program);
    const Executions found = by_checker(program);
    ASSERT_EQ(found.count, expected.count) << "program " << i << ": " << program.to_string();
    ASSERT_EQ(found.outcomes, expected.outcomes) << "program " << i << ": " << program.to_string();
    if (i % 4 == 0) {
      Options shared;
      shared.jobs = 2;
      ASSERT_EQ(by_checker(program, shared), expected)
          << "program " << i << " shared: " << program.to_string();
    }
    Options isolated;
    isolated.isolated_threads = true;
    ASSERT_EQ(by_checker(program, isolated).count, expected.count)
        << "isolated program " << i << ": " << program.to_string();
  }
}

TEST(Differential, weak_accesses) {
  compare({3, 6, 2, 0, 0, 0}, 1, 1500);
}
TEST(Differential, one_location) {
  compare({3, 6, 1, 0, 30, 20}, 2, 300);
}
TEST(Differential, updates) {
  compare({3, 5, 2, 0, 70, 20}, 3, 1500);
}
TEST(Differential, sc_accesses) {
  compare({3, 6, 2, 0, 10, 60}, 4, 1500);
}
TEST(Differential, sc_fences_between_weak_accesses) {
  compare({2, 8, 2, 35, 0, 0}, 5, 1500);
}
TEST(Differential, sc_fences_and_updates) {
  compare({3, 7, 2, 30, 20, 20}, 6, 1500);
}
TEST(Differential, four_threads) {
  compare({4, 7, 2, 15, 20, 30}, 7, 800);
}
TEST(Differential, two_long_threads) {
  compare({2, 8, 3, 20, 20, 30}, 8, 800);
}
TEST(Differential, failing_compare_exchanges) {
  compare({3, 6, 2, 10, 50, 40}, 9, 1500);
}

TEST(Differential, waiting) {
  compare({3, 6, 2, 0, 20, 20, 35}, 10, 1500);
}
TEST(Differential, waiting_on_one_location) {
  compare({3, 6, 1, 0, 10, 0, 40}, 11, 1000);
}
TEST(Differential, waiting_with_fences) {
  compare({3, 7, 2, 20, 10, 20, 30}, 12, 1000);
}

TEST(Differential, waiting_for_several_values) {
  compare({3, 7, 2, 0, 10, 10, 60}, 13, 1000);
}
TEST(Differential, waiting_for_common_values) {
  compare({3, 6, 1, 0, 10, 0, 60, 2}, 14, 800);
}
TEST(Differential, waiting_for_common_values_in_two_places) {
  compare({3, 7, 2, 5, 10, 10, 60, 2}, 15, 800);
}

}  // namespace
}  // namespace pto2::model::litmus
