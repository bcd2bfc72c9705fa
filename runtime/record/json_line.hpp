/// One line of a trace: an object whose fields must be there and have their form.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/record/trace_reader.hpp"

namespace pto2 {

class JsonLine {
 public:
  using Object = simdjson::dom::object;
  using Array = simdjson::dom::array;
  using Element = simdjson::dom::element;

  /// Throws TraceError if a field comes twice.
  JsonLine(const Object& object, uint32_t line);

  [[nodiscard]] uint32_t line() const { return line_; }
  [[nodiscard]] bool has(std::string_view name) const;

  // Each throws TraceError if the field is missing or has another form.
  [[nodiscard]] uint64_t number(std::string_view name) const;
  [[nodiscard]] int64_t signed_number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] Array list(std::string_view name) const;
  [[nodiscard]] Object object(std::string_view name) const;
  /// A number below 2^32 - 1.
  [[nodiscard]] uint32_t index(std::string_view name) const;

  /// A part of the line's object.
  [[nodiscard]] JsonLine inner(const Element& element, const char* what) const;
  /// An element of a list as a number.
  [[nodiscard]] uint64_t number_in(const Element& element, std::string_view name) const;

  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  void check_names(const Object& object) const;
  template <class T>
  T get(std::string_view name, const char* form) const;

  Object object_;
  uint32_t line_;
};

}  // namespace pto2
