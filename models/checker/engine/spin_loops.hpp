#pragma once

#include <cstdint>
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
  /// Adds what the program may count in outside of its threads: globals, and the locals of whoever
  /// explores it.
  std::uint64_t digest_of_surroundings(std::uint64_t digest) const;

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
  std::int32_t position = 0;  ///< events of the thread that were passed
  std::int32_t given = 0;     ///< and those that had been recorded by then
  int comparisons = 0;        ///< of all other memory, when a later turn began as this one did,
  std::uint64_t surroundings = 0;  ///< and its digest at the last of these
};

/// A thread of an execution has done more than a turn of a loop that spins.
template <class Thread>
void leave_loop(Thread& thread) {
  if (thread.turns.empty()) return;
  thread.insists = thread.last_resort = false;
  thread.turns.clear();
}

bool same_place(const std::source_location& a, const std::source_location& b);

}  // namespace pto2::model::engine
