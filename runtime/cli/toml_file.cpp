#include "runtime/cli/toml_file.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <string_view>
#include <vector>

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

// A key of so many parts makes as many tables, one in the other, and what is done with those, their
// end for one, takes a frame of the stack for each. Values have a limit of the parser's own.
constexpr std::size_t most_dots = 1000;

/// Wherever they stand: of tables in tables the parts add up over the lines.
void check_dots(const std::string& path, std::string_view text) {
  std::size_t dots = 0;
  std::size_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c != '.' || ++dots <= most_dots) continue;
    throw CliError(exit_bad_input,
                   fmt::format("{}, line {}: more than {} dots up to here, so that its tables may "
                               "be too deep; write keys of one or two parts",
                               path, line, most_dots));
  }
}

}  // namespace

toml::table read_toml_file(const std::string& path) {
  const std::vector<std::byte> bytes = bytes_of(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check_dots(path, text);
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
