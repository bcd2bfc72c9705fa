/// How many executions each scenario has on the model policy.
#pragma once

#include <cstdint>
#include <string>

namespace pto2::scenarios {

enum class Effort {
  few,   ///< seconds: with every push
  many,  ///< minutes, or a good part of what all others take: on demand, and every night
};

struct Expectation {
  uint64_t executions;  ///< complete ones
  Effort effort = Effort::few;
};

/// Of the scenario `name`; no executions and few if it is not listed.
Expectation expectation_of(const std::string& name);

/// "5,080 executions" or "869,459 executions (--deep)".
std::string effort_text(const Expectation& expected);

/// 1234567 as "1,234,567".
std::string grouped(uint64_t number);

}  // namespace pto2::scenarios
