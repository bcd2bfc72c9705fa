/// How many executions each scenario has on the model policy.
#pragma once

#include <cstdint>
#include <string>

namespace pto2::scenarios {

enum class Effort {
  few,      ///< seconds
  many,     ///< minutes: explored on demand
  sampled,  ///< more than can be explored
};

struct Expectation {
  uint64_t executions;  ///< complete ones; 0 if sampled
  Effort effort = Effort::few;
};

/// Of the scenario `name`; no executions and few if it is not listed.
Expectation expectation_of(const std::string& name);

}  // namespace pto2::scenarios
