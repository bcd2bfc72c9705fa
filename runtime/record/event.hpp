/// The events of a run: what there is to tell, in one table. Whoever records, writes, reads,
/// judges or documents events walks it.
///
/// A new kind of event is a row of event_table() and, if it says what no other kind says, a field
/// with the two lines that write and read it (event_fields.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/task_id.hpp"

namespace pto2 {

/// No such event, task, or number.
inline constexpr uint32_t no_index = std::numeric_limits<uint32_t>::max();

enum class EventKind : uint8_t {
  submit,
  ready,
  backlog,
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
inline constexpr uint32_t event_kinds = static_cast<uint32_t>(EventKind::leftover) + 1;

/// What an orchestrator can wait for. A submission looks for them in this order.
enum class Resource : uint8_t { task_ring, heap_ring, dependency_pool, tensormap_pool, clusters };
inline constexpr uint32_t resources = static_cast<uint32_t>(Resource::clusters) + 1;
/// "TaskRing", "HeapRing", "DepPool", "TensorMap" or "Cluster"
[[nodiscard]] const char* resource_name(Resource resource);

/// Something that happened. Fields that its kind has not are 0.
struct Event {
  uint64_t t = 0;  ///< of the executor's clock: nanoseconds, or points of a simulated schedule
  /// Time of the thread's event before this one, 0 if it is the first: the step that the event
  /// tells of was taken between the two.
  uint64_t before = 0;
  TaskId task = no_task;
  uint64_t scope = 0;
  uint64_t group = 0;
  uint64_t requested = 0;  ///< of what the thread waits for: bytes, or entries
  uint32_t line = 0;       ///< in the record, from 2: its header is the first
  uint32_t thread = 0;
  uint32_t part = 0;   ///< of a block task
  uint32_t place = 0;  ///< core of a dispatch, type of a ready, cluster, depth, or pipe use
  EventKind kind = EventKind::exit;
  std::optional<Resource> lacking{};  ///< what the orchestrator waits for; none: something else

  friend bool operator==(const Event&, const Event&) = default;
};

/// Entries of a pipe that have a slot.
struct PipeFill {
  int64_t waiting = 0;  ///< not popped
  int64_t held = 0;     ///< popped and not freed
  friend bool operator==(const PipeFill&, const PipeFill&) = default;
};

/// What a task did with a pipe. Of a leftover only the name and `after` count.
struct PipeUse {
  uint32_t event = no_index;  ///< number of its event in the record
  uint64_t group = 0;
  int64_t tag = 0;
  uint64_t capacity = 0;  ///< slots
  int64_t pushed = 0;     ///< entries, by the task
  int64_t popped = 0;
  int64_t freed = 0;
  PipeFill before;
  PipeFill after;
  friend bool operator==(const PipeUse&, const PipeUse&) = default;
};

/// What an event can say beside its time and its thread.
enum class EventField : uint8_t {
  none,
  task,        ///< Event::task
  submission,  ///< what the task is: the record's next task
  type,        ///< Event::place, of a core
  part,        ///< Event::part
  core,        ///< Event::place
  lacking,     ///< Event::lacking, Event::requested, and Event::task of a ring's resource
  group,       ///< Event::group
  cluster,     ///< Event::place
  scope,       ///< Event::scope
  depth,       ///< Event::place
  use,         ///< the record's next pipe use
  left,        ///< the same, of a pipe that nobody uses any more
};
inline constexpr uint32_t event_fields = static_cast<uint32_t>(EventField::left) + 1;

/// What a logical thread of a run is.
enum class Role : uint8_t { orchestrator, scheduler, core };

/// Roles, as bits.
class Roles {
 public:
  constexpr Roles(Role role) : bits_(uint8_t(1U << static_cast<uint8_t>(role))) {}
  [[nodiscard]] constexpr bool has(Role role) const { return (bits_ & Roles(role).bits_) != 0; }
  friend constexpr Roles operator|(Roles a, Roles b) {
    a.bits_ = uint8_t(a.bits_ | b.bits_);
    return a;
  }

 private:
  uint8_t bits_;
};
constexpr Roles operator|(Role a, Role b) {
  return Roles(a) | Roles(b);
}

/// A kind of event.
struct EventRow {
  EventKind kind;
  const char* name;                  ///< in files
  Roles recorded_by;                 ///< threads whose step it is
  std::array<EventField, 4> fields;  ///< in the order of files; none: no more
  const char* when;                  ///< that it is recorded, for the documentation

  [[nodiscard]] bool has(EventField field) const;
};

/// All kinds, by number.
[[nodiscard]] std::span<const EventRow> event_table();
[[nodiscard]] const EventRow& row_of(EventKind kind);
[[nodiscard]] inline const char* event_name(EventKind kind) {
  return row_of(kind).name;
}
/// Nothing: no kind is called so.
[[nodiscard]] std::optional<EventKind> event_kind(std::string_view name);

/// Whether its events name a task.
[[nodiscard]] inline bool is_of_a_task(EventKind kind) {
  return row_of(kind).has(EventField::task);
}

/// A field of events, for the documentation.
struct EventFieldRow {
  EventField field;
  const char* names;    ///< in files, as Markdown
  const char* meaning;  ///< with unit and range
};
/// All of them but `none`, by number.
[[nodiscard]] std::span<const EventFieldRow> event_field_table();

}  // namespace pto2
