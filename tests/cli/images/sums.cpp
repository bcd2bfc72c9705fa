#include <algorithm>
#include <span>

#include "runtime/include/pto_orchestration_api.h"

namespace {

/// Says what 64K bytes of floats hold, as JSON, and writes something else there.
void take(PTO2Runtime* rt, int argument, uint64_t address) {
  const std::span<float> values(reinterpret_cast<float*>(address), 16 * 1024);
  double sum = 0;
  for (const float value : values) sum += double{value};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double min = *low;
  const double max = *high;
  LOG_ERROR(rt, R"({"argument":%d,"sum":%.9g,"min":%.9g,"max":%.9g,"equal":%s})", argument, sum,
            min, max, min == max ? "true" : "false");
  std::fill(values.begin(), values.end(), 2.0F);
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 2};
}

/// Two buffers.
extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  take(rt, 0, args[0]);
  take(rt, 1, args[1]);
}
