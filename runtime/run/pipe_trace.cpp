#include "runtime/run/pipe_trace.hpp"

namespace pto2 {

namespace {

/// Calls visit(pipe) for each pipe of a task, once if several parameters name it.
template <class Visit>
void for_each_pipe(const TaskArguments& arguments, Visit&& visit) {
  const auto is_named_before = [&](uint32_t i) {
    for (uint32_t j = 0; j < i; ++j) {
      const bool is_pipe = (arguments.call().pipes >> j & 1) != 0;
      if (is_pipe && arguments.tensor(j).address == arguments.tensor(i).address) return true;
    }
    return false;
  };
  for (uint32_t i = 0; i < max_params; ++i) {
    if ((arguments.call().pipes >> i & 1) == 0 || is_named_before(i)) continue;
    visit(*reinterpret_cast<Pipe*>(arguments.tensor(i).address));
  }
}

/// `more` - `less`.
int64_t difference(uint64_t more, uint64_t less) {
  return static_cast<int64_t>(more - less);
}

PipeFill fill_of(const PTOPipe& pipe) {
  return {difference(pipe.pushed, pipe.popped), difference(pipe.popped, pipe.freed)};
}

}  // namespace

void note_pipes(const TaskArguments& arguments) {
  for_each_pipe(arguments, [](Pipe& pipe) { pipe.before = pipe.control; });
}

void record_pipes(const TaskArguments& arguments, TaskId task, uint64_t tick, EventLog& log) {
  for_each_pipe(arguments, [&](const Pipe& pipe) {
    const PTOPipe& before = pipe.before;
    const PTOPipe& after = pipe.control;
    log.record({.t = tick, .task = task, .kind = EventKind::pipe},
               {.group = pipe.group,
                .tag = pipe.tag,
                .capacity = pipe.control.capacity,
                .pushed = difference(after.pushed, before.pushed),
                .popped = difference(after.popped, before.popped),
                .freed = difference(after.freed, before.freed),
                .before = fill_of(before),
                .after = fill_of(after)});
  });
}

}  // namespace pto2
