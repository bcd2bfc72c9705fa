/// Tasks of two rings whose entries are in one bucket: a retired entry of one ring says nothing
/// about older ones of the other. TM-I1, TM-I2, TM-I4.
#pragma once

#include "models/support/tensormap_history.hpp"

namespace pto2::scenarios {

template <Policy P>
class TwoRings : public TensorMapHistory<P, 2> {
 public:
  static constexpr std::array reaches{"a producer has retired"};

  TwoRings()
      : TensorMapHistory<P, 2>({{0, 1, 0}, {1, 1, 1}, {1, 0, 1}, {0, 1, 0}, {1, 0, 0}}, 3, 8) {}
};

}  // namespace pto2::scenarios
