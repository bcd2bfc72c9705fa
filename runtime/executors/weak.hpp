/// The weak policy: the seeded one (seeded.hpp) with memory as C++ allows it to look. Every access
/// is a point of the schedule, atomics may show older values, and plain data is checked for races
/// by happens-before. A ring happens before the return from idle() that hears it; await() gets
/// nothing from rings but that it looks again, so what its predicate reads must be ordered by
/// itself.
#pragma once

#include <atomic>
#include <cstring>
#include <typeinfo>

#include "runtime/executors/seeded.hpp"
#include "runtime/executors/weak_team.hpp"

namespace pto2::executors {

/// The running thread's view of memory, at a point of the schedule; null while no team runs.
inline WeakMemory* weak_point() {
  WeakTeam* const team = WeakTeam::current();
  if (team == nullptr) return nullptr;
  team->point();
  return &team->memory();
}

/// std::atomic's interface.
template <class T>
class WeakAtomic {
 public:
  WeakAtomic() = default;
  explicit WeakAtomic(T value) : value_(value) {}
  WeakAtomic(const WeakAtomic&) = delete;
  WeakAtomic& operator=(const WeakAtomic&) = delete;

  T load(std::memory_order order) const {
    WeakMemory* const memory = weak_point();
    return memory == nullptr ? value_ : value(memory->load(this, history_, bits(value_), order));
  }
  void store(T value, std::memory_order order) {
    if (WeakMemory* const memory = weak_point()) {
      memory->store(this, history_, bits(value_), bits(value), order);
    }
    value_ = value;
    seeded_point_after_store();
  }
  T exchange(T value, std::memory_order order) {
    return update(order, [&](T) { return value; });
  }
  T fetch_add(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v + n); });
  }
  T fetch_sub(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v - n); });
  }
  T fetch_or(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v | n); });
  }
  T fetch_and(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v & n); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
    WeakMemory* const memory = weak_point();
    const T seen =
        memory == nullptr
            ? value_
            : value(memory->load_to_compare(this, history_, bits(value_), bits(expected), failure));
    if (seen != expected) {
      expected = seen;
      return false;
    }
    write(memory, desired, success);
    return true;
  }

 private:
  static_assert(sizeof(T) <= sizeof(uint64_t));

  static uint64_t bits(T value) {
    uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }
  static T value(uint64_t bits) {
    T result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }
  template <class F>
  T update(std::memory_order order, F&& f) {
    WeakMemory* const memory = weak_point();
    const T before = value_;
    write(memory, f(before), order);
    return before;
  }
  void write(WeakMemory* memory, T value, std::memory_order order) {
    if (memory != nullptr) memory->update(this, history_, bits(value_), bits(value), order);
    value_ = value;
    seeded_point_after_store();
  }

  T value_{};
  uint32_t history_ = 0;
};

/// Plain data. An access is made at its beginning and again at its end: another that comes between
/// them is ordered with neither, or with one of them alone.
template <class T>
class WeakCell {
 public:
  /// An access that lasts as long as this lives.
  template <class Cell, class Value>
  class Guard {
   public:
    explicit Guard(Cell& cell) : cell_(cell) {
      weak_point();
      cell_.touch(static_cast<Value*>(nullptr));
    }
    ~Guard() { cell_.touch(static_cast<Value*>(nullptr)); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Value& operator*() const { return cell_.value_; }
    Value* operator->() const { return &cell_.value_; }

   private:
    Cell& cell_;
  };
  using Reading = Guard<const WeakCell, const T>;
  using Editing = Guard<WeakCell, T>;

  WeakCell() = default;
  explicit WeakCell(const T& value) : value_(value) {}

  [[nodiscard]] T read() const {
    weak_point();
    touch(static_cast<const T*>(nullptr));
    return value_;
  }
  void write(const T& value) { *editing() = value; }
  [[nodiscard]] Reading reading() const { return Reading(*this); }
  [[nodiscard]] Editing editing() { return Editing(*this); }

 private:
  /// The pointer says whether it is a read.
  void touch(const T*) const {
    if (WeakTeam* const team = WeakTeam::current()) {
      team->check(team->memory().read(accesses_), "reads", typeid(T).name());
    }
  }
  void touch(T*) const {
    if (WeakTeam* const team = WeakTeam::current()) {
      team->check(team->memory().write(accesses_), "writes", typeid(T).name());
    }
  }

  T value_{};
  mutable PlainAccesses accesses_;
};

/// A FIFO of cells in turn, after Vyukov's queue: an entry orders its push before its pop, and that
/// pop before the push that uses the cell next, and nothing else. A thread that does not know of
/// the other's step may find the queue empty, or full.
template <class T>
class WeakQueue {
 public:
  explicit WeakQueue(std::size_t capacity) : cells_(capacity) {}

  [[nodiscard]] bool try_push(const T& value) {
    WeakMemory* const memory = weak_point();
    Cell& cell = cells_[pushed_ % cells_.size()];
    if (pushed_ - popped_ == cells_.size() || is_late(memory, cell)) return false;
    cell.value = value;
    pass_on(memory, cell);
    ++pushed_;
    seeded_point_after_store();
    return true;
  }
  [[nodiscard]] std::optional<T> try_pop() {
    WeakMemory* const memory = weak_point();
    Cell& cell = cells_[popped_ % cells_.size()];
    if (pushed_ == popped_ || is_late(memory, cell)) return std::nullopt;
    const T value = cell.value;
    pass_on(memory, cell);
    ++popped_;
    seeded_point_after_store();
    return value;
  }

 private:
  struct Cell {
    T value{};
    Stamp last;         ///< who used it
    VectorClock clock;  ///< what happened before
  };

  static bool is_late(WeakMemory* memory, const Cell& cell) {
    return memory != nullptr && !cell.last.is_in(memory->past()) && memory->is_late();
  }
  static void pass_on(WeakMemory* memory, Cell& cell) {
    if (memory == nullptr) return;
    memory->acquire(cell.clock);
    cell.last = memory->now();
    cell.clock.assign(memory->past());
    memory->advance();
  }

  std::vector<Cell> cells_;
  uint64_t pushed_ = 0;
  uint64_t popped_ = 0;
};

struct Weak : Seeded {
  static constexpr const char* name = "weak";
  static constexpr bool weak_memory = true;

  template <class T>
  using atomic = WeakAtomic<T>;
  template <class T>
  using cell = WeakCell<T>;
  template <class T>
  using bounded_queue = WeakQueue<T>;
  using sleep_word = ParkingWord<WeakAtomic<uint32_t>>;
  using team = WeakTeam;
  using team_options = WeakOptions;

  /// The order of the site; relaxed, if that is the one to be weakened.
  static std::memory_order order(const OrderSite& site) {
    if (weakened == nullptr || std::strcmp(weakened, site.name) != 0) [[likely]]
      return site.order;
    weakened_was_used.store(true, std::memory_order_relaxed);
    return std::memory_order_relaxed;
  }
  /// The name of a site, or null. Changes while no team runs.
  static inline const char* weakened = nullptr;
  static inline std::atomic<bool> weakened_was_used{false};

  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(SeededThread& thread) : thread_(&thread) {}
    /// Before the run nothing needs to be ordered: all of it happens before.
    void ring() const {
      if (WeakTeam* const team = WeakTeam::current()) return team->ring(*thread_);
      thread_->ring();
    }

   private:
    SeededThread* thread_ = nullptr;
  };

  class reminder {
   public:
    explicit reminder(doorbell) {}
  };

  /// Who has looked at an older value looks again: no ring tells when the newer one comes.
  template <class Predicate>
  static void await(Predicate&& predicate) {
    WeakTeam& team = *WeakTeam::current();
    for (;;) {
      team.memory().begin_look();
      if (predicate()) return;
      if (team.memory().has_missed()) {
        team.give_way();
      } else {
        team.park();
      }
    }
  }
  static void idle() { WeakTeam::current()->hear(); }
};

static_assert(LaunchPolicy<Weak>);

}  // namespace pto2::executors
