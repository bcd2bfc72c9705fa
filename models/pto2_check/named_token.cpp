#include "models/pto2_check/named_token.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "models/pto2_check/weakening.hpp"
#include "runtime/output/replay_token.hpp"

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

/// The weakening `text` of a site, or of one use, that `entry` passes; nothing if there is none.
std::optional<Weakening> weakening_of(const Entry& entry, const std::string& text) {
  for (const OrderUse& use : uses_met_by(entry, {})) {
    for (const std::memory_order order : weaker_orders(*use.site)) {
      for (const Weakening& weakening :
           {Weakening{use.site->name, order}, Weakening{use.site->name, order, use.where}}) {
        if (weakening_text(weakening) == text) return weakening;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string named_token(const std::string& scenario, const std::string& token) {
  if (token.empty()) return {};
  const Weakening& weakening = Model::weakening;
  return to_string(cli::ReplayToken{cli::TokenKind::check, scenario,
                                    weakening.site.empty() ? "" : weakening_text(weakening),
                                    token});
}

model::Report replay_named(const std::vector<Entry>& entries, const std::string& text) {
  const cli::ReplayToken token = cli::parse_replay_token(text, cli::TokenKind::check);
  const auto entry = std::ranges::find(entries, token.subject, &Entry::name);
  if (entry == entries.end()) {
    throw cli::TokenError(text, cli::TokenPart::subject,
                          "no scenario; pto2 check --list shows those that there are");
  }
  std::optional<Weakened> weakened;
  if (!token.weakening.empty()) {
    const std::optional<Weakening> weakening = weakening_of(*entry, token.weakening);
    if (!weakening) {
      throw cli::TokenError(text, cli::TokenPart::weakening,
                            "the scenario has no place for it; docs/PROTOCOLS.md has the orders");
    }
    weakened.emplace(*weakening);
  }
  try {
    return replay(*entry, token.payload);
  } catch (const std::invalid_argument& error) {
    throw cli::TokenError(text, cli::TokenPart::payload, error.what());
  }
}

}  // namespace pto2::scenarios
