/// Names for the memory that an orchestration brings along: addresses differ from run to run, and
/// traces of equal schedules are to be equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/orchestrator/task_trace.hpp"

namespace pto2 {

/// A place in memory of the caller.
struct ExternalPlace {
  uint64_t memory;  ///< its number
  uint64_t offset;  ///< bytes from its start
};

/// The pieces of memory that parameters name from outside. Buffers that share bytes are one piece;
/// pieces are numbered in the order of their first use.
class ExternalMemory {
 public:
  explicit ExternalMemory(std::span<const TracedParam> params);

  /// Where an address lies, the base of one of the parameters.
  [[nodiscard]] ExternalPlace place_of(uint64_t address) const;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t end;
    uint64_t number;  ///< first the index of its first parameter
  };
  std::vector<Piece> pieces_;  // by address
};

}  // namespace pto2
