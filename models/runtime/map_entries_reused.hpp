/// Three tasks, each in a scope of its own, that write a part of a buffer, with one entry in the
/// TensorMap: each takes it once the former has been reclaimed, wherever the completer of the
/// former is in its steps. TM-I1, TM-I2, TM-I5, SD-I1.
#pragma once

#include "models/support/whole_runtime.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class MapEntriesReused : public WholeRuntime<P, F> {
 public:
  static constexpr std::array reaches{"the orchestrator waits", "the orchestrator never waits"};

  MapEntriesReused() : WholeRuntime<P, F>({.map_pool = 1}) {}

 private:
  void submit_graph() override {
    const uint32_t part = this->external_tensor(0);
    this->around_external_tensor();
    for (uint32_t i = 0; i < 3; ++i) {
      this->begin_scope();
      this->write_part(part, 0);
      this->end_scope();
    }
  }
};

}  // namespace pto2::scenarios
