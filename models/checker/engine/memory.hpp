#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "models/checker/engine/event_graph.hpp"
#include "pto2/checker/detail.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// A moment of one thread: behind its `epoch` first events.
struct Moment {
  ThreadId thread = -1;
  std::int32_t epoch = 0;
  std::source_location site;

  /// Whether the moment lies in the past that `clock` describes, seen by `observer`.
  bool before(const Count* clock, ThreadId observer) const {
    return thread == observer || clock[thread] > static_cast<Count>(epoch);
  }
};

struct Fault {
  ViolationKind kind;
  std::string message;
  Moment other = {};  ///< when somebody else did what makes it one, if that is not in the past
};

/// What is done to a cell. An access by a guard is made at both of its ends, and lasts in between.
struct CellAccess {
  enum class Part : std::uint8_t { whole, begin, end };

  bool writes = false;
  Part part = Part::whole;
  const void* guard = nullptr;
};

/// An access by a guard that has not ended.
struct OpenAccess {
  const void* guard = nullptr;
  bool writes = false;
  Moment begun;
};

/// An atomic or a cell during one execution.
struct Object {
  const void* address = nullptr;
  std::uint64_t run = 0;  ///< the execution that the rest of the record belongs to
  bool alive = false;
  bool initialised = false;
  std::string name;
  detail::TypeInfo type;
  Moment created;
  Moment destroyed;
  Moment written;             ///< last write of a cell
  std::vector<Moment> reads;  ///< of a cell since then, none before another that stays
  std::vector<OpenAccess> open;
};

/// Lifetimes of all objects, and the races on cells, by happens-before. The rules for cells are
/// those of FastTrack (Flanagan and Freund, PLDI 2009). What comes while a guard of another thread
/// is open is in a race with it, even if it is ordered with both ends: it does not happen before
/// the beginning, nor after the end, since threads run in an order that respects happens-before.
class Memory {
 public:
  void begin_run();
  /// Registers a new object in the given slot.
  void create(std::int32_t slot, const void* address, bool initialised, detail::TypeInfo type,
              std::string_view name, const Moment& now);
  std::int32_t add_slot();
  /// Object of a slot, or null when the slot does not describe a live object at `address`.
  Object* find(std::int32_t slot, const void* address);
  const Object& object(std::int32_t slot) const { return objects_[static_cast<std::size_t>(slot)]; }

  /// Whether an atomic that is destroyed is in its lifetime, and behind its construction.
  std::optional<Fault> destroy_atomic(std::int32_t slot, const void* address, const Moment& now,
                                      const Count* clock);
  /// Whether an access to an atomic is in its lifetime and behind its construction.
  std::optional<Fault> access(std::int32_t slot, const void* address, const Moment& now,
                              const Count* clock);
  /// What the thread has done behind its first `settled` events may be taken back.
  std::optional<Fault> access_cell(std::int32_t slot, const void* address, const CellAccess& access,
                                   const Moment& now, const Count* clock, std::int32_t settled);
  /// Forgets what a thread has read of cells behind its first `settled` events.
  void take_back_reads(ThreadId thread, std::int32_t settled);
  /// Accesses to a cell that are not in the past of its destruction.
  std::optional<Fault> destroy_cell(std::int32_t slot, const void* address, const Moment& now,
                                    const Count* clock);
  std::int32_t alive() const { return alive_; }
  /// Some object that is still alive.
  const Object* leaked() const;

 private:
  std::optional<Fault> missing(std::int32_t slot, const void* address) const;
  std::optional<Fault> destroy(std::int32_t slot, const void* address, const Moment& now);

  std::vector<Object> objects_;
  std::uint64_t run_ = 0;
  std::int32_t alive_ = 0;
};

/// "file.cpp:12", without directories.
std::string to_string(const std::source_location& site);

}  // namespace pto2::model::engine
