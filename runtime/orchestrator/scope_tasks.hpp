/// The scopes that are open, and which tasks each of them holds.
///
/// The tasks of a scope are in one ring, one behind the other, but for those of inner scopes that
/// use the same ring. So they are runs of local ids: whoever submits a task notes nothing here.
///
///   ST-P1: a scope that ends is open.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/assert.hpp"
#include "core/ids.hpp"

namespace pto2 {

class ScopeTasks {
 public:
  /// Tasks of one ring with these local ids.
  struct Run {
    uint64_t first;
    uint64_t end;  ///< behind the last
  };

  [[nodiscard]] bool empty() const { return scopes_.empty(); }
  /// How many are open.
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(scopes_.size()); }

  /// A scope begins, whose tasks are those of this ring from local id `next` on.
  void begin(RingId ring, uint64_t next) {
    // The outer one goes on behind this one. It may have many that it submits nothing between.
    if (!scopes_.empty() && scopes_.back().ring == ring && scopes_.back().run != next)
      runs_.push_back({scopes_.back().run, next});
    scopes_.push_back({ring, next, runs_.size()});
  }
  /// Of the innermost, which is open: 0 the outermost.
  [[nodiscard]] uint32_t depth() const { return size() - 1; }
  [[nodiscard]] RingId innermost_ring() const { return scopes_.back().ring; }
  /// The innermost scope ends, when the next task of its ring has local id `next`: calls
  /// visit(ring, run) for the runs of its tasks, in the order of their submission. ST-P1
  template <class Visit>
  void end(uint64_t next, Visit&& visit) {
    PTO2_INVARIANT("ST-P1", !scopes_.empty());
    const Scope ended = scopes_.back();
    scopes_.pop_back();
    for (std::size_t i = ended.first_run; i < runs_.size(); ++i) visit(ended.ring, runs_[i]);
    visit(ended.ring, Run{ended.run, next});
    runs_.resize(ended.first_run);
    if (!scopes_.empty() && scopes_.back().ring == ended.ring) scopes_.back().run = next;
  }

 private:
  struct Scope {
    RingId ring;
    uint64_t run;           ///< where its last run begins, which is still open
    std::size_t first_run;  ///< of those that inner scopes have ended
  };

  std::vector<Scope> scopes_;
  std::vector<Run> runs_;
};

}  // namespace pto2
