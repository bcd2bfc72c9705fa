/// A machine that fails on request: the program that is linked with interposed.cpp asks for memory,
/// maps, starts threads and works with files through functions that count such operations, and make
/// the Nth one fail as the system would.
///
/// They take the place of the C and C++ library's for the whole program; nothing of the product
/// knows of them. They count, and fail, only while a FailingMachine exists.
#pragma once

#include <cstdint>
#include <string>

namespace pto2::test {

enum class Operation : uint8_t {
  allocation,  ///< operator new and aligned_alloc: std::bad_alloc, or null
  mapping,     ///< mmap, of arrays and of the stacks of fibers: ENOMEM
  thread,      ///< pthread_create: EAGAIN
  file,        ///< what opens, writes, flushes and renames files, and lists folders: ENOSPC
  closing,     ///< close: ENOSPC, as of a file on another machine
};
[[nodiscard]] const char* name_of(Operation operation);

/// Which operations fail.
struct Failing {
  Operation operation;
  uint64_t first;            ///< from 1; 0: none
  bool rest;                 ///< those that come after the first as well
  bool (*here)() = nullptr;  ///< whether the calling thread's count; null: all do
};

/// While it exists, operations of one kind are counted, on all threads, and some fail. One at a
/// time.
class FailingMachine {
 public:
  explicit FailingMachine(const Failing& failing);
  ~FailingMachine();
  FailingMachine(const FailingMachine&) = delete;
  FailingMachine& operator=(const FailingMachine&) = delete;

  /// How many there were until now, those that failed included.
  [[nodiscard]] uint64_t counted() const;
};

/// By the functions that take the library's place: counts an operation; true if it is to fail.
[[nodiscard]] bool is_to_fail(Operation operation) noexcept;

/// What the process holds at the moment.
struct Holdings {
  int64_t allocations = 0;  ///< of operator new
  int64_t mappings = 0;     ///< that mmap made
  int64_t threads = 0;      ///< that nobody has joined yet
  int64_t files = 0;        ///< descriptors
  bool operator==(const Holdings&) const = default;
};
[[nodiscard]] Holdings holdings();
[[nodiscard]] std::string to_string(const Holdings& holdings);

/// By the same functions: something is held from now on (1), or no longer (-1).
void hold(Operation operation, int64_t change) noexcept;

}  // namespace pto2::test
