#include "runtime/cli/config_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/cli/toml_file.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

/// The text of a scalar, "on" or "off" of a boolean, or that of an array of integers; nothing if it
/// is none of these.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "on" : "off";
  const toml::array* const list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::string text;
  for (const toml::node& element : *list) {
    if (!element.is_integer()) return std::nullopt;
    if (!text.empty()) text += ',';
    text += std::to_string(element.as_integer()->get());
  }
  return text;
}

void add_entries(const toml::table& table, const std::string& path, bool top,
                 std::vector<ConfigEntry>& entries) {
  for (const auto& [key, node] : table) {
    const std::string origin = origin_of(path, node);
    if (const toml::table* inner = node.as_table()) {
      if (!top || key.str() != "run") {
        throw CliError(exit_bad_input, fmt::format("{}: table [{}] is not known; settings stand at "
                                                   "the top or in [run]",
                                                   origin, key.str()));
      }
      add_entries(*inner, path, false, entries);
      continue;
    }
    const std::optional<std::string> text = text_of(node);
    if (!text) {
      throw CliError(exit_bad_input, fmt::format("{}: the value of {} must be a string, a number, "
                                                 "a boolean or an array of integers",
                                                 origin, key.str()));
    }
    ConfigEntry entry{std::string(key.str()), *text, origin};
    std::replace(entry.key.begin(), entry.key.end(), '_', '-');
    const auto same = [&](const ConfigEntry& other) { return other.key == entry.key; };
    if (std::any_of(entries.begin(), entries.end(), same)) {
      throw CliError(exit_bad_input, fmt::format("{}: {} is given twice", origin, entry.key));
    }
    entries.push_back(std::move(entry));
  }
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::string& path) {
  std::vector<ConfigEntry> entries;
  add_entries(read_toml_file(path), path, true, entries);
  return entries;
}

}  // namespace pto2::cli
