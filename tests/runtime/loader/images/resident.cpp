#include <cstdint>

/// A unique symbol, of GCC: the dynamic loader never unloads the image.
inline int64_t resident_value = 4;

extern "C" void kernel_entry(int64_t* args) {
  args[0] = resident_value;
}
