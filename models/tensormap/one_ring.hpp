/// Five tasks of one ring through two slots and two entries: a look-up cuts a chain at the first
/// retired entry, and slots are taken anew before their old task's entries are cleaned up.
/// TM-I1, TM-I2, TM-I3, TM-I4.
#pragma once

#include "models/support/tensormap_history.hpp"

namespace pto2::scenarios {

template <Policy P>
class OneRing : public TensorMapHistory<P, 1> {
 public:
  static constexpr std::array reaches{"a producer has retired"};

  OneRing()
      : TensorMapHistory<P, 1>({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}, {0, 1, 1}}, 2, 8) {}
};

}  // namespace pto2::scenarios
