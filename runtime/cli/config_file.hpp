/// The TOML file of `--config`.
#pragma once

#include <string>
#include <vector>

namespace pto2::cli {

/// One setting of a file. Underscores in keys are read as hyphens.
struct ConfigEntry {
  std::string key;
  std::string value;   ///< as it would stand on the command line
  std::string origin;  ///< "FILE, line N"
};

/// Settings stand at the top of the file or in the table [run]. Throws CliError (bad input) for a
/// file that cannot be read or is no TOML, another table, a value that is no string, number or
/// array of integers, and a key given twice.
std::vector<ConfigEntry> read_config_file(const std::string& path);

}  // namespace pto2::cli
