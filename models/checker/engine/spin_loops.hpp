#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "models/checker/engine/local_state.hpp"

namespace pto2::model::engine {

/// Why a search ends that must begin anew: the program has a loop that may spin, or is known to.
inline constexpr const char* loop_found_reason = "a loop was found to spin";

/// The reads of the program, by place, at which it has been seen to spin: in a loop whose turns
/// change nothing. What an execution begins with is known of the program for the rest of the
/// process; it does not change while others find more.
class SpinLoops {
 public:
  SpinLoops();

  bool empty() const { return places_.empty(); }
  bool contains(const std::source_location& place) const;
  void add(const std::source_location& place);
  /// Whether some program of this process may spin, so that its memory has to be watched.
  bool suspected() const { return suspected_; }
  static void suspect();
  /// What the program may count in outside of its threads and its heap, as a sum over words:
  /// globals, and the locals of whoever explores it.
  std::uint64_t sum_of_surroundings() const;

 private:
  std::vector<std::source_location> places_;
  bool suspected_;
  Region callers_;
};

/// Notes, as long as it exists, from where on the stack of this OS thread belongs to whoever
/// explores a program, and may have what the program refers to.
class ExplorersFrame {
 public:
  explicit ExplorersFrame(const void* frame) : outer_(std::exchange(innermost(), frame)) {}
  ~ExplorersFrame() { innermost() = outer_; }
  ExplorersFrame(const ExplorersFrame&) = delete;
  ExplorersFrame& operator=(const ExplorersFrame&) = delete;
  static const void*& innermost();

 private:
  const void* outer_;
};

/// A turn of a loop that may spin: where it began.
struct Turn {
  std::source_location place;
  std::uint64_t local_state = 0;
  std::uint64_t changes = 0;  ///< of other memory, that the thread had made
  std::int32_t position = 0;  ///< events of the thread that were passed
  std::int32_t given = 0;     ///< and those that had been recorded by then
};

/// What is known of the loop that a thread may be in.
struct Spinning {
  bool under_proof = false;     ///< in some run of this search it has read the same many times
  std::vector<Turn> turns;      ///< of the loop; there are no effects in between
  std::int32_t kept_until = 0;  ///< position behind its last turn that has failed and stays
  std::uint64_t changes = 0;    ///< what the thread's code has added to the sum of other memory,
  std::optional<std::uint64_t> found;  ///< and that sum when it went on from its last step
};

/// A step of a thread that may be in a loop. Others run meanwhile, if at all; what changes between
/// its steps is of the thread's making. `sum` is that of the memory besides the thread's stack.
template <class Sum>
class LookAround {
 public:
  LookAround(Spinning& spinning, Sum sum) : spinning_(spinning), sum_(sum) {
    if (spinning_.found) spinning_.changes += sum_() - *std::exchange(spinning_.found, {});
  }
  ~LookAround() {
    if (!spinning_.turns.empty()) spinning_.found = sum_();
  }
  LookAround(const LookAround&) = delete;
  LookAround& operator=(const LookAround&) = delete;

 private:
  Spinning& spinning_;
  Sum sum_;
};

/// Whether the thread may be in a loop that spins, not in a predicate.
template <class Thread>
bool spins(const Thread& thread) {
  return !thread.spinning.turns.empty();
}

/// A thread of an execution has done more than a turn of a loop that spins.
template <class Thread>
void leave_loop(Thread& thread) {
  if (!spins(thread)) return;
  thread.insists = thread.last_resort = false;
  thread.spinning.turns.clear();
  thread.spinning.found = {};
}

bool same_place(const std::source_location& a, const std::source_location& b);

}  // namespace pto2::model::engine
