#include "runtime/record/trace_writer.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/record/event_fields.hpp"

namespace pto2 {
namespace {

using Json = nlohmann::ordered_json;

Json cores_json(const Record& record) {
  Json cores = Json::array();
  for (const CoreRecord& core : record.cores) {
    Json& json = cores.emplace_back();
    json["name"] = core.name;
    json["type"] = record.types[core.type];
    json["cluster"] = core.cluster;
    const std::string& thread = record.threads[core.thread];
    if (thread != core.name) json["thread"] = thread;
    if (core.scheduler != no_index) json["scheduler"] = record.threads[core.scheduler];
  }
  return cores;
}

/// What was run on.
void add_machine(const Record& record, Json& json) {
  Json& chip = json["chip"] = {{"name", record.chip.name}};
  for (const auto& [name, number] : record.chip.numbers) chip[name] = number;
  json["cores"] = cores_json(record);
  Json& rings = json["rings"] = Json::array();
  for (const RingRecord& ring : record.rings) {
    rings.push_back({{"window", ring.window}, {"heap", ring.heap}, {"dep_pool", ring.dep_pool}});
  }
  json["tensormap_pool"] = record.tensormap_pool;
  Json& room = json["ready_room"] = Json::object();
  for (std::size_t type = 0; type < record.ready_room.size(); ++type) {
    room[record.types[type]] = record.ready_room[type];
  }
  json["shards"] = record.shards;
  json["threads"] = record.threads;
  Json& kernels = json["kernels"] = Json::object();
  for (std::size_t id = 0; id < record.kernels.size(); ++id) {
    if (!record.kernels[id].empty()) kernels[std::to_string(id)] = record.kernels[id];
  }
}

/// How the run ended.
void add_outcome(const Record& record, Json& json) {
  json["error"] = record.error;
  if (!record.message.empty()) json["message"] = record.message;
  if (!record.hint.empty()) json["hint"] = record.hint;
  json["given_up"] = record.given_up;
  if (!record.damaged.empty()) json["damaged"] = record.damaged;
  if (!record.counts) return;
  Json& counts = json["counts"] = Json::object();
  for (const CountRow& row : count_table()) counts[row.name] = (*record.counts).*row.member;
}

std::string header(const Record& record) {
  Json json = {{"schema", trace_schema}};
  for (const auto& [name, value] : record.labels) json[name] = value;
  json["clock"] = record.points ? "points" : "ns";
  if (record.weak_memory) json["weak_memory"] = true;
  if (record.kernels_last) json["kernels_last"] = true;
  if (record.seed) json["seed"] = *record.seed;
  json["tasks"] = record.tasks.size();
  add_outcome(record, json);
  add_machine(record, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void write_trace(const Record& record, const std::function<void(std::string_view)>& write) {
  write(header(record));
  EventWriter fields(record);
  for (const Event& event : record.events) {
    std::string line = fmt::format(R"({{"t":{},"thread":"{}","event":"{}")", event.t,
                                   record.threads[event.thread], event_name(event.kind));
    fields.write(event, line);
    write(line + "}\n");
  }
  write(fmt::format(R"({{"event":"end","events":{},"dropped":{}}})"
                    "\n",
                    record.events.size(), record.dropped));
}

}  // namespace pto2
