/// A chip as JSON, in reports.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/chip/chip.hpp"

namespace pto2 {

/// {"name":..,"blocks":..,..}, with the keys of a chip file.
inline nlohmann::ordered_json chip_json(const Chip& chip) {
  nlohmann::ordered_json json = {{"name", chip.name}};
  for (const ChipNumber& number : chip_numbers()) json[number.name] = chip.*number.member;
  return json;
}

}  // namespace pto2
