#include "runtime/orchestrator/deadlock_report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pto2 {

namespace {

struct ResourceText {
  const char* headline;
  const char* full;
  const char* size_label;
  const char* option;
  const char* variable;  ///< of the environment; null: none
  const char* claim;     ///< what the size that is recommended after counting is the smallest of
  const char* instead;   ///< of a larger size: what to change in the orchestration
};

constexpr const char* fewer_tasks = "fewer tasks per PTO2_SCOPE";
constexpr const char* smaller_outputs = "smaller outputs, or fewer tasks per PTO2_SCOPE";

const ResourceText& text_of(Resource resource) {
  static constexpr ResourceText texts[] = {
      {"Flow Control Deadlock", "Task Ring is FULL", "Window size", "--window",
       "PTO2_RING_TASK_WINDOW", "that works", fewer_tasks},
      {"Heap Ring Deadlock", "Heap Ring has no room", "Heap size", "--heap", "PTO2_RING_HEAP",
       "power of two that works", smaller_outputs},
      {"Dependency Pool Overflow", "Dependency Pool is exhausted", "Pool size", "--dep-pool",
       "PTO2_RING_DEP_POOL", "that works if producers complete in time", fewer_tasks},
      {"TensorMap Overflow", "TensorMap pool is exhausted", "Pool size", "--tensormap-pool",
       "PTO2_TENSORMAP_POOL", "that works", fewer_tasks},
      {"Cluster allocation deadlock", "all clusters occupied", "Clusters", "--blocks", nullptr,
       "that works", "pto2_rt_free_cluster earlier"},
  };
  static_assert(std::size(texts) == resources);
  return texts[static_cast<uint32_t>(resource)];
}

constexpr const char* held_by_scope =
    "Root Cause:\n"
    "Tasks cannot transition to CONSUMED state because fanout_count\n"
    "includes 1 for the owning scope, and scope_end() requires the\n"
    "orchestrator to continue — creating a circular dependency.\n";

constexpr const char* request_too_large =
    "Root Cause:\n"
    "One task asks for more than there can ever be.\n";

/// "task 3 of ring 0, state 1 (ready)". Requires an oldest task.
std::string oldest_text(const Deadlock& d) {
  return fmt::format("task {} of ring {}, state {} ({})", local_of(d.oldest),
                     ring_of(d.oldest).value, static_cast<uint32_t>(d.oldest_phase),
                     phase_name(d.oldest_phase));
}

/// What is lacking, and how much of it there is.
std::string blocked_text(const Deadlock& d) {
  switch (d.resource) {
    case Resource::task_ring:
      return fmt::format(" (Flow Control): current={}, last_alive={}, active={}/{} ({:.1f}%)",
                         d.next, d.alive, d.used, d.size,
                         100.0 * static_cast<double>(d.used) / static_cast<double>(d.size));
    case Resource::heap_ring:
      return fmt::format(": requesting {} bytes, available={}, top={}, tail={}, size={}",
                         d.requested, d.available, d.heap_top, d.heap_tail, d.size);
    case Resource::dependency_pool:
      return fmt::format(": requesting {} nodes, used={}/{}", d.requested, d.used, d.size);
    case Resource::tensormap_pool:
      return fmt::format(": requesting {} entries, used={}/{}", d.requested, d.used, d.size);
    case Resource::clusters:
      return ": no free cluster";
  }
  return {};
}

/// True if nobody waits for anybody: it would not fit if nothing were in use.
bool is_too_large(const Deadlock& d) {
  switch (d.resource) {
    case Resource::heap_ring:
      return d.requested >= d.size;  // HL-I2: never filled to the last byte
    case Resource::dependency_pool:
    case Resource::tensormap_pool:
      return d.requested > d.size;
    case Resource::task_ring:
    case Resource::clusters:
      break;
  }
  return false;
}

std::string wait_for_cycle(const Deadlock& d) {
  std::string cycle = "Wait-for cycle:\n";
  cycle += fmt::format("  orchestrator waits for {} in the {}",
                       d.resource == Resource::task_ring   ? "a slot"
                       : d.resource == Resource::heap_ring ? fmt::format("{} bytes", d.requested)
                       : d.requested == 1                  ? "an entry"
                                                           : fmt::format("{} entries", d.requested),
                       resource_name(d.resource));
  cycle +=
      d.resource == Resource::tensormap_pool ? "\n" : fmt::format(" of ring {}\n", d.ring.value);
  if (is_too_large(d)) {
    return cycle + fmt::format("  which {}: the request alone is too large for it\n",
                               d.oldest == no_task ? "is empty" : "has room for fewer in all");
  }
  cycle += fmt::format("  which waits for task {} of ring {}, the oldest alive, to be consumed\n",
                       local_of(d.oldest), ring_of(d.oldest).value);
  cycle += fmt::format("  which waits for scope_end of the scope at depth {} ({} open)\n",
                       d.oldest_scope, d.open_scopes);
  return cycle + "  which waits for the orchestrator\n";
}

/// Everything but the remedy, for a wait for a cluster.
std::string describe_groups(const Deadlock& d) {
  std::string message = fmt::format(
      "FATAL: Cluster allocation deadlock — all clusters occupied\n"
      "- Clusters: {}\n",
      d.size);
  constexpr std::size_t most = 16;
  for (std::size_t i = 0; i < std::min(most, d.groups.size()); ++i) {
    const OpenGroup& group = d.groups[i];
    message += fmt::format("- Group {} holds cluster {}, allocated in the scope at depth {}\n",
                           group.group, group.cluster.value, group.depth);
  }
  if (d.groups.size() > most) message += fmt::format("- and {} more\n", d.groups.size() - most);
  return message + fmt::format(
                       "Wait-for cycle:\n"
                       "  orchestrator waits for a free cluster\n"
                       "  which waits for free_cluster of {}, or for scope_end\n"
                       "  which waits for the orchestrator\n"
                       "Root Cause:\n"
                       "Every task submitted has completed, and every cluster is held by a group\n"
                       "that is open: only the orchestrator can close it.\n",
                       d.groups.size() == 1
                           ? std::string("the open group")
                           : fmt::format("one of the {} open groups", d.groups.size()));
}

std::string describe_ring(const Deadlock& d) {
  const ResourceText& text = text_of(d.resource);
  std::string message = fmt::format("FATAL: {} Detected!\n{} and no progress is possible.\n",
                                    text.headline, text.full);
  if (d.resource == Resource::task_ring) {
    message += fmt::format("- Active tasks: {}\n", d.used);
  } else {
    message += fmt::format("- Requested: {}\n- In use: {}\n", d.requested, d.used);
  }
  if (d.resource == Resource::heap_ring) {
    message += fmt::format("- Top: {}, tail: {}\n", d.heap_top, d.heap_tail);
  }
  message += fmt::format("- {}: {}\n", text.size_label, d.size);
  if (d.oldest != no_task) message += fmt::format("- Oldest alive: {}\n", oldest_text(d));
  message += wait_for_cycle(d);
  return message + (is_too_large(d) ? request_too_large : held_by_scope);
}

/// The settings that give a resource a size.
std::string settings(const ResourceText& text, uint64_t size) {
  if (text.variable == nullptr) return fmt::format("{} {}", text.option, size);
  return fmt::format("{} {} or {}={}", text.option, size, text.variable, size);
}

std::string remedy(const Deadlock& d) {
  const ResourceText& text = text_of(d.resource);
  if (!d.sufficient) {
    return fmt::format("Recommended: {}. No {} works: one of {} is not enough", text.instead,
                       text.option, heap_range.high);
  }
  const uint64_t size = *d.sufficient;
  if (!d.refusal.empty()) {
    return fmt::format("Recommended: {}. No {} works: it would have to be {}{}, and {}",
                       text.instead, text.option, d.is_smallest ? "" : "at least ", size,
                       d.refusal);
  }
  const std::string which = d.is_smallest ? fmt::format("{} (the smallest {})", size, text.claim)
                                          : fmt::format("at least {}", size);
  return fmt::format("Recommended: {}: {}; or {}", which, settings(text, size), text.instead);
}

}  // namespace

Resource resource_of(Lack lack) {
  switch (lack) {
    case Lack::slot:
      return Resource::task_ring;
    case Lack::heap_bytes:
      return Resource::heap_ring;
    case Lack::nodes:
      return Resource::dependency_pool;
  }
  return Resource::task_ring;
}

std::vector<std::string> describe_wait(const Deadlock& d, uint64_t spins) {
  const char* const name = resource_name(d.resource);
  std::vector<std::string> lines{
      fmt::format("[{}] BLOCKED{}, spins={}", name, blocked_text(d), spins)};
  if (d.oldest != no_task) {
    lines.push_back(fmt::format("[{}] oldest alive: {}", name, oldest_text(d)));
  }
  return lines;
}

/// The hint follows the message.
RunError describe_deadlock(const Deadlock& d) {
  const std::string what = d.resource == Resource::clusters ? describe_groups(d) : describe_ring(d);
  return {deadlock_code(d.resource), what + "Solution:", remedy(d)};
}

std::string refusal_of_size(DeviceConfig config, Resource resource, uint64_t size) {
  const auto number = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  switch (resource) {
    case Resource::task_ring:
      config.window = number;
      break;
    case Resource::heap_ring:
      config.heap_bytes = size;
      break;
    case Resource::dependency_pool:
      config.dep_pool = number;
      break;
    case Resource::tensormap_pool:
      config.tensormap_pool = number;
      break;
    case Resource::clusters:
      config.chip.clusters = number;
      break;
  }
  try {
    validate(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

/// What fits is decided by the placement alone; a request is granted if a larger one is.
uint64_t largest_request(const HeapRing& heap) {
  uint64_t granted = 0;
  uint64_t refused = heap.size() / packed_output_alignment + 1;
  while (refused - granted > 1) {
    const uint64_t middle = granted + (refused - granted) / 2;
    const bool fits = heap.placement(middle * packed_output_alignment).fits;
    (fits ? granted : refused) = middle;
  }
  return granted * packed_output_alignment;
}

std::optional<uint64_t> sufficient_size(const ResourceRequirement& requirement, Resource resource) {
  uint64_t sufficient = 0;
  for (uint32_t ring = 0; ring < max_rings; ++ring) {
    const RingRequirement needed = requirement.ring(RingId(ring));
    switch (resource) {
      case Resource::task_ring:
        sufficient = std::max(sufficient, needed.window);
        break;
      case Resource::heap_ring:
        if (!needed.heap_bytes) return std::nullopt;
        sufficient = std::max(sufficient, *needed.heap_bytes);
        break;
      case Resource::dependency_pool:
        sufficient = std::max(sufficient, needed.dep_pool);
        break;
      case Resource::tensormap_pool:
      case Resource::clusters:
        break;
    }
  }
  return sufficient;
}

}  // namespace pto2
