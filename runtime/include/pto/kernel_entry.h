/// Included in front of a kernel that has tile instructions, and compiled with
/// -Dkernel_entry=pto_kernel_body: what the runtime calls, which calls the kernel.
#pragma once

#include "pto/global_memory.hpp"

#pragma push_macro("kernel_entry")
#undef kernel_entry

// Hidden, since kernels ask that theirs be inlined always.
extern "C" [[gnu::visibility("hidden")]] void pto_kernel_body(int64_t* args);

/// The arguments are what the kernel expects: a tensor.h's TensorData has the bytes of a PTOTensor.
extern "C" [[gnu::visibility("default")]] void kernel_entry(int64_t* args) {
  pto::detail::begin_call(args);
  pto_kernel_body(args);
  pto::detail::end_call();
}

#pragma pop_macro("kernel_entry")
