#include "runtime/cli/program_argument.hpp"

#include <fmt/core.h>

#include <string_view>

#include "runtime/cli/setting_values.hpp"

namespace pto2::cli {

ProgramArgument parse_program_argument(const std::string& text) {
  const auto reject = [&] {
    throw CliError(exit_usage, fmt::format("--arg: '{}' is not allowed; it must be scalar:N, a "
                                           "whole number of 64 bits, or "
                                           "buffer:BYTES[:zero|:random] with 1..1024G bytes",
                                           text));
  };
  const std::string_view view = text;
  if (view.starts_with("scalar:")) {
    const bool is_negative = view.substr(7).starts_with('-');
    const auto value = parse_count(view.substr(is_negative ? 8 : 7));
    constexpr uint64_t most_negative = uint64_t{1} << 63;
    if (!value || (is_negative && *value > most_negative)) reject();
    return {false, is_negative ? uint64_t{0} - *value : *value, false};
  }
  if (!view.starts_with("buffer:")) reject();
  std::string_view bytes = view.substr(7);
  std::string_view content = "zero";
  if (const auto colon = bytes.find(':'); colon != std::string_view::npos) {
    content = bytes.substr(colon + 1);
    bytes = bytes.substr(0, colon);
  }
  const auto count = parse_size(bytes);
  const bool known = content == "zero" || content == "random";
  if (!count || *count == 0 || *count > max_buffer_bytes || !known) reject();
  return {true, *count, content == "random"};
}

std::string to_string(const ProgramArgument& argument) {
  if (!argument.is_buffer) return fmt::format("scalar:{}", argument.number);
  return fmt::format("buffer:{}:{}", argument.number, argument.is_random ? "random" : "zero");
}

}  // namespace pto2::cli
