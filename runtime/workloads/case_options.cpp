#include "runtime/workloads/case_options.hpp"

#include <charconv>
#include <cmath>

namespace pto2::workloads {
namespace {

std::optional<OptionValue> parse_real(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  const auto as_float = static_cast<float>(value);
  if (!std::isfinite(as_float) || (as_float == 0) != (value == 0)) return std::nullopt;
  return value;
}

std::optional<OptionValue> parse_lengths(const std::string& text) {
  std::vector<int64_t> lengths;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    int64_t length = 0;
    const auto [stop, error] = std::from_chars(at, end, length);
    if (error != std::errc() || length <= 0 || (stop != end && *stop != ',')) return std::nullopt;
    lengths.push_back(length);
    if (stop == end) return lengths;
    at = stop + 1;
  }
}

struct Kind {
  const char* name;
  const char* allowed;
  std::optional<OptionValue> (*parse)(const std::string& text);
};

/// In the order of OptionKind.
constexpr Kind kinds[] = {
    {"real", "a finite number that a float holds, such as 0.25", parse_real},
    {"lengths", "positive numbers separated by commas, e.g. 33,17", parse_lengths}};

const Kind& entry_of(OptionKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

const char* kind_name(OptionKind kind) {
  return entry_of(kind).name;
}

const char* allowed_values(OptionKind kind) {
  return entry_of(kind).allowed;
}

std::optional<OptionValue> parse_option(OptionKind kind, const std::string& text) {
  return entry_of(kind).parse(text);
}

}  // namespace pto2::workloads
