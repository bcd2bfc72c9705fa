/// The team is complete, and the gate is opened. SG-I1, SG-I2, SG-I3.
#pragma once

#include "models/support/threads_at_the_gate.hpp"

namespace pto2::scenarios {

template <Policy P>
class OpenAgainstWait : public ThreadsAtTheGate<P, true> {};

}  // namespace pto2::scenarios
