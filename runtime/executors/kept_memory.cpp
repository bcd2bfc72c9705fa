#include "runtime/executors/kept_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/executors/fork_locks.hpp"
#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2 {

namespace {

constexpr std::size_t alignment = 64;

/// Of a mapping, what comes behind this is asked for in huge pages: who writes that much shall not
/// wait for a fault every 4 KiB, and who writes little shall not wait until 2 MiB are cleared.
constexpr std::size_t small_pages = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Bytes at the front of a piece of `bytes` that have pages once the first `touched` were written.
std::size_t resident_of(std::size_t touched, std::size_t bytes) {
  return touched <= small_pages ? touched : std::min(touched + huge_page, bytes);
}

/// Without data if the system has no memory.
KeptMemory::Block allocate(std::size_t bytes) {
  if (bytes >= KeptMemory::smallest) {
    void* const memory = mmap(nullptr, KeptMemory::mapped_for(bytes), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return {};
    auto* const data = static_cast<std::byte*>(memory);
    // A wish: small pages are right, too.
    if (bytes > small_pages) madvise(data + small_pages, bytes - small_pages, MADV_HUGEPAGE);
    return {data, bytes, 0};
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) return {};
  std::memset(memory, 0, rounded);
  return {static_cast<std::byte*>(memory), bytes, bytes};
}

/// Line by line, by stores: for what is longer memset() has an instruction that repeats, which
/// takes half as long again where another CPU has written, and is many for whoever counts
/// instructions.
void clear(std::byte* data, std::size_t bytes) {
  const std::size_t lines = bytes / alignment * alignment;
  for (std::size_t done = 0; done < lines; done += alignment) {
    std::memset(data + done, 0, alignment);
  }
  std::memset(data + lines, 0, bytes - lines);
}

/// By words, and unseen: there may be much of it. Requires what take() gives, of a size to keep.
PTO2_UNSEEN_BY_TSAN bool is_zero(const KeptMemory::Block& block) {
  executors::allow_access(block.data, block.resident);
  const auto* const words = reinterpret_cast<const uint64_t*>(block.data);
  const std::size_t count = KeptMemory::mapped_for(block.bytes) / sizeof *words;
  uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= words[i];
  executors::forbid_access(block.data, block.resident);
  return found == 0;
}

}  // namespace

KeptMemory& KeptMemory::of_process() {
  static auto* const memory = [] {
    auto* const kept = new KeptMemory;
    executors::keep_from_forks(kept->mutex_);
    return kept;
  }();
  return *memory;
}

namespace {

[[maybe_unused]] const KeptMemory& made_at_start = KeptMemory::of_process();

}  // namespace

std::size_t KeptMemory::mapped_for(std::size_t bytes) noexcept {
  const std::size_t step = std::bit_floor(bytes) / 8;
  const std::size_t up = (step - bytes % step) % step;
  return bytes + std::min(up, SIZE_MAX - bytes);
}

KeptMemory::Block KeptMemory::take(std::size_t bytes) {
  if (bytes == 0) return {};
  Block block = find(bytes);
  if (block.data == nullptr) block = allocate(bytes);
  if (block.data == nullptr && blocks() != 0) {
    release();
    block = allocate(bytes);
  }
  if (block.data == nullptr) throw std::bad_alloc();
  return block;
}

/// Without data if none for this size is kept.
KeptMemory::Block KeptMemory::find(std::size_t bytes) {
  if (bytes < smallest) return {};
  const std::lock_guard lock(mutex_);
  for (std::size_t i = count_; i-- > 0;) {
    if (mapped_for(kept_[i].bytes) != mapped_for(bytes)) continue;
    Block block = remove(i);
    block.bytes = bytes;
    executors::allow_access(block.data, block.resident);
    return block;
  }
  return {};
}

void KeptMemory::keep(Block block, std::size_t touched) noexcept {
  if (block.bytes < smallest) return give_back(block);
  block.resident = std::max(block.resident, resident_of(touched, mapped_for(block.bytes)));
  if (block.resident > most_resident) return give_back(block);
  clear(block.data, touched);
  executors::forbid_access(block.data, block.resident);
  const std::lock_guard lock(mutex_);
  while (!has_room_for(block)) give_back(remove(0));
  kept_[count_++] = block;
  resident_ += block.resident;
}

KeptMemory::Block KeptMemory::remove(std::size_t i) noexcept {
  const Block block = kept_[i];
  std::copy(kept_.begin() + i + 1, kept_.begin() + count_, kept_.begin() + i);
  --count_;
  resident_ -= block.resident;
  return block;
}

void KeptMemory::give_back(const Block& block) noexcept {
  executors::allow_access(block.data, block.resident);
  if (block.bytes >= smallest) {
    munmap(block.data, mapped_for(block.bytes));
  } else {
    std::free(block.data);
  }
}

void KeptMemory::release() noexcept {
  const std::lock_guard lock(mutex_);
  while (count_ != 0) give_back(remove(count_ - 1));
}

std::size_t KeptMemory::blocks() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool KeptMemory::invariant_holds() const {
  const std::lock_guard lock(mutex_);
  return count_ <= most_blocks && resident_ <= most_resident &&
         std::all_of(kept_.begin(), kept_.begin() + count_, is_zero);
}

}  // namespace pto2
