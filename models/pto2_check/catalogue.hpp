/// Every scenario on the model policy, as a program for the checker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/pto2_check/expected.hpp"

namespace pto2::scenarios {

struct Entry {
  std::string name;  ///< piece/scenario, with the fan-out where it matters
  std::function<void()> body;
  Expectation expected;
  std::vector<std::string> reaches;  ///< what must happen in some execution
};

/// In a stable order. The program that a mutant is built into has a catalogue of its own.
std::vector<Entry> catalogue();

/// The parts of the full catalogue: without a fan-out, on each of the two, and the whole runtime on
/// each of the two.
void add_pieces(std::vector<Entry>& entries);
void add_on_task_word(std::vector<Entry>& entries);
void add_on_fan_out_lock(std::vector<Entry>& entries);
void add_runtime(std::vector<Entry>& entries);
void add_runtime_on_fan_out_lock(std::vector<Entry>& entries);

}  // namespace pto2::scenarios
