#include "runtime/record/external_memory.hpp"

#include <algorithm>

namespace pto2 {
namespace {

/// Bytes of the caller.
struct Piece {
  uint64_t begin;
  uint64_t end;
  uint64_t number;  ///< first that of its first use
};

template <class Visit>
void for_each_external(std::span<TaskRecord> tasks, Visit&& visit) {
  for (TaskRecord& task : tasks) {
    for (ParamRecord& param : task.params) {
      if (param.external) visit(param);
    }
  }
}

/// By address; no two share a byte. Each has one at least, or two of one begin would be told apart
/// here, and by no address.
std::vector<Piece> pieces_of(std::span<TaskRecord> tasks) {
  std::vector<Piece> uses;
  for_each_external(tasks, [&](const ParamRecord& param) {
    const std::optional<Bytes> bytes = param.bytes();
    uses.push_back({param.base, bytes ? bytes->end : param.base + 1, uses.size()});
  });
  std::ranges::sort(uses, {}, &Piece::begin);
  std::vector<Piece> pieces;
  for (const Piece& use : uses) {
    if (pieces.empty() || use.begin >= pieces.back().end) {
      pieces.push_back(use);
    } else {
      Piece& piece = pieces.back();
      piece.end = std::max(piece.end, use.end);
      piece.number = std::min(piece.number, use.number);
    }
  }
  return pieces;
}

void number_by_use(std::vector<Piece>& pieces) {
  std::vector<Piece*> by_use;
  for (Piece& piece : pieces) by_use.push_back(&piece);
  std::ranges::sort(by_use, {}, [](const Piece* piece) { return piece->number; });
  for (std::size_t i = 0; i < by_use.size(); ++i) by_use[i]->number = i;
}

}  // namespace

void number_external_memory(std::span<TaskRecord> tasks) {
  std::vector<Piece> pieces = pieces_of(tasks);
  number_by_use(pieces);
  for_each_external(tasks, [&](ParamRecord& param) {
    const Piece& piece = *(std::ranges::upper_bound(pieces, param.base, {}, &Piece::begin) - 1);
    param.memory = piece.number;
    param.base -= piece.begin;
  });
}

}  // namespace pto2
