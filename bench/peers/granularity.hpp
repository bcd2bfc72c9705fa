/// METG, the minimum effective task granularity: the smallest kernel duration at which a runtime
/// still has some efficiency (Slaughter et al., Task Bench, SC'20).
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace pto2::bench {

class GranularitySearch {
 public:
  using EfficiencyOf = std::function<double(double kernel_ns)>;
  static constexpr double shortest = 8;
  static constexpr double longest = 1 << 20;

  explicit GranularitySearch(EfficiencyOf efficiency_of)
      : efficiency_of_(std::move(efficiency_of)) {}

  /// The smallest duration in nanoseconds with at least `target`, at most 9 % too large. Empty: it
  /// is not reached. Efficiency should rise with the duration.
  std::optional<double> smallest(double target) {
    double high = shortest;
    while (at(high) < target) {
      high *= 2;
      if (high > longest) return std::nullopt;
    }
    if (high == shortest) return high;
    double low = high / 2;
    for (int step = 0; step < 3; ++step) {
      const double middle = std::sqrt(low * high);
      (at(middle) < target ? low : high) = middle;
    }
    return high;
  }

  /// Efficiency by duration, of all that were measured.
  [[nodiscard]] const std::map<double, double>& curve() const { return curve_; }

 private:
  double at(double kernel_ns) {
    const auto known = curve_.find(kernel_ns);
    if (known != curve_.end()) return known->second;
    return curve_[kernel_ns] = efficiency_of_(kernel_ns);
  }

  EfficiencyOf efficiency_of_;
  std::map<double, double> curve_;
};

}  // namespace pto2::bench
