// The seam between the typed objects of the public headers and the engine. Not for direct use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string_view>

#include "pto2/checker/value.hpp"

namespace pto2::model::detail {

/// How to show and compare the values of an atomic's type.
struct TypeInfo {
  std::uint8_t bytes = 0;
  bool is_signed = false;
  bool is_pointer = false;
};

struct RmwRequest {
  Value (*apply)(Value current, Value operand) = nullptr;  ///< null: compare-exchange
  Value operand;
  Value expected;
  std::memory_order success = std::memory_order_seq_cst;
  std::memory_order failure = std::memory_order_seq_cst;
  bool weak = false;
};

struct RmwResult {
  Value previous;
  bool stored = false;
};

std::int32_t create_atomic(const void* object, const Value& initial, TypeInfo type,
                           std::string_view name, const std::source_location& site);
void destroy_atomic(std::int32_t id, const void* object, const std::source_location& site);
Value load(std::int32_t id, const void* object, std::memory_order order,
           const std::source_location& site);
void store(std::int32_t id, const void* object, const Value& value, std::memory_order order,
           const std::source_location& site);
RmwResult update(std::int32_t id, const void* object, const RmwRequest& request,
                 const std::source_location& site);
void fence(std::memory_order order, const std::source_location& site);

/// The index of a new cell in the execution's table.
std::int32_t create_cell(const void* object, bool initialised, std::string_view name,
                         const std::source_location& site);
void destroy_cell(std::int32_t id, const void* object, const std::source_location& site);
void read_cell(std::int32_t id, const void* object, const std::source_location& site);
void write_cell(std::int32_t id, const void* object, const std::source_location& site);
/// An access that lasts; `guard` is the address of what makes it.
void begin_access(std::int32_t id, const void* object, const void* guard, bool writes,
                  const std::source_location& site);
void end_access(std::int32_t id, const void* object, const void* guard, bool writes,
                const std::source_location& site);

std::int32_t spawn(std::function<void()>&& body, std::string_view name,
                   const std::source_location& site);
std::int32_t this_thread_id();
void join(std::int32_t thread, const std::source_location& site);
/// Called by a thread handle that goes away while its thread was not joined.
void abandon(std::int32_t thread, const std::source_location& site);

void begin_wait(const std::source_location& site);
/// Ends one evaluation of a predicate: true lets the thread go on, false asks for another one.
bool end_wait(bool satisfied);
/// Whether to wait for the predicate of an idling loop, rather than to look once per turn.
bool begin_idle(const std::source_location& site);
/// Ends such a look. Behind one that was in vain the thread idles.
void end_look(bool holds, const std::source_location& site);

}  // namespace pto2::model::detail
