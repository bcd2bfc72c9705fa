/// What tasks read or write of one memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/judge/overlap.hpp"
#include "runtime/record/record.hpp"

namespace pto2::judging {

struct Access {
  uint32_t task;
  const ParamRecord* param;
  Bytes bytes;
};

/// Accesses by their first byte, those with the same one as they came. Each that there will ever be
/// has its place from the beginning, and a tree over the places knows how far the accesses reach
/// that are there: who looks for some bytes meets those that reach them, and no others.
class Accesses {
 public:
  /// There will be this one. Each is expected as it will be added: by task, by parameter.
  void expect(const Access& access) { all_.push_back(access); }
  /// After the last was expected.
  void make_places();

  /// One that was expected.
  void add(const Access& access);

  /// Calls visit(older) for those that may share a byte, as the TensorMap sees it; one for which it
  /// is true is forgotten. Each stays where it is.
  template <class Visitor>
  void visit_overlapping(const Access& access, Visitor&& visit) {
    const auto [first, past] = access.bytes;
    const std::size_t end = place_from(past);
    for (std::size_t at = next(0, first); at < end; at = next(at + 1, first)) {
      const Access& older = all_[at];
      if (may_share_bytes(*older.param, older.bytes, *access.param, access.bytes) && visit(older)) {
        set_end(at, 0);
      }
    }
  }

 private:
  /// The first place of an access that begins at this byte or behind it.
  [[nodiscard]] std::size_t place_from(uint64_t byte) const;
  /// The first place from `place` on of an access that is there and ends behind this byte.
  [[nodiscard]] std::size_t next(std::size_t place, uint64_t byte) const;
  void set_end(std::size_t place, uint64_t end);

  std::vector<Access> all_;
  // Of a tree whose root is 1, and whose leaves are the places: the greatest end below each node,
  // 0 if nothing is there.
  std::vector<uint64_t> ends_;
};

}  // namespace pto2::judging
