/// The seeded policy: sequentially consistent, deterministic, every access a point of the
/// schedule (seeded_team.hpp). The proof that nothing in core and runtime bypasses the seam.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "core/assert.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/seeded_team.hpp"

namespace pto2::executors {

/// A point of the schedule, if a seeded team is running here.
inline void seeded_point() {
  if (SeededTeam* team = SeededTeam::current()) team->point();
}

/// The same after a store, in some schedules: what the storing thread does next, without another
/// access to shared data, can come late.
inline void seeded_point_after_store() {
  if (SeededTeam* team = SeededTeam::current()) team->point_after_store();
}

/// std::atomic's interface; the orders have no effect.
template <class T>
class SeededAtomic {
 public:
  SeededAtomic() = default;
  explicit SeededAtomic(T value) : value_(value) {}
  SeededAtomic(const SeededAtomic&) = delete;
  SeededAtomic& operator=(const SeededAtomic&) = delete;

  T load(std::memory_order) const {
    seeded_point();
    return value_;
  }
  void store(T value, std::memory_order) {
    seeded_point();
    value_ = value;
    seeded_point_after_store();
  }
  T exchange(T value, std::memory_order) {
    return update([&](T) { return value; });
  }
  T fetch_add(T n, std::memory_order) {
    return update([&](T v) { return static_cast<T>(v + n); });
  }
  T fetch_sub(T n, std::memory_order) {
    return update([&](T v) { return static_cast<T>(v - n); });
  }
  T fetch_or(T n, std::memory_order) {
    return update([&](T v) { return static_cast<T>(v | n); });
  }
  T fetch_and(T n, std::memory_order) {
    return update([&](T v) { return static_cast<T>(v & n); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
    seeded_point();
    if (value_ == expected) {
      value_ = desired;
      seeded_point_after_store();
      return true;
    }
    expected = value_;
    return false;
  }

 private:
  template <class F>
  T update(F&& f) {
    seeded_point();
    const T before = value_;
    value_ = f(before);
    seeded_point_after_store();
    return before;
  }
  T value_{};
};

/// A word to sleep on: whoever sleeps is parked until it is notified. A ring that comes meanwhile
/// is used up, which is no harm: who returns looks at everything again before it waits.
template <class Atomic>
class ParkingWord : public Atomic {
 public:
  using Atomic::Atomic;

  void wait(uint32_t old, std::memory_order order) {
    SeededTeam& team = *SeededTeam::current();
    while (this->load(order) == old) {
      SeededThread& self = team.running();
      sleepers_.push_back(&self);
      while (std::ranges::find(sleepers_, &self) != sleepers_.end()) team.park();
    }
  }
  void notify_one() {
    seeded_point();
    if (!sleepers_.empty()) wake_first();
  }
  void notify_all() {
    seeded_point();
    while (!sleepers_.empty()) wake_first();
  }

 private:
  void wake_first() {
    SeededThread* const first = sleepers_.front();
    sleepers_.erase(sleepers_.begin());
    first->ring();
  }

  std::vector<SeededThread*> sleepers_;
};

/// Plain data. A write has a point in its middle, so that an access by another thread meanwhile
/// is a race that is seen, and a guard lets others run while it lives. A read has a point before
/// it: what an atomic access has just given away can be recycled before it is read.
template <class T>
class SeededCell {
 public:
  /// An access that lasts as long as this lives; `readers` is how it counts.
  template <class Cell, class Value, int32_t readers>
  class Guard {
   public:
    explicit Guard(Cell& cell) : cell_(cell) {
      cell_.begin(readers);
      seeded_point();
    }
    ~Guard() { cell_.end(readers); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Value& operator*() const { return cell_.value_; }
    Value* operator->() const { return &cell_.value_; }

   private:
    Cell& cell_;
  };
  using Reading = Guard<const SeededCell, const T, 1>;
  using Editing = Guard<SeededCell, T, -1>;

  SeededCell() = default;
  explicit SeededCell(const T& value) : value_(value) {}

  [[nodiscard]] T read() const {
    seeded_point();
    check_free(true);
    return value_;
  }
  void write(const T& value) { *editing() = value; }
  [[nodiscard]] Reading reading() const { return Reading(*this); }
  [[nodiscard]] Editing editing() { return Editing(*this); }

 private:
  void begin(int32_t readers) const {
    check_free(readers > 0);
    accesses_ += readers;
  }
  void end(int32_t readers) const { accesses_ -= readers; }
  void check_free(bool to_read) const {
    PTO2_INVARIANT("nobody else accesses a cell that is written",
                   accesses_ == 0 || (to_read && accesses_ > 0));
  }

  T value_{};
  mutable int32_t accesses_ = 0;  // readers under way, or -1: a writer
};

/// A FIFO whose operations are single steps.
template <class T>
class SeededQueue {
 public:
  explicit SeededQueue(std::size_t capacity) : capacity_(capacity) {}
  [[nodiscard]] bool try_push(const T& value) {
    seeded_point();
    if (items_.size() == capacity_) return false;
    items_.push_back(value);
    seeded_point_after_store();
    return true;
  }
  [[nodiscard]] std::optional<T> try_pop() {
    seeded_point();
    if (items_.empty()) return std::nullopt;
    const T value = items_.front();
    items_.pop_front();
    return value;
  }

 private:
  std::size_t capacity_;
  std::deque<T> items_;
};

struct Seeded {
  static constexpr const char* name = "seeded";
  static constexpr bool weak_memory = false;

  template <class T>
  using atomic = SeededAtomic<T>;
  template <class T>
  using cell = SeededCell<T>;
  template <class T>
  using bounded_queue = SeededQueue<T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using sleep_word = ParkingWord<SeededAtomic<uint32_t>>;
  using team = SeededTeam;
  using team_options = SeededOptions;
  [[nodiscard]] static std::string running_thread() {
    SeededTeam* const team = SeededTeam::current();
    return team == nullptr ? std::string() : team->name_of(team->running().number());
  }

  static constexpr std::memory_order order(const OrderSite& site) { return site.order; }

  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(SeededThread& thread) : thread_(&thread) {}
    void ring() const { thread_->ring(); }

   private:
    SeededThread* thread_ = nullptr;
  };

  /// There is no time here, so nothing is late and nobody is reminded.
  class reminder {
   public:
    explicit reminder(doorbell) {}
  };

  template <class Predicate>
  static void await(Predicate&& predicate) {
    while (!predicate()) idle();
  }
  static void idle() { SeededTeam::current()->park(); }

  /// A round that found nothing is a point of the schedule. Whether the caller's loop is over.
  template <class Predicate>
  static bool yield(Predicate&& is_over) {
    seeded_point();
    return is_over();
  }
  [[nodiscard]] static uint32_t polling_rounds() { return 1; }
  /// Any order of steps is one that threads of their own could take.
  [[nodiscard]] static uint32_t parallelism() { return UINT32_MAX; }

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    while (!predicate()) SeededTeam::current()->give_way();
  }

  static void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
    if (SeededTeam* team = SeededTeam::current()) team->enter_kernel();
    kernel(args);
  }
  template <class Section>
  static void run_kernels(Section&& section) {
    section(run_kernel);
  }
  static void prefetch_for_write(const void*) {}
  static constexpr uint64_t ticks_per_second = 1'000'000'000;
  [[nodiscard]] static uint64_t now() {
    const SeededTeam* team = SeededTeam::current();
    return team == nullptr ? 0 : team->points();
  }
};

static_assert(LaunchPolicy<Seeded>);

}  // namespace pto2::executors
