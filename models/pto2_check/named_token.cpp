#include "models/pto2_check/named_token.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "models/pto2_check/weakening.hpp"

namespace pto2::scenarios {
namespace {

/// SITE=ORDER, or SITE:FILE:LINE:COLUMN=ORDER for one use.
std::string weakening_text(const Weakening& weakening) {
  std::string text(weakening.site);
  if (weakening.use) {
    text += ":" + place_text(*weakening.use) + ":" + std::to_string(weakening.use->column());
  }
  return text + "=" + model::to_string(weakening.order);
}

/// The weakening `text` of a site, or of one use, that `entry` passes.
Weakening weakening_of(const Entry& entry, const std::string& text) {
  for (const OrderUse& use : uses_met_by(entry, {})) {
    for (const std::memory_order order : weaker_orders(*use.site)) {
      for (const Weakening& weakening :
           {Weakening{use.site->name, order}, Weakening{use.site->name, order, use.where}}) {
        if (weakening_text(weakening) == text) return weakening;
      }
    }
  }
  throw std::invalid_argument("the replay token weakens " + text + ", which " + entry.name +
                              " has no place for");
}

}  // namespace

std::string named_token(const std::string& scenario, const std::string& token) {
  const Weakening& weakening = Model::weakening;
  return scenario + (weakening.site.empty() ? "" : "+" + weakening_text(weakening)) + "@" + token;
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
    weakened.emplace(weakening_of(*entry, program.substr(plus + 1)));
  }
  return replay(*entry, token.substr(at + 1));
}

}  // namespace pto2::scenarios
