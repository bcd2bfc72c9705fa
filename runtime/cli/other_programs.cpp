#include "runtime/cli/other_programs.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "runtime/cli/commands.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/replay_token.hpp"

namespace pto2::cli {

const char* program_of(std::string_view name, std::span<char* const> arguments) {
  if (name != "replay") return find_program(name);
  // The name of a trace may look like a token, but stands behind its option.
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == std::string_view("--trace")) {
      ++i;
    } else if (const std::optional<TokenKind> kind = token_kind_of(arguments[i])) {
      return find_program(*kind == TokenKind::simulate ? "simulate" : "check");
    }
  }
  return find_program(name);
}

void become(const char* program, char** argv) {
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename(program);
  execv(path.c_str(), argv);
  throw CliError(exit_bad_input,
                 fmt::format("{}: {}; it is built with the rest of the tree (./dev pto2 {})",
                             path.string(), std::strerror(errno), argv[1]));
}

}  // namespace pto2::cli
