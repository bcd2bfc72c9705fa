/// Tasks of two rings that write whole buffers: each stands at its buffer until another one takes
/// its place or it retires, and who comes while it stands there has an entry. TM-I1, TM-I4, TM-I6.
#pragma once

#include "models/support/tensormap_history.hpp"

namespace pto2::scenarios {

template <Policy P>
class WholeBuffers : public TensorMapHistory<P, 2> {
 public:
  static constexpr std::array reaches{"a producer has retired"};

  WholeBuffers()
      : TensorMapHistory<P, 2>(
            {{0, 1, 0}, {1, 0, 0}, {0, 0, 0, true}, {1, 0, 1}, {0, 1, 1, true}, {1, 0, 0, true}}, 3,
            4) {}
};

}  // namespace pto2::scenarios
