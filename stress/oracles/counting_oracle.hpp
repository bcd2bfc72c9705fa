/// Predicts by brute force whether a program of submissions deadlocks under given ring and pool
/// sizes when every submitted task completes at once. Keeps the whole history and follows the
/// rules word by word; the implementations that it judges share no code with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pto2::oracle {

enum class CallKind { scope_begin, submit, scope_end, open_group, close_group };

struct Call {
  CallKind kind;
  /// The rest belongs to submit.
  std::vector<uint64_t> output_bytes = {};
  uint64_t dep_nodes = 0;
  uint64_t map_entries = 0;
  /// Earlier tasks (by order of submission, 0 first) that lose one entry each to this one, before
  /// this one's entries are taken.
  std::vector<size_t> replaced = {};
  /// The same, but once this one's entries are taken.
  std::vector<size_t> displaced = {};
  /// Of close_group: by order of opening, 0 first. The end of the scope that was the innermost when
  /// a group was opened closes it as well.
  size_t group = 0;
};

using Program = std::vector<Call>;

struct Configuration {
  uint64_t window;    ///< slots per ring
  uint64_t heap;      ///< bytes per ring
  uint64_t dep_pool;  ///< nodes per ring
  uint64_t map_pool;  ///< entries, of all rings together
  uint32_t rings;     ///< 1..4; ring = min(depth, rings - 1), the outermost scope having depth 0
  uint64_t clusters = ~uint64_t{0};  ///< each held by one open group
};

/// The first four in the order in which a submission that lacks several is blamed; the last is what
/// the opening of a group lacks.
enum class Resource { task_window, heap, dep_pool, map_pool, clusters };
inline constexpr size_t resources = 5;

const char* name_of(Resource resource);

struct Deadlock {
  Resource resource;
  size_t task;  ///< by order of submission; for a group that cannot be opened: the next one
  uint32_t ring;
  std::vector<size_t> groups = {};  ///< that hold all clusters, if those are lacking

  bool operator==(const Deadlock&) const = default;
};

/// The first submission or opening of a group that can never succeed, if any. Throws
/// std::logic_error when the program is malformed (a submission or group outside every scope, an
/// unmatched scope_end, a group closed that is not open) or when its own books do not balance (two
/// live buffers overlap).
std::optional<Deadlock> first_deadlock(const Program& program, const Configuration& configuration);

/// The smallest sizes that are enough, each for a device on which nothing else is scarce.
struct SmallestSizes {
  uint64_t window;           ///< a power of two, at least 4
  uint64_t heap;             ///< bytes, at least 1024
  uint64_t power_of_2_heap;  ///< the smallest one that is a power of two; a larger one may not do
  uint64_t dep_pool;
  uint64_t map_pool;
  uint64_t clusters;  ///< 0 without groups
};

/// Tries them out. Throws std::logic_error as first_deadlock() does.
SmallestSizes smallest_sizes(const Program& program, uint32_t rings);

/// The ring of a task submitted with `open_scopes` scopes open. Throws std::logic_error when there
/// is none, or when `rings` is not 1 to 4.
uint32_t ring_at(size_t open_scopes, uint32_t rings);

}  // namespace pto2::oracle
