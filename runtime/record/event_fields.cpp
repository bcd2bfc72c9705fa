#include "runtime/record/event_fields.hpp"

#include "runtime/record/append.hpp"
#include "runtime/record/task_reader.hpp"
#include "runtime/record/task_writer.hpp"

namespace pto2 {
namespace {

void append_task(TaskId task, std::string& text) {
  append(text, R"(,"ring":{},"task":{})", ring_of(task).value, local_of(task));
}

void append_lacking(const Event& event, std::string& text) {
  if (!event.lacking) return;
  append(text, R"(,"resource":"{}","requested":{})", resource_name(*event.lacking),
         event.requested);
  if (event.task != no_task) append_task(event.task, text);
}

std::optional<Resource> resource_called(std::string_view name) {
  for (uint32_t i = 0; i < resources; ++i) {
    if (name == resource_name(static_cast<Resource>(i))) return static_cast<Resource>(i);
  }
  return std::nullopt;
}

}  // namespace

void EventWriter::write(const Event& event, std::string& text) {
  for (const EventField field : row_of(event.kind).fields) write(field, event, text);
}

void EventWriter::write(EventField field, const Event& event, std::string& text) {
  switch (field) {
    case EventField::none:
      return;
    case EventField::task:
      return append_task(event.task, text);
    case EventField::submission:
      return write_task(record_.tasks[task_++], record_, text);
    case EventField::type:
      return append(text, R"(,"type":"{}")", record_.types[event.place]);
    case EventField::part:
      return append(text, R"(,"part":{})", event.part);
    case EventField::core:
      return append(text, R"(,"core":"{}")", record_.cores[event.place].name);
    case EventField::lacking:
      return append_lacking(event, text);
    case EventField::group:
      return append(text, R"(,"group":{})", event.group);
    case EventField::cluster:
      return append(text, R"(,"cluster":{})", event.place);
    case EventField::scope:
      return append(text, R"(,"scope":{})", event.scope);
    case EventField::depth:
      return append(text, R"(,"depth":{})", event.place);
    case EventField::use:
      return write_use(record_.pipe_uses[use_++], text);
    case EventField::left:
      return write_left(record_.pipe_uses[use_++], text);
  }
}

void EventReader::read(const JsonLine& line, Event& event) {
  for (const EventField field : row_of(event.kind).fields) read(field, line, event);
}

void EventReader::read(EventField field, const JsonLine& line, Event& event) {
  switch (field) {
    case EventField::none:
      return;
    case EventField::task:
      event.task = task_of(line, record_);
      return;
    case EventField::submission:
      return record_.tasks.push_back(read_task(line, record_));
    case EventField::type:
      event.place = type_of(line, record_);
      return;
    case EventField::part:
      event.part = line.index("part");
      return;
    case EventField::core:
      event.place = core_of(line);
      return;
    case EventField::lacking:
      return read_lacking(line, event);
    case EventField::group:
      event.group = line.number("group");
      return;
    case EventField::cluster:
      event.place = cluster_of(line);
      return;
    case EventField::scope:
      event.scope = line.number("scope");
      return;
    case EventField::depth:
      event.place = line.index("depth");
      return;
    case EventField::use:
    case EventField::left:
      event.place = static_cast<uint32_t>(record_.pipe_uses.size());
      return record_.pipe_uses.push_back(field == EventField::use ? read_use(line, record_)
                                                                  : read_left(line, record_));
  }
}

uint32_t EventReader::cluster_of(const JsonLine& line) const {
  const uint32_t cluster = line.index("cluster");
  if (cluster >= record_.clusters) {
    line.refuse(fmt::format("cluster {} of {}", cluster, record_.clusters));
  }
  return cluster;
}

uint32_t EventReader::core_of(const JsonLine& line) {
  key_ = line.text("core");
  const auto found = cores_.find(key_);
  if (found == cores_.end()) line.refuse(fmt::format("the header has no core {}", key_));
  return found->second;
}

void EventReader::read_lacking(const JsonLine& line, Event& event) const {
  if (!line.has("resource")) return;
  const std::string_view name = line.text("resource");
  event.lacking = resource_called(name);
  if (!event.lacking) line.refuse(fmt::format("\"{}\" is no resource", name));
  event.requested = line.number("requested");
  if (*event.lacking != Resource::clusters) event.task = task_of(line, record_);
}

}  // namespace pto2
