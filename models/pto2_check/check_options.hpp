/// The options of `pto2 check`.
#pragma once

#include <string>

#include "models/pto2_check/checking.hpp"

namespace CLI {
class App;
}

namespace pto2::scenarios {

struct CheckArguments {
  std::string pattern;
  bool deep = false;
  bool list = false;
  bool weaken = false;
  bool mutants = false;
  bool quick = false;
  std::string index;
  bool update = false;
  CheckSettings settings;
  std::string json;
  std::string junit;
};

/// Parses them into `arguments`, which must outlive the subcommand.
void add_check_options(CLI::App& check_command, CheckArguments& arguments);

}  // namespace pto2::scenarios
