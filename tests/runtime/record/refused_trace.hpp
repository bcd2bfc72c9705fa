/// Texts that are no trace.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "runtime/record/trace_reader.hpp"

namespace pto2::test {

/// The reader refuses a text for what it finds in a line.
inline void expect_error(const std::string& text, uint32_t line, const std::string& message) {
  try {
    static_cast<void>(read_trace_text(text));
    ADD_FAILURE() << "taken for a trace: " << message;
  } catch (const TraceError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
    EXPECT_FALSE(error.remedy().empty());
  }
}

}  // namespace pto2::test
