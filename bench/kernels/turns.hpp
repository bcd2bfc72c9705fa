/// Contenders that are measured in turns within one process, so that what the machine does besides
/// slows all of them alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pto2::bench {

struct Contender {
  std::string name;
  double units;  ///< of work in one call: what its time is divided by
  std::function<void()> call;
};

struct Timing {
  std::string name;
  double ns;     ///< per unit, the median over the rounds
  double ratio;  ///< to the first contender's, the median of the rounds' ratios
};

/// `ns[round][contender]` are nanoseconds per unit.
[[nodiscard]] std::vector<Timing> timings_of(const std::vector<Contender>& contenders,
                                             const std::vector<std::vector<double>>& ns);

/// Measures each for a slice of 40 to 80 microseconds, in every round, after a call that is not
/// counted. The first contender is the one that the others are compared with.
[[nodiscard]] std::vector<Timing> measure_in_turns(const std::vector<Contender>& contenders);

}  // namespace pto2::bench
