#include "runtime/device/thread_names.hpp"

namespace pto2 {

std::string scheduler_name(uint32_t s) {
  return "scheduler" + std::to_string(s);
}

std::string core_name(uint32_t core, uint32_t blocks) {
  return core < blocks ? "aic" + std::to_string(core) : "aiv" + std::to_string(core - blocks);
}

}  // namespace pto2
