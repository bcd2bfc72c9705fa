#include "runtime/record/event.hpp"

#include <algorithm>

namespace pto2 {
namespace {

using enum EventKind;
using F = EventField;

constexpr Roles orchestrator = Role::orchestrator;
constexpr Roles scheduler = Role::scheduler;
constexpr Roles core = Role::core;
constexpr Roles anybody = orchestrator | scheduler | core;

constexpr EventRow event_rows[] = {
    {submit,
     "submit",
     orchestrator,
     {F::task, F::submission},
     "before anybody else knows the task"},
    {ready,
     "ready",
     orchestrator | scheduler,
     {F::task, F::type},
     "after the last producer has ended, before the task is pushed"},
    {backlog,
     "backlog",
     scheduler,
     {F::task},
     "the task, or the ticket of a block task, found the ready queues full: the scheduler keeps "
     "it"},
    {dispatch,
     "dispatch",
     scheduler | core,
     {F::task, F::part, F::core},
     "before the core can see it; by the core itself when it has claimed the part of a block task"},
    {ack,
     "ack",
     scheduler | core,
     {F::task, F::part},
     "before the kernel, by its core; by the scheduler that runs an `ai_cpu` task itself"},
    {fin,
     "fin",
     scheduler | core,
     {F::task, F::part},
     "after the kernel, before anybody is told; by the same"},
    {consume,
     "consume",
     orchestrator | scheduler,
     {F::task},
     "after the last reference to it was dropped"},
    {reclaim,
     "reclaim",
     orchestrator | scheduler,
     {F::task},
     "after its ring's watermark has passed it"},
    {wait,
     "wait",
     anybody,
     {F::lacking},
     "the thread has nothing to do until its next event; with a resource: the orchestrator lacks "
     "`requested` bytes or entries of it"},
    {exit, "exit", anybody, {}, "the thread's last event"},
    {allocate, "allocate", orchestrator, {F::group, F::cluster}, "the group got the cluster"},
    {close,
     "close",
     orchestrator,
     {F::group, F::cluster},
     "nothing more will be submitted to the group"},
    {join,
     "join",
     orchestrator,
     {F::task, F::part, F::group, F::cluster},
     "the task, or this part, is of the group, which has the cluster"},
    {give_back,
     "give_back",
     orchestrator | scheduler,
     {F::cluster},
     "after the last task of the closed group has ended"},
    {scope_begin, "scope_begin", orchestrator, {F::scope, F::depth}, "the scope is open"},
    {scope_end,
     "scope_end",
     orchestrator,
     {F::scope, F::depth},
     "before the scope lets go of its tasks; scopes that the runtime gave up have none"},
    {pipe,
     "pipe",
     scheduler,
     {F::task, F::use},
     "the kernel has returned, and the task has not completed; one event per pipe that it names"},
    {leftover,
     "leftover",
     orchestrator,
     {F::left},
     "before the cluster has another group, or at the end of the run: the pipe is not empty"},
};
static_assert(std::size(event_rows) == event_kinds);

constexpr EventFieldRow field_rows[] = {
    {F::task, "`ring`, `task`", "the task: its ring, and its number in that ring from 0"},
    {F::submission, "[see below](#submissions)", "what the task is"},
    {F::type, "`type`", "of core that the task needs"},
    {F::part, "`part`", "of a block task, 0 for all others"},
    {F::core, "`core`", "name of one of the header's `cores`"},
    {F::lacking, "`resource`, `requested`, `ring`, `task`",
     "none of them, or what the orchestrator lacks: `TaskRing`, `HeapRing`, `DepPool`, `TensorMap` "
     "or `Cluster`, as the warnings call them; how many bytes or entries; and, but for a cluster, "
     "the next task of the ring"},
    {F::group, "`group`", "numbered from 0"},
    {F::cluster, "`cluster`", "that the group has: a block of the chip"},
    {F::scope, "`scope`", "numbered from 0"},
    {F::depth, "`depth`", "of the scope, 0 the outermost"},
    {F::use, "[see below](#pipes)", "what the task did with a pipe"},
    {F::left, "`group`, `tag`, `left`", "the pipe, and what is left in it"},
};
static_assert(std::size(field_rows) + 1 == event_fields);

}  // namespace

bool EventRow::has(EventField field) const {
  return std::ranges::find(fields, field) != fields.end();
}

std::span<const EventRow> event_table() {
  return event_rows;
}
const EventRow& row_of(EventKind kind) {
  return event_rows[static_cast<std::size_t>(kind)];
}
std::span<const EventFieldRow> event_field_table() {
  return field_rows;
}

std::optional<EventKind> event_kind(std::string_view name) {
  const auto* const found = std::ranges::find(event_rows, name, &EventRow::name);
  if (found == std::end(event_rows)) return std::nullopt;
  return found->kind;
}

const char* resource_name(Resource resource) {
  static constexpr const char* names[] = {"TaskRing", "HeapRing", "DepPool", "TensorMap",
                                          "Cluster"};
  static_assert(std::size(names) == resources);
  return names[static_cast<std::size_t>(resource)];
}

}  // namespace pto2
