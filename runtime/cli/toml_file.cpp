#include "runtime/cli/toml_file.hpp"

#include <fmt/core.h>

#include "runtime/loader/file_bytes.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

std::string origin_of_region(const std::string& path, const toml::source_region& where) {
  return fmt::format("{}, line {}", path, where.begin.line);
}

std::vector<std::byte> bytes_of(const std::string& path) {
  try {
    return read_file_bytes(path);
  } catch (const LoadError& error) {
    throw CliError(exit_bad_input,
                   fmt::format("{}: {}; name a TOML file that can be read", path, error.problem()));
  }
}

}  // namespace

toml::table read_toml_file(const std::string& path) {
  const std::vector<std::byte> bytes = bytes_of(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw CliError(exit_bad_input,
                   fmt::format("{}: no TOML: {}", origin_of_region(path, error.source()),
                               error.description()));
  }
}

std::string origin_of(const std::string& path, const toml::node& node) {
  return origin_of_region(path, node.source());
}

}  // namespace pto2::cli
