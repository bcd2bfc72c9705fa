#include <cstdint>

/// Answers `IMAGE_VALUE`, so that a test can tell which image it called.
extern "C" void kernel_entry(int64_t* args) {
  args[0] = IMAGE_VALUE;
}
