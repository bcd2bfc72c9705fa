/// Makes a program smaller while something about it stays true, so that a failure can be read.
#pragma once

#include <functional>

#include "stress/graphs/program.hpp"

namespace pto2::graphs {

/// Leaves out tasks, parameters, scopes and tensors one after the other, as long as `still` accepts
/// what is left, until nothing more can go. `still` is called with valid programs only, none of
/// which depends on the schedule, and all of which are refused if `program` is.
Program shrink(Program program, const std::function<bool(const Program&)>& still);

}  // namespace pto2::graphs
