// Binds the public headers to the execution that runs on this OS thread.
#include <exception>
#include <utility>

#include "models/checker/engine/execution.hpp"
#include "pto2/checker.hpp"

namespace pto2::model {

using engine::Execution;

namespace detail {

std::int32_t create_atomic(const void* object, const Value& initial, TypeInfo type,
                           std::string_view name, const std::source_location& site) {
  return Execution::current().create_atomic(object, initial, type, name, site);
}

void destroy_atomic(std::int32_t id, const void* object, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.destroy_atomic(id, object, site); });
}

Value load(std::int32_t id, const void* object, std::memory_order order,
           const std::source_location& site) {
  return Execution::current().load(id, object, order, site);
}

void store(std::int32_t id, const void* object, const Value& value, std::memory_order order,
           const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.store(id, object, value, order, site); });
}

RmwResult update(std::int32_t id, const void* object, const RmwRequest& request,
                 const std::source_location& site) {
  const engine::Update update{request.apply,   request.operand, request.expected,
                              request.success, request.failure, request.weak};
  Execution& execution = Execution::current();
  if (request.apply == nullptr) return execution.update(id, object, update, site);
  RmwResult result;
  execution.silently([&](Execution& e) { result = e.update(id, object, update, site); });
  return result;
}

void fence(std::memory_order order, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.fence(order, site); });
}

std::int32_t create_cell(const void* object, bool initialised, std::string_view name,
                         const std::source_location& site) {
  return Execution::current().create_cell(object, initialised, name, site);
}

void destroy_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.destroy_cell(id, object, site); });
}

void read_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution::current().access_cell(id, object, false, site);
}

void write_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.access_cell(id, object, true, site); });
}

std::int32_t spawn(std::function<void()>&& body, std::string_view name,
                   const std::source_location& site) {
  return Execution::current().spawn(std::move(body), name, site);
}

void join(std::int32_t thread, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.join(thread, site); });
}

void abandon(std::int32_t, const std::source_location& site) {
  Execution::current().silently([&](Execution& e) { e.abandon(site); });
}

void begin_wait(const std::source_location& site) {
  Execution::current().begin_wait(site);
}

bool end_wait(bool satisfied) {
  return Execution::current().end_wait(satisfied);
}

}  // namespace detail

void check(bool condition, std::string_view message, const std::source_location& site) {
  if (!condition) Execution::current().check(condition, message, site);
}

void assume(bool condition, const std::source_location& site) {
  if (!condition) Execution::current().assume(condition, site);
}

void sometimes(std::string_view name, bool condition, const std::source_location&) {
  Execution::current().note_sometimes(name, condition);
}

void idle(const std::source_location& site) {
  Execution::current().idle(site);
}

}  // namespace pto2::model
