/// Names for the memory that an orchestration brings along: addresses differ from run to run, and
/// records of equal schedules are to be equal.
#pragma once

#include <span>

#include "runtime/record/record.hpp"

namespace pto2 {

/// Replaces the addresses of the caller's memory in `tasks`: a parameter's `base`, which is an
/// address, becomes `memory` and the bytes from its start. Buffers that share bytes are one memory;
/// they are numbered in the order of their first use.
void number_external_memory(std::span<TaskRecord> tasks);

}  // namespace pto2
