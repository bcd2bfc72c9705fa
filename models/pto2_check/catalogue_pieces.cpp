#include "models/pto2_check/entry_of.hpp"
#include "models/scenarios.hpp"

namespace pto2::scenarios {

void add_pieces(std::vector<Entry>& entries) {
  for_each_piece<Model>(Collect{&entries});
}

}  // namespace pto2::scenarios
