#include "tests/models/checker/random_program.hpp"

namespace pto2::model::litmus {
namespace {

using Random = std::mt19937_64;
using enum std::memory_order;

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
      if (flavour.weak != 0) i.weak = roll(random, 100) < flavour.weak;
    }
  } else if (dice < flavour.fences + flavour.updates + flavour.waits) {
    i.operation = roll(random, 2) == 0 ? Operation::wait : Operation::wait_exchange;
    i.order = pick(random, flavour.sc, {relaxed, acquire});
    i.expected = roll(random, number + 2);
    if (flavour.weak != 0) i.weak = roll(random, 100) < flavour.weak;
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

}  // namespace

Program random_program(std::mt19937_64& random, const Flavour& flavour) {
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

}  // namespace pto2::model::litmus
