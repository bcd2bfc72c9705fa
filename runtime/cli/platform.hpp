/// The simulated chips that `--platform` names: those that are known, and chip files.
#pragma once

#include <string>

#include "runtime/chip/chip.hpp"
#include "runtime/cli/core_buffers.hpp"

namespace pto2::cli {

/// "a2a3sim or a5sim or a chip file NAME.toml"
std::string platforms_text();

/// Whether `platform` names a known chip or may name a file.
bool is_platform(const std::string& platform);

/// The chip that `platform` names. A chip file gives, at its top and once each, `name` and the
/// numbers of chip_numbers(), and may give those of buffer_sizes(). Throws CliError (bad input)
/// with file, line, key and remedy for a file that cannot be read, is no TOML, lacks a key, has
/// another, or a value that is not allowed.
Chip chip_of_platform(const std::string& platform);

/// The buffers of its cores. Throws the same.
CoreBuffers buffers_of_platform(const std::string& platform);

}  // namespace pto2::cli
