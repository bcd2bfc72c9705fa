/// The tensors of the task that the kernel runs for, and what may be touched of them.
#pragma once

#include <dlfcn.h>

#include <algorithm>

#include "pto/accesses.hpp"
#include "pto/global_tensor.hpp"
#include "pto_kernel_api.h"

namespace pto::detail {

/// The memory of a tensor argument.
struct TensorMemory {
  int argument = 0;
  uintptr_t begin = 0, end = 0;
  uintptr_t row = 0;  ///< bytes from one to the next; 0: it has no two

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
    if (tensor.ndims > 1 && tensor.shape[tensor.ndims - 2] > 1)
      row = tensor.strides[tensor.ndims - 2] * get_element_size(tensor.dtype);
  }
};

/// Memory that is no tensor's, and that the kernel has all the same.
struct OtherMemory {
  uintptr_t begin, end;
};

/// Whether the byte is static data: that of the kernel, or of a library. Images lie where the
/// caller's memory does. Not what is in the same image as the tensor.
[[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline bool is_static_data(
    uintptr_t address, const TensorMemory& tensor) {
  Dl_info image, of_tensor;
  if (dladdr(reinterpret_cast<const void*>(address), &image) == 0) return false;
  return dladdr(reinterpret_cast<const void*>(tensor.begin), &of_tensor) == 0 ||
         of_tensor.dli_fbase != image.dli_fbase;
}

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
  static constexpr int most_others = 16;
  int other_count = 0;  ///< may be more than are remembered
  OtherMemory others[most_others];
  FailedTests failed_tests;

  /// The tensor that the byte belongs to; null: none.
  [[nodiscard]] const TensorMemory* find(uintptr_t address) const {
    for (int i = 0; i < count; ++i)
      if (address >= tensors[i].begin && address < tensors[i].end) return &tensors[i];
    return nullptr;
  }
  /// The tensor beside which an access of so many bytes begins, so that it was meant: by an offset
  /// or a pitch that is wrong by a part like the one accessed, or by a row, no farther than the
  /// tensor is long; null: none, or the kernel knows what is there, perhaps by a scalar.
  [[nodiscard]] const TensorMemory* find_beside(uintptr_t address, uintptr_t bytes) const {
    if (is_other(address)) return nullptr;
    for (int i = 0; i < count; ++i) {
      const TensorMemory& tensor = tensors[i];
      const uintptr_t length = tensor.end - tensor.begin;
      // What is accessed ends before the part that follows it does, if it has gaps.
      const uintptr_t reach = std::min(length, 2 * bytes + tensor.row);
      const bool is_behind = address >= tensor.end && address - tensor.end < reach;
      const bool is_before = address < tensor.begin && tensor.begin - address <= reach;
      if ((is_behind || is_before) && !has_scalar(is_behind ? tensor.end : 0, address) &&
          !is_static_data(address, tensor))
        return &tensor;
    }
    return nullptr;
  }
  /// Such as slots of the runtime. If there are more than are remembered, each byte may be one.
  void add_other(OtherMemory memory) {
    if (is_other(memory.begin)) return;
    if (other_count < most_others) others[other_count] = memory;
    ++other_count;
  }
  [[nodiscard]] bool is_other(uintptr_t address) const {
    for (int i = 0; i < other_count && i < most_others; ++i)
      if (address >= others[i].begin && address < others[i].end) return true;
    return other_count > most_others;
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
  call.count = call.scalar_count = call.other_count = 0;
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
/// memory that the kernel knows by other means, such as an address among its scalars, and so is
/// what is static, and the slots that the runtime has.
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
  } else if (const TensorMemory* const beside = call_tensors.find_beside(begin, end - begin)) {
    const bool is_before = begin < beside->begin;
    tell(*beside, "begins", is_before ? beside->begin - begin : begin - beside->end,
         is_before ? "before" : "behind");
  }
}

}  // namespace pto::detail
