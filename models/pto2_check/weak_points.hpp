/// Finds where the memory orders of core can be weakened: the sites that the scenarios pass, and
/// the places in the source that use them.
#pragma once

#include <set>
#include <source_location>
#include <stop_token>
#include <string>
#include <vector>

#include "models/pto2_check/checking.hpp"
#include "models/support/model_policy.hpp"

namespace pto2::scenarios {

/// A site as a whole, or one of its uses alone.
struct WeakPoint {
  const OrderSite* site;
  std::vector<std::source_location> uses;  ///< every use of the site that was met, or the one
  bool whole;                              ///< the site as a whole
  std::string place;  ///< of the use, as place_text has it; "everywhere" if there are several
  /// Those that pass it in some executions, in the order in which they are to be tried: those of
  /// the site's own piece first, those of the whole runtime last.
  std::vector<const Entry*> entries;
};

/// The uses that sampled executions of `entry` pass. Fewer once a stop is requested.
std::set<OrderUse> uses_met_by(const Entry& entry, const std::stop_token& stop);

/// What there is to weaken in `entries`, which outlive the result: each site, by name, as a whole
/// and then, if it has several uses, each of them alone.
std::vector<WeakPoint> weak_points(const std::vector<Entry>& entries, const std::stop_token& stop);

/// Folder, file and line: "core/x.hpp:12".
std::string place_text(const std::source_location& where);

}  // namespace pto2::scenarios
