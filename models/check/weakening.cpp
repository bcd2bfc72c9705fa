#include "models/check/weakening.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/check/named_token.hpp"

namespace pto2::scenarios {
namespace {

/// Rank of an entry among those to try for a site of `piece`: the piece's own scenarios, then those
/// of the core; the smaller ones first.
std::tuple<bool, bool, uint64_t> rank(const Entry& entry, const std::string& piece) {
  const bool sampled = entry.expected.effort == Effort::sampled;
  return {!entry.name.starts_with(piece + "/"), entry.name.starts_with("runtime/"),
          sampled ? UINT64_MAX : entry.expected.executions};
}

}  // namespace

std::set<const OrderSite*> sites_used_by(const Entry& entry, const std::stop_token& stop) {
  std::set<const OrderSite*> sites;
  Model::sites_used = &sites;
  for (const auto strategy : {model::Strategy::random_walk, model::Strategy::bursts}) {
    model::Options options;
    options.name = entry.name;
    options.strategy = strategy;
    options.samples = 200;
    options.stop = stop;
    model::explore(options, entry.body);
  }
  Model::sites_used = nullptr;
  return sites;
}

std::vector<SiteUse> sites_of(const std::vector<Entry>& entries, const std::stop_token& stop) {
  std::map<std::string, SiteUse> by_name;
  for (const Entry& entry : entries) {
    for (const OrderSite* site : sites_used_by(entry, stop)) {
      SiteUse& use = by_name[site->name];
      use.site = site;
      use.entries.push_back(&entry);
    }
  }
  std::vector<SiteUse> uses;
  for (auto& [name, use] : by_name) {
    const std::string piece = name.substr(0, name.find('.'));
    std::ranges::stable_sort(use.entries, {},
                             [&](const Entry* entry) { return rank(*entry, piece); });
    uses.push_back(std::move(use));
  }
  return uses;
}

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

WeakeningResult weaken(const SiteUse& use, std::memory_order order, const CheckSettings& settings) {
  WeakeningResult result;
  result.site = use.site->name;
  result.from = model::to_string(use.site->order);
  result.to = model::to_string(order);
  const Weakened weakened(*use.site, order);
  for (const Entry* entry : use.entries) {
    const model::Report report = check(*entry, settings);
    result.seconds += report.seconds;
    if (!report.violation) {
      if (!report.complete && entry->expected.effort != Effort::sampled) {
        result.effect = entry->name + " is not complete: " + report.reason;
      }
      continue;
    }
    result.outcome = Outcome::killed;
    result.witness = entry->name;
    result.effect =
        std::string(to_string(report.violation->kind)) + ": " + report.violation->message;
    result.token = named_token(entry->name, report.violation->token);
    return result;
  }
  if (settings.stop.stop_requested()) {
    result.outcome = Outcome::inconclusive;
    result.effect = "it was stopped";
  }
  return result;
}

}  // namespace pto2::scenarios
