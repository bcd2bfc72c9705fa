/// Options of workloads: what can be changed about a case, by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace pto2::workloads {

/// What the value of an option is, in the order of OptionValue's alternatives.
enum class OptionKind {
  real,     ///< a number that a float can hold
  lengths,  ///< one or more positive numbers
};
using OptionValue = std::variant<double, std::vector<int64_t>>;

/// "real" or "lengths".
const char* kind_name(OptionKind kind);

struct OptionSpec {
  const char* name;         ///< in lower case with hyphens; of no setting of `pto2 run`
  const char* environment;  ///< variable that gives it, too, or null
  OptionKind kind;
  const char* help;  ///< what it changes, how it is written, its default
};

/// What is allowed, for messages: "a finite number such as 0.25".
const char* allowed_values(OptionKind kind);

/// The value that `text` stands for: a decimal number such as 0.25 or 1e-3, or positive decimal
/// numbers separated by commas such as 8193,4096. Nothing for anything else.
std::optional<OptionValue> parse_option(OptionKind kind, const std::string& text);

/// Changes to a case.
struct CaseOptions {
  /// The options that are given, by name; the others are as the case has them.
  std::map<std::string, OptionValue> values;
  /// Seed of the inputs.
  uint64_t seed = 1;

  /// The value of an option; null if it is not given. T is the type of the option's kind.
  template <class T>
  const T* find(const OptionSpec& option) const {
    const auto found = values.find(option.name);
    return found == values.end() ? nullptr : &std::get<T>(found->second);
  }
};

/// An option that a workload does not have, or whose value does not fit the case.
class OptionError : public std::invalid_argument {
 public:
  OptionError(std::string option, const std::string& problem)
      : std::invalid_argument(problem), option_(std::move(option)) {}
  /// Its name.
  const std::string& option() const { return option_; }

 private:
  std::string option_;
};

}  // namespace pto2::workloads
