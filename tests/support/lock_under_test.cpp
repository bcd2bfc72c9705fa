// Linked with a test, has it run everything with the fan-out lock.
#include "tests/support/executors_under_test.hpp"

namespace pto2::test {
namespace {

[[maybe_unused]] const bool chosen = [] {
  fan_out_under_test = FanOutKind::lock;
  return true;
}();

}  // namespace
}  // namespace pto2::test
