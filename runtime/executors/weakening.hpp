/// Memory orders that are put in the place of named ones, to ask whether these are needed: by the
/// model checker's policy, by simulations on weak memory, and on the machine, at compile time.
#pragma once

#include <optional>
#include <source_location>
#include <string_view>
#include <tuple>

#include "core/policy.hpp"

namespace pto2 {

/// A place in the source that asks for the order of a site. Uses are in the order of their sites'
/// names, then of the source.
struct OrderUse {
  const OrderSite* site;
  std::source_location where;

  [[nodiscard]] constexpr auto key() const {
    return std::tuple(std::string_view(site->name), std::string_view(where.file_name()),
                      where.line(), where.column());
  }
  friend constexpr bool operator<(const OrderUse& a, const OrderUse& b) {
    return a.key() < b.key();
  }
  friend constexpr bool operator==(const OrderUse& a, const OrderUse& b) {
    return a.key() == b.key();
  }
};

/// Another order for the site of this name, or for one use of it alone; for none without a name.
struct Weakening {
  std::string_view site = {};
  std::memory_order order = std::memory_order_seq_cst;
  std::optional<std::source_location> use = {};

  [[nodiscard]] constexpr bool applies_to(const OrderUse& other) const {
    return !site.empty() && site == other.site->name &&
           (!use || OrderUse{other.site, *use} == other);
  }
  /// The order to use there while this is in force.
  [[nodiscard]] constexpr std::memory_order order_at(const OrderUse& place) const {
    return applies_to(place) ? order : place.site->order;
  }
};

}  // namespace pto2
