/// What a task was given, in words.
#pragma once

#include <string>

#include "runtime/chip/task_arguments.hpp"

namespace pto2 {

/// "float32", ..; "unknown" for a value that is no DataType.
[[nodiscard]] const char* data_type_name(DataType dtype);

/// Each parameter: of a tensor its type, shape and address, of a pipe its address, of a scalar its
/// value, as in "0: float32 [16, 16] at 0x7f00, 1: scalar 42"; "none". A kernel may have written to
/// the arguments meanwhile: nothing that they point to is read.
[[nodiscard]] std::string arguments_text(const TaskArguments& arguments);

}  // namespace pto2
