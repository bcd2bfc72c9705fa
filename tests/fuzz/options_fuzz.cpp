/// Command lines: arguments, one a line, of `pto2 check` and `replay` if the first is one of the
/// two, of the commands that are pto2's own otherwise. CLI11 must refuse them with a ParseError, or
/// what is parsed must be in its range. Settings of a run are texts here; settings_fuzz.cpp looks
/// at them.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "models/pto2_check/check_options.hpp"
#include "runtime/cli/commands.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using pto2::fuzz::expect;

/// Parses the arguments, which CLI11 wants the last one first.
void parse(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
}

void parse_check(const std::vector<std::string>& arguments) {
  CLI::App app("", "pto2");
  app.require_subcommand(1);
  pto2::scenarios::CheckArguments parsed;
  pto2::scenarios::add_check_options(*app.add_subcommand("check"), parsed);
  std::string token;
  app.add_subcommand("replay")->add_option("token", token)->required();
  parse(app, arguments);
  expect(parsed.settings.jobs >= 1 && parsed.settings.jobs <= 64, "jobs out of range");
  expect(std::isfinite(parsed.settings.max_seconds) && parsed.settings.max_seconds >= 0,
         "seconds that are no time");
  expect(!(parsed.mutants && parsed.weaken), "mutants and weakenings at once");
}

/// What an option that was given says.
void expect_in_range(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (name == "--idle-limit") {
    const auto seconds = option.as<uint64_t>();
    expect(seconds >= 1 && seconds <= 1'000'000, "an idle limit out of range");
  } else if (name == "FILE" || option.get_type_name() == "FILE") {
    for (const std::string& file : option.results()) expect(!file.empty(), "a file without a name");
  }
}

void parse_own(const std::vector<std::string>& arguments) {
  CLI::App app("", "pto2");
  app.require_subcommand(1);
  std::vector<std::unique_ptr<pto2::cli::Command>> made;
  for (const pto2::cli::CommandSpec& spec : pto2::cli::commands()) {
    if (spec.make == nullptr) continue;
    made.push_back(spec.make(*app.add_subcommand(spec.name, spec.description)));
  }
  parse(app, arguments);
  for (const CLI::Option* option : app.get_subcommands().front()->get_options()) {
    if (option->count() != 0) expect_in_range(*option);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const auto arguments = pto2::fuzz::split(pto2::fuzz::Bytes(data, size).rest(), '\n');
  try {
    const char* const program = pto2::cli::find_program(arguments.front());
    if (program != nullptr && std::string_view(program) == "pto2-check") {
      parse_check(arguments);
    } else {
      parse_own(arguments);
    }
  } catch (const CLI::ParseError& error) {
    expect(error.get_exit_code() == 0 || error.what()[0] != '\0', "refused without a word");
  }
  return 0;
}
