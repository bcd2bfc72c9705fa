/// Settings: a TOML file, and behind it, separated by NUL bytes, variables "NAME=VALUE" and flags
/// "--NAME=VALUE". They must be refused as usage or bad input, or make a device and options that
/// are in order, and given again as flags say the same.
#include <exception>

#include "runtime/cli/settings.hpp"
#include "tests/cli/given_settings.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using pto2::cli::CliError;
using pto2::cli::Given;
using pto2::cli::Settings;

void check(const Settings& settings) {
  static_cast<void>(settings.case_options());
  Given flags;
  for (const auto& spec : pto2::cli::setting_specs()) {
    const auto& value = settings[spec];
    // What nobody has set may be of no workload, or empty.
    if (value.source != pto2::cli::Source::built_in) flags[spec.name] = value.text;
  }
  const auto again = pto2::fuzz::accepted<CliError>([&] { return pto2::cli::given(flags); });
  for (const auto& spec : pto2::cli::setting_specs()) {
    if (again[spec].text == settings[spec].text) continue;
    pto2::fuzz::report(std::string(spec.name) + " is " + settings[spec].text +
                       ", but given again " + again[spec].text);
  }
  validate(settings.device_config());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2::cli;
  static pto2::fuzz::MemoryFile file;
  const auto parts = pto2::fuzz::split(pto2::fuzz::Bytes(data, size).rest(), '\0');
  Given flags;
  Given variables;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos) continue;
    const std::string name = parts[i].substr(0, equals);
    const bool is_flag = name.starts_with("--");
    (is_flag ? flags[name.substr(2)] : variables[name]) = parts[i].substr(equals + 1);
  }
  file.write(parts.front());
  try {
    check(given(flags, variables, read_config_file(file.path())));
  } catch (const CliError& error) {
    pto2::fuzz::expect(error.code() == exit_usage || error.code() == exit_bad_input,
                       "refused with another code than usage or bad input");
    pto2::fuzz::expect(error.what()[0] != '\0', "refused without a word");
  }
  return 0;
}
