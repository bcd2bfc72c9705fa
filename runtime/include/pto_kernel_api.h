/// What a kernel sees. A kernel is a shared object that exports
///
///     extern "C" void kernel_entry(int64_t* args);
///
/// args holds one entry per parameter of the task, in the order of submission: the address of a
/// PTOTensor for a tensor, the 64 bits themselves for a scalar. Both live until the kernel
/// returns. A kernel reads its INPUT tensors, writes its OUTPUT tensors, and does both to INOUT
/// ones; it must not throw, and it must not touch anything else that another task may touch.
#pragma once

#include "pto_types.h"

/// Describes one tensor argument: element (i0, i1, ..) is at
/// address + get_element_size(dtype) * (i0 * strides[0] + i1 * strides[1] + ..).
struct PTOTensor {
  uint64_t address;                ///< of element (0, 0, ..)
  uint32_t shape[PTO_MAX_DIMS];    ///< elements per dimension; entries past ndims are 1
  uint32_t strides[PTO_MAX_DIMS];  ///< elements; entries past ndims are 0
  DataType dtype;
  uint32_t ndims;  ///< 1..PTO_MAX_DIMS

  /// The first element, as a pointer to T.
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(address);
  }
};
static_assert(sizeof(PTOTensor) == 56, "part of the binary interface");

/// Argument i as a tensor.
inline const PTOTensor& pto_tensor(const int64_t* args, int i) {
  return *reinterpret_cast<const PTOTensor*>(args[i]);
}
