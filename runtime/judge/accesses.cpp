#include "runtime/judge/accesses.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pto2::judging {
namespace {

bool comes_first(const Access& a, const Access& b) {
  return std::tie(a.bytes.begin, a.task, a.param) < std::tie(b.bytes.begin, b.task, b.param);
}

}  // namespace

void Accesses::make_places() {
  std::ranges::sort(all_, comes_first);
  ends_.assign(2 * std::bit_ceil(all_.size()), 0);
}

void Accesses::add(const Access& access) {
  const auto place = std::ranges::lower_bound(all_, access, comes_first);
  set_end(static_cast<std::size_t>(place - all_.begin()), access.bytes.end);
}

std::size_t Accesses::place_from(uint64_t byte) const {
  const auto begin = [](const Access& access) { return access.bytes.begin; };
  return static_cast<std::size_t>(std::ranges::lower_bound(all_, byte, {}, begin) - all_.begin());
}

std::size_t Accesses::next(std::size_t place, uint64_t byte) const {
  if (place >= all_.size()) return all_.size();
  const std::size_t leaves = ends_.size() / 2;
  std::size_t node = leaves + place;
  while (ends_[node] <= byte) {
    while (node % 2 == 1) node /= 2;  // all below the parent is passed, too
    if (node == 0) return all_.size();
    ++node;
  }
  while (node < leaves) {
    node *= 2;
    if (ends_[node] <= byte) ++node;
  }
  return node - leaves;
}

void Accesses::set_end(std::size_t place, uint64_t end) {
  std::size_t node = ends_.size() / 2 + place;
  ends_[node] = end;
  while (node > 1) {
    node /= 2;
    ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
  }
}

}  // namespace pto2::judging
