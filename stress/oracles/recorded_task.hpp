/// What a program asks for of one of its tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pto2::oracle {

/// What a task depends on, all tasks by their order of submission, 0 first.
struct RecordedTask {
  std::vector<size_t> producers = {};  ///< whose results it reads
  std::vector<size_t> owners = {};     ///< of buffers that it writes, if they are no producers
  size_t scope_end = ~size_t{0};       ///< the first task after the end of its scope
  uint32_t ring = 0;
};

}  // namespace pto2::oracle
