#include "runtime/record/record.hpp"

#include <algorithm>

#include "runtime/record/checked.hpp"

namespace pto2 {

uint64_t TaskRecord::entries() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      params, [](const ParamRecord& param) { return param.takes_an_entry(); }));
}

std::optional<Bytes> ParamRecord::bytes() const {
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

}  // namespace pto2
