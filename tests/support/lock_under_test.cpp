// Linked with a test, has it run everything with the fan-out lock.
#include "runtime/device/lock_device.hpp"
#include "tests/support/executors_under_test.hpp"

namespace pto2::test {
namespace {

[[maybe_unused]] const bool chosen = [] {
  fan_out_under_test = {FanOutKind::lock, launch_with_lock};
  return true;
}();

}  // namespace
}  // namespace pto2::test
