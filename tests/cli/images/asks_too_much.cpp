#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "runtime/include/pto_kernel_api.h"

namespace {

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

void ask_for_too_much() {
  const volatile std::size_t bytes = PTRDIFF_MAX;
  ::operator delete(::operator new(bytes));
}

void ask_where_nothing_may_be_thrown() noexcept {
  ask_for_too_much();
}

}  // namespace

/// Instead of a sum: nothing but zeros, in the first WRONG_CALLS. The others ask for more memory
/// than any machine has; with MAY_NOT_THROW where that ends the program.
extern "C" void kernel_entry(int64_t* args) {
  static int calls = 0;
  if (++calls > number_in("WRONG_CALLS")) {
    number_in("MAY_NOT_THROW") != 0 ? ask_where_nothing_may_be_thrown() : ask_for_too_much();
  }
  const PTOTensor& sum = pto_tensor(args, 2);
  std::fill_n(sum.data<float>(), sum.shape[0], 0.0f);
}
