/// Judges a run by its trace (docs/TRACE.md), with nothing of what made the run.
///
/// An event is recorded beside an atomic step, not with it. Two events are in order of time where
/// the first is recorded before the step that lets the second happen. `consume`, `reclaim` and
/// `give_back` are recorded after their steps; such a step was taken between the event of its
/// thread before it and its own, and it is late only if even the former is. So what a rule refuses
/// did happen in the wrong order, however the threads were delayed.
///
/// A task whose events break VR-I1 or VR-I2 is judged by no later rule. In a run that was given up
/// tasks may be unfinished, scopes and groups open. The *users* of a task are those that it must
/// outlive: consumers whose claim was not `none`, and tasks that hold it.
///
///   VR-I1: one thread, the orchestrator, submits the tasks of each ring in order, 0, 1, .. without
///          gaps. All other events are of tasks that were submitted, and of parts that they have.
///   VR-I2: each task is ready, consumed and reclaimed once, each of its parts dispatched, acked
///          and finished once; in a run that was given up at most once, and none of these without
///          those before it.
///   VR-I3: the times of one thread never descend.
///   VR-I4: submit <= ready <= dispatch <= ack <= fin.
///   VR-I5: producers are submitted before their consumer, and every part of them has finished when
///          it becomes ready.
///   VR-I6: a producer that was claimed early had finished by the time of the submission; one that
///          was claimed with `none` had been consumed.
///   VR-I7: a task is ready for, and dispatched to, a core of its type; `ack` and `fin` are that
///          core's.
///   VR-I8: a task, or part, that is pinned runs on a core of its cluster.
///   VR-I9: a core runs one task at a time: `fin` is its next event after the `ack` of the same
///          task and part, and nothing is dispatched to a core that has not finished what it was
///          given.
///   VR-I10: a cluster has one group at a time.
///   VR-I11: a group is closed once, and its cluster is given back after that and after the last of
///          its tasks has finished; in a run that ended well, each is.
///   VR-I12: groups are numbered from 0; each part of a pinned task, and no other, joins a group
///          that is open, on its cluster, and the submission says so. It does that once, and before
///          the orchestrator does anything else after the submission.
///   VR-I13: of a window's slots one stays free: when a task is submitted, the one that many tasks
///          before it has been reclaimed, and nobody who uses that one runs.
///   VR-I14: a task's heap range lies in its ring's heap, behind that of the task before it, or at
///          the start if it does not fit there; nobody who may use its bytes runs, and those who
///          had them have been reclaimed.
///   VR-I15: a task has as many nodes of its ring's dependency pool as producers and holds, behind
///          those of the task before it; those who had these nodes have been reclaimed.
///   VR-I16: the bytes of a tensor fit 64 bits. Memory of the caller is numbered by first use.
///          Whoever names a buffer of the runtime names bytes of its owner's heap range. It is the
///          owner itself, and does not read them; or it has the owner as producer; or it holds the
///          owner, and only writes.
///   VR-I17: a task is consumed after it has finished, its scope has ended, and its users have
///          finished.
///   VR-I18: a task is reclaimed after the same, and, by the same thread, after it is consumed.
///   VR-I19: the tasks of a ring are reclaimed in order.
///   VR-I20: scopes are numbered from 0 and nest; a task is of the innermost one that is open,
///          and of the ring of its depth; in a run that ended well, all scopes end.
///   VR-I21: the thread that submits waits for a resource for the next task of a ring, lacks what
///          it waits for, and submits that task next, unless the run is given up; or it waits for
///          a cluster, and allocates one next. In between it does nothing else. The task takes what
///          was waited for; of nodes it may take fewer.
///   VR-I22: the last event of each thread, and no other, is its `exit`.
///   VR-I23: of two tasks that touch the same bytes, one of which writes them, one is ordered after
///          the other by a path of edges; or a task that reads was submitted when the writer had
///          been reclaimed, which takes no edge. Judged on demand.
///   VR-I24: a pipe never holds less than nothing, nor more entries than it has slots, before and
///          after each task; it changes by what the task pushed, popped and freed; its number of
///          slots is the one with which it was made, as far as the trace says that, and stays.
///   VR-I25: the first task that has a pipe finds it empty, each later one as the task before it
///          left it. They come in the order of their submission, and none is ready before the one
///          before it was done. A task is done with its pipes after it has finished.
///   VR-I26: a task has a pipe only if it names it and is of its group, and somebody has made it;
///          one that completes has one event for each pipe that it names.
///   VR-I27: what the last task left in a pipe is reported once, before the cluster of its group is
///          allocated again or, in a run that ended well, at its end; nothing else is.
///   VR-I28: each step is taken by a thread whose step it is. The orchestrator opens and closes
///          scopes and groups, lets tasks join, and reports what is left in pipes. It, and
///          schedulers, make tasks ready, it only the one that it has just submitted, a scheduler
///          one with producers only if it has completed one of them; and they consume and reclaim
///          tasks, and give clusters back. Schedulers send tasks: to a core always the same one, to
///          itself those that it runs itself; and whoever has sent a task looks at its pipes. A
///          core claims parts of block tasks that are not pinned, for itself.
///   VR-I29: a group is opened in a scope, and closed before the orchestrator does anything else
///          after the end of that.
///   VR-I30: the run ends as runs can end. With a deadlock: everything that was submitted has
///          finished, and the last that the orchestrator waits for is the resource of that name, or
///          one that it looks for before, and it is still lacking; with a call that was refused or
///          threw: it does not wait.
///   VR-I31: what is certainly in the TensorMap and what a task puts there has room in its pool.
///   VR-I32: a task has a producer because that writes what it reads, or had a pipe before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/validate/trace.hpp"

namespace pto2::validation {

/// A rule that is broken, by two events.
struct Violation {
  std::string rule;  ///< "VR-I5"
  std::string text;  ///< what happened, with tasks, threads and times
  uint32_t line = 0;
  uint32_t other_line = 0;  ///< 0: there is only one event
};

/// What was judged.
struct Figures {
  uint64_t tasks = 0;
  uint64_t parts = 0;  ///< of all tasks; those that are no block tasks have one
  uint64_t events = 0;
  uint64_t pinned_tasks = 0;  ///< themselves, or one of their parts
  uint64_t groups = 0;        ///< that got a cluster
  uint64_t pipes = 0;         ///< that a task used
  uint64_t entries = 0;       ///< pushed into pipes; 2^64 - 1: that many or more
};

struct Verdict {
  /// By `line`, those of one line by rule; of each rule those of the first `most_per_rule` lines.
  std::vector<Violation> violations;
  uint64_t more = 0;  ///< that were left out
  Figures figures;

  [[nodiscard]] bool valid() const { return violations.empty(); }
};

inline constexpr uint32_t most_per_rule = 20;

/// Judges a run by VR-I1 to VR-I32, but by VR-I23 only if `races`.
[[nodiscard]] Verdict judge(const Trace& trace, bool races);

}  // namespace pto2::validation
