/// The tensors of the task that the kernel runs for, and what may be touched of them.
#pragma once

#include "pto/accesses.hpp"
#include "pto/global_tensor.hpp"
#include "pto_kernel_api.h"

namespace pto::detail {

/// The memory of a tensor argument.
struct TensorMemory {
  int argument = 0;
  uintptr_t begin = 0, end = 0;

  TensorMemory() = default;
  /// Up to the end of its last row in the buffer that it is a view of: kernels load whole tiles of
  /// a view whose rows are shorter than those of its buffer.
  TensorMemory(int number, const PTOTensor& tensor) : argument(number), begin(tensor.address) {
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor.ndims; ++i) {
      const uint64_t extent = uint64_t{tensor.shape[i]} * tensor.strides[i];
      elements = extent > elements ? extent : elements;
    }
    end = begin + elements * get_element_size(tensor.dtype);
  }
};

struct CallTensors {
  int count = 0;
  TensorMemory tensors[pto_max_args];

  /// The tensor that the byte belongs to; null: none.
  [[nodiscard]] const TensorMemory* find(uintptr_t address) const {
    for (int i = 0; i < count; ++i)
      if (address >= tensors[i].begin && address < tensors[i].end) return &tensors[i];
    return nullptr;
  }
};

/// Of the kernel that this thread runs.
[[gnu::visibility("hidden")]] inline thread_local CallTensors call_tensors;

/// At the begin of a kernel.
inline void begin_call(const int64_t* args) {
  begin_accesses();
  call_tensors.count = 0;
  for (int i = 0; i < pto_params(args); ++i)
    if (const PTOTensor* const tensor = pto_find_tensor(args, i))
      call_tensors.tensors[call_tensors.count++] = TensorMemory(i, *tensor);
}

/// The bytes from the first element to the last are checked: that they do not leave the tensor that
/// they begin in for memory that is none. What begins in no tensor is memory that the kernel knows
/// by other means, such as an address among its scalars.
template <class Element>
void check_tensor(const Use& use, const char* operand, const Element* first, int64_t last_offset) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(first);
  const uintptr_t end = begin + (last_offset + 1) * sizeof(Element);
  const TensorMemory* const tensor = call_tensors.find(begin);
  if (tensor == nullptr || end <= tensor->end) return;
  if (call_tensors.find(end - 1) != nullptr) return;
  fail(use, std::string(operand) + " reaches " + std::to_string(end - tensor->end) +
                " bytes beyond the tensor of argument " + std::to_string(tensor->argument) +
                ", which has " + std::to_string(tensor->end - tensor->begin) +
                ": make the tile's valid region or the offset smaller");
}

}  // namespace pto::detail
