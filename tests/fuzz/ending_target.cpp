/// Ends as the first byte of the input says, so that a test sees how its input is named.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "tests/fuzz/fuzz_input.hpp"

namespace {

/// Hides a value from the optimiser, so that the defect survives until run time.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Uses up the stack.
int descend(int depth) {
  volatile char frame[1024] = {};
  frame[depth % 1024] = 1;
  return depth < opaque(std::numeric_limits<int>::max()) ? frame[0] + descend(depth + 1) : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  switch (size == 0 ? 0 : data[0]) {
    case 'a':
      pto2::fuzz::report("found");
    case 'b':
      std::raise(SIGBUS);
      break;
    case 'd':
      opaque(descend(0));
      break;
    case 'n':
      *opaque(static_cast<volatile int*>(nullptr)) = 1;
      break;
    case 'o':
      opaque(data[opaque(size)]);
      break;
    case 's':
      opaque(opaque(std::numeric_limits<int>::max()) + 1);
      break;
    case 'u':
      // Only a decision is a use of it.
      if (*opaque(static_cast<int*>(std::malloc(sizeof(int)))) == 7) std::puts("seven");
      break;
    default:
      break;
  }
  return 0;
}
