/// Whose caches hold which lines, and how often one changed hands: the books of a coherence
/// protocol (MESI; Papamarcos and Patel, A low-overhead coherence solution for multiprocessors with
/// private cache memories, ISCA 1984), for caches that never run out of room.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pto2::bench {

/// How often a line changed hands, by the structure for which it was accessed.
using Transfers = std::map<std::string, int64_t, std::less<>>;

/// Each thread has a cache of its own. What comes from memory, because nobody holds it, is no
/// transfer: no hands change. To get the right to write a line that it holds with others costs a
/// thread as much as to get the line.
class CacheLedger {
 public:
  static constexpr std::size_t max_threads = 128;

  // `thread` accesses the `bytes` from `address` on, at least one, for `structure`.

  /// A transfer for each line that others hold and it does not. They keep it.
  void read(std::size_t thread, const void* address, std::size_t bytes, std::string_view structure);
  /// A transfer for each line that others hold, whether it does or not. They lose it.
  void write(std::size_t thread, const void* address, std::size_t bytes,
             std::string_view structure);

  [[nodiscard]] const Transfers& transfers() const { return transfers_; }

 private:
  using Holders = std::bitset<max_threads>;

  void add_transfer(std::string_view structure);

  std::unordered_map<uintptr_t, Holders> holders_;  // by the number of the line
  Transfers transfers_;
};

}  // namespace pto2::bench
