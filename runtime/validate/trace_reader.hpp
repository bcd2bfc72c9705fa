/// Reads traces of schema pto2-trace/2.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "runtime/validate/trace.hpp"

namespace pto2::validation {

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
[[nodiscard]] Trace read_trace(const std::string& path);

}  // namespace pto2::validation
