/// METG, the minimum effective task granularity: the smallest kernel duration at which a runtime
/// still has some efficiency (Slaughter et al., Task Bench, SC'20).
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace pto2::bench {

/// A METG.
struct Granularity {
  double ns;
  bool at_most;  ///< the shortest kernel that is tried has the efficiency
};

class GranularitySearch {
 public:
  /// A kernel takes whole turns of its loop: not quite as long as is wanted.
  struct Point {
    double kernel_ns;
    double efficiency;
  };
  using Measure = std::function<Point(double wanted_ns)>;
  static constexpr double shortest = 8;
  static constexpr double longest = 1 << 20;

  explicit GranularitySearch(Measure measure) : measure_(std::move(measure)) {}

  /// The smallest duration with at least `target`, of what is wanted at most 9 % too large. Empty:
  /// it is not reached. Efficiency should rise with the duration.
  std::optional<Granularity> smallest(double target) {
    double high = shortest;
    while (at(high).efficiency < target) {
      high *= 2;
      if (high > longest) return std::nullopt;
    }
    if (high == shortest) return Granularity{at(high).kernel_ns, true};
    double low = high / 2;
    for (int step = 0; step < 3; ++step) {
      const double middle = std::sqrt(low * high);
      (at(middle).efficiency < target ? low : high) = middle;
    }
    return Granularity{at(high).kernel_ns, false};
  }

  /// Efficiency by duration, of all that were measured.
  [[nodiscard]] std::map<double, double> curve() const {
    std::map<double, double> result;
    for (const auto& [wanted_ns, point] : points_) result[point.kernel_ns] = point.efficiency;
    return result;
  }

 private:
  const Point& at(double wanted_ns) {
    const auto known = points_.find(wanted_ns);
    if (known != points_.end()) return known->second;
    return points_[wanted_ns] = measure_(wanted_ns);
  }

  Measure measure_;
  std::map<double, Point> points_;  // by what was wanted
};

}  // namespace pto2::bench
