#include "runtime/cli/trace_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/cli/chip_json.hpp"
#include "runtime/orchestrator/deadlock_report.hpp"

namespace pto2::cli {
namespace {

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

std::string header(const RunReport& report) {
  const Settings& settings = *report.settings;
  const executors::SeededOptions* const seeded = simulation(report.team);
  nlohmann::ordered_json json = {{"schema", "pto2-trace/1"},
                                 {"workload", settings.text(Setting::workload)},
                                 {"case", settings.text(Setting::case_name)},
                                 {"runtime", settings.text(Setting::runtime)},
                                 {"executor", settings.text(Setting::executor)},
                                 {"clock", seeded != nullptr ? "points" : "ns"},
                                 {"tasks", report.result.tasks},
                                 {"chip", chip_json(report.config.chip)}};
  if (seeded != nullptr) json["seed"] = seeded->seed;
  json["error"] = error_name(report.result.error.code);
  auto& threads = json["threads"] = nlohmann::ordered_json::array();
  for (const EventLog& log : report.result.events) threads.push_back(log.thread());
  auto& kernels = json["kernels"] = nlohmann::ordered_json::object();
  for (std::size_t id = 0; id < report.kernel_names.size(); ++id) {
    if (!report.kernel_names[id].empty()) kernels[std::to_string(id)] = report.kernel_names[id];
  }
  using Handler = nlohmann::ordered_json::error_handler_t;
  return json.dump(-1, ' ', false, Handler::replace) + "\n";
}

std::string task(const Event& event) {
  if (event.task == no_task) return {};
  return fmt::format(R"(,"ring":{},"task":{})", ring_of(event.task), local_of(event.task));
}

std::string detail(const Event& event, const Chip& chip) {
  if (event.task == no_task) return {};
  switch (event.kind) {
    case EventKind::submit:
      return fmt::format(R"(,"kernel":{})", event.detail);
    case EventKind::ready:
      return fmt::format(R"(,"type":"{}")", core_type_name(static_cast<CoreType>(event.detail)));
    case EventKind::dispatch:
      return fmt::format(R"(,"core":"{}")", chip.core_name(event.detail));
    case EventKind::wait:
      return fmt::format(R"(,"resource":"{}")", resource_name(static_cast<Resource>(event.detail)));
    default:
      return {};
  }
}

}  // namespace

uint64_t write_trace(OutputFile& file, const RunReport& report) {
  const std::vector<Entry> entries = sorted_events(report.result.events);
  const bool points = simulation(report.team) != nullptr;
  const uint64_t origin = entries.empty() || points ? 0 : entries.front().event->tick;
  file.write(header(report));
  for (const auto& [event, log] : entries) {
    file.write(fmt::format(R"({{"t":{},"thread":"{}","event":"{}"{}{}}})"
                           "\n",
                           event->tick - origin, log->thread(), event_name(event->kind),
                           task(*event), detail(*event, report.config.chip)));
  }
  uint64_t dropped = 0;
  for (const EventLog& log : report.result.events) dropped += log.dropped();
  file.write(fmt::format(R"({{"event":"end","events":{},"dropped":{}}})"
                         "\n",
                         entries.size(), dropped));
  return dropped;
}

}  // namespace pto2::cli
