#include "runtime/trace/external_memory.hpp"

#include <algorithm>

namespace pto2 {

ExternalMemory::ExternalMemory(std::span<const TracedParam> params) {
  std::vector<Piece> uses;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const TracedParam& param = params[i];
    if (!param.external) continue;
    uses.push_back({param.base, param.base + param.region.end, i});
  }
  std::ranges::sort(uses, {}, [](const Piece& use) { return use.begin; });
  for (const Piece& use : uses) {
    if (pieces_.empty() || use.begin >= pieces_.back().end) {
      pieces_.push_back(use);
    } else {
      Piece& piece = pieces_.back();
      piece.end = std::max(piece.end, use.end);
      piece.number = std::min(piece.number, use.number);
    }
  }
  std::vector<Piece*> by_use;
  for (Piece& piece : pieces_) by_use.push_back(&piece);
  std::ranges::sort(by_use, {}, [](const Piece* piece) { return piece->number; });
  for (std::size_t i = 0; i < by_use.size(); ++i) by_use[i]->number = i;
}

ExternalPlace ExternalMemory::place_of(uint64_t address) const {
  const auto after = std::ranges::upper_bound(pieces_, address, {},
                                              [](const Piece& piece) { return piece.begin; });
  const Piece& piece = *(after - 1);
  return {piece.number, address - piece.begin};
}

}  // namespace pto2
