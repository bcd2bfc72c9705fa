#include "runtime/trace/trace_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/device/thread_names.hpp"
#include "runtime/orchestrator/deadlock_report.hpp"
#include "runtime/trace/chip_json.hpp"
#include "runtime/trace/submission_text.hpp"

namespace pto2 {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
  const Event* event;
  const EventLog* log;
};

/// All events; those of one time stay in the order of the threads, those of one thread in theirs.
std::vector<Entry> sorted_events(const std::vector<EventLog>& logs) {
  std::vector<Entry> entries;
  for (const EventLog& log : logs) {
    for (const Event& event : log.events()) entries.push_back({&event, &log});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.event->tick < b.event->tick; });
  return entries;
}

/// Where tasks run: on cores, and on the threads of schedulers.
Json cores_json(const Chip& chip) {
  Json cores = Json::array();
  for (uint32_t core = 0; core < chip.workers(); ++core) {
    const bool in_block = chip.is_in_block(core);
    Json& json = cores.emplace_back();
    json["name"] = chip.core_name(core);
    json["type"] = core_type_name(chip.type_of(core));
    json["cluster"] = in_block ? int64_t{chip.place_of(core).block} : any_cluster;
    if (core >= chip.cores()) json["thread"] = scheduler_name(core - chip.cores());
  }
  return cores;
}

/// A run that ended badly need not have run all its tasks.
bool was_given_up(ErrorCode code) {
  return code != ErrorCode::ok && code != ErrorCode::not_drained;
}

std::string header(const TraceSource& source) {
  const DeviceConfig& config = source.config;
  Json json = {{"schema", "pto2-trace/2"}};
  for (const auto& [name, value] : source.labels) json[name] = value;
  json["clock"] = source.points ? "points" : "ns";
  if (source.result.weak_memory) json["weak_memory"] = true;
  if (source.seed) json["seed"] = *source.seed;
  json["tasks"] = source.result.tasks;
  json["error"] = error_name(source.result.error.code);
  json["given_up"] = was_given_up(source.result.error.code);
  json["chip"] = chip_json(config.chip);
  json["cores"] = cores_json(config.chip);
  Json& rings = json["rings"] = Json::array();
  for (uint32_t ring = 0; ring < config.rings; ++ring) {
    rings.push_back(
        {{"window", config.window}, {"heap", config.heap_bytes}, {"dep_pool", config.dep_pool}});
  }
  json["tensormap_pool"] = config.tensormap_pool;
  Json& threads = json["threads"] = Json::array();
  for (const EventLog& log : source.result.events) threads.push_back(log.thread());
  Json& kernels = json["kernels"] = Json::object();
  for (std::size_t id = 0; id < source.kernel_names.size(); ++id) {
    if (!source.kernel_names[id].empty()) kernels[std::to_string(id)] = source.kernel_names[id];
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string task(const Event& event) {
  return fmt::format(R"(,"ring":{},"task":{})", ring_of(event.task), local_of(event.task));
}

std::string fill(const char* name, const PipeFill& fill) {
  return fmt::format(R"(,"{}":[{},{}])", name, fill.waiting, fill.held);
}

std::string pipe_name(const PipeUse& use) {
  return fmt::format(R"(,"group":{},"tag":{})", use.group, use.tag);
}

std::string pipe_use(const PipeUse& use) {
  return pipe_name(use) +
         fmt::format(R"(,"capacity":{},"pushed":{},"popped":{},"freed":{})", use.capacity,
                     use.pushed, use.popped, use.freed) +
         fill("before", use.before) + fill("after", use.after);
}

std::string details(const Entry& entry, const Chip& chip, SubmissionText& submissions) {
  const Event& event = *entry.event;
  switch (event.kind) {
    case EventKind::submit:
      return task(event) + submissions.next(event);
    case EventKind::ready:
      return task(event) +
             fmt::format(R"(,"type":"{}")", core_type_name(static_cast<CoreType>(event.detail)));
    case EventKind::dispatch:
      return task(event) +
             fmt::format(R"(,"part":{},"core":"{}")", event.part, chip.core_name(event.detail));
    case EventKind::ack:
    case EventKind::fin:
      return task(event) + fmt::format(R"(,"part":{})", event.part);
    case EventKind::consume:
    case EventKind::reclaim:
      return task(event);
    case EventKind::wait:
      if (event.task == no_task) return {};
      return task(event) + fmt::format(R"(,"resource":"{}","requested":{})",
                                       resource_name(static_cast<Resource>(event.detail)),
                                       submissions.next_request());
    case EventKind::allocate:
    case EventKind::close:
      return fmt::format(R"(,"group":{},"cluster":{})", event.task.value, event.detail);
    case EventKind::join:
      return task(event) + fmt::format(R"(,"part":{},"group":{},"cluster":{})", event.part,
                                       event.detail, submissions.cluster_of(event.detail));
    case EventKind::give_back:
      return fmt::format(R"(,"cluster":{})", event.detail);
    case EventKind::scope_begin:
    case EventKind::scope_end:
      return fmt::format(R"(,"scope":{},"depth":{})", event.task.value, event.detail);
    case EventKind::pipe:
      return task(event) + pipe_use(entry.log->pipe_uses()[event.detail]);
    case EventKind::leftover: {
      const PipeUse& use = entry.log->pipe_uses()[event.detail];
      return pipe_name(use) + fill("left", use.after);
    }
    case EventKind::exit:
      return {};
  }
  return {};
}

}  // namespace

uint64_t write_trace(const TraceSource& source,
                     const std::function<void(std::string_view)>& write) {
  write(header(source));
  const std::vector<EventLog>& logs = source.result.events;
  const std::vector<Entry> entries = sorted_events(logs);
  const uint64_t origin = entries.empty() || source.points ? 0 : entries.front().event->tick;
  SubmissionText submissions(source.result.task_trace, logs.empty() ? EventLog() : logs.front());
  for (const Entry& entry : entries) {
    write(fmt::format(R"({{"t":{},"thread":"{}","event":"{}"{}}})"
                      "\n",
                      entry.event->tick - origin, entry.log->thread(),
                      event_name(entry.event->kind),
                      details(entry, source.config.chip, submissions)));
  }
  uint64_t dropped = 0;
  for (const EventLog& log : logs) dropped += log.dropped();
  write(fmt::format(R"({{"event":"end","events":{},"dropped":{}}})"
                    "\n",
                    entries.size(), dropped));
  return dropped;
}

}  // namespace pto2
