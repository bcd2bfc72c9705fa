/// Weakens the named memory orders of core, one at a time, without compiling anything anew.
#pragma once

#include <string>
#include <vector>

#include "models/pto2_check/checking.hpp"
#include "models/pto2_check/mutant_status.hpp"
#include "models/pto2_check/weak_points.hpp"
#include "models/support/model_policy.hpp"

namespace pto2::scenarios {

/// The orders that come next below that of `site`, for its operation; none for relaxed.
std::vector<std::memory_order> weaker_orders(const OrderSite& site);

struct WeakeningResult {
  std::string site;
  std::string place;  ///< as in WeakPoint
  std::string from;
  std::string to;
  MutantStatus status = MutantStatus::survived;
  std::string witness;  ///< the scenario that killed it
  std::string effect;   ///< what it showed
  std::string token;    ///< of the witness, see named_token
  double seconds = 0;
};

/// Puts `order` at `point` and runs its entries until one shows a violation.
WeakeningResult weaken(const WeakPoint& point, std::memory_order order,
                       const CheckSettings& settings);

/// Holds one weakening for its own lifetime.
class Weakened {
 public:
  explicit Weakened(const Weakening& weakening) { Model::weakening = weakening; }
  ~Weakened() { Model::weakening = {}; }
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;
};

}  // namespace pto2::scenarios
