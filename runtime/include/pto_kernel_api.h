/// What a kernel sees. A kernel is a shared object that exports
///
///     extern "C" void kernel_entry(int64_t* args);
///
/// args holds one entry per parameter of the task, in the order of submission: the address of a
/// PTOTensor for a tensor, of a PTOPipe for a pipe, the 64 bits themselves for a scalar. All live
/// until the kernel returns, and in front of them is a PTOCall. A kernel reads its INPUT tensors,
/// writes its OUTPUT tensors, and does both to INOUT ones; it must not call exit(), nor the
/// functions of an orchestration, and it must not touch anything else that another task may touch;
/// `pto2 run --guard` looks for that. An exception that leaves it ends the run with kernel_threw;
/// one that does not return in time is cut off, and the run ends with scheduler_timeout. Its stack
/// may be as small as 256 KiB: large arrays belong elsewhere.
#pragma once

#include <cstring>

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

/// What a kernel did with an argument as with a pipe.
enum class PTOPipeVerb : uint8_t { NONE = 0, PUSH = 1, POP = 2, FREE = 3 };

/// What all calls of a run share. Apart from what is written meanwhile.
struct alignas(64) PTORun {
  uint32_t misused;                  ///< not 0: a call has a misuse, which says more
  const struct PTOCoreCalls* calls;  ///< pto_core_calls.h; null: there are none

  // Several kernels may have one at the same time.
  void note_misuse() { __atomic_store_n(&misused, 1, __ATOMIC_RELAXED); }
  /// Whoever ran a kernel that noted a misuse sees it, or a call that came before.
  bool has_misuse() const { return __atomic_load_n(&misused, __ATOMIC_RELAXED) != 0; }
};

/// What the arguments of a call are: stands in front of them.
struct PTOCall {
  PTORun* run;
  uint32_t pipes;   ///< bit i: argument i is a pipe
  uint16_t kernel;  ///< its id
  uint8_t params;   ///< arguments that are parameters of the task; in a part, pto_part as well
  uint8_t misuse;   ///< pto_misuse() of the first verb on an argument that is no pipe; 0: none
};
static_assert(sizeof(PTOCall) == 2 * sizeof(int64_t), "part of the binary interface");

/// Argument numbers are below this.
inline constexpr int pto_max_args = 32;

/// A verb and the number of an argument; pto_max_args for one that no task can have.
inline uint8_t pto_misuse(PTOPipeVerb verb, int i) {
  const int argument = i < 0 || i > pto_max_args ? pto_max_args : i;
  return static_cast<uint8_t>(static_cast<int>(verb) << 6 | argument);
}

inline PTOCall& pto_call(const int64_t* args) {
  return *(reinterpret_cast<PTOCall*>(const_cast<int64_t*>(args)) - 1);
}

/// In a part of a block task: block_dim and block_id are behind the parameters.
inline constexpr uint8_t pto_part = 0x80;

inline bool pto_is_part(const int64_t* args) {
  return (pto_call(args).params & pto_part) != 0;
}
inline int pto_params(const int64_t* args) {
  return pto_call(args).params & ~pto_part;
}

/// The parts of the task; 1 of one that is no block task.
inline int64_t pto_block_dim(const int64_t* args) {
  return pto_is_part(args) ? args[pto_params(args)] : 1;
}
/// Which of them the kernel runs.
inline int64_t pto_block_id(const int64_t* args) {
  return pto_is_part(args) ? args[pto_params(args) + 1] : 0;
}

/// The descriptor of argument i, if it is a tensor: they lie in front of the task's PTOCall, the
/// first one last. That of a part is a copy, with the address of the former in front.
inline const PTOTensor* pto_find_tensor(const int64_t* args, int i) {
  const PTOCall* call = &pto_call(args);
  if (i < 0 || i >= pto_params(args) || (call->pipes >> i & 1) != 0) return nullptr;
  if (pto_is_part(args)) call = *(reinterpret_cast<const PTOCall* const*>(call) - 1);
  const PTOTensor* const tensor = reinterpret_cast<const PTOTensor*>(call) - 1 - i;
  return args[i] == reinterpret_cast<int64_t>(tensor) ? tensor : nullptr;
}

/// What a kernel did that the bound of a pipe forbids.
enum class PTOPipeFault : uint32_t {
  NONE = 0,
  FULL = 1,       ///< a push, while every slot was in use
  OVERSIZED = 2,  ///< a push of more bytes than a slot has
  EMPTY = 3,      ///< a pop, while no entry waited
  NOT_HELD = 4,   ///< a TFREE, while no entry was popped and not freed
};

/// A pipe: a FIFO of `capacity` slots that the tasks of a group share. Use it through TPUSH, TPOP
/// and TFREE. Tasks that name the same pipe run one after the other, in the order of their
/// submission, so nobody else touches it while a kernel runs, and what it holds depends on the
/// graph alone. An entry takes its slot from the push until it is freed:
/// freed <= popped <= pushed <= freed + capacity.
struct PTOPipe {
  uint64_t slots;       ///< address of slot 0
  uint64_t stride;      ///< bytes from one slot to the next, a multiple of 64
  uint64_t pushed;      ///< entries since the pipe was made
  uint64_t popped;      ///< of those
  uint64_t freed;       ///< of those
  uint64_t bytes;       ///< of the push that was OVERSIZED
  uint32_t capacity;    ///< slots
  uint32_t slot_bytes;  ///< usable bytes of each
  PTOPipeFault fault;   ///< the first; the pipe is of no use after it
  uint32_t unused;      ///< 0

  void* slot(uint64_t entry) const {
    return reinterpret_cast<void*>(slots + entry % capacity * stride);
  }
  /// False: a fault, now or before.
  bool allow(bool allowed, PTOPipeFault otherwise) {
    if (fault == PTOPipeFault::NONE && !allowed) fault = otherwise;
    return fault == PTOPipeFault::NONE;
  }
};
static_assert(sizeof(PTOPipe) == 64, "part of the binary interface");

/// Argument i, which is a pipe.
inline PTOPipe& pto_pipe(const int64_t* args, int i) {
  return *reinterpret_cast<PTOPipe*>(args[i]);
}

// A push to a full pipe and a pop from an empty one can never succeed, so they do not wait: they
// return null or false, and the run ends with pipe_overflow or pipe_underflow once the kernel has
// returned, which it should do at once. With an argument that is no pipe it ends with not_a_pipe.

/// Argument i for a verb; null if it is no pipe.
inline PTOPipe* pto_find_pipe(const int64_t* args, int i, PTOPipeVerb verb) {
  PTOCall& call = pto_call(args);
  if (i >= 0 && i < pto_max_args && (call.pipes >> i & 1) != 0) return &pto_pipe(args, i);
  if (call.misuse == 0) call.misuse = pto_misuse(verb, i);
  call.run->note_misuse();
  return nullptr;
}

/// Adds an entry to the pipe of argument i, and returns its slot, which the kernel fills before it
/// returns: slot_bytes bytes, aligned to 64, of unknown content. Null: the pipe is full.
inline void* TPUSH(const int64_t* args, int i) {
  PTOPipe* const pipe = pto_find_pipe(args, i, PTOPipeVerb::PUSH);
  if (pipe == nullptr) return nullptr;
  if (!pipe->allow(pipe->pushed - pipe->freed < pipe->capacity, PTOPipeFault::FULL)) return nullptr;
  return pipe->slot(pipe->pushed++);
}

/// Adds an entry, a copy of `bytes` bytes. False: the pipe is full, or its slots are smaller.
inline bool TPUSH(const int64_t* args, int i, const void* source, uint64_t bytes) {
  PTOPipe* const pipe = pto_find_pipe(args, i, PTOPipeVerb::PUSH);
  if (pipe == nullptr) return false;
  if (bytes > pipe->slot_bytes && pipe->fault == PTOPipeFault::NONE) pipe->bytes = bytes;
  if (!pipe->allow(bytes <= pipe->slot_bytes, PTOPipeFault::OVERSIZED)) return false;
  void* const slot = TPUSH(args, i);
  if (slot != nullptr && bytes != 0) std::memcpy(slot, source, bytes);
  return slot != nullptr;
}

/// The oldest entry of the pipe of argument i that has not been popped. It keeps its slot, and its
/// content, until TFREE, also beyond the end of the task. Null: there is none.
inline const void* TPOP(const int64_t* args, int i) {
  PTOPipe* const pipe = pto_find_pipe(args, i, PTOPipeVerb::POP);
  if (pipe == nullptr) return nullptr;
  if (!pipe->allow(pipe->popped < pipe->pushed, PTOPipeFault::EMPTY)) return nullptr;
  return pipe->slot(pipe->popped++);
}

/// Frees the slot of the oldest entry that has been popped and not freed. False: there is none.
inline bool TFREE(const int64_t* args, int i) {
  PTOPipe* const pipe = pto_find_pipe(args, i, PTOPipeVerb::FREE);
  if (pipe == nullptr || !pipe->allow(pipe->freed < pipe->popped, PTOPipeFault::NOT_HELD)) {
    return false;
  }
  ++pipe->freed;
  return true;
}
