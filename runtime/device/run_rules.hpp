/// The rules that the events of every run keep, whatever its graph, its schedule and its end.
///
/// An event is recorded beside an atomic step, not with it. Two events are in order of time where
/// the first is recorded before the step that lets the second happen: `dispatch` before the core
/// can see it, `fin` before the scheduler can, `exit` before the scheduler can follow. `consume`
/// and `reclaim` are recorded after their steps, by whoever took them, so the two of one task have
/// no order, and a consumer can be dispatched before its producer's `consume` is recorded.
///
/// A run ended well if it has no error, or nothing but leftovers. Else it was given up: its
/// schedulers stop where they are, while the cores still end the kernels that they have begun.
///
///   EV-I1: there is one log per logical thread, the orchestrator's, the schedulers' and the
///          cores', in this order, and no event was dropped. Without that nothing is judged.
///   EV-I2: each kind of event stands in the log of a thread that can cause it: `submit`,
///          `allocate`, `close`, `join`, `scope_begin`, `scope_end` and `leftover` the
///          orchestrator's, `dispatch`, `ack` and `fin` a core's or a scheduler's, `pipe` a
///          scheduler's, `ready`, `consume`, `reclaim` and `give_back` the orchestrator's or a
///          scheduler's.
///   EV-I3: the times of one thread never descend.
///   EV-I4: the tasks of a ring are submitted in order, 0, 1, .. without gaps; all other events are
///          of these tasks. An orchestrator that waits for a resource waits for the ring's next.
///   EV-I5: each task has each kind of event once; in a run that was given up at most once, and
///          none without those that come before it in its life. A block task has `dispatch`, `ack`
///          and `fin` once per part, and no other task has parts; in what follows its first
///          `dispatch`, its first `ack` and its last `fin` are meant.
///   EV-I6: submit <= ready <= dispatch <= ack <= fin, fin <= consume, fin <= reclaim.
///   EV-I7: `dispatch` names a core of the task's type that belongs to the scheduler, or the
///          scheduler itself for type ai_cpu; `ack` and `fin` stand in the log of that core. So for
///          each part; but that of a block task that is not pinned is claimed by the core, whose
///          `dispatch` names itself.
///   EV-I8: a core takes one task, or part of one, at a time, in the order of the dispatches to it,
///          and waits in between, but not between parts that it claims; no dispatch to it precedes
///          the `fin` of the one before. Each dispatch has its `ack` and its `fin`; in a run that
///          was given up, the last one to a core may have neither, because the exit signal overtook
///          it. A scheduler runs each task that it dispatched to itself at once, and none else.
///   EV-I9: the last event of each thread, and no other, is its `exit`. A core's is not later than
///          its scheduler's, and in a run that ended well not earlier than the last `fin`.
///   EV-I10: the tasks of a ring that were reclaimed are its first ones.
///   EV-I11: the counts of the result agree with the events: `completions` counts tasks,
///          `dispatches`, `acks` and `fins` count parts. What was stolen was dispatched or lent, or
///          was the ticket of a block task that was used up.
///   EV-I12: no core is idle while a task of its type is ready and nobody is about to dispatch it.
///          A pinned task waits for a core of its cluster. A scheduler counts as a core of type
///          ai_cpu; while it runs a task itself, its cores are not idle but unserved, and so is its
///          backlog: nothing is said of a type of which there may be one, nor of parts that
///          are pinned to clusters of several schedulers, one of which may have their ticket.
///          This is exact in seeded runs with kernels_last: whenever a kernel ends, all others
///          were waiting. On hardware, a task must not be ready for longer than a limit while one
///          core of its type is idle throughout, not counting the time in which a kernel or the
///          orchestration may have been running on every host thread. Nothing is said of other
///          runs.
///   EV-I13: every structure is whole after the run.
///   EV-I14: groups are allocated in order, 0, 1, .., each on a cluster of the chip, and closed
///          once, in a run that ended well all of them. Tasks join a group while it is open. A
///          cluster is allocated again only after its group was closed and its last task had its
///          `fin`, and is given back once per group; in a run that was given up the last one may
///          not have been.
///   EV-I15: a task, or part of one, that joined a group is dispatched to a core of the group's
///          cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "runtime/run/config.hpp"

namespace pto2 {

/// On hardware, the longest that a task may be ready beside an idle core; much more than it takes,
/// because the machine may be busy with something else.
inline constexpr uint64_t idle_core_limit = 5'000'000'000;

/// The rules that the events of a run on `config` break, as texts that name the rule, the tasks,
/// threads and times; of many, the first few and the number of all. Empty: every rule holds.
/// O(n log n) for n events.
[[nodiscard]] std::vector<std::string> broken_rules(const DeviceConfig& config,
                                                    const RunResult& result,
                                                    uint64_t idle_limit = idle_core_limit);

}  // namespace pto2
