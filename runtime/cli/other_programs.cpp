#include "runtime/cli/other_programs.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/cli/commands.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

const char* program_of(std::string_view name, std::span<char* const> arguments) {
  const auto is_of_simulations = [](std::string_view argument) {
    return argument.starts_with("simulate/");
  };
  // A token says who has made it.
  const bool simulates = name == "replay" && std::ranges::any_of(arguments, is_of_simulations);
  return find_program(simulates ? "simulate" : name);
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
