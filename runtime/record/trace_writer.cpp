#include "runtime/record/trace_writer.hpp"

#include <fmt/format.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/record/event_fields.hpp"

namespace pto2 {
namespace {

/// In quotes; what is no UTF-8 becomes the replacement character.
std::string quoted(const std::string& text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The text of an object of JSON, from its members in order. No document of nlohmann's: their
/// destructors need memory, and end the program if there is none.
class ObjectText {
 public:
  void add(const std::string& name, const std::string& value) { add_json(name, quoted(value)); }
  void add(const std::string& name, const char* value) { add_json(name, quoted(value)); }
  void add(const std::string& name, bool value) { add_json(name, value ? "true" : "false"); }
  template <std::integral Number>
  void add(const std::string& name, Number value) {
    add_json(name, fmt::to_string(value));
  }
  void add(const std::string& name, const ObjectText& object) { add_json(name, object.text()); }
  /// A list of whatever is JSON.
  void add(const std::string& name, const std::vector<std::string>& elements) {
    add_json(name, fmt::format("[{}]", fmt::join(elements, ",")));
  }

  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  void add_json(const std::string& name, std::string_view json) {
    members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", quoted(name), json);
  }

  std::string members_;
};

std::vector<std::string> quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) result.push_back(quoted(text));
  return result;
}

std::vector<std::string> cores_json(const Record& record) {
  std::vector<std::string> cores;
  for (const CoreRecord& core : record.cores) {
    ObjectText json;
    json.add("name", core.name);
    json.add("type", record.types[core.type]);
    json.add("cluster", core.cluster);
    const std::string& thread = record.threads[core.thread];
    if (thread != core.name) json.add("thread", thread);
    if (core.scheduler != no_index) json.add("scheduler", record.threads[core.scheduler]);
    cores.push_back(json.text());
  }
  return cores;
}

/// What was run on.
void add_machine(const Record& record, ObjectText& json) {
  ObjectText chip;
  chip.add("name", record.chip.name);
  for (const auto& [name, number] : record.chip.numbers) chip.add(name, number);
  json.add("chip", chip);
  json.add("cores", cores_json(record));
  std::vector<std::string> rings;
  for (const RingRecord& ring : record.rings) {
    rings.push_back(fmt::format(R"({{"window":{},"heap":{},"dep_pool":{}}})", ring.window,
                                ring.heap, ring.dep_pool));
  }
  json.add("rings", rings);
  json.add("tensormap_pool", record.tensormap_pool);
  json.add("shards", record.shards);
  json.add("threads", quoted(record.threads));
  ObjectText kernels;
  for (std::size_t id = 0; id < record.kernels.size(); ++id) {
    if (!record.kernels[id].empty()) kernels.add(std::to_string(id), record.kernels[id]);
  }
  json.add("kernels", kernels);
}

/// How the run ended.
void add_outcome(const Record& record, ObjectText& json) {
  json.add("error", record.error);
  if (!record.message.empty()) json.add("message", record.message);
  if (!record.hint.empty()) json.add("hint", record.hint);
  json.add("given_up", record.given_up);
  if (!record.damaged.empty()) json.add("damaged", quoted(record.damaged));
  if (!record.counts) return;
  ObjectText counts;
  for (const CountRow& row : count_table()) counts.add(row.name, (*record.counts).*row.member);
  json.add("counts", counts);
}

std::string header(const Record& record) {
  ObjectText json;
  json.add("schema", std::string(trace_schema));
  for (const auto& [name, value] : record.labels) json.add(name, value);
  json.add("clock", record.points ? "points" : "ns");
  if (record.manner.weak_memory) json.add("weak_memory", true);
  if (record.manner.kernels_last) json.add("kernels_last", true);
  if (record.manner.replayed) json.add("replayed", true);
  if (record.seed) json.add("seed", *record.seed);
  json.add("tasks", record.tasks.size());
  add_outcome(record, json);
  add_machine(record, json);
  return json.text() + "\n";
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
