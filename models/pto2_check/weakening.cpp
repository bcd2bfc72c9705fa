#include "models/pto2_check/weakening.hpp"

#include "models/pto2_check/named_token.hpp"

namespace pto2::scenarios {

std::vector<std::memory_order> weaker_orders(const OrderSite& site) {
  switch (site.order) {
    case std::memory_order_seq_cst:
      switch (site.operation) {
        case Operation::load:
          return {std::memory_order_acquire};
        case Operation::store:
          return {std::memory_order_release};
        case Operation::update:
          return {std::memory_order_acq_rel};
      }
      return {};
    case std::memory_order_acq_rel:
      return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_consume:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    case std::memory_order_relaxed:
      return {};
  }
  return {};
}

WeakeningResult weaken(const WeakPoint& point, std::memory_order order,
                       const CheckSettings& settings) {
  WeakeningResult result;
  result.site = point.site->name;
  result.place = point.place;
  result.from = model::to_string(point.site->order);
  result.to = model::to_string(order);
  Weakening weakening{point.site->name, order};
  if (!point.whole) weakening.use = point.uses[0];
  const Weakened weakened(weakening);
  for (const Entry* entry : point.entries) {
    const model::Report report = check(*entry, settings);
    result.seconds += report.seconds;
    if (!report.violation) {
      if (report.complete) continue;
      result.status = MutantStatus::inconclusive;
      result.effect = entry->name + " is not complete: " + report.reason;
      continue;
    }
    result.status = MutantStatus::killed;
    result.witness = entry->name;
    result.effect =
        std::string(to_string(report.violation->kind)) + ": " + report.violation->message;
    result.token = named_token(entry->name, report.violation->token);
    return result;
  }
  if (settings.stop.stop_requested()) {
    result.status = MutantStatus::inconclusive;
    result.effect = "it was stopped";
  }
  return result;
}

}  // namespace pto2::scenarios
