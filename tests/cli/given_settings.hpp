/// Settings of a run whose flags, variables and lines of a file a test gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/cli/settings.hpp"

namespace pto2::cli {

using Given = std::map<std::string, std::string>;

/// The variables of given(), by name.
inline Given& given_variables() {
  static Given variables;
  return variables;
}

/// The settings of these flags, by name, with variables instead of those of this process.
inline Settings given(const Given& flags, const Given& variables = {},
                      const std::vector<ConfigEntry>& file = {}) {
  given_variables() = variables;
  const auto environment = [](const char* name) -> const char* {
    const auto found = given_variables().find(name);
    return found == given_variables().end() ? nullptr : found->second.c_str();
  };
  return Settings({flags, file, environment});
}

}  // namespace pto2::cli
