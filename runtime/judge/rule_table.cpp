#include "runtime/judge/rule_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pto2::judging {
namespace {

constexpr Rule rules[] = {
    {"VR-I1", Strength::always,
     "One thread, the orchestrator, submits the tasks of each ring in order, 0, 1, .. without "
     "gaps. All other events are of tasks that were submitted, and of parts that they have."},
    {"VR-I2", Strength::always,
     "Each task is ready, consumed and reclaimed once, each of its parts dispatched, acked and "
     "finished once; in a run that was given up at most once, and none of these without those "
     "before it."},
    {"VR-I3", Strength::always, "The times of one thread never descend."},
    {"VR-I4", Strength::always,
     "Submit <= ready <= dispatch <= ack <= fin. A task enters a backlog between ready and "
     "dispatch, a block task after ready."},
    {"VR-I5", Strength::always,
     "Producers are submitted before their consumer, and every part of them has finished when "
     "it becomes ready."},
    {"VR-I6", Strength::always,
     "A producer that was claimed early had finished by the time of the submission; one that "
     "was claimed with `none` had been consumed."},
    {"VR-I7", Strength::always,
     "A task is ready for, and dispatched to, a core of its type; `ack` and `fin` are that "
     "core's."},
    {"VR-I8", Strength::always, "A task, or part, that is pinned runs on a core of its cluster."},
    {"VR-I9", Strength::always,
     "A core runs one task at a time: `fin` is its next event after the `ack` of the same task "
     "and part, and nothing is dispatched to a core that has not finished what it was given."},
    {"VR-I10", Strength::always, "A cluster has one group at a time."},
    {"VR-I11", Strength::always,
     "A group is closed once, and its cluster is given back after that and after the last of "
     "its tasks has finished; in a run that ended well, each is."},
    {"VR-I12", Strength::always,
     "Groups are numbered from 0; each part of a pinned task, and no other, joins a group that "
     "is open, on its cluster, and the submission says so; it names no group only if its parts "
     "are of several. It does that once, and before the orchestrator does anything else after "
     "the submission."},
    {"VR-I13", Strength::always,
     "Of a window's slots one stays free: when a task is submitted, the one that many tasks "
     "before it has been reclaimed, and nobody who uses that one runs."},
    {"VR-I14", Strength::always,
     "A task's heap range lies in its ring's heap, behind that of the task before it, or at "
     "the start if it does not fit there; nobody who may use its bytes runs, and those who had "
     "them have been reclaimed."},
    {"VR-I15", Strength::always,
     "A task has as many nodes of its ring's dependency pool as producers and holds, behind "
     "those of the task before it; those who had these nodes have been reclaimed."},
    {"VR-I16", Strength::always,
     "The bytes of a tensor fit 64 bits. Memory of the caller is numbered by first use. "
     "Whoever names a buffer of the runtime names bytes of its owner's heap range. It is the "
     "owner itself, and does not read them; or it has the owner as producer; or it holds the "
     "owner, and only writes. It holds nobody else, none of its producers, and each once."},
    {"VR-I17", Strength::always,
     "A task is consumed after it has finished, its scope has ended, and its users have "
     "finished."},
    {"VR-I18", Strength::always,
     "A task is reclaimed after the same, and, by the same thread, after it is consumed."},
    {"VR-I19", Strength::always, "The tasks of a ring are reclaimed in order."},
    {"VR-I20", Strength::always,
     "Scopes are numbered from 0 and nest; a task is of the innermost one that is open, and of "
     "the ring of its depth; in a run that ended well, all scopes end."},
    {"VR-I21", Strength::always,
     "The thread that submits waits for a resource for the next task of a ring, lacks what it "
     "waits for, and submits that task next, unless the run is given up; or it waits for a "
     "cluster, and allocates one next. In between it does nothing else. The task takes what "
     "was waited for; of nodes it may take fewer. Of a simulation of weak memory, where the thread "
     "may see late what was given back, it is not said that it lacks it."},
    {"VR-I22", Strength::always,
     "The last event of each thread, and no other, is its `exit`; a core that `core_lost` names "
     "has none."},
    {"VR-I23", Strength::on_demand,
     "Of two tasks that touch the same bytes, one of which writes them, one is ordered after "
     "the other by a path of edges. One that the runtime makes, for what a task reads or for a "
     "pipe, may be missing on it if the older of its tasks had been consumed when the newer was "
     "submitted."},
    {"VR-I24", Strength::always,
     "A pipe never holds less than nothing, nor more entries than it has slots, before and "
     "after each task; it changes by what the task pushed, popped and freed; its number of "
     "slots is the one with which it was made, as far as the trace says that, and stays."},
    {"VR-I25", Strength::always,
     "The first task that has a pipe finds it empty, each later one as the task before it left "
     "it. They come in the order of their submission, and none is ready before the one before "
     "it was done. A task is done with its pipes after it has finished."},
    {"VR-I26", Strength::always,
     "A task has a pipe only if it names it and is of its group, and somebody has made it; one "
     "that completes has one event for each pipe that it names. A pipe is made, as far as the "
     "trace says that, by the first task of its group that names it."},
    {"VR-I27", Strength::always,
     "What the last task left in a pipe is reported once, before the cluster of its group is "
     "allocated again or, in a run that ended well, at its end; nothing else is."},
    {"VR-I28", Strength::always,
     "Each step is taken by a thread whose step it is. The orchestrator opens and closes "
     "scopes and groups, lets tasks join, and reports what is left in pipes. It, and "
     "schedulers, make tasks ready, it only the one that it has just submitted, a scheduler "
     "one with producers only if it has completed one of them; and they consume and reclaim "
     "tasks, and give clusters back. A scheduler keeps what it made ready in its backlog, and "
     "block tasks. Schedulers send tasks: to a core always the same one, which the header names, "
     "to itself those that it runs itself; and whoever has sent a task looks at its pipes. A core "
     "claims parts of block tasks that are not pinned, for itself."},
    {"VR-I29", Strength::always,
     "A group is opened in a scope, and closed before the orchestrator does anything else "
     "after the end of that."},
    {"VR-I30", Strength::always,
     "The run ends as runs with a trace can end. With a deadlock: everything that was submitted "
     "has finished, and the last that the orchestrator waits for is the resource of that name, or "
     "one that it looks for before, and it is still lacking; with a call that was refused or "
     "threw: it does not wait. After a wait for one that it looks for before, it is that one which "
     "must no longer be lacking, unless it is nodes, of which the task may need fewer by then; of "
     "the one of that name nothing is said."},
    {"VR-I31", Strength::always,
     "What is certainly in the TensorMap and what a task puts there has room in its pool. Nothing "
     "is said of a run that was replayed: recorded edges need no TensorMap."},
    {"VR-I32", Strength::always,
     "A task has a producer because that writes what it reads, or had a pipe before it, and has "
     "each once. Of two regions that are not given in the same coordinates only the first and "
     "last bytes are compared."},
    {"VR-I33", Strength::always,
     "A core waits when it has nothing to do, not between the parts that it claims itself. It "
     "takes what it is sent in that order and ends it; of a run that was given up the signal "
     "to leave may overtake the last. A scheduler begins and ends at once what it sends to "
     "itself, and runs nothing else."},
    {"VR-I34", Strength::always,
     "A core leaves before its scheduler does and, in a run that ended well, after the last "
     "kernel has ended."},
    {"VR-I35", Strength::counted,
     "What the threads counted is what the events say: tasks, edges by what their claims came to, "
     "references to owners of buffers, dispatches, acks, fins, waits, parks; `completions` counts "
     "tasks, in a run that was given up those whose kernels ended, and at least those that were "
     "consumed; what was stolen was dispatched or lent, or was the ticket of a block task that was "
     "used up, or, in a run that was given up, one task for each scheduler, which it was to run "
     "itself; the most slots in use is a number that the orchestrator can have seen."},
    {"VR-I36", Strength::counted,
     "No core is idle while a task of its type is ready and nobody is about to dispatch it. A "
     "pinned task waits for a core of its cluster. A scheduler counts as a core of type "
     "ai_cpu; while it runs a task itself, its cores are not idle but unserved, and so are the "
     "tasks in its backlog, and parts that are pinned to clusters of several schedulers, one of "
     "which may have their ticket. This is exact in simulations in which a kernel ends when all "
     "others wait. On real threads a task must not be ready for longer than a limit while one core "
     "of its type is idle throughout, not counting the time in which a kernel or the orchestration "
     "may have been running on every host thread, the latter not while the orchestrator waits for "
     "what it takes next, or to leave; that limit is given on demand. A task that is never "
     "dispatched, in a run that was given up, is ready until the first core or the orchestrator "
     "leaves. Nothing is said of a run that ended in `core_lost`: the lost core may have been lent "
     "a block task, for whose parts nobody else is woken."},
    {"VR-I37", Strength::always,
     "Every structure of the runtime is whole after the run, as the run itself has found "
     "(runtime/device/run_audit.hpp)."},
};

}  // namespace

const char* strength_name(Strength strength) {
  switch (strength) {
    case Strength::always:
      return "always";
    case Strength::counted:
      return "with counts";
    case Strength::on_demand:
      return "on demand";
  }
  return "";
}

std::span<const Rule> rule_table() {
  return rules;
}

const Rule& rule_called(std::string_view id) {
  const auto* const found = std::ranges::find(rules, id, &Rule::id);
  if (found == std::end(rules)) throw std::logic_error("there is no rule " + std::string(id));
  return *found;
}

}  // namespace pto2::judging
