// A function that is chosen when it is looked up.
#include <cstdint>

extern "C" {

[[gnu::visibility("hidden")]] void chosen(int64_t* args) {
  args[0] = 6;
}

[[gnu::visibility("hidden")]] void (*choose())(int64_t*) {
  return chosen;
}

[[gnu::ifunc("choose")]] void kernel_entry(int64_t* args);
}
