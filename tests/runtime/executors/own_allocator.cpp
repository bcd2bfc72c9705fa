/// An allocator that takes the place of the system's, as those that are preloaded do.
#include <cstddef>
#include <new>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void __libc_free(void* memory);

extern "C" void* malloc(std::size_t bytes) {
  return __libc_malloc(bytes);
}

extern "C" void free(void* memory) {
  __libc_free(memory);
}

void* operator new(std::size_t bytes) {
  void* const memory = __libc_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
