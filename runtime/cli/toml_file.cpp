#include "runtime/cli/toml_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "runtime/loader/file_descriptor.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

std::string origin_of_region(const std::string& path, const toml::source_region& where) {
  return fmt::format("{}, line {}", path, where.begin.line);
}

/// More than anybody writes, and less than a pipe may have.
constexpr std::size_t most_mebibytes = 16;

/// Of a file or a pipe.
std::string content_of(const std::string& path) {
  const auto refuse = [&](const std::string& problem) {
    throw CliError(exit_bad_input,
                   fmt::format("{}: {}; name a TOML file that can be read", path, problem));
  };
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) {
    refuse(std::string("cannot be opened: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) refuse("is a directory");
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) refuse("is neither a file nor a pipe");
  std::string text;
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t n = read(file.get(), part.data(), part.size());
    if (n == 0) return text;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
    text.append(part.data(), static_cast<std::size_t>(n));
    if (text.size() > most_mebibytes << 20) {
      refuse(fmt::format("has more than {} MiB", most_mebibytes));
    }
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
  const std::string text = content_of(path);
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
