#include "stress/stressing/unit_counts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pto2::stress {

void UnitCounts::add_wrong(uint64_t wrong_seed, const std::vector<std::string>& problems) {
  const uint64_t before = wrong_.load(std::memory_order_relaxed);
  if (before < first_wrong_.size()) {
    WrongRun& run = first_wrong_[before];
    run.seed = wrong_seed;
    const std::string text = fmt::format("{}", fmt::join(problems, "\n"));
    run.text[text.copy(run.text, kept_text)] = '\0';
  }
  wrong_.store(before + 1, std::memory_order_release);
}

std::vector<simulations::WrongSeed> UnitCounts::first_wrong() const {
  std::vector<simulations::WrongSeed> first;
  const std::size_t kept = std::min<std::size_t>(wrong(), first_wrong_.size());
  for (std::size_t i = 0; i < kept; ++i) {
    first.push_back({first_wrong_[i].seed, {first_wrong_[i].text}});
  }
  return first;
}

}  // namespace pto2::stress
