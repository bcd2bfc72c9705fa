#include "tests/support/delays/delays.hpp"

namespace pto2::test {

void set_delays(const Delays&) {}

}  // namespace pto2::test
