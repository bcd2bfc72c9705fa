#include "runtime/device/thread_names.hpp"

namespace pto2 {

std::string scheduler_name(uint32_t s) {
  return "scheduler" + std::to_string(s);
}

}  // namespace pto2
