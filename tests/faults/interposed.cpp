// What stands between the program and the C and C++ library, see machine_faults.hpp. A definition
// in the executable comes before those of shared libraries, which call it as well.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "tests/faults/machine_faults.hpp"

namespace {

using pto2::test::hold;
using pto2::test::is_to_fail;
using pto2::test::Operation;

/// The library's function of this name.
template <class Function>
Function* library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Null: there is no memory.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (is_to_fail(Operation::allocation)) return nullptr;
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(bytes == 0 ? 1 : bytes);
  } else if (posix_memalign(&memory, alignment, bytes) != 0) {
    return nullptr;
  }
  if (memory != nullptr) hold(Operation::allocation, 1);
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  hold(Operation::allocation, -1);
  std::free(memory);
}

std::size_t number(std::align_val_t alignment) {
  return static_cast<std::size_t>(alignment);
}

/// Null or -1, as the system would have it without room.
template <class Result>
Result no_room(Result result) {
  errno = ENOSPC;
  return result;
}

}  // namespace

using Align = std::align_val_t;
using NoThrow = const std::nothrow_t&;

void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes, 1);
}
void* operator new[](std::size_t bytes) {
  return allocate_or_throw(bytes, 1);
}
void* operator new(std::size_t bytes, Align a) {
  return allocate_or_throw(bytes, number(a));
}
void* operator new[](std::size_t bytes, Align a) {
  return allocate_or_throw(bytes, number(a));
}
void* operator new(std::size_t bytes, NoThrow) noexcept {
  return allocate(bytes, 1);
}
void* operator new[](std::size_t bytes, NoThrow) noexcept {
  return allocate(bytes, 1);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, Align) noexcept {
  release(memory);
}
void operator delete[](void* memory, Align) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, Align) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, Align) noexcept {
  release(memory);
}
void operator delete(void* memory, NoThrow) noexcept {
  release(memory);
}
void operator delete[](void* memory, NoThrow) noexcept {
  release(memory);
}

extern "C" {

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (is_to_fail(Operation::allocation)) return nullptr;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  if (is_to_fail(Operation::mapping)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory =
      library<decltype(mmap)>("mmap")(address, bytes, protection, flags, file, offset);
  if (memory != MAP_FAILED) hold(Operation::mapping, 1);
  return memory;
}

int munmap(void* address, std::size_t bytes) noexcept {
  hold(Operation::mapping, -1);
  return library<decltype(munmap)>("munmap")(address, bytes);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  if (is_to_fail(Operation::thread)) return EAGAIN;
  const int error =
      library<decltype(pthread_create)>("pthread_create")(thread, attributes, body, argument);
  if (error == 0) hold(Operation::thread, 1);
  return error;
}

int pthread_join(pthread_t thread, void** result) {
  hold(Operation::thread, -1);
  return library<decltype(pthread_join)>("pthread_join")(thread, result);
}

int open(const char* path, int flags, ...) {
  if (is_to_fail(Operation::file)) return no_room(-1);
  va_list arguments;
  va_start(arguments, flags);
  const bool makes = (flags & (O_CREAT | O_TMPFILE)) != 0;
  const mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return library<int(const char*, int, ...)>("open")(path, flags, mode);
}

/// It is closed all the same, as it is where a file system says only then that it had no room.
int close(int file) {
  const int result = library<decltype(close)>("close")(file);
  return is_to_fail(Operation::closing) ? no_room(-1) : result;
}

std::FILE* fdopen(int file, const char* mode) noexcept {
  if (is_to_fail(Operation::file)) return no_room<std::FILE*>(nullptr);
  return library<decltype(fdopen)>("fdopen")(file, mode);
}

std::size_t fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  if (is_to_fail(Operation::file)) return no_room(std::size_t{0});
  return library<decltype(fwrite)>("fwrite")(data, size, count, file);
}

int fflush(std::FILE* file) {
  if (is_to_fail(Operation::file)) return no_room(EOF);
  return library<decltype(fflush)>("fflush")(file);
}

int ftruncate(int file, off_t bytes) noexcept {
  if (is_to_fail(Operation::file)) return no_room(-1);
  return library<decltype(ftruncate)>("ftruncate")(file, bytes);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (is_to_fail(Operation::file)) return no_room(-1);
  return library<decltype(linkat)>("linkat")(from_folder, from, to_folder, to, flags);
}

dirent* readdir(DIR* folder) {
  if (is_to_fail(Operation::file)) return no_room<dirent*>(nullptr);
  return library<decltype(readdir)>("readdir")(folder);
}

int rename(const char* from, const char* to) noexcept {
  if (is_to_fail(Operation::file)) return no_room(-1);
  return library<decltype(rename)>("rename")(from, to);
}

}  // extern "C"
