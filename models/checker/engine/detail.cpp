// Binds the public headers to the execution that runs on this OS thread.
#include <exception>
#include <type_traits>
#include <utility>

#include "models/checker/engine/execution.hpp"
#include "pto2/checker.hpp"

namespace pto2::model {

using engine::Execution;
using engine::Look;

namespace {

/// Lets `step` allocate on behalf of the library. Only an unwinding leaves it by an exception, and
/// an unwinding has given operator new and delete back to the program already; a destructor here
/// would make it slower.
template <class Step>
auto in_library(Step&& step) {
  engine::Heap* const program = std::exchange(engine::program_heap, nullptr);
  if constexpr (std::is_void_v<decltype(step())>) {
    step();
    engine::program_heap = program;
  } else {
    const auto result = step();
    engine::program_heap = program;
    return result;
  }
}

void access_cell(std::int32_t id, const void* object, const engine::CellAccess& access,
                 const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt([&] { e.access_cell(id, object, access, site); }, [] {}, access.writes);
  });
}

}  // namespace

namespace detail {

std::int32_t create_atomic(const void* object, const Value& initial, TypeInfo type,
                           std::string_view name, const std::source_location& site) {
  return in_library(
      [&] { return Execution::current().create_atomic(object, initial, type, name, site); });
}

void destroy_atomic(std::int32_t id, const void* object, const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt_quietly([&] { e.destroy_atomic(id, object, site); });
  });
}

Value load(std::int32_t id, const void* object, std::memory_order order,
           const std::source_location& site) {
  return in_library([&] {
    Execution& e = Execution::current();
    return e.attempt([&] { return e.load(id, object, order, site); }, [&] { return e.ghost(id); });
  });
}

void store(std::int32_t id, const void* object, const Value& value, std::memory_order order,
           const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt([&] { e.store(id, object, value, order, site); }, [&] { e.ghost(id) = value; }, true);
  });
}

RmwResult update(std::int32_t id, const void* object, const RmwRequest& request,
                 const std::source_location& site) {
  return in_library([&] {
    const engine::Update update{request.apply,   request.operand, request.expected,
                                request.success, request.failure, request.weak};
    Execution& e = Execution::current();
    return e.attempt([&] { return e.update(id, object, update, site); },
                     [&] { return e.ghost_update(id, update); }, request.apply != nullptr);
  });
}

void fence(std::memory_order order, const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt([&] { e.fence(order, site); }, [] {}, true);
  });
}

std::int32_t create_cell(const void* object, bool initialised, std::string_view name,
                         const std::source_location& site) {
  return in_library(
      [&] { return Execution::current().create_cell(object, initialised, name, site); });
}

void destroy_cell(std::int32_t id, const void* object, const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt_quietly([&] { e.destroy_cell(id, object, site); });
  });
}

void read_cell(std::int32_t id, const void* object, const std::source_location& site) {
  access_cell(id, object, {false}, site);
}

void write_cell(std::int32_t id, const void* object, const std::source_location& site) {
  access_cell(id, object, {true}, site);
}

void begin_access(std::int32_t id, const void* object, const void* guard, bool writes,
                  const std::source_location& site) {
  access_cell(id, object, {writes, engine::CellAccess::Part::begin, guard}, site);
}

void end_access(std::int32_t id, const void* object, const void* guard, bool writes,
                const std::source_location& site) {
  access_cell(id, object, {writes, engine::CellAccess::Part::end, guard}, site);
}

std::int32_t spawn(std::function<void()>&& body, std::string_view name,
                   const std::source_location& site) {
  return in_library([&] {
    Execution& e = Execution::current();
    // A thread that would start now never runs; its handle is joinable, as the program expects.
    return e.attempt([&] { return e.spawn(std::move(body), name, site); }, [] { return 0; });
  });
}

std::int32_t this_thread_id() {
  return Execution::current().here().thread;
}

void join(std::int32_t thread, const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt([&] { e.join(thread, site); }, [] {});
  });
}

void abandon(std::int32_t, const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt_quietly([&] { e.abandon(site); });
  });
}

void begin_wait(const std::source_location& site) {
  in_library([&] {
    Execution& e = Execution::current();
    e.attempt([&] { e.begin_wait(site); }, [] {});
  });
}

bool end_wait(bool satisfied) {
  return in_library([&] { return Execution::current().end_wait(satisfied); });
}

bool begin_idle(const std::source_location& site) {
  return in_library([&] {
    Execution& e = Execution::current();
    return e.attempt([&] { return e.begin_idle(site); }, [] { return false; });
  });
}

void end_look(bool holds, const std::source_location& site) {
  in_library([&] { Execution::current().idle(site, holds ? Look::held : Look::failed); });
}

}  // namespace detail

void check(bool condition, std::string_view message, const std::source_location& site) {
  in_library([&] { Execution::current().check(condition, message, site); });
}

void assume(bool condition, const std::source_location& site) {
  in_library([&] { Execution::current().assume(condition, site); });
}

void sometimes(std::string_view name, bool condition, const std::source_location&) {
  in_library([&] { Execution::current().note_sometimes(name, condition); });
}

void idle(const std::source_location& site) {
  in_library([&] { Execution::current().idle(site, Look::none); });
}

}  // namespace pto2::model
