#include "models/pto2_check/catalogue.hpp"

namespace pto2::scenarios {

std::vector<Entry> catalogue() {
  std::vector<Entry> entries;
  add_pieces(entries);
  add_on_task_word(entries);
  add_on_fan_out_lock(entries);
  add_runtime(entries);
  add_runtime_on_fan_out_lock(entries);
  return entries;
}

}  // namespace pto2::scenarios
