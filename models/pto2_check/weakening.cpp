#include "models/pto2_check/weakening.hpp"

#include "models/pto2_check/named_token.hpp"

namespace pto2::scenarios {
namespace {

std::string shown_by(const model::Violation& violation) {
  return std::string(to_string(violation.kind)) + ": " + violation.message;
}

}  // namespace

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

std::string why_it_survived(const WeakeningResult& result) {
  return result.effect.empty() ? "no scenario needs the stronger order" : result.effect;
}

WeakeningResult Weakener::weaken(const WeakPoint& point, std::memory_order order) {
  WeakeningResult result;
  result.site = point.site->name;
  result.place = point.place;
  result.from = model::to_string(point.site->order);
  result.to = model::to_string(order);
  Weakening weakening{point.site->name, order};
  if (!point.whole) weakening.use = point.uses[0];
  const Weakened weakened(weakening);
  for (const Entry* entry : point.entries) {
    const model::Report report = check(*entry, settings_);
    result.seconds += report.seconds;
    if (report.violation) {
      if (is_witness(result, *entry, *report.violation)) return result;
    } else if (!report.complete) {
      result.status = MutantStatus::inconclusive;
      result.effect = entry->name + " is not complete: " + report.reason;
    }
  }
  if (settings_.stop.stop_requested()) {
    result.status = MutantStatus::inconclusive;
    result.effect = "it was stopped";
  }
  return result;
}

/// Whether it is the weakening that `entry` has shown `violation` for. Says so in the result, or
/// why it is not.
bool Weakener::is_witness(WeakeningResult& result, const Entry& entry,
                          const model::Violation& violation) {
  const auto [known, is_new] = without_.try_emplace(&entry);
  model::Report& without = known->second;
  if (is_new) {
    const Weakened by_nothing({});
    without = check(entry, settings_);
    result.seconds += without.seconds;
  }
  if (without.violation) {
    result.effect =
        entry.name + " fails without the weakening, too: " + shown_by(*without.violation);
    return false;
  }
  if (!without.complete) {
    result.status = MutantStatus::inconclusive;
    result.effect = entry.name + " is not complete without the weakening: " + without.reason;
    return false;
  }
  result.status = MutantStatus::killed;
  result.witness = entry.name;
  result.effect = shown_by(violation);
  result.token = named_token(entry.name, violation.token);
  return true;
}

}  // namespace pto2::scenarios
