/// Reads records from files (docs/TRACE.md), of schema pto2-trace/3 and of pto2-trace/2, which has
/// no counts and says less of the machine.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "runtime/record/record.hpp"

namespace pto2 {

/// Why a file is no trace that could be judged.
class TraceError : public std::runtime_error {
 public:
  TraceError(uint32_t line, const std::string& message, std::string remedy)
      : std::runtime_error(message), line_(line), remedy_(std::move(remedy)) {}
  /// Line of the file, from 1; 0: the file as a whole.
  [[nodiscard]] uint32_t line() const { return line_; }
  /// What to do.
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  uint32_t line_;
  std::string remedy_;
};

/// Reads the file, or stdin if it is called "-". Throws TraceError if it cannot be read, is no
/// trace of this schema, was cut off, has fields of the wrong form, or contradicts itself.
[[nodiscard]] Record read_trace(const std::string& path);
/// The same from what such a file holds.
[[nodiscard]] Record read_trace_text(std::string text);

}  // namespace pto2
