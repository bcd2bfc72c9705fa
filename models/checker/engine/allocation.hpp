// What the explored program does with operator new and operator delete, which this library
// replaces. Memory that the program frees stays untouched until the execution ends: a dangling
// pointer then never meets a new object, and the same program gets comparable addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// Memory that the program has allocated or freed during an execution.
struct Block {
  void* address = nullptr;
  bool freed = false;
  std::size_t bytes = 0;      ///< the rest is known of leaks only
  ThreadId thread = -1;       ///< who allocated it,
  std::source_location site;  ///< behind which step
};

/// The blocks of one execution at a time.
class Heap {
 public:
  /// Bytes that threads which were given up may leave behind before the search has to end.
  static constexpr std::size_t most_lost_bytes = std::size_t{1} << 30;

  /// Without `watches_leaks` only what is freed is noted, until `note_allocations` or `give_up` is
  /// called.
  explicit Heap(bool watches_leaks);
  ~Heap() { release(); }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  bool watches_leaks() const { return watches_leaks_; }
  void note_allocations() { notes_allocations_ = true; }
  /// The content of what was allocated and not freed, as a sum over its words.
  std::uint64_t sum() const;
  bool notes_allocations() const { return notes_allocations_; }
  void allocated(const Block& block) { find_or_add(block.address) = block; }
  /// Keeps the memory until `release`. False when it has been freed already.
  bool free_later(void* address) { return !std::exchange(find_or_add(address).freed, true); }
  /// The first block that was allocated and not freed, or null.
  const Block* leaked() const;
  /// The frames of a thread were given up, and nobody can delete any more what they own. Where
  /// leaks are watched the program keeps nothing beyond a run, so that what the thread has
  /// allocated and nobody has deleted can go; elsewhere it is lost.
  void give_up(ThreadId thread);
  /// How much was lost since the heap was made.
  std::size_t lost_bytes() const { return lost_bytes_; }
  std::string what_is_lost() const;
  /// Frees for good what the program has freed, and forgets the rest.
  void release();

 private:
  Block& find_or_add(void* address);
  void rehash();

  const bool watches_leaks_;
  bool notes_allocations_;
  std::size_t lost_bytes_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> index_;  // open addressing: 1 + position in blocks_, or 0
};

/// The heap of the program whose code runs on this OS thread; null while the library's own does.
extern constinit thread_local Heap* program_heap;

/// Lets memory go to the given heap as long as it exists; null is that of the library.
class HeapScope {
 public:
  explicit HeapScope(Heap* heap) : outer_(std::exchange(program_heap, heap)) {}
  ~HeapScope() { program_heap = outer_; }
  HeapScope(const HeapScope&) = delete;
  HeapScope& operator=(const HeapScope&) = delete;

 private:
  Heap* outer_;
};

}  // namespace pto2::model::engine
