#include "models/checker/engine/allocation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "models/checker/engine/execution.hpp"
#include "models/checker/engine/local_state.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace pto2::model::engine {

constinit thread_local Heap* program_heap = nullptr;

namespace {

#if defined(__SANITIZE_ADDRESS__)
/// LeakSanitizer must hear of all that is lost, even in the first run that loses something.
constexpr bool hears_of_losses = true;
void declare_lost(const void* address) {
  __lsan_ignore_object(address);
}
#else
constexpr bool hears_of_losses = false;
void declare_lost(const void*) {}
#endif

}  // namespace

Heap::Heap(bool watches_leaks)
    : watches_leaks_(watches_leaks), notes_allocations_(watches_leaks || hears_of_losses) {}

std::string Heap::what_is_lost() const {
  return "threads whose execution was cut inside of noexcept functions have left " +
         std::to_string(lost_bytes_ >> 20) + " MB behind; with Options::heap_leaks it is freed";
}

void Heap::give_up(ThreadId thread) {
  notes_allocations_ = true;
  for (Block& block : blocks_) {
    if (block.freed || block.thread != thread) continue;
    if (watches_leaks_) {
      block.freed = true;
    } else {
      lost_bytes_ += block.bytes;
      declare_lost(block.address);
    }
  }
}

const Block* Heap::leaked() const {
  if (!watches_leaks_) return nullptr;
  const auto leak =
      std::find_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.freed; });
  return leak == blocks_.end() ? nullptr : &*leak;
}

std::uint64_t Heap::sum() const {
  std::uint64_t sum = 0;
  for (const Block& block : blocks_) {
    if (block.freed) continue;
    sum += sum_of({block.address, static_cast<const char*>(block.address) + block.bytes});
  }
  return sum;
}

void Heap::release() {
  if (blocks_.empty()) return;
  for (const Block& block : blocks_) {
    if (block.freed) std::free(block.address);
  }
  blocks_.clear();
  std::fill(index_.begin(), index_.end(), 0);
}

Block& Heap::find_or_add(void* address) {
  if (index_.size() < 2 * (blocks_.size() + 1)) rehash();
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4); malloc aligns to 16.
  const std::uint64_t hash = (reinterpret_cast<std::uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15;
  const std::size_t mask = index_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash >> 32) & mask;
  for (; index_[slot] != 0; slot = (slot + 1) & mask) {
    Block& block = blocks_[index_[slot] - 1];
    if (block.address == address) return block;
  }
  Block& block = blocks_.emplace_back();
  block.address = address;
  index_[slot] = static_cast<std::uint32_t>(blocks_.size());
  return block;
}

void Heap::rehash() {
  const std::vector<Block> blocks = std::move(blocks_);
  index_.assign(std::max<std::size_t>(64, 2 * index_.size()), 0);
  blocks_.clear();
  blocks_.reserve(index_.size() / 2);
  for (const Block& block : blocks) find_or_add(block.address) = block;
}

namespace {

void release(void* pointer) noexcept {
  Heap* const heap = program_heap;
  if (heap == nullptr || pointer == nullptr) {
    std::free(pointer);
    return;
  }
  const HeapScope own(nullptr);
  Execution::current().deletes(!heap->free_later(pointer));
}

void* noted(void* pointer, std::size_t bytes) {
  Heap* const heap = program_heap;
  if (heap == nullptr || !heap->notes_allocations()) return pointer;
  const HeapScope own(nullptr);
  const Moment now = Execution::current().here();
  heap->allocated({pointer, false, bytes, now.thread, now.site});
  return pointer;
}

void* allocate(std::size_t bytes) {
  return std::malloc(bytes == 0 ? 1 : bytes);
}

/// Null, too, if there is no multiple of the alignment that is as large.
void* allocate(std::size_t bytes, std::align_val_t alignment) {
  const std::size_t align = static_cast<std::size_t>(alignment);
  if (bytes > SIZE_MAX - (align - 1)) return nullptr;
  const std::size_t rounded = (bytes + align - 1) / align * align;
  return std::aligned_alloc(align, rounded == 0 ? align : rounded);
}

template <class... Alignment>
void* acquire(std::size_t bytes, Alignment... alignment) {
  while (true) {
    if (void* const pointer = allocate(bytes, alignment...)) return noted(pointer, bytes);
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

template <class... Alignment>
void* try_acquire(std::size_t bytes, Alignment... alignment) noexcept {
  try {
    return acquire(bytes, alignment...);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

}  // namespace pto2::model::engine

namespace engine = pto2::model::engine;

void* operator new(std::size_t bytes) {
  return engine::acquire(bytes);
}
void* operator new[](std::size_t bytes) {
  return engine::acquire(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return engine::acquire(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return engine::acquire(bytes, alignment);
}
// The variants that do not throw must come from the same place, or a sanitizer's would be mixed in.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return engine::try_acquire(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return engine::try_acquire(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return engine::try_acquire(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return engine::try_acquire(bytes, alignment);
}
void operator delete(void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
  engine::release(pointer);
}
void operator delete(void* pointer, const std::nothrow_t&) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer, const std::nothrow_t&) noexcept {
  engine::release(pointer);
}
void operator delete(void* pointer) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer) noexcept {
  engine::release(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer, std::size_t) noexcept {
  engine::release(pointer);
}
void operator delete(void* pointer, std::align_val_t) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer, std::align_val_t) noexcept {
  engine::release(pointer);
}
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
  engine::release(pointer);
}
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept {
  engine::release(pointer);
}
