#include "runtime/record/json_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace pto2 {

JsonLine::JsonLine(const Object& object, uint32_t line) : object_(object), line_(line) {
  check_names(object);
}

/// Readers of JSON differ in which of two fields of one name they take.
void JsonLine::check_names(const Object& object) const {
  std::vector<std::string_view> names;
  names.reserve(object.size());
  for (const auto& [name, value] : object) names.push_back(name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) refuse(fmt::format("field \"{}\" comes twice", *twice));
}

void JsonLine::refuse(const std::string& problem) const {
  throw TraceError(line_, problem,
                   "the file was changed or written by another program: make it again with pto2 "
                   "run --trace");
}

bool JsonLine::has(std::string_view name) const {
  return object_[name].error() == simdjson::SUCCESS;
}

template <class T>
T JsonLine::get(std::string_view name, const char* form) const {
  T value;
  if (object_[name].get(value) != simdjson::SUCCESS) {
    refuse(fmt::format("field \"{}\" is {}", name,
                       has(name) ? fmt::format("no {}", form) : "missing"));
  }
  return value;
}

uint64_t JsonLine::number(std::string_view name) const {
  return get<uint64_t>(name, "number of 0 or more");
}
int64_t JsonLine::signed_number(std::string_view name) const {
  return get<int64_t>(name, "whole number");
}
bool JsonLine::flag(std::string_view name) const {
  return get<bool>(name, "true or false");
}
std::string_view JsonLine::text(std::string_view name) const {
  return get<std::string_view>(name, "text");
}
JsonLine::Array JsonLine::list(std::string_view name) const {
  return get<Array>(name, "list");
}
JsonLine::Object JsonLine::object(std::string_view name) const {
  const Object object = get<Object>(name, "object");
  check_names(object);
  return object;
}

uint32_t JsonLine::index(std::string_view name) const {
  const uint64_t value = number(name);
  if (value >= no_index) refuse(fmt::format("field \"{}\" is {}, which is too large", name, value));
  return static_cast<uint32_t>(value);
}

JsonLine JsonLine::inner(const Element& element, const char* what) const {
  Object object;
  if (element.get(object) != simdjson::SUCCESS) refuse(fmt::format("{} is no object", what));
  return {object, line_};
}

uint64_t JsonLine::number_in(const Element& element, std::string_view name) const {
  uint64_t value = 0;
  if (element.get(value) != simdjson::SUCCESS) {
    refuse(fmt::format("field \"{}\" has something else than numbers of 0 or more", name));
  }
  return value;
}

}  // namespace pto2
