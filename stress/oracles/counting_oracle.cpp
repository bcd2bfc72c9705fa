#include "stress/oracles/counting_oracle.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace pto2::oracle {
namespace {

struct Task {
  uint32_t ring;
  size_t scope;
  uint64_t first_byte;  ///< position in the heap
  uint64_t bytes;
  uint64_t end;  ///< what the tail becomes when the task is the youngest retired one
  uint64_t dep_nodes;
  uint64_t entries_left;
};

/// Most that was in use at a time, in any one ring or, for the entries, in all.
struct Peaks {
  uint64_t tasks = 0;
  uint64_t bytes = 0;
  uint64_t nodes = 0;
  uint64_t entries = 0;
  uint64_t groups = 0;
};

struct OpenGroup {
  size_t number;
  size_t scope;
};

struct Run {
  Configuration configuration;
  std::vector<Task> tasks;
  /// Of each ring, oldest first, as indices.
  std::array<std::vector<size_t>, 4> tasks_of_ring;
  mutable std::array<size_t, 4> retired_of_ring{};
  std::vector<bool> scope_is_open;
  std::vector<size_t> open_scopes;
  size_t groups = 0;
  std::vector<OpenGroup> open_groups;
  Peaks* peaks = nullptr;  ///< null: nobody asks for them

  /// How many tasks of the ring have retired: those before the first whose scope is open. They only
  /// become more, so the count goes on from the last.
  size_t retired(size_t ring) const {
    const std::vector<size_t>& ring_tasks = tasks_of_ring[ring];
    size_t& count = retired_of_ring[ring];
    while (count < ring_tasks.size() && !scope_is_open[tasks[ring_tasks[count]].scope]) ++count;
    return count;
  }
};

uint64_t packed(const std::vector<uint64_t>& outputs) {
  uint64_t sum = 0;
  for (uint64_t bytes : outputs) sum += (bytes + 1023) / 1024 * 1024;
  return sum;
}

/// Where the buffer may start, or nothing. Sets `start_over` when the ring is to forget its tail.
std::optional<uint64_t> find_room(uint64_t top, uint64_t tail, uint64_t size, uint64_t bytes,
                                  bool empty, bool& start_over) {
  start_over = false;
  if (bytes == 0) return top;
  const auto wraps_onto_tail = [&](uint64_t end) { return (end == size ? 0 : end) == tail; };
  if (top >= tail) {
    if (top + bytes <= size && !wraps_onto_tail(top + bytes)) return top;
    if (bytes < tail) return 0;
    if (empty && bytes < size) {
      start_over = true;
      return 0;
    }
    return std::nullopt;
  }
  if (top + bytes < tail) return top;
  return std::nullopt;
}

void check_overlap(const Run& run, const std::vector<size_t>& ring_tasks, size_t retired,
                   const Task& added) {
  for (size_t i = retired; i < ring_tasks.size(); ++i) {
    const Task& live = run.tasks[ring_tasks[i]];
    if (live.bytes == 0 || added.bytes == 0) continue;
    if (added.first_byte < live.first_byte + live.bytes &&
        live.first_byte < added.first_byte + added.bytes) {
      throw std::logic_error("oracle: two live buffers overlap");
    }
  }
}

uint64_t live_entries(const Run& run) {
  uint64_t count = 0;
  for (size_t ring = 0; ring < run.tasks_of_ring.size(); ++ring) {
    const std::vector<size_t>& ring_tasks = run.tasks_of_ring[ring];
    for (size_t i = run.retired(ring); i < ring_tasks.size(); ++i) {
      count += run.tasks[ring_tasks[i]].entries_left;
    }
  }
  return count;
}

uint64_t live_bytes(const Run& run, const std::vector<size_t>& ring_tasks, size_t retired) {
  uint64_t bytes = 0;
  for (size_t i = retired; i < ring_tasks.size(); ++i) bytes += run.tasks[ring_tasks[i]].bytes;
  return bytes;
}

uint64_t live_nodes(const Run& run, const std::vector<size_t>& ring_tasks, size_t retired) {
  uint64_t count = 0;
  for (size_t i = retired; i < ring_tasks.size(); ++i) count += run.tasks[ring_tasks[i]].dep_nodes;
  return count;
}

/// How many of these tasks, named once per entry that goes, are live.
uint64_t live_among(const Run& run, const std::vector<size_t>& tasks) {
  uint64_t count = 0;
  for (size_t ring = 0; ring < run.tasks_of_ring.size(); ++ring) {
    const std::vector<size_t>& ring_tasks = run.tasks_of_ring[ring];
    for (size_t i = run.retired(ring); i < ring_tasks.size(); ++i) {
      count += static_cast<uint64_t>(std::count(tasks.begin(), tasks.end(), ring_tasks[i]));
    }
  }
  return count;
}

void note_peaks(const Run& run, const std::vector<size_t>& ring_tasks, size_t retired) {
  Peaks& peaks = *run.peaks;
  peaks.tasks = std::max(peaks.tasks, ring_tasks.size() - retired);
  peaks.bytes = std::max(peaks.bytes, live_bytes(run, ring_tasks, retired));
  peaks.nodes = std::max(peaks.nodes, live_nodes(run, ring_tasks, retired));
  peaks.entries = std::max(peaks.entries, live_entries(run));
}

/// One from each.
void take_entries(Run& run, const std::vector<size_t>& tasks) {
  for (size_t older : tasks) {
    if (older >= run.tasks.size() || run.tasks[older].entries_left == 0) {
      throw std::logic_error("oracle: replaces an entry that does not exist");
    }
    --run.tasks[older].entries_left;
  }
}

std::optional<Resource> submit(Run& run, const Call& call) {
  const Configuration& limits = run.configuration;
  const uint32_t ring = ring_at(run.open_scopes.size(), limits.rings);
  std::vector<size_t>& ring_tasks = run.tasks_of_ring[ring];
  const size_t retired = run.retired(ring);
  if (ring_tasks.size() - retired >= limits.window - 1) return Resource::task_window;

  const uint64_t bytes = packed(call.output_bytes);
  const uint64_t top = ring_tasks.empty() ? 0 : run.tasks[ring_tasks.back()].end;
  const uint64_t tail = retired == 0 ? 0 : run.tasks[ring_tasks[retired - 1]].end;
  bool start_over = false;
  const bool empty = live_bytes(run, ring_tasks, retired) == 0;
  const auto room = find_room(top, tail, limits.heap, bytes, empty, start_over);
  if (!room) return Resource::heap;
  if (live_nodes(run, ring_tasks, retired) + call.dep_nodes > limits.dep_pool) {
    return Resource::dep_pool;
  }
  const uint64_t freed = live_among(run, call.replaced);
  if (live_entries(run) - freed + call.map_entries > limits.map_pool) return Resource::map_pool;

  if (start_over) {
    // Of the youngest retired task, and of the live ones, which are without bytes.
    for (size_t i = retired - 1; i < ring_tasks.size(); ++i) run.tasks[ring_tasks[i]].end = 0;
  }
  const uint64_t past = *room + bytes;
  const Task task{
      ring,           run.open_scopes.back(), *room, bytes, past == limits.heap ? 0 : past,
      call.dep_nodes, call.map_entries};
  check_overlap(run, ring_tasks, retired, task);
  take_entries(run, call.replaced);
  ring_tasks.push_back(run.tasks.size());
  run.tasks.push_back(task);
  if (run.peaks != nullptr) note_peaks(run, ring_tasks, retired);
  take_entries(run, call.displaced);
  return std::nullopt;
}

/// False: every cluster is held, and by groups that nobody but the program closes.
bool open_group(Run& run) {
  if (run.open_scopes.empty()) throw std::logic_error("oracle: a group outside every scope");
  if (run.open_groups.size() == run.configuration.clusters) return false;
  run.open_groups.push_back({run.groups++, run.open_scopes.back()});
  if (run.peaks != nullptr) {
    run.peaks->groups = std::max<uint64_t>(run.peaks->groups, run.open_groups.size());
  }
  return true;
}

void close_group(Run& run, size_t number) {
  if (std::erase_if(run.open_groups,
                    [&](const OpenGroup& group) { return group.number == number; }) != 1) {
    throw std::logic_error("oracle: closes a group that is not open");
  }
}

void end_scope(Run& run) {
  if (run.open_scopes.empty()) throw std::logic_error("oracle: unmatched scope_end");
  const size_t scope = run.open_scopes.back();
  run.scope_is_open[scope] = false;
  run.open_scopes.pop_back();
  std::erase_if(run.open_groups, [&](const OpenGroup& group) { return group.scope == scope; });
}

Deadlock deadlock_of(const Run& run, Resource lacking) {
  Deadlock found{lacking, run.tasks.size(),
                 ring_at(run.open_scopes.size(), run.configuration.rings)};
  if (lacking != Resource::clusters) return found;
  for (const OpenGroup& group : run.open_groups) found.groups.push_back(group.number);
  return found;
}

std::optional<Deadlock> execute(Run& run, const Program& program) {
  for (const Call& call : program) {
    switch (call.kind) {
      case CallKind::scope_begin:
        run.open_scopes.push_back(run.scope_is_open.size());
        run.scope_is_open.push_back(true);
        break;
      case CallKind::scope_end:
        end_scope(run);
        break;
      case CallKind::submit:
        if (const auto lacking = submit(run, call)) return deadlock_of(run, *lacking);
        break;
      case CallKind::open_group:
        if (!open_group(run)) return deadlock_of(run, Resource::clusters);
        break;
      case CallKind::close_group:
        close_group(run, call.group);
        break;
    }
  }
  return std::nullopt;
}

constexpr uint64_t plenty = uint64_t{1} << 50;

bool heap_is_enough(const Program& program, uint32_t rings, uint64_t bytes) {
  return !first_deadlock(program, {plenty, bytes, plenty, plenty, rings});
}

}  // namespace

const char* name_of(Resource resource) {
  switch (resource) {
    case Resource::task_window:
      return "task window";
    case Resource::heap:
      return "heap";
    case Resource::dep_pool:
      return "dependency pool";
    case Resource::map_pool:
      return "TensorMap pool";
    case Resource::clusters:
      return "clusters";
  }
  return "unknown";
}

uint32_t ring_at(size_t open_scopes, uint32_t rings) {
  if (rings < 1 || rings > 4) throw std::logic_error("oracle: 1 to 4 rings");
  if (open_scopes == 0) throw std::logic_error("oracle: a task outside every scope");
  return static_cast<uint32_t>(std::min<size_t>(open_scopes, rings) - 1);
}

std::optional<Deadlock> first_deadlock(const Program& program, const Configuration& configuration) {
  Run run;
  run.configuration = configuration;
  return execute(run, program);
}

SmallestSizes smallest_sizes(const Program& program, uint32_t rings) {
  Peaks peaks;
  Run run;
  run.configuration = {plenty, plenty, plenty, plenty, rings};
  run.peaks = &peaks;
  execute(run, program);
  SmallestSizes sizes{
      4, std::max<uint64_t>(peaks.bytes, 1024), 1024, peaks.nodes, peaks.entries, peaks.groups};
  while (sizes.window <= peaks.tasks) sizes.window *= 2;
  // Buffers start at multiples of 1024, so that only the size itself and one more byte can matter.
  while (!heap_is_enough(program, rings, sizes.heap)) {
    sizes.heap = sizes.heap % 1024 == 0 ? sizes.heap + 1 : sizes.heap + 1023;
  }
  while (!heap_is_enough(program, rings, sizes.power_of_2_heap)) sizes.power_of_2_heap *= 2;
  return sizes;
}

}  // namespace pto2::oracle
