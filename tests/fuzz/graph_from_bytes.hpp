/// Programs of the random-graph machinery, read from bytes instead of drawn: each byte is a call or
/// an argument of one, so that a small change of the input is a small change of the program.
#pragma once

#include "stress/graphs/program.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace pto2::fuzz {

/// The program that the bytes stand for; all do for one. Calls that are wrong are among them: the
/// first one ends the program. What comes of it does not depend on the schedule: a call that would
/// make it so is left out.
graphs::Program graph_from(Bytes& bytes);

}  // namespace pto2::fuzz
