#include "runtime/cli/platform.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/chip/config_error.hpp"
#include "runtime/cli/toml_file.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

constexpr const char* name_key = "name";

constexpr std::array buffers{
    BufferSize{"ub_bytes", "PTO_UBUF_SIZE_BYTES", &CoreBuffers::ub},
    BufferSize{"l1_bytes", "PTO_CBUF_SIZE_BYTES", &CoreBuffers::l1},
    BufferSize{"l0a_bytes", "PTO_L0A_SIZE_BYTES", &CoreBuffers::l0a},
    BufferSize{"l0b_bytes", "PTO_L0B_SIZE_BYTES", &CoreBuffers::l0b},
    BufferSize{"l0c_bytes", "PTO_L0C_SIZE_BYTES", &CoreBuffers::l0c},
};

/// Of the known chips: what only a5 has larger.
CoreBuffers buffers_of_known(const std::string& name) {
  if (name == "a5sim") return {.ub = 256 << 10, .l0c = 256 << 10};
  return {};
}

const Chip* known_chip(const std::string& name) {
  const std::span<const Chip> chips = known_chips();
  const auto found = std::ranges::find(chips, name, &Chip::name);
  return found == chips.end() ? nullptr : &*found;
}

void check_chip_keys(const toml::table& table, const std::string& path) {
  std::string keys = name_key;
  for (const ChipNumber& number : chip_numbers()) keys += fmt::format(", {}", number.name);
  for (const BufferSize& size : buffers) keys += fmt::format(", {}", size.name);
  for (const auto& [key, node] : table) {
    const auto is_key = [&](const auto& number) { return key.str() == number.name; };
    if (key.str() == name_key || std::ranges::any_of(chip_numbers(), is_key) ||
        std::ranges::any_of(buffers, is_key)) {
      continue;
    }
    throw CliError(exit_bad_input,
                   fmt::format("{}: a chip has no key {}; take it out, or use one of {}",
                               origin_of(path, node), key.str(), keys));
  }
}

const toml::node& chip_value(const toml::table& table, const std::string& path, const char* key,
                             const std::string& example) {
  if (const toml::node* node = table.get(key)) return *node;
  throw CliError(exit_bad_input, fmt::format("{}: {} is missing; add a line such as {} = {}", path,
                                             key, key, example));
}

uint32_t read_number(const toml::table& table, const std::string& path, const ChipNumber& number) {
  const toml::node& node =
      chip_value(table, path, number.name, std::to_string(known_chips().front().*number.member));
  const auto* const value = node.as_integer();
  if (value != nullptr && value->get() >= number.low && value->get() <= number.high) {
    return static_cast<uint32_t>(value->get());
  }
  throw CliError(exit_bad_input, fmt::format("{}: {} {}; it must be a whole number in {}..{}",
                                             origin_of(path, node), number.name,
                                             value == nullptr ? "is no whole number"
                                                              : fmt::format("is {}", value->get()),
                                             number.low, number.high));
}

std::string read_name(const toml::table& table, const std::string& path) {
  const toml::node& node = chip_value(table, path, name_key, "\"my_chip\"");
  const auto* const text = node.as_string();
  if (text == nullptr) {
    throw CliError(exit_bad_input,
                   fmt::format("{}: name is no string; write it in quotes", origin_of(path, node)));
  }
  if (known_chip(text->get()) == nullptr) return text->get();
  throw CliError(exit_bad_input,
                 fmt::format("{}: {} is the name of a chip that pto2 knows; give yours another, so "
                             "that reports tell them apart",
                             origin_of(path, node), text->get()));
}

uint32_t read_size(const toml::node& node, const std::string& path, const BufferSize& size) {
  const auto* const value = node.as_integer();
  if (value != nullptr && value->get() > 0 && value->get() <= largest_buffer &&
      value->get() % buffer_unit == 0) {
    return static_cast<uint32_t>(value->get());
  }
  throw CliError(exit_bad_input, fmt::format("{}: {} {}; it must be a multiple of {}, up to {}",
                                             origin_of(path, node), size.name,
                                             value == nullptr ? "is no whole number"
                                                              : fmt::format("is {}", value->get()),
                                             buffer_unit, largest_buffer));
}

/// The line of the key that an error is about, if it is one.
std::string place_of(const ConfigError& error, const toml::table& table, const std::string& path) {
  const bool is_one = error.settings().size() == 1;
  const toml::node* const node = is_one ? table.get(error.settings().front()) : nullptr;
  return node == nullptr ? path : origin_of(path, *node);
}

struct ChipFile {
  Chip chip;
  CoreBuffers buffers;
};

ChipFile read_chip_file(const std::string& path) {
  const toml::table table = read_toml_file(path);
  check_chip_keys(table, path);
  ChipFile file;
  Chip& chip = file.chip;
  chip.name = read_name(table, path);
  for (const ChipNumber& number : chip_numbers()) {
    if (number.optional && !table.contains(number.name)) continue;
    chip.*number.member = read_number(table, path, number);
  }
  for (const BufferSize& size : buffers) {
    if (const toml::node* node = table.get(size.name)) {
      file.buffers.*size.member = read_size(*node, path, size);
    }
  }
  try {
    validate(chip);
  } catch (const ConfigError& error) {
    throw CliError(exit_bad_input,
                   fmt::format("{}: {}", place_of(error, table, path), error.what()));
  }
  return file;
}

}  // namespace

std::span<const BufferSize> buffer_sizes() {
  return buffers;
}

std::string platforms_text() {
  std::string text;
  for (const Chip& chip : known_chips()) text += chip.name + " or ";
  return text + "a chip file NAME.toml";
}

bool is_platform(const std::string& platform) {
  return known_chip(platform) != nullptr || platform.ends_with(".toml");
}

Chip chip_of_platform(const std::string& platform) {
  const Chip* const known = known_chip(platform);
  return known != nullptr ? *known : read_chip_file(platform).chip;
}

CoreBuffers buffers_of_platform(const std::string& platform) {
  const Chip* const known = known_chip(platform);
  return known != nullptr ? buffers_of_known(platform) : read_chip_file(platform).buffers;
}

}  // namespace pto2::cli
