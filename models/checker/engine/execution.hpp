#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/checker/engine/allocation.hpp"
#include "models/checker/engine/crash.hpp"
#include "models/checker/engine/event_graph.hpp"
#include "models/checker/engine/exceptions.hpp"
#include "models/checker/engine/fiber.hpp"
#include "models/checker/engine/hint.hpp"
#include "models/checker/engine/idling.hpp"
#include "models/checker/engine/ids.hpp"
#include "models/checker/engine/memory.hpp"
#include "models/checker/engine/sometimes.hpp"
#include "models/checker/engine/spin_loops.hpp"
#include "pto2/checker/detail.hpp"
#include "pto2/checker/options.hpp"
#include "pto2/checker/report.hpp"

namespace pto2::model::engine {

/// Decides what is open when the program makes a new step.
class Search {
 public:
  virtual ~Search() = default;
  /// Chooses the write that a new read takes its value from.
  virtual void place_read(EventGraph& graph, EventId read) = 0;
  /// Puts a new write into modification order; an rmw_write is there already.
  virtual void place_write(EventGraph& graph, EventId write) = 0;
  /// Whose turn it is, after each step when `preempts`; `ready` is not empty and ascending.
  virtual ThreadId pick(const std::vector<ThreadId>& ready) = 0;
  virtual bool preempts() const { return false; }
  /// Who makes this step, if that is known before: it may idle until then. Else -1.
  virtual ThreadId maker_of(std::int32_t) const { return -1; }
  /// Whether the thread, whose turn it is, hands it on in front of its next step.
  virtual bool stops(ThreadId) const { return false; }
  /// Whether the thread is known to make a step yet, so that it does not wait for ever.
  virtual bool goes_on(const EventGraph&, ThreadId) const { return false; }
  /// Whether the reads of a predicate that fails stay in the graph; a walk tries it again instead.
  virtual bool keeps_failed_predicates() const { return !preempts(); }
  /// Whether the newest event, a read of a failed predicate, was given another write to read.
  virtual bool retry(EventGraph&, EventId) { return false; }
  /// The graph to go on with instead, without this read, the last of a predicate that failed.
  virtual EventGraph* hold_back(EventGraph&, EventId) { return nullptr; }
  /// An update of a write that has been updated already may only revisit the other update.
  virtual void add_conflicting_update(EventGraph&, EventId) {}
  /// Lets the graph, from which events may have been popped, be run once more.
  virtual void run_again() {}
  /// Pushes choices for a read that was held back and must not take the newest value.
  virtual void offer_stale(EventGraph&, EventId) {}

  bool newest_only = false;    ///< set while stale values would lead nowhere
  std::int32_t next_step = 0;  ///< size of the graph when `pick` is called
};

enum class ExecutionEnd : std::uint8_t {
  complete,
  blocked,  ///< somebody waits, and may be woken in another graph
  pruned,   ///< a wait with a stale value, which another graph covers
  failed,
  limited,
};

enum class Waiting : std::uint8_t {
  no,
  predicate,  ///< the reads of the failed evaluation are in the graph
  postponed,  ///< they are not: the evaluation comes again when somebody has written
  held,       ///< in front of a read that was held back, until there is a value for it
  idle,
  assumption,
};

/// The look of a polling loop at its end, where it is no wait.
enum class Look : std::uint8_t { none, failed, held };

struct FailedRun {
  ViolationKind kind = ViolationKind::check_failed;
  std::string message;
  ThreadId thread = -1;
  std::source_location site;
  Moment other = {};  ///< as in Fault

  /// Whether `thread` ran into it at its last step, so that nothing else need be done.
  bool of_one_thread() const {
    return thread >= 0 && kind != ViolationKind::deadlock && kind != ViolationKind::leak;
  }
};

/// Visible operations, repeated ones too.
class Heartbeat {
 public:
  void beat() { beats_ = beats_ + 1; }
  /// Whether there was none since the last look.
  bool has_stopped() { return std::exchange(seen_, beats_) == beats_; }

 private:
  volatile std::uint64_t beats_ = 0;
  std::uint64_t seen_ = 0;
};

/// Runs the program's threads as fibers along a graph: recorded steps are repeated, further ones
/// are added to the graph. One per OS thread that explores.
class Execution {
 public:
  Execution(const Options& options, const std::function<void()>& body,
            std::shared_ptr<Ids> ids = std::make_shared<Ids>());
  ~Execution();

  /// Extends `graph` until nobody can go on. `first`, when not negative, makes the first new step:
  /// it is in the middle of a read-modify-write.
  ExecutionEnd run(EventGraph& graph, Search& search, ThreadId first);

  /// Makes the accesses of one place of the program stronger than it says.
  void strengthen(const Strengthened& strengthened) { strengthened_ = strengthened; }
  const FailedRun& failure() const { return failure_; }
  const std::string& limit() const { return limit_; }
  std::uint64_t steps() const { return steps_; }
  Memory& memory() { return memory_; }
  std::string thread_name(ThreadId thread) const;
  /// Whether it has begun, in this execution.
  bool has_run(ThreadId thread) const;
  std::string location_name(LocationId location) const;
  detail::TypeInfo location_type(LocationId location) const {
    return memory_.object(slots_[static_cast<std::size_t>(location)]).type;
  }
  const Sometimes& sometimes() const { return sometimes_; }

  // What the program calls, from within its fibers.
  static Execution& current();
  /// Called by the watchdog's signal: gives up on a thread that has made no step since last time.
  static void look_for_hang();
  /// Called by a signal's handler, and by that of std::terminate, which a frame that lets no
  /// exception out calls as well. Returns unless a thread of the program runs, or is being unwound:
  /// that thread is given up. Called by the handlers of exit, too: then the process is.
  static void crashed(const Crash& crash) noexcept;
  /// Performs a step of the program, or leaves when the execution is being abandoned.
  ///
  /// Leaving means an exception, and so destructors run, which may take further steps: those must
  /// not throw. They happen on a ghost of memory that starts from the newest values. The same goes
  /// for steps that destructors are likely to consist of (`in_destructors`), since nothing tells
  /// whether a thread was stopped inside of one; loops around them do not profit for ever.
  template <class Step, class Ghost>
  auto attempt(Step&& step, Ghost&& ghost, bool in_destructors = false) -> decltype(step()) {
    if (!unwinding_) {
      try {
        return step();
      } catch (const Unwind&) {
        if (std::uncaught_exceptions() == 0 && (!in_destructors || running_->failed)) throw;
      }
    } else if (std::uncaught_exceptions() == 0 && !dropping_ &&
               (!in_destructors || ++ghost_steps_ > ghost_step_limit)) {
      exceptions_.unwind();
    }
    return ghost();
  }
  /// The same for what destructors do themselves: it never throws.
  template <class Step>
  void attempt_quietly(Step&& step) noexcept {
    if (unwinding_) return;
    try {
      step();
    } catch (const Unwind&) {
    }
  }
  Value& ghost(LocationId id);
  detail::RmwResult ghost_update(LocationId id, const Update& update);
  LocationId create_atomic(const void* object, const Value& initial, detail::TypeInfo type,
                           std::string_view name, const std::source_location& site);
  void destroy_atomic(LocationId id, const void* object, const std::source_location& site);
  Value load(LocationId id, const void* object, std::memory_order order,
             const std::source_location& site);
  void store(LocationId id, const void* object, const Value& value, std::memory_order order,
             const std::source_location& site);
  detail::RmwResult update(LocationId id, const void* object, const Update& update,
                           const std::source_location& site);
  void fence(std::memory_order order, const std::source_location& site);
  std::int32_t create_cell(const void* object, bool initialised, std::string_view name,
                           const std::source_location& site);
  void destroy_cell(std::int32_t id, const void* object, const std::source_location& site);
  void access_cell(std::int32_t id, const void* object, const CellAccess& access,
                   const std::source_location& site);
  ThreadId spawn(std::function<void()>&& body, std::string_view name,
                 const std::source_location& site);
  void join(ThreadId thread, const std::source_location& site);
  void abandon(const std::source_location& site);
  void begin_wait(const std::source_location& site);
  bool end_wait(bool satisfied);
  bool begin_idle(const std::source_location& site);
  void idle(const std::source_location& site, Look look);
  void assume(bool condition, const std::source_location& site);
  void check(bool condition, std::string_view message, const std::source_location& site);
  void note_sometimes(std::string_view name, bool condition);
  /// Where the running thread is: behind its last step.
  Moment here() const { return now(*running_, last_site(*running_)); }
  /// Memory was given to operator delete; `again`: that the program had freed before.
  void deletes(bool again) noexcept;

 private:
  static constexpr int ghost_step_limit = 64;

  enum class State : std::uint8_t {
    absent,
    ready,
    joining,
    waiting,
    at_tail,  ///< main, whose further steps are known to be joins and need not be run
    finished,
  };

  /// How many of each a thread has created: the next one is known by that number in all runs.
  struct Created {
    std::int32_t atomics = 0, cells = 0, threads = 0;
    std::int32_t atomics_before = 0, cells_before = 0;  // the predicate that is evaluated

    void begin_predicate() { atomics_before = atomics, cells_before = cells; }
    /// Whether the predicate has created the cell, of those that the thread has: `all`.
    bool made_by_predicate(const std::vector<std::int32_t>& all, std::int32_t cell) const {
      const auto begin = all.begin() + cells_before;
      const auto end = all.begin() + cells;
      return std::find(begin, end, cell) != end;
    }
    void take_back() { atomics = atomics_before, cells = cells_before; }
  };

  /// What a predicate has done besides looking at atomics.
  struct Evaluation {
    bool goes_on = false;  // maybe outside of a wait, in the look of a polling loop
    bool reads_cells = false;
    std::optional<std::source_location> written_cell;  // that is not its own
    std::int32_t cell_used_at = -1;                    // own events passed by then
    bool had_effects = false;                          // since the wait began

    void begin() {
      goes_on = true;
      reads_cells = false;
      written_cell.reset();
      cell_used_at = -1;
    }
    /// What is wrong with another wait that begins.
    std::optional<Fault> refuse_wait() const {
      if (!goes_on) return {};
      return Fault{ViolationKind::misuse,
                   "a wait begins in the predicate of another one; let one end before the other "
                   "begins, or wait for both in one predicate",
                   {}};
    }
  };

  struct Thread {
    ThreadId id = 0;
    State state = State::absent;
    Waiting waiting = Waiting::no;
    std::int32_t position = 0;  // own events passed
    ThreadId join_target = -1;
    ThreadId needs_thread = -1;     // during replay: who has to come first,
    std::int32_t needs_index = -1;  // and how far; -1 to its end
    bool failed = false;            // its step ended the execution
    bool kept = false;              // ended in an earlier run, with the same history
    std::uint64_t version = 0;      // of its last event when it ended
    bool in_predicate = false;
    bool insists = false;         // a walk: only the newest values may help
    bool pending = false;         // an update inside a predicate that has not stored yet
    std::int32_t wait_begin = 0;  // position at which the predicate began
    Evaluation evaluation;
    std::int32_t given = 0;  // reads of its evaluation recorded before this run
    Idling idling;
    bool last_resort = false;        // nobody else can go on: the evaluation stays in the graph
    EventId trying_read = no_event;  // the read of a predicate that is tried on other values,
    std::int32_t trying = 0;         // the index of the choice that it has,
    std::int32_t tried = 0;          // and the number of reads that are through
    LocationId watched = -1;         // what a postponed predicate reads, -1 for several locations
    std::source_location wait_site;
    std::function<void()> body;
    std::unique_ptr<Fiber> fiber;
    std::string name;
    Created created;
    std::vector<LocationId> atomics;  // by order of creation; kept from run to run
    std::vector<std::int32_t> cells;
    std::vector<ThreadId> children;
    Spinning spinning;
  };

  struct Tail {
    std::int32_t begin = -1;  // main's position at its first join of this run
    bool joins_only = false;  // what came after has been nothing else
    std::uint64_t known = 0;  // main's history before a tail of which that is known
  };

  Thread& thread(ThreadId id) { return *threads_[static_cast<std::size_t>(id)]; }
  const Thread& thread(ThreadId id) const { return *threads_[static_cast<std::size_t>(id)]; }
  void make_ready(Thread& t) {
    t.state = State::ready;
    leftmost_ = std::min(leftmost_, t.id);
  }
  /// Makes sure that there are threads with ids below `count`.
  void add_threads(std::size_t count);
  void reset_threads();
  void reset(Thread& t);
  bool unchanged(const Thread& t) const;
  bool keep_main();
  void restart_children();
  void release_main();
  bool enter_tail(Thread& t);
  void note_in_tail() { tail_.joins_only &= running_->id != 0; }
  void learn_tail();
  void resume(Thread& t);
  void thread_main(Thread& t);
  void replay_recorded();
  void replay_until(ThreadId id, std::int32_t index);
  void extend();
  ThreadId next_thread();
  ExecutionEnd conclude();
  void unwind_all();
  void unwind(Thread& t);
  [[noreturn]] void give_up_running() noexcept;
  void report_crash();
  std::source_location last_site(const Thread& t) const;

  bool leaving();
  bool recorded(const Thread& t) const { return t.position < graph_->thread_size(t.id); }
  /// Waits until it is this thread's turn to make a new step.
  void take_turn(Thread& t);
  void step_done(Thread& t);
  void require(Thread& t, ThreadId other, std::int32_t index);
  void require_write(Thread& t, EventId write);
  Event& replay(Thread& t, Kind kind, LocationId location);
  Moment now(const Thread& t, const std::source_location& site) const {
    return {t.id, t.position, site};
  }
  const Count* clock(const Thread& t) const { return graph_->clock_before(t.id, t.position); }
  std::memory_order effective(Kind kind, std::memory_order order,
                              const std::source_location& site) const {
    return strengthened_ ? strengthened_->apply(kind, order, site) : order;
  }
  Update stronger(Update update, const std::source_location& site) const;
  void check_access(Thread& t, LocationId id, const void* object, const std::source_location& site);
  void check_destruction(Thread& t, LocationId id, const std::source_location& site);
  void commit_pending(Thread& t);
  void append_rmw_write(Thread& t, EventId read);
  void note_spin(Thread& t, EventId read);
  void begin_turn(Thread& t, const std::source_location& place);
  void fail_wait(Thread& t);
  std::uint64_t surroundings(const Thread& t) const;
  bool reads_newest(const Thread& t) const;
  void block(Thread& t, Waiting how, const std::source_location& site);
  bool wait_again(Thread& t);
  void try_later(Thread& t, bool stays);
  void postpone(Thread& t);
  bool hold_back(Thread& t);
  bool wait_for_admissible(Thread& t, LocationId location);
  [[noreturn]] void prune(Thread& t);
  void note_effect(Thread& t);
  bool in_doubt(const Thread& t) const;
  bool drop_doubtful(Thread& t);
  void refuse_effects(Thread& t, std::int32_t end);
  void place_read(Thread& t, EventId read, bool stale);
  EventId next_to_try(Thread& t);
  bool drop_fruitless_choices(Thread& t, bool satisfied);
  void wake_postponed(Thread& writer);
  ThreadId wake_last_resort();
  void wake_waiting();
  bool wake_idling(Thread& t);
  bool deadlocked();
  bool idles_forever(Thread& t);

  [[noreturn]] void fail(ViolationKind kind, std::string message, const std::source_location& site,
                         const Moment& other = {});
  void fail_if(const std::optional<Fault>& fault, const std::source_location& site) {
    if (fault) fail(fault->kind, fault->message, site, fault->other);
  }
  [[noreturn]] void stop(std::string reason);
  [[noreturn]] void leave(Thread& t);

  const Options& options_;
  const std::function<void()>& body_;
  const std::shared_ptr<Ids> ids_;
  EventGraph* graph_ = nullptr;
  Search* search_ = nullptr;
  Memory memory_;
  Heap heap_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::int32_t> slots_;  // memory slot of each location
  std::vector<ThreadId> ready_;
  std::vector<std::pair<std::uint64_t, Value>> ghosts_;  // by location, with the run they are of
  std::uint64_t runs_ = 0;
  Thread* running_ = nullptr;
  ThreadId turn_ = -1;
  ThreadId first_ = -1;
  ThreadId leftmost_ = 0;        // no thread before it is ready
  std::int32_t unfinished_ = 0;  // threads that have started and not ended
  std::int32_t postponed_ = 0;   // threads whose predicate is postponed
  bool forced_turn_ = false;
  volatile bool unwinding_ = false;
  bool dropping_ = false;  // what a thread's function owns is being destroyed
  int ghost_steps_ = 0;
  bool stopped_ = false;
  bool preempts_ = false;  // what the search says
  bool isolated_ = false;  // threads with an unchanged history need not run again
  Tail tail_;
  ExecutionEnd early_ = ExecutionEnd::complete;
  FailedRun failure_;
  std::string limit_;
  std::uint64_t steps_ = 0;
  Heartbeat heartbeat_;
  Crash crash_;  // of the running thread, where there was one
  Exceptions exceptions_;
  Sometimes sometimes_;
  std::optional<Strengthened> strengthened_;
  SpinLoops spin_loops_;
  const std::int64_t spin_limit_;
  std::vector<std::source_location> with_effects_;  // waits whose predicates do more than look
};

}  // namespace pto2::model::engine
