/// Weak memory for a simulation: what C++ allows an access of a thread to see beside the newest
/// value, sampled at random.
///
/// Each atomic remembers its last stores, in the order in which they were simulated, which is its
/// modification order. A load takes the newest, or an older one that its thread has no reason to
/// know about: none that happened before, or that somebody has read in an event that happened
/// before, is passed over. Happens-before is kept in vector clocks. So every run is one that the
/// standard allows, as RC11 understands it (Lahav et al., Repairing sequential consistency in
/// C/C++11, PLDI 2017): modification order and the order of seq_cst operations agree with the order
/// of the simulation. Runs in which they must not agree are not sampled (2+2W, for example); the
/// exhaustive checker is for those. The histories are those of Relacy and of C11Tester (Luo and
/// Demsky, ASPLOS 2021).
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
#include <vector>

#include "runtime/executors/random.hpp"

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

/// An event of a thread. The default one is in everybody's past.
struct Stamp {
  uint32_t thread = 0;
  uint32_t epoch = 0;

  [[nodiscard]] bool is_in(const VectorClock& past) const { return epoch <= past[thread]; }
};

/// The accesses to plain data that may still be in a race. All zeros: none.
struct PlainAccesses {
  Stamp write;
  Stamp read;            ///< the only one since then that matters
  uint32_t readers = 0;  ///< or the number of a list of them, from 1 on
};

/// Two accesses that nothing orders.
struct PlainRace {
  uint32_t other;  ///< the thread that came first
  bool other_wrote;
};

struct WeakMemoryOptions {
  uint64_t seed = 0;
  /// Of the loads that may see an older store, one in so many does; at least 1. Drawn from the seed
  /// if it is not given.
  std::optional<uint32_t> loads_per_stale = {};
};

class WeakMemory {
 public:
  explicit WeakMemory(const WeakMemoryOptions& options);

  /// All threads, before any of them runs.
  void begin(std::size_t threads);
  /// The thread whose accesses follow.
  void switch_to(uint32_t thread) { self_ = &threads_[thread]; }

  // Accesses of the running thread to the atomic at `owner`. `history` is that atomic's, for this
  // class alone; it starts as 0. `newest` is its value, which the atomic keeps.

  uint64_t load(const void* owner, uint32_t history, uint64_t newest, std::memory_order order);
  void store(const void* owner, uint32_t& history, uint64_t newest, uint64_t value,
             std::memory_order order);
  /// Reads the newest and stores `value`.
  void update(const void* owner, uint32_t& history, uint64_t newest, uint64_t value,
              std::memory_order order);
  /// What a compare_exchange sees: the newest, or something older that it fails on. If it is what
  /// was expected, an update follows.
  uint64_t load_to_compare(const void* owner, uint32_t history, uint64_t newest, uint64_t expected,
                           std::memory_order failure);

  /// A race that the access makes, if any.
  [[nodiscard]] std::optional<PlainRace> read(PlainAccesses& accesses);
  [[nodiscard]] std::optional<PlainRace> write(PlainAccesses& accesses);

  // Synchronisation by other means than atomics.

  [[nodiscard]] Stamp now() const { return {self_->number, self_->past[self_->number]}; }
  [[nodiscard]] const VectorClock& past() const { return self_->past; }
  void acquire(const VectorClock& clock) { self_->past.join(clock); }
  /// Adds the running thread's past to `clock`.
  void release(VectorClock& clock);
  /// What the running thread does from now on is not in a past that has been taken from it.
  void advance() { self_->past.advance(self_->number); }
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
    bool missed = false;
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
    const void* owner;
    std::vector<Store> stores;  ///< a ring, of `kept` at most
    uint32_t count = 0;         ///< ever
    Store& at(uint32_t i) { return stores[i % kept]; }
  };

  [[nodiscard]] History* find(const void* owner, uint32_t history);
  History& find_or_make(const void* owner, uint32_t& history, uint64_t newest);
  [[nodiscard]] bool is_known(const Store& store) const;
  [[nodiscard]] uint32_t oldest_readable(History& history, bool seq_cst) const;
  template <class Accept>
  [[nodiscard]] uint32_t choose(History& history, std::memory_order order, Accept&& accept);
  uint64_t see(History& history, uint32_t which, std::memory_order order);
  Store& add(History& history, uint64_t value, std::memory_order order);
  void share(PlainAccesses& accesses);

  Random random_;
  uint32_t loads_per_stale_;
  std::deque<Thread> threads_;
  Thread* self_ = nullptr;
  std::deque<History> histories_;
  std::deque<std::vector<Stamp>> readers_;
};

}  // namespace pto2::executors
