/// A state for each byte of a memory, kept by ranges.
///
///   RM-I1: pieces do not overlap, and none is empty.
///   RM-I2: two pieces that touch have different states, once both have been updated: what is
///          written row by row is one piece again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace pto::checks {

/// State is what a byte has, with == and a default, that of bytes never met.
template <class State>
class RangeMap {
 public:
  /// Calls visit(begin, end, state) for pieces that make up the bytes begin .. end - 1, from the
  /// first to the last. The state may be changed. If visit throws, the pieces behind stay as they
  /// are.
  template <class Visit>
  void update(uint64_t begin, uint64_t end, Visit&& visit) {
    split(begin);
    split(end);
    for (uint64_t at = begin; at < end;) {
      auto piece = pieces_.lower_bound(at);
      if (piece == pieces_.end() || piece->first != at) {
        const uint64_t behind = piece == pieces_.end() ? end : std::min(end, piece->first);
        piece = pieces_.emplace_hint(piece, at, Piece{behind, State()});
      }
      at = piece->second.end;
      visit(piece->first, at, piece->second.state);
      join_with_former(piece);
    }
    join_with_former(pieces_.lower_bound(end));
  }

  /// Whether holds(state) for each of the bytes begin .. end - 1 that has been met.
  template <class Holds>
  bool all_of(uint64_t begin, uint64_t end, Holds&& holds) const {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.end > begin) --piece;
    for (; begin < end && piece != pieces_.end() && piece->first < end; ++piece) {
      if (!holds(piece->second.state)) return false;
    }
    return true;
  }

  void clear() { pieces_.clear(); }
  std::size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    uint64_t end;
    State state;
  };
  using Pieces = std::map<uint64_t, Piece>;  // by their first bytes

  /// No piece goes on over `at` from then on.
  void split(uint64_t at) {
    auto next = pieces_.lower_bound(at);
    if (next == pieces_.begin()) return;
    Piece& former = std::prev(next)->second;
    if (former.end <= at) return;
    pieces_.emplace_hint(next, at, Piece{former.end, former.state});
    former.end = at;
  }

  void join_with_former(typename Pieces::iterator piece) {
    if (piece == pieces_.begin() || piece == pieces_.end()) return;
    Piece& former = std::prev(piece)->second;
    if (former.end != piece->first || !(former.state == piece->second.state)) return;
    former.end = piece->second.end;
    pieces_.erase(piece);
  }

  Pieces pieces_;
};

}  // namespace pto::checks
