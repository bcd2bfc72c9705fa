#include "runtime/cli/check_command.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

void become_check(char** argv) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("pto2-check");
  execv(program.c_str(), argv);
  throw CliError(exit_bad_input,
                 fmt::format("{}: {}; it is built with the rest of the tree (./dev pto2 check)",
                             program.string(), std::strerror(errno)));
}

}  // namespace pto2::cli
