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
  Execution& e = Execution::current();
  e.attempt_quietly([&] { e.destroy_atomic(id, object, site); });
}

Value load(std::int32_t id, const void* object, std::memory_order order,
           const std::source_location& site) {
  Execution& e = Execution::current();
  return e.attempt([&] { return e.load(id, object, order, site); }, [&] { return e.ghost(id); });
}

void store(std::int32_t id, const void* object, const Value& value, std::memory_order order,
           const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.store(id, object, value, order, site); }, [&] { e.ghost(id) = value; }, true);
}

RmwResult update(std::int32_t id, const void* object, const RmwRequest& request,
                 const std::source_location& site) {
  const engine::Update update{request.apply,   request.operand, request.expected,
                              request.success, request.failure, request.weak};
  Execution& e = Execution::current();
  return e.attempt([&] { return e.update(id, object, update, site); },
                   [&] { return e.ghost_update(id, update); }, request.apply != nullptr);
}

void fence(std::memory_order order, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.fence(order, site); }, [] {}, true);
}

std::int32_t create_cell(const void* object, bool initialised, std::string_view name,
                         const std::source_location& site) {
  return Execution::current().create_cell(object, initialised, name, site);
}

void destroy_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt_quietly([&] { e.destroy_cell(id, object, site); });
}

void read_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.access_cell(id, object, false, site); }, [] {});
}

void write_cell(std::int32_t id, const void* object, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.access_cell(id, object, true, site); }, [] {}, true);
}

std::int32_t spawn(std::function<void()>&& body, std::string_view name,
                   const std::source_location& site) {
  Execution& e = Execution::current();
  // A thread that would start now never runs; its handle is joinable, as the program expects.
  return e.attempt([&] { return e.spawn(std::move(body), name, site); }, [] { return 0; });
}

void join(std::int32_t thread, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.join(thread, site); }, [] {});
}

void abandon(std::int32_t, const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt_quietly([&] { e.abandon(site); });
}

void begin_wait(const std::source_location& site) {
  Execution& e = Execution::current();
  e.attempt([&] { e.begin_wait(site); }, [] {});
}

bool end_wait(bool satisfied) {
  return Execution::current().end_wait(satisfied);
}

}  // namespace detail

void check(bool condition, std::string_view message, const std::source_location& site) {
  Execution::current().check(condition, message, site);
}

void assume(bool condition, const std::source_location& site) {
  Execution::current().assume(condition, site);
}

void sometimes(std::string_view name, bool condition, const std::source_location&) {
  Execution::current().note_sometimes(name, condition);
}

void idle(const std::source_location& site) {
  Execution::current().idle(site);
}

}  // namespace pto2::model
