/// The team is given up, and nobody begins. SG-I1, SG-I2, SG-I3.
#pragma once

#include "models/support/threads_at_the_gate.hpp"

namespace pto2::scenarios {

template <Policy P>
class GiveUpAgainstWait : public ThreadsAtTheGate<P, false> {};

}  // namespace pto2::scenarios
