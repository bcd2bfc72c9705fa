#include <csignal>
#include <cstdlib>
#include <string_view>

#include "runtime/include/pto_orchestration_api.h"

namespace {

/// Whether the variable ENDS asks for it.
bool is_asked_for(std::string_view how) {
  const char* const asked = std::getenv("ENDS");
  return asked != nullptr && asked == how;
}

void spin() {
  for (volatile bool again = true; again;) {
  }
}

[[gnu::constructor]] void load() {
  if (is_asked_for("exit of image")) std::exit(0);
  if (is_asked_for("crash of image")) raise(SIGSEGV);
  if (is_asked_for("spin of image")) spin();
}

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {.expected_arg_count = 7};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t*, int) {
  if (is_asked_for("exit")) std::exit(0);
  if (is_asked_for("crash")) raise(SIGSEGV);
  if (is_asked_for("spin")) spin();
  const bool for_ever = is_asked_for("submit");
  do {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  } while (for_ever);
  if (is_asked_for("scope")) rt->ops->scope_end(rt);
  const PTOParam none[] = {make_input_param(Tensor{12345})};
  if (is_asked_for("tensor")) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, none, 1);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
}
