/// Weakens the named memory orders of core, one at a time, without compiling anything anew.
#pragma once

#include <map>
#include <string>
#include <utility>
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

/// Why nothing showed one that survived.
std::string why_it_survived(const WeakeningResult& result);

/// Tries weakenings. The entries of their points outlive it.
class Weakener {
 public:
  explicit Weakener(const CheckSettings& settings) : settings_(settings) {}

  /// Puts `order` at `point` and runs its entries until one shows a violation, and none without it.
  WeakeningResult weaken(const WeakPoint& point, std::memory_order order);

 private:
  bool is_witness(WeakeningResult& result, const Entry& entry, const model::Violation& violation);

  CheckSettings settings_;
  std::map<const Entry*, model::Report> without_;  ///< of those that showed a violation
};

/// Holds one weakening, or none, for its own lifetime.
class Weakened {
 public:
  explicit Weakened(const Weakening& weakening)
      : former_(std::exchange(Model::weakening, weakening)) {}
  ~Weakened() { Model::weakening = former_; }
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;

 private:
  Weakening former_;
};

}  // namespace pto2::scenarios
