#include "models/checker/engine/allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace pto2::model::engine::allocation {

namespace {

// A list in malloc's memory: operator new must not be called from operator delete.
struct Notes {
  void** pointers = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;

  ~Notes() {
    for (std::size_t i = 0; i < size; ++i) std::free(pointers[i]);
    std::free(pointers);
  }
};

thread_local bool deferring = false;
thread_local Notes notes;

void release(void* pointer) noexcept {
  if (!deferring || pointer == nullptr) {
    std::free(pointer);
    return;
  }
  if (notes.size == notes.capacity) {
    const std::size_t capacity = notes.capacity == 0 ? 64 : notes.capacity * 2;
    void* const grown = std::realloc(notes.pointers, capacity * sizeof(void*));
    if (grown == nullptr) std::abort();
    notes.pointers = static_cast<void**>(grown);
    notes.capacity = capacity;
  }
  notes.pointers[notes.size++] = pointer;
}

void* acquire(std::size_t bytes) {
  while (true) {
    if (void* const pointer = std::malloc(bytes == 0 ? 1 : bytes)) return pointer;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* acquire(std::size_t bytes, std::align_val_t alignment) {
  const std::size_t align = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + align - 1) / align * align;
  if (void* const pointer = std::aligned_alloc(align, rounded == 0 ? align : rounded)) {
    return pointer;
  }
  throw std::bad_alloc();
}

}  // namespace

Deferred::Deferred() : outer_(deferring) {
  deferring = true;
}
Deferred::~Deferred() {
  deferring = outer_;
}

void release_deferred(bool failed) {
  if (failed) {
    std::sort(notes.pointers, notes.pointers + notes.size);
    notes.size = static_cast<std::size_t>(std::unique(notes.pointers, notes.pointers + notes.size) -
                                          notes.pointers);
  }
  for (std::size_t i = 0; i < notes.size; ++i) std::free(notes.pointers[i]);
  notes.size = 0;
}

}  // namespace pto2::model::engine::allocation

namespace allocation = pto2::model::engine::allocation;

void* operator new(std::size_t bytes) {
  return allocation::acquire(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocation::acquire(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocation::acquire(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocation::acquire(bytes, alignment);
}
// The variants that do not throw must come from the same place, or a sanitizer's would be mixed in.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* pointer, const std::nothrow_t&) noexcept {
  allocation::release(pointer);
}
void operator delete[](void* pointer, const std::nothrow_t&) noexcept {
  allocation::release(pointer);
}
void operator delete(void* pointer) noexcept {
  allocation::release(pointer);
}
void operator delete[](void* pointer) noexcept {
  allocation::release(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
  allocation::release(pointer);
}
void operator delete[](void* pointer, std::size_t) noexcept {
  allocation::release(pointer);
}
void operator delete(void* pointer, std::align_val_t) noexcept {
  allocation::release(pointer);
}
void operator delete[](void* pointer, std::align_val_t) noexcept {
  allocation::release(pointer);
}
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
  allocation::release(pointer);
}
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept {
  allocation::release(pointer);
}
