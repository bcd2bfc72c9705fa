/// A trace of schema pto2-trace/2 (docs/TRACE.md), as it was read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pto2::validation {

/// No such event, task, or number.
inline constexpr uint32_t no_index = std::numeric_limits<uint32_t>::max();

enum class Kind : uint8_t {
  submit,
  ready,
  dispatch,
  ack,
  fin,
  consume,
  reclaim,
  wait,
  exit,
  allocate,
  close,
  join,
  give_back,
  scope_begin,
  scope_end,
  pipe,
  leftover,
};
/// How many there are.
inline constexpr std::size_t kinds = static_cast<std::size_t>(Kind::leftover) + 1;
/// "submit", "ready", ..
[[nodiscard]] const char* name_of(Kind kind);
/// Whether its events name a task.
[[nodiscard]] bool is_of_a_task(Kind kind);

/// What an orchestrator can wait for; `nothing`: any other wait.
/// A submission looks for them in this order.
enum class Lacking : uint8_t { nothing, task_ring, heap_ring, dep_pool, tensormap, cluster };
/// "TaskRing", ..; requires a resource.
[[nodiscard]] const char* name_of(Lacking resource);

/// A line. Fields that its kind has not are 0.
struct Event {
  uint64_t t = 0;
  /// Time of the thread's event before this one, 0 if it is the first: the step that the event
  /// tells of was taken between the two.
  uint64_t before = 0;
  uint64_t number = 0;     ///< of the task in its ring; of the group, of the scope
  uint64_t requested = 0;  ///< wait
  uint64_t group = 0;      ///< join
  uint32_t line = 0;       ///< in the file, from 1
  uint32_t thread = 0;
  uint32_t ring = 0;
  uint32_t part = 0;
  uint32_t place = 0;  ///< core of a dispatch, type of a ready; cluster; depth
  Kind kind = Kind::exit;
  Lacking lacking = Lacking::nothing;
};

/// What a thread is.
enum class Role : uint8_t { orchestrator, scheduler, core };

struct Core {
  std::string name;
  uint32_t type = 0;     ///< number of its type's name
  uint32_t thread = 0;   ///< what it runs on
  int64_t cluster = -1;  ///< -1: of no_index
};

struct Ring {
  uint64_t window = 0;    ///< slots
  uint64_t heap = 0;      ///< bytes
  uint64_t dep_pool = 0;  ///< nodes
};

struct TaskName {
  uint32_t ring = 0;
  uint64_t number = 0;
  friend bool operator==(const TaskName&, const TaskName&) = default;
};

enum class Claim : uint8_t { linked, early, none };

struct Producer {
  TaskName task;
  Claim claim = Claim::linked;
};

enum class Direction : uint8_t { in, out, inout, none };

inline constexpr std::size_t max_dims = 5;

/// Bytes [begin, end) of a memory or of a heap.
struct Bytes {
  uint64_t begin;
  uint64_t end;
};

struct Param {
  Direction direction = Direction::none;  ///< none: a scalar, or a pipe
  bool pipe = false;
  int64_t tag = 0;  ///< of a pipe
  bool external = false;
  TaskName owner;        ///< if not external
  uint64_t memory = 0;   ///< number of the external memory
  uint64_t base = 0;     ///< bytes from the start of the memory, or of the owner's ring's heap
  uint64_t element = 0;  ///< bytes
  uint64_t origin = 0;   ///< bytes from base
  uint32_t dims = 0;
  std::array<uint64_t, max_dims> strides{};  ///< elements
  std::array<uint64_t, max_dims> start{};
  std::array<uint64_t, max_dims> extent{};

  [[nodiscard]] bool reads() const {
    return direction == Direction::in || direction == Direction::inout;
  }
  [[nodiscard]] bool writes() const {
    return direction == Direction::out || direction == Direction::inout;
  }
  /// Of the TensorMap: to it, a pipe is a tensor that its tasks read and write.
  [[nodiscard]] bool takes_an_entry() const { return writes() || pipe; }
  /// From its first byte to past its last. Nothing: its numbers do not fit 64 bits.
  [[nodiscard]] std::optional<Bytes> bytes() const;
};

/// A pipe, where it is made.
struct MadePipe {
  int64_t tag = 0;
  uint64_t capacity = 0;  ///< slots
};

/// A line `submit`.
struct Submission {
  TaskName task;
  uint32_t event = 0;  ///< number of its event
  uint32_t type = 0;   ///< number of the type's name
  uint64_t scope = 0;
  uint64_t depth = 0;
  int64_t cluster = -1;
  int64_t group = -1;
  uint64_t block_dim = 0;
  uint64_t heap_begin = 0;
  uint64_t heap_bytes = 0;
  uint64_t first_node = 0;
  uint64_t nodes = 0;
  std::vector<Producer> producers;
  std::vector<TaskName> holds;
  std::vector<Param> params;
  std::vector<MadePipe> pipes;  ///< that it makes; older traces have none of these

  [[nodiscard]] uint32_t parts() const {
    return block_dim == 0 ? 1 : static_cast<uint32_t>(block_dim);
  }
  /// Of the TensorMap.
  [[nodiscard]] uint64_t entries() const;
};

/// Entries of a pipe that have a slot.
struct Fill {
  int64_t waiting = 0;  ///< not popped
  int64_t held = 0;     ///< popped and not freed
  friend bool operator==(const Fill&, const Fill&) = default;
};

/// A line `pipe` or `leftover`. Of a leftover only the name and `after` count.
struct PipeUse {
  uint32_t event = 0;  ///< number of its event
  uint64_t group = 0;
  int64_t tag = 0;
  uint64_t capacity = 0;  ///< slots
  int64_t pushed = 0;     ///< entries, by the task
  int64_t popped = 0;
  int64_t freed = 0;
  Fill before;
  Fill after;
};

struct Trace {
  bool given_up = false;     ///< then not all tasks need have run
  bool weak_memory = false;  ///< threads see late what others did
  std::string error;         ///< how the run ended: "ok", ..
  std::vector<std::string> types;
  std::vector<std::string> threads;
  std::vector<Role> roles;  ///< of the threads
  std::vector<Core> cores;
  std::vector<Ring> rings;
  uint64_t clusters = 0;
  uint64_t tensormap_pool = 0;  ///< entries
  std::vector<Event> events;    ///< in the order of the lines
  std::vector<Submission> submissions;
  std::vector<PipeUse> pipe_uses;  ///< in the order of the lines
};

}  // namespace pto2::validation
