/// The atomics of the machine in the flavour for valgrind's helgrind and DRD, which know pthreads
/// but not memory orders: std::atomic with annotations of what happens before what. In every other
/// flavour MachineAtomic is std::atomic, and nothing else of this header is compiled.
///
/// The annotations follow the rules of C++20, not the values that a run happens to see:
///
///   release store      forgets what the word carried, then carries what its thread did
///   relaxed store      forgets what the word carried: it begins no release sequence
///   release update     carries what its thread did besides: updates continue release sequences
///   relaxed update     leaves what the word carries
///   acquire            what the word carries happens before what follows
///   relaxed load       nothing
///
/// seq_cst is acq_rel here: the single total order makes no edges of its own. DRD cannot forget, so
/// that it misses an edge that a store takes away.
///
/// Both tools take a locked instruction for a read, and an ordinary store to an atomic word for an
/// access like any other. So each access is a locked instruction, and what accesses the word past
/// its atomic is a race still. A value and what it carries change together, under a lock that
/// makes no edges.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#if defined(PTO2_ANNOTATE_ORDERS)
#include <sched.h>
// helgrind.h has the macros if it comes first.
#include <valgrind/helgrind.h>
//
#include <valgrind/drd.h>

namespace pto2::executors {

namespace annotation {

inline void happens_before(const volatile void* word) {
  ANNOTATE_HAPPENS_BEFORE(word);
  VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, word, 0, 0, 0, 0);
}
inline void happens_after(const volatile void* word) {
  ANNOTATE_HAPPENS_AFTER(word);
  VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, word, 0, 0, 0, 0);
}
inline void forget(const volatile void* word) {
  ANNOTATE_HAPPENS_BEFORE_FORGET_ALL(word);
}

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
/// The order of a compare-and-swap that fails, where none is given.
constexpr std::memory_order failing(std::memory_order order) {
  if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
  return order == std::memory_order_release ? std::memory_order_relaxed : order;
}

/// Held while a word and what it carries change.
class Turn {
 public:
  Turn() {
    while (taken_.exchange(1) != 0) sched_yield();
  }
  ~Turn() { taken_.exchange(0); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static inline std::atomic<uint32_t> taken_{0};
};

}  // namespace annotation

template <class T>
class AnnotatedAtomic {
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  constexpr AnnotatedAtomic() : AnnotatedAtomic(T{}) {}
  /// What is made before the program runs has nothing to be forgotten.
  constexpr AnnotatedAtomic(T value) : word_(value) {
    if (!std::is_constant_evaluated()) annotation::forget(this);
  }
  AnnotatedAtomic(const AnnotatedAtomic&) = delete;
  AnnotatedAtomic& operator=(const AnnotatedAtomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    if (!annotation::acquires(order)) return locked_load();
    const annotation::Turn turn;
    const T value = locked_load();
    annotation::happens_after(this);
    return value;
  }

  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    const annotation::Turn turn;
    word_.exchange(value);
    annotation::forget(this);
    if (annotation::releases(order)) annotation::happens_before(this);
  }

  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return update(order, [&] { return word_.exchange(value); });
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    return update(order, [&] { return word_.fetch_add(value); });
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) {
    return update(order, [&] { return word_.fetch_sub(value); });
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) {
    return update(order, [&] { return word_.fetch_or(value); });
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) {
    return update(order, [&] { return word_.fetch_and(value); });
  }

  bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                               std::memory_order failure) {
    const annotation::Turn turn;
    const bool changed = word_.compare_exchange_strong(expected, value);
    annotate(changed ? success : failure, changed);
    return changed;
  }
  bool compare_exchange_strong(T& expected, T value,
                               std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, value, order, annotation::failing(order));
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                             std::memory_order failure) {
    return compare_exchange_strong(expected, value, success, failure);
  }

 protected:
  /// Without an annotation.
  const std::atomic<T>& word() const { return word_; }
  std::atomic<T>& word() { return word_; }

 private:
  /// A compare-and-swap of the default value for itself.
  T locked_load() const {
    T value{};
    word_.compare_exchange_strong(value, value);
    return value;
  }

  template <class Change>
  T update(std::memory_order order, const Change& change) {
    if (order == std::memory_order_relaxed) return change();
    const annotation::Turn turn;
    const T before = change();
    annotate(order, true);
    return before;
  }

  void annotate(std::memory_order order, bool changed) const {
    if (annotation::acquires(order)) annotation::happens_after(this);
    if (changed && annotation::releases(order)) annotation::happens_before(this);
  }

  mutable std::atomic<T> word_;
};

/// Valgrind takes the system call that wakes sleepers for a store to the word, which DRD heeds: it
/// leaves the word out.
class AnnotatedSleepWord : public AnnotatedAtomic<uint32_t> {
 public:
  AnnotatedSleepWord() : AnnotatedSleepWord(0) {}
  AnnotatedSleepWord(uint32_t value) : AnnotatedAtomic(value) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, this, sizeof *this, 0, 0, 0);
  }
  ~AnnotatedSleepWord() {
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_FINISH_SUPPRESSION, this, sizeof *this, 0, 0,
                                    0);
  }

  void wait(uint32_t old, std::memory_order order = std::memory_order_seq_cst) const {
    while (load(order) == old) word().wait(old, std::memory_order_relaxed);
  }
  void notify_one() { word().notify_one(); }
  void notify_all() { word().notify_all(); }
};

template <class T>
using MachineAtomic = AnnotatedAtomic<T>;
using MachineSleepWord = AnnotatedSleepWord;

}  // namespace pto2::executors

#else

namespace pto2::executors {

template <class T>
using MachineAtomic = std::atomic<T>;
using MachineSleepWord = std::atomic<uint32_t>;

}  // namespace pto2::executors

#endif
