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
  /// a view whose rows are shorter than those of its buffer. Of a view that begins at a column that
  /// is too far by the column, which nobody tells a kernel.
  TensorMemory(int number, const PTOTensor& tensor) : argument(number), begin(tensor.address) {
    uint64_t elements = 1, last = 0;
    for (uint32_t i = 0; i < tensor.ndims; ++i) {
      const uint64_t extent = uint64_t{tensor.shape[i]} * tensor.strides[i];
      elements = extent > elements ? extent : elements;
      last += extent == 0 ? 0 : extent - tensor.strides[i];
    }
    // Rows may overlap.
    elements = last >= elements ? last + 1 : elements;
    end = begin + elements * get_element_size(tensor.dtype);
  }
};

/// Tests of signals that have failed, one after the other.
struct FailedTests {
  static constexpr int patience_at_first = 256, most_patience = 65536;
  int count = 0;                     ///< since the kernel has let others run
  int patience = patience_at_first;  ///< how many are made before it does
};

/// The arguments of the kernel: tensors, and what may be addresses of memory of unknown size.
struct CallTensors {
  const int64_t* args = nullptr;  ///< null: no kernel is called
  void (*at_end)() = nullptr;     ///< called when the kernel's body has returned; null: nothing
  int count = 0;
  TensorMemory tensors[pto_max_args];
  int scalar_count = 0;
  uintptr_t scalars[pto_max_args];
  FailedTests failed_tests;

  /// The tensor that the byte belongs to; null: none.
  [[nodiscard]] const TensorMemory* find(uintptr_t address) const {
    for (int i = 0; i < count; ++i)
      if (address >= tensors[i].begin && address < tensors[i].end) return &tensors[i];
    return nullptr;
  }
  /// The tensor beside which the byte lies, no farther than the tensor is long, so that it was
  /// meant; null: none, or a scalar may be the address of what is there.
  [[nodiscard]] const TensorMemory* find_beside(uintptr_t address) const {
    for (int i = 0; i < count; ++i) {
      const TensorMemory& tensor = tensors[i];
      const uintptr_t bytes = tensor.end - tensor.begin;
      const bool is_behind = address >= tensor.end && address - tensor.end < bytes;
      const bool is_before = address < tensor.begin && tensor.begin - address <= bytes;
      if ((is_behind || is_before) && !has_scalar(is_behind ? tensor.end : 0, address))
        return &tensor;
    }
    return nullptr;
  }
  /// Whether a scalar is an address there, or not far in front.
  [[nodiscard]] bool has_scalar(uintptr_t from, uintptr_t to) const {
    constexpr uintptr_t largest_buffer = uintptr_t{1} << 32;
    for (int i = 0; i < scalar_count; ++i)
      if (scalars[i] >= from && scalars[i] <= to && to - scalars[i] < largest_buffer) return true;
    return false;
  }
};

/// Of the kernel that this thread runs.
[[gnu::visibility("hidden")]] inline thread_local CallTensors call_tensors;

/// Whether the kernel may know the memory of other ranks, which may lie beside its tensors: it
/// includes comm_context.h.
[[gnu::visibility("hidden")]] inline bool knows_peers = false;

/// At the begin of a kernel.
inline void begin_call(const int64_t* args) {
  begin_accesses();
  CallTensors& call = call_tensors;
  call.args = args;
  call.at_end = nullptr;
  call.failed_tests = {};
  call.count = call.scalar_count = 0;
  for (int i = 0; i < pto_params(args); ++i) {
    if (const PTOTensor* const tensor = pto_find_tensor(args, i)) {
      call.tensors[call.count++] = TensorMemory(i, *tensor);
    } else {
      call.scalars[call.scalar_count++] = static_cast<uintptr_t>(args[i]);
    }
  }
}

/// When its body has returned.
inline void end_call() {
  if (call_tensors.at_end != nullptr) call_tensors.at_end();
}

/// That a view goes on in each of its dimensions, and that no offset in it is too large for 64
/// bits.
template <class Global>
void check_view(const Use& use, const char* operand, const Global& view) {
  if constexpr (!checks_bounds) return;
  constexpr int64_t farthest = (int64_t{1} << 57) / sizeof(typename Global::DType);
  int64_t elements = 1, last = 0;
  for (int dim = 0; dim < 5; ++dim) {
    const int64_t size = view.GetShape(dim), stride = view.GetStride(dim);
    const auto tell = [&](const char* what, int64_t value, const char* then) {
      fail(use, std::string(operand) + " has a " + what + " of " + std::to_string(value) +
                    " in dimension " + std::to_string(dim) + then);
    };
    if (size < 1) tell("size", size, ": give it one that is larger than 0");
    if (stride < 0 && size > 1) tell("stride", stride, ": give it one that is not negative");
    int64_t extent = 0;
    if (__builtin_mul_overflow(elements, size, &elements) ||
        __builtin_mul_overflow(size - 1, stride, &extent) || extent > farthest - last)
      tell("stride", stride, ", where it leaves all memory: give it one that the tensor has");
    last += extent;
  }
}

/// The bytes from the first element to the last are checked: that they do not leave the tensor that
/// they begin in for memory that is none, and do not begin beside one. What begins elsewhere is
/// memory that the kernel knows by other means, such as an address among its scalars.
template <class Element>
void check_tensor(const Use& use, const char* operand, const Element* first, int64_t last_offset) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(first);
  const uintptr_t end = begin + (last_offset + 1) * sizeof(Element);
  const TensorMemory* const tensor = call_tensors.find(begin);
  const TensorMemory* const last = call_tensors.find(end - 1);
  const auto tell = [&](const TensorMemory& of, const char* how, uintptr_t bytes,
                        const char* where) {
    fail(use, std::string(operand) + " " + how + " " + std::to_string(bytes) + " bytes " + where +
                  " the tensor of argument " + std::to_string(of.argument) + ", which has " +
                  std::to_string(of.end - of.begin) +
                  ": make the tile's valid region smaller, or choose another offset");
  };
  if (tensor != nullptr) {
    if (end > tensor->end && last == nullptr) tell(*tensor, "reaches", end - tensor->end, "beyond");
  } else if (last != nullptr) {
    tell(*last, "begins", last->begin - begin, "before");
  } else if (use.reaches_peers || knows_peers) {
    return;
  } else if (const TensorMemory* const beside = call_tensors.find_beside(begin)) {
    const bool is_before = begin < beside->begin;
    tell(*beside, "begins", is_before ? beside->begin - begin : begin - beside->end,
         is_before ? "before" : "behind");
  }
}

}  // namespace pto::detail
