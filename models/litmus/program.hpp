// Small straight-line programs as data: the checker runs them, and a brute force can too.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <pto2/checker.hpp>

namespace pto2::model::litmus {

enum class Operation : std::uint8_t {
  load,
  store,
  add,
  exchange,
  compare_exchange,
  fence,
  wait,           ///< until the location holds `expected`
  wait_exchange,  ///< the same, and exchanges it for `operand`
};

struct Instruction {
  Operation operation = Operation::fence;
  int location = 0;
  int operand = 0;
  int expected = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
  bool weak = false;  ///< a `compare_exchange` or `wait_exchange` that may fail spuriously
  /// A `wait` whose predicate goes on with that of the next instruction, which waits too.
  bool joined = false;

  bool reads() const { return operation != Operation::store && operation != Operation::fence; }
};

struct Program {
  int locations = 1;
  std::vector<std::vector<Instruction>> threads;

  std::string to_string() const;
  /// Reads "x=1.rlx; f.sc; y.acq | x+1.ar; y<2.rel; x?0>1.ar.rlx": threads are separated by "|";
  /// a location is a letter from x on, then "=" stores, "+" adds, "<" exchanges, "?a>b" compares
  /// with a and exchanges for b (its last order is for failure), nothing loads; "f" is a fence.
  /// Throws std::invalid_argument with the part that it does not understand.
  static Program parse(std::string_view text);
};

/// What an execution returned: the values of all reading instructions, thread by thread, and the
/// last value of each location in modification order. What was read by one that failed spuriously
/// is more by `spurious`.
using Outcome = std::vector<int>;
inline constexpr int spurious = 1'000'000;

struct Executions {
  std::uint64_t count = 0;
  std::set<Outcome> outcomes;

  friend bool operator==(const Executions&, const Executions&) = default;
};

/// What the checker explores, where waiting for ever is no error; a count of UINT64_MAX says that
/// it did not finish. With isolated threads there are no outcomes: nobody may look at the values.
Executions by_checker(const Program& program, const Options& options = {});

}  // namespace pto2::model::litmus
