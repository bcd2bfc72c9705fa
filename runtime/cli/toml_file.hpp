/// Reading TOML files, for those who know their keys.
#pragma once

#include <toml++/toml.h>

#include <string>

namespace pto2::cli {

/// Of a file or a pipe. Throws CliError (bad input) for one that cannot be read, is no TOML, or has
/// dots enough for tables that are deeper than the stack.
toml::table read_toml_file(const std::string& path);

/// "FILE, line N", for messages.
std::string origin_of(const std::string& path, const toml::node& node);

}  // namespace pto2::cli
