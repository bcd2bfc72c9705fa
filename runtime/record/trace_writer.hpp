/// Writes records as files: JSON lines, schema pto2-trace/3. docs/TRACE.md documents every field.
#pragma once

#include <functional>
#include <string_view>

#include "runtime/record/record.hpp"

namespace pto2 {

inline constexpr std::string_view trace_schema = "pto2-trace/3";

/// Writes a header, the events, and a closing line. No address appears in it, so that equal
/// schedules have equal traces; but in the message and the hint, which are as the run has told
/// them.
void write_trace(const Record& record, const std::function<void(std::string_view)>& write);

}  // namespace pto2
