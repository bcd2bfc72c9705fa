/// Asserts that stay on in every build: a broken invariant stops the program at once, with its id.
#pragma once

namespace pto2 {

/// Ends the program with the message "invariant ID violated: WHAT (FILE:LINE)"; in a simulation the
/// run, under the model checker the execution. Defined beside the policies, because core does no
/// output.
[[noreturn]] void invariant_violated(const char* id, const char* what, const char* file, int line);

}  // namespace pto2

/// Asserts invariant ID (for example "TW-I1") or precondition ID ("TT-P1"), stated in the
/// specification of the file.
#define PTO2_INVARIANT(id, condition)                                 \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::pto2::invariant_violated(id, #condition, __FILE__, __LINE__); \
  } while (false)
