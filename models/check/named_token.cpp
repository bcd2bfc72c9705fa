#include "models/check/named_token.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "models/check/weakening.hpp"

namespace pto2::scenarios {
namespace {

std::string weakening_text(const OrderSite& site, std::memory_order order) {
  return std::string(site.name) + "=" + model::to_string(order);
}

/// The weakening `text` of a site that `entry` uses.
Weakening weakening_of(const Entry& entry, const std::string& text) {
  for (const OrderSite* site : sites_used_by(entry)) {
    for (const std::memory_order order : weaker_orders(*site)) {
      if (weakening_text(*site, order) == text) return {site, order};
    }
  }
  throw std::invalid_argument("the replay token weakens " + text + ", which " + entry.name +
                              " has no place for");
}

}  // namespace

std::string named_token(const std::string& scenario, const std::string& token) {
  const auto& [site, order] = Model::weakening;
  return scenario + (site == nullptr ? "" : "+" + weakening_text(*site, order)) + "@" + token;
}

model::Report replay_named(const std::vector<Entry>& entries, const std::string& token) {
  const std::size_t at = token.find('@');
  if (at == std::string::npos) {
    throw std::invalid_argument("a replay token is SCENARIO@pto2.1:..., as a report prints it");
  }
  const std::string program = token.substr(0, at);
  const std::size_t plus = program.find('+');
  const std::string name = program.substr(0, plus);
  const auto entry = std::ranges::find(entries, name, &Entry::name);
  if (entry == entries.end()) {
    throw std::invalid_argument("the replay token names the scenario " + name +
                                ", which does not exist; pto2 check --list shows those that do");
  }
  std::optional<Weakened> weakened;
  if (plus != std::string::npos) {
    const Weakening weakening = weakening_of(*entry, program.substr(plus + 1));
    weakened.emplace(*weakening.site, weakening.order);
  }
  return replay(*entry, token.substr(at + 1));
}

}  // namespace pto2::scenarios
