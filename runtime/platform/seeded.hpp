/// The seeded policy: sequentially consistent, deterministic, every access a point of the
/// schedule (seeded_team.hpp). The proof that nothing in core and runtime bypasses the seam.
#pragma once

#include <deque>
#include <optional>

#include "core/assert.hpp"
#include "core/platform.hpp"
#include "runtime/platform/mapped_array.hpp"
#include "runtime/platform/seeded_team.hpp"

namespace pto2::platform {

/// A point of the schedule, if a seeded team is running here.
inline void seeded_point() {
  if (SeededTeam* team = SeededTeam::current()) team->point();
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
    return before;
  }
  T value_{};
};

/// Plain data. A write has a point in its middle, so that an access by another thread meanwhile
/// is a race that is seen. A read has one before it: what an atomic access has just given away can
/// be recycled before it is read.
template <class T>
class SeededCell {
 public:
  SeededCell() = default;
  explicit SeededCell(const T& value) : value_(value) {}

  [[nodiscard]] const T& read() const {
    seeded_point();
    PTO2_INVARIANT("a cell is not read while it is written", !writing_);
    return value_;
  }
  void write(const T& value) {
    PTO2_INVARIANT("a cell is not written by two threads", !writing_);
    writing_ = true;
    seeded_point();
    value_ = value;
    writing_ = false;
  }
  [[nodiscard]] T& edit() {
    PTO2_INVARIANT("a cell is not written by two threads", !writing_);
    return value_;
  }

 private:
  T value_{};
  bool writing_ = false;
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

  template <class T>
  using atomic = SeededAtomic<T>;
  template <class T>
  using cell = SeededCell<T>;
  template <class T>
  using bounded_queue = SeededQueue<T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using team = SeededTeam;
  using team_options = SeededOptions;

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

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    while (!predicate()) SeededTeam::current()->give_way();
  }

  static void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
    seeded_point();
    kernel(args);
  }
  static void prefetch_for_write(const void*) {}
  static void prefetch(const void*) {}
  [[nodiscard]] static uint64_t now_ns() {
    const SeededTeam* team = SeededTeam::current();
    return team == nullptr ? 0 : team->points();
  }
};

static_assert(Policy<Seeded>);

}  // namespace pto2::platform
