#include "runtime/validate/trace.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/validate/checked.hpp"

namespace pto2::validation {

const char* name_of(Kind kind) {
  static constexpr const char* names[] = {
      "submit",    "ready",       "dispatch",  "ack",      "fin",     "consume",
      "reclaim",   "wait",        "exit",      "allocate", "close",   "join",
      "give_back", "scope_begin", "scope_end", "pipe",     "leftover"};
  static_assert(std::size(names) == kinds);
  return names[static_cast<std::size_t>(kind)];
}

const char* name_of(Lacking resource) {
  static constexpr const char* names[] = {"",        "TaskRing",  "HeapRing",
                                          "DepPool", "TensorMap", "Cluster"};
  return names[static_cast<std::size_t>(resource)];
}

bool is_of_a_task(Kind kind) {
  return kind <= Kind::reclaim || kind == Kind::join || kind == Kind::pipe;
}

uint64_t Submission::entries() const {
  return static_cast<uint64_t>(std::ranges::count_if(params, &Param::takes_an_entry));
}

std::optional<Bytes> Param::bytes() const {
  using Number = Checked<uint64_t>;
  Number first = 0;
  Number last = 0;
  for (uint32_t i = 0; i < dims; ++i) {
    const Number past = Number(start[i]) + extent[i];
    first = first + Number(start[i]) * strides[i];
    last = last + (past - 1) * strides[i];
  }
  const Number place = Number(base) + origin;
  const std::optional<uint64_t> begin = (place + first * element).result();
  const std::optional<uint64_t> end = (place + (last + 1) * element).result();
  if (!begin || !end) return std::nullopt;
  return Bytes{*begin, *end};
}

}  // namespace pto2::validation
