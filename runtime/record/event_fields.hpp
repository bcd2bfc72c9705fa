/// The fields of events, as files have them. Both directions stand side by side, field by field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/record/json_line.hpp"
#include "runtime/record/record.hpp"

namespace pto2 {

/// Writes the fields of the events of a record, which must come in its order.
class EventWriter {
 public:
  /// Refers to `record`, which outlives it.
  explicit EventWriter(const Record& record) : record_(record) {}

  /// Appends `,"name":value` for each field of the event's kind.
  void write(const Event& event, std::string& text);

 private:
  void write(EventField field, const Event& event, std::string& text);

  const Record& record_;
  std::size_t task_ = 0;
  std::size_t use_ = 0;
};

/// Reads the fields of events into a record whose header is complete.
class EventReader {
 public:
  /// Refers to `record`, which outlives it.
  explicit EventReader(Record& record) : record_(record) {}

  /// A core of the header.
  void add_core(const std::string& name, uint32_t core) { cores_.emplace(name, core); }

  /// Fills in the fields of the event's kind; appends to the record's tasks and pipe uses what the
  /// event tells of these. Throws TraceError for what is missing or has another form.
  void read(const JsonLine& line, Event& event);

 private:
  void read(EventField field, const JsonLine& line, Event& event);
  [[nodiscard]] uint32_t cluster_of(const JsonLine& line) const;
  [[nodiscard]] uint32_t core_of(const JsonLine& line);
  void read_lacking(const JsonLine& line, Event& event) const;

  Record& record_;
  std::unordered_map<std::string, uint32_t> cores_;
  std::string key_;
};

}  // namespace pto2
