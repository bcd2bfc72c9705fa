/// Arguments of one's own orchestration, as --arg gives them.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// Far above what a machine has.
inline constexpr uint64_t max_buffer_bytes = uint64_t{1} << 40;

struct ProgramArgument {
  bool is_buffer = false;
  uint64_t number = 0;     ///< the scalar's 64 bits, or bytes in 1..max_buffer_bytes
  bool is_random = false;  ///< a buffer of floats in -1..1; otherwise of zeros
  friend bool operator==(const ProgramArgument&, const ProgramArgument&) = default;
};

/// "scalar:N" with -2^63 <= N < 2^64, or "buffer:BYTES[:zero|:random]". Throws CliError (usage) for
/// anything else.
ProgramArgument parse_program_argument(const std::string& text);

/// A text that means the argument.
std::string to_string(const ProgramArgument& argument);

}  // namespace pto2::cli
