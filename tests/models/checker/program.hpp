// Small straight-line programs that both the checker and the brute force can run.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pto2::model::test {

enum class Operation : std::uint8_t { load, store, add, exchange, compare_exchange, fence };

struct Instruction {
  Operation operation = Operation::fence;
  int location = 0;
  int operand = 0;
  int expected = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;

  bool reads() const { return operation != Operation::store && operation != Operation::fence; }
};

struct Program {
  int locations = 1;
  std::vector<std::vector<Instruction>> threads;

  std::string to_string() const;
};

/// What an execution returned: the values of all reading instructions, thread by thread, and the
/// last value of each location in modification order.
using Outcome = std::vector<int>;

struct Executions {
  std::uint64_t count = 0;
  std::set<Outcome> outcomes;

  friend bool operator==(const Executions&, const Executions&) = default;
};

/// Every candidate execution graph, filtered by the axioms of RC11.
Executions by_brute_force(const Program& program);
/// What the checker explores.
Executions by_checker(const Program& program);

}  // namespace pto2::model::test
