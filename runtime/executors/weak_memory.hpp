/// Weak memory for a simulation: what the memory model allows an access of a thread to see beside
/// the newest value, sampled at random.
///
/// Each atomic remembers its last stores, in the order in which they were simulated, which is its
/// modification order. A load takes the newest, or an older one that its thread has no reason to
/// know about: none that happened before, or that somebody has read in an event that happened
/// before, is passed over. Happens-before is kept in vector clocks. So every run is one that RC11
/// allows (Lahav et al., Repairing sequential consistency in C/C++11, PLDI 2017): modification
/// order and the order of seq_cst operations agree with the order of the simulation. Runs in which
/// they must not agree are not sampled (2+2W, for example); the exhaustive checker is for those.
/// The histories are those of Relacy and of C11Tester (Luo and Demsky, ASPLOS 2021).
///
/// RC11, and not C++20, because it is what the checker explores. C++20 forbids some of these runs:
/// its order of seq_cst operations has a load in front of every load that reads a later store
/// ([atomics.order], "coherence-ordered before"), that of RC11 only if the store is seq_cst. So the
/// readers of IRIW may disagree here, for one, if their loads are seq_cst and the stores are not.
///
/// Plain data is checked for races by happens-before, with the rules of FastTrack (Flanagan and
/// Freund, PLDI 2009).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <typeinfo>
#include <vector>

#include "runtime/executors/random.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/weakening.hpp"

namespace pto2::executors {

/// How many releases of each thread are in somebody's past, and one more of the thread's own: an
/// event is in the past if its epoch is not above the entry of its thread.
class VectorClock {
 public:
  VectorClock() = default;  ///< nothing
  explicit VectorClock(std::size_t threads) : epochs_(threads) {}

  [[nodiscard]] uint32_t operator[](uint32_t thread) const { return epochs_[thread]; }
  void advance(uint32_t thread) { ++epochs_[thread]; }
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < other.epochs_.size(); ++i) {
      if (epochs_[i] < other.epochs_[i]) epochs_[i] = other.epochs_[i];
    }
  }
  void assign(const VectorClock& other) { epochs_ = other.epochs_; }
  void clear() { epochs_.assign(epochs_.size(), 0); }

 private:
  std::vector<uint32_t> epochs_;
};

/// The seed decides what loads see as well as the schedule.
struct WeakOptions {
  SeededOptions schedule = {.strategy = Strategy::random};
  /// Of the loads that may see an older store, one in so many does; at least 1. Drawn from the seed
  /// if it is not given.
  std::optional<uint32_t> loads_per_stale = {};
};

/// An event of a thread. The default one is in everybody's past.
struct Stamp {
  uint32_t thread = 0;
  uint32_t epoch = 0;

  [[nodiscard]] bool is_in(const VectorClock& past) const { return epoch <= past[thread]; }
};

/// The accesses to plain data that may still be in a race. All zeros: none. Those that follow are
/// the running thread's, to data of type `type`: a race ends the run, and says so. Without a team
/// there is none.
struct PlainAccesses {
  void touch(bool writes, const std::type_info& type);
  void begin(bool writes, const std::type_info& type);
  void end(bool writes, const std::type_info& type);

  Stamp write;
  Stamp read;            ///< the only one since then that matters
  uint32_t readers = 0;  ///< or the number of a list of them, from 1 on
};

/// Two accesses that nothing orders.
struct PlainRace {
  uint32_t other;  ///< the thread that came first
  bool other_wrote;
};

class WeakMemory {
 public:
  static constexpr const char* name = "weak";
  static constexpr bool is_weak = true;
  using Options = WeakOptions;
  using Accesses = PlainAccesses;
  /// What it knows of an atomic: the number of a history. All zeros: nothing.
  struct Location {
    uint32_t history = 0;
  };
  /// What the entries of a queue order. `turn` counts pushes, or pops; no memory: nobody runs.
  class Entries {
   public:
    explicit Entries(std::size_t capacity) : entries_(capacity) {}
    [[nodiscard]] bool is_late(WeakMemory* memory, uint64_t turn) const {
      return memory != nullptr && !entries_[turn % entries_.size()].last.is_in(memory->past()) &&
             memory->is_late();
    }
    void pass_on(WeakMemory* memory, uint64_t turn);

   private:
    struct Entry {
      Stamp last;         ///< who used it
      VectorClock clock;  ///< what happened before
    };
    std::vector<Entry> entries_;
  };

  explicit WeakMemory(const Options& options);
  static const SeededOptions& schedule_of(const Options& options) { return options.schedule; }

  static std::memory_order order(const OrderUse& use) {
    if (weakening.applies_to(use)) [[unlikely]]
      weakening_was_used.store(true, std::memory_order_relaxed);
    return weakening.order_at(use);
  }
  /// In force in all simulations. Changes while no team runs.
  static inline Weakening weakening;
  static inline std::atomic<bool> weakening_was_used{false};

  /// All threads, before any of them runs.
  void begin(std::size_t threads);
  /// The thread whose accesses follow.
  void switch_to(uint32_t thread) { self_ = &threads_[thread]; }

  // Accesses of the running thread to the atomic at `location`. `newest` is its value, which the
  // atomic keeps.

  uint64_t load(const Location& location, uint64_t newest, std::memory_order order);
  void store(Location& location, uint64_t newest, uint64_t value, std::memory_order order);
  /// Reads the newest and stores `value`.
  void update(Location& location, uint64_t newest, uint64_t value, std::memory_order order);
  /// What a compare_exchange sees: the newest, or something older that it fails on. If it is what
  /// was expected, an update follows.
  uint64_t load_to_compare(const Location& location, uint64_t newest, uint64_t expected,
                           std::memory_order failure);

  /// The running thread is in the middle of an access from `begin` to `end`. Whoever makes another
  /// one meanwhile is in a race with it, even if it is ordered with both.
  void begin(const PlainAccesses& accesses, bool writes) {
    under_way_.push_back({&accesses, self_->number, writes});
  }
  void end(const PlainAccesses& accesses, bool writes);
  /// A race that the access makes, if any.
  [[nodiscard]] std::optional<PlainRace> read(PlainAccesses& accesses);
  [[nodiscard]] std::optional<PlainRace> write(PlainAccesses& accesses);

  // Synchronisation by other means than atomics.

  [[nodiscard]] Stamp now() const { return {self_->number, self_->past[self_->number]}; }
  [[nodiscard]] const VectorClock& past() const { return self_->past; }
  /// What was done before happens before what `thread` does after its next hear().
  void tell(uint32_t thread);
  /// Whether the running thread has been told of anything since the last time, and the start.
  [[nodiscard]] bool hear();
  /// Whether the running thread is late to see what is not in its past. If so, that is noted.
  bool is_late();

  /// The running thread begins to look at things; has it missed anything since?
  void begin_look() { self_->missed = false; }
  [[nodiscard]] bool has_missed() const { return self_->missed; }

 private:
  /// Stores that an atomic remembers.
  static constexpr uint32_t kept = 8;

  struct Thread {
    uint32_t number;
    VectorClock past;
    VectorClock told = past;  ///< by others, in all
    bool heard = false;       ///< all of that; the start is told of, too
    bool missed = false;
  };
  struct LongAccess {
    const PlainAccesses* to;
    uint32_t thread;
    bool writes;
    bool operator==(const LongAccess&) const = default;
  };
  struct Store {
    explicit Store(std::size_t threads) : gain(threads) {}
    uint64_t value = 0;
    Stamp by;
    bool seq_cst = false;
    bool gives = false;        ///< whether `gain` is anything
    VectorClock gain;          ///< what an acquire that reads it gains
    std::vector<Stamp> reads;  ///< by threads that did not know of it
  };
  struct History {
    const Location* owner;
    std::vector<Store> stores;  ///< a ring, of `kept` at most
    uint32_t count = 0;         ///< ever
    Store& at(uint32_t i) { return stores[i % kept]; }
  };

  [[nodiscard]] History* find(const Location& location);
  History& find_or_make(Location& location, uint64_t newest);
  [[nodiscard]] bool is_known(const Store& store) const;
  [[nodiscard]] uint32_t oldest_readable(History& history, bool seq_cst) const;
  template <class Accept>
  [[nodiscard]] uint32_t choose(History& history, std::memory_order order, Accept&& accept);
  uint64_t see(History& history, uint32_t which, std::memory_order order);
  Store& add(History& history, uint64_t value, std::memory_order order);
  void share(PlainAccesses& accesses);
  [[nodiscard]] std::optional<PlainRace> overlap(const PlainAccesses& accesses, bool writes) const;

  Random random_;
  uint32_t loads_per_stale_;
  std::deque<Thread> threads_;
  Thread* self_ = nullptr;
  std::deque<History> histories_;
  std::deque<std::vector<Stamp>> readers_;
  std::vector<LongAccess> under_way_;
};

}  // namespace pto2::executors
