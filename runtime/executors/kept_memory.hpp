/// Zeroed memory in bulk that runs have done with, kept for the next one of the process: mapping it
/// anew, the faults of its pages and the end of the mapping take longer than a small run.
///
///   KM-I1: what is kept is zero, and nobody's.
///   KM-I2: no more is kept than most_blocks pieces, with most_resident bytes of pages.
///   KM-P1: what its former user has written, and not cleared himself, lies at the front, as far as
///          he says.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace pto2 {

class KeptMemory {
 public:
  /// A piece of zeroed memory, aligned to 64.
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;     ///< that its user has asked for
    std::size_t resident = 0;  ///< bytes at the front that were ever written, at most
  };

  static constexpr std::size_t most_blocks = 64;
  static constexpr std::size_t most_resident = std::size_t{64} << 20;
  /// Smaller pieces are neither mapped nor kept: clearing them costs less than a mapping, its page
  /// faults, and its end, of which every processor that runs the process is told.
  static constexpr std::size_t smallest = std::size_t{64} << 10;
  /// What is mapped for a piece of `bytes`, `smallest` or more: sizes that are up to an eighth
  /// apart share their pieces, as those of runs that differ a little.
  [[nodiscard]] static std::size_t mapped_for(std::size_t bytes) noexcept;

  /// What the runs of this process share. It is never destroyed.
  static KeptMemory& of_process();

  KeptMemory() = default;
  ~KeptMemory() { release(); }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  // From any OS thread.

  /// The piece that was kept last of those for this size, or a new one, for which all that is kept
  /// is given up if it must be. Throws std::bad_alloc.
  [[nodiscard]] Block take(std::size_t bytes);
  /// Clears a piece and keeps it; the oldest are given back to the system if it is too much. All
  /// but its first `touched` bytes are zero, and nobody uses it any more (KM-P1). Its `resident`
  /// counts what was written behind those.
  void keep(Block block, std::size_t touched) noexcept;
  /// Gives a piece back to the system, whatever was written there.
  static void give_back(const Block& block) noexcept;
  /// Gives all that is kept back to the system.
  void release() noexcept;

  [[nodiscard]] std::size_t blocks() const;
  /// Checks KM-I1 and KM-I2, reading all that is kept; for tests.
  [[nodiscard]] bool invariant_holds() const;

 private:
  [[nodiscard]] bool has_room_for(const Block& block) const {
    return count_ < most_blocks && resident_ + block.resident <= most_resident;
  }
  [[nodiscard]] Block find(std::size_t bytes);
  /// Takes out number `i`; those behind it move up.
  Block remove(std::size_t i) noexcept;

  mutable std::mutex mutex_;
  std::array<Block, most_blocks> kept_;  // the oldest first
  std::size_t count_ = 0;
  std::size_t resident_ = 0;  // bytes of all that are kept
};

}  // namespace pto2
