#include "runtime/output/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "runtime/output/numbers.hpp"
#include "runtime/output/output_file.hpp"

namespace pto2::cli {
namespace {

/// "pto2 run", or as if the first command had been called.
std::string called_command(const CLI::App& app) {
  const std::vector<CLI::App*> called = app.get_subcommands();
  const CLI::App* const command = called.empty() ? app.get_subcommands({}).front() : called.front();
  return app.get_name() + " " + command->get_name();
}

std::optional<uint64_t> number_of(const std::string& text) {
  try {
    return parse_number(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ExitCode> parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      throw CliError(exit_usage, fmt::format("{}; {} --help lists what there is", error.what(),
                                             called_command(app)));
    }
    std::ostringstream text;
    app.exit(error, text, text);
    OutputFile out("-", "the help");
    out.write(text.str());
    out.finish();
    return exit_pass;
  }
}

void refuse_empty(const CLI::App& command, std::initializer_list<const char*> options) {
  for (const char* option : options) {
    const CLI::Option& given = *command.get_option(option);
    if (given.count() == 0 || !given.as<std::string>().empty()) continue;
    throw CliError(exit_usage, fmt::format("{} is empty; leave it out, or say which", option));
  }
}

// CLI11's own checks say what they were given without quotes, so that nobody sees an empty text,
// and let NaN pass, which no clock ever reaches.

CLI::Validator whole_number_in(uint64_t least, uint64_t most) {
  return {[=](std::string& text) {
            const std::optional<uint64_t> number = number_of(text);
            if (!number || *number < least || *number > most) {
              return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
            }
            text = std::to_string(*number);
            return std::string();
          },
          fmt::format("{}..{}", least, most)};
}

CLI::Validator seconds_in(double least, double most) {
  const std::string range =
      std::isinf(most) ? fmt::format("{} or more", least) : fmt::format("{}..{}", least, most);
  return {[=](std::string& text) {
            double seconds = 0;
            const bool is_number = CLI::detail::lexical_cast(text, seconds);
            const bool is_time = is_number && std::isfinite(seconds);
            if (is_time && seconds >= least && seconds <= most) return std::string();
            return fmt::format("'{}' is no number of seconds, {}", text, range);
          },
          range};
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[=](std::string& text) {
            if (std::ranges::find(names, text) != names.end()) return std::string();
            return fmt::format("'{}' is none of {}", text, fmt::join(names, ", "));
          },
          fmt::format("{{{}}}", fmt::join(names, ","))};
}

}  // namespace pto2::cli
