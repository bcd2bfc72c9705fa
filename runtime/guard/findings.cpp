#include "runtime/guard/findings.hpp"

#include <algorithm>

#include "runtime/guard/values.hpp"

namespace pto2::guard {
namespace {

using Kind = GuardFinding::Kind;
using When = GuardFinding::When;

/// Of a kernel that is known to who asks.
GuardFinding finding(Kind kind, When when, const GuardedParam& param, const Damage& damage,
                     uint64_t distance) {
  return {.kind = kind,
          .when = when,
          .kernel = 0,
          .worker = 0,
          .param = param.index,
          .task = no_task,
          .tensor = param.tensor.shown(),
          .first = damage.first,
          .count = damage.bytes,
          .distance = distance};
}

GuardFinding check_zones(const GuardedParam& param, When when) {
  if (param.buffer_bytes == 0) return nothing_found;
  const uint64_t buffer = param.tensor.base;
  if (const auto damage = damage_in_front(buffer)) {
    return finding(Kind::in_front, when, param, *damage, buffer - damage->first);
  }
  if (const auto damage = damage_behind(buffer, param.buffer_bytes)) {
    return finding(Kind::behind, when, param, *damage,
                   damage->first - (buffer + param.buffer_bytes));
  }
  return nothing_found;
}

/// Nothing but new outputs, none of which it has written: the task is there to allocate them.
bool only_allocates(const WatchedKernel& kernel) {
  const GuardedTask& task = kernel.task();
  return !task.has_others && std::ranges::all_of(task.params, [&](const GuardedParam& param) {
    return param.is_filled && !kernel.is_shared(param) &&
           count_values(param.tensor).unwritten.elements == param.tensor.numel();
  });
}

}  // namespace

GuardFinding check_zones(const GuardedTask& task, When when) {
  for (const GuardedParam& param : task.params) {
    const GuardFinding found = check_zones(param, when);
    if (found.kind != Kind::none) return found;
  }
  return nothing_found;
}

GuardFinding check_writes(const WatchedKernel& kernel) {
  const When when = kernel.was_alone() ? When::during : When::together;
  const GuardFinding found = check_zones(kernel.task(), when);
  if (found.kind != Kind::none) return found;
  const auto change = kernel.find_change();
  if (!change) return nothing_found;
  return finding(change->beside ? Kind::beside : Kind::input, when, *change->param, change->damage,
                 change->damage.first - change->param->begin());
}

void note_values(GuardedTask& task, const WatchedKernel& kernel) {
  for (GuardedParam& param : task.params) {
    if (param.is_new) continue;
    // While another writes it nobody knows, and nobody may look.
    const bool is_shared = kernel.is_shared(param);
    const ValueCounts counts = is_shared ? ValueCounts() : count_values(param.tensor);
    const bool had_unwritten = is_shared || counts.may_be_unwritten;
    param.had_nan = had_unwritten || counts.nans.elements != 0;
    if (!param.is_read()) continue;
    task.reads_nan = task.reads_nan || param.had_nan;
    task.reads_unwritten = task.reads_unwritten || had_unwritten;
  }
}

GuardFinding check_values(const WatchedKernel& kernel) {
  if (kernel.task().reads_nan) return nothing_found;
  for (const GuardedParam& param : kernel.task().params) {
    if (!param.is_written() || param.had_nan || kernel.is_shared(param)) continue;
    const ElementCount nans = count_values(param.tensor).nans;
    if (nans.elements == 0) continue;
    return finding(Kind::nan, When::during, param, {nans.first, nans.elements},
                   nans.first - param.begin());
  }
  return nothing_found;
}

void note_unwritten(const WatchedKernel& kernel, uint32_t worker, UnwrittenOutputs& outputs) {
  const GuardedTask& task = kernel.task();
  if (task.reads_unwritten) return;
  const bool is_allocation = only_allocates(kernel);
  for (const GuardedParam& param : task.params) {
    if (!param.is_filled) continue;
    // While another writes it, too, it is not known: it is counted when it is read.
    if (!kernel.is_shared(param) && count_values(param.tensor).unwritten.elements == 0) continue;
    GuardFinding found = finding(Kind::unwritten, When::after, param, {}, 0);
    found.kernel = task.kernel;
    found.task = task.id;
    found.worker = worker;
    outputs.add(param, found, is_allocation);
  }
}

GuardFinding finding_of(const LateDamage& late) {
  const HeapBuffer& buffer = late.buffer;
  const uint64_t edge = buffer.tensor.address + (late.in_front ? 0 : buffer.bytes);
  const uint64_t first = late.damage.first;
  return {.kind = late.in_front ? Kind::in_front : Kind::behind,
          .when = When::after,
          .kernel = buffer.kernel,
          .worker = 0,
          .param = buffer.param,
          .task = buffer.task,
          .tensor = buffer.tensor,
          .first = first,
          .count = late.damage.bytes,
          .distance = late.in_front ? edge - first : first - edge};
}

}  // namespace pto2::guard
