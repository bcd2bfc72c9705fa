/// Weakens the named memory orders of core, one at a time, without compiling anything anew.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/check/checking.hpp"
#include "models/check/outcome.hpp"
#include "models/support/model_policy.hpp"

namespace pto2::scenarios {

/// A site that an entry passes in some executions, with the entries that do, in the order in which
/// they are to be tried: those of the site's own piece first, those of the whole runtime last.
struct SiteUse {
  const OrderSite* site;
  std::vector<const Entry*> entries;
};

/// The sites that sampled executions of `entry` pass.
std::set<const OrderSite*> sites_used_by(const Entry& entry, const std::stop_token& stop = {});

/// The sites of `entries`, by name.
std::vector<SiteUse> sites_of(const std::vector<Entry>& entries, const std::stop_token& stop = {});

/// The orders that come next below that of `site`, for its operation; none for relaxed.
std::vector<std::memory_order> weaker_orders(const OrderSite& site);

struct WeakeningResult {
  std::string site;
  std::string from;
  std::string to;
  Outcome outcome = Outcome::survived;
  std::string witness;  ///< the scenario that killed it
  std::string effect;   ///< what it showed
  std::string token;    ///< of the witness, see named_token
  double seconds = 0;
};

/// Puts `order` at `use.site` and runs the entries until one shows a violation.
WeakeningResult weaken(const SiteUse& use, std::memory_order order, const CheckSettings& settings);

/// Holds one weakening for its own lifetime.
class Weakened {
 public:
  Weakened(const OrderSite& site, std::memory_order order) { Model::weakening = {&site, order}; }
  ~Weakened() { Model::weakening = {}; }
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;
};

}  // namespace pto2::scenarios
