#include "runtime/executors/freed_memory.hpp"

#include <malloc.h>

namespace pto2::executors {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that there can be
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace pto2::executors
