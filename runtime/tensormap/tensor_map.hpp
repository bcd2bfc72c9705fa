/// Which tasks wrote which parts of which buffers: from it the edges of the graph follow.
///
/// A hash table from the address of a buffer to entries (region, producer) in a fixed pool. Every
/// entry is in two doubly linked lists: the chain of its bucket, newest first, and the chain of
/// its producer, so that the entries of a retired task are found without a search. Entry 0 is nil.
///
///   TM-I1: every entry of the pool is live, in the free list, or was never used.
///   TM-I2: a live entry is in the chain of its buffer's bucket and in that of its producer's slot,
///          once each, and a slot's chain holds entries of one task only.
///   TM-I3: with one ring, the producers along a bucket's chain never ascend.
///   TM-I4: an entry whose producer has not retired goes only when a newer access covers it, or
///          when its buffer's memory is allocated anew.
///   TM-I5: an insertion that was reserved finds an entry.
///   TM-P1: who is recorded as a producer belongs to one of the rings and has not retired.
///   TM-P2: its slot's previous task has retired.
///
/// A task retires when the watermark of its ring passes it. Its entries are skipped from then on
/// and given back by one of: truncation of a bucket's chain during a look-up (one ring only:
/// across rings a retired entry says nothing about those behind it), clean-up every
/// `cleanup_interval` retired tasks, the slot's next task, and reserve() when the pool is
/// exhausted.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/task_id.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/tensormap/region.hpp"

namespace pto2 {

struct TensorMapConfig {
  uint32_t rings = max_rings;    ///< 1..max_rings; producers come from rings below this
  uint32_t window = 65536;       ///< slots per ring; a power of two
  uint32_t pool_size = 65536;    ///< entries that can be live; 1..2^31-1
  uint32_t num_buckets = 65536;  ///< a power of two
};

enum class Access : uint8_t {
  input,
  inout,  ///< takes the place of the entries it covers
};

/// One older access found by a look-up.
struct Match {
  TaskId producer;
  Relation relation;  ///< covered or other
  bool replaced;      ///< the look-up removed the entry
};

class TensorMap {
 public:
  /// Retired tasks of one ring that trigger a clean-up.
  static constexpr uint64_t cleanup_interval = 64;

  /// Throws std::invalid_argument on a configuration out of range, std::bad_alloc.
  explicit TensorMap(const TensorMapConfig& config);
  TensorMap(const TensorMap&) = delete;
  TensorMap& operator=(const TensorMap&) = delete;

  /// Takes note of the rings' watermarks (oldest live task per ring), which never go back. Entries
  /// of retired tasks are given back in batches, or all of them when `force`.
  void sync(const std::array<uint64_t, max_rings>& watermarks, bool force = false) {
    for (uint32_t ring = 0; ring < config_.rings; ++ring) {
      watermarks_[ring] = watermarks[ring];
      const uint64_t retired = watermarks[ring] - cleaned_[ring];
      if (retired >= cleanup_interval || (force && retired != 0)) clean_up(ring);
    }
  }

  /// Calls visit(Match) for every live entry of the buffer at `base` whose region is not disjoint
  /// from `region`, newest first within a bucket. A producer can come up more than once. An inout
  /// access removes what it covers, except the entry of the task that allocated the buffer: that
  /// task must stay alive as long as the buffer is used. `visit` must not call into the map.
  template <class Visitor>
  void lookup(uint64_t base, const Region& region, Access access, Visitor&& visit);

  /// True when the next n inserts will succeed; gives back the entries of retired tasks for it when
  /// it must. When false, more tasks have to retire and be noted by sync(). To submit a task all
  /// or nothing: reserve its inserts, look everything up, then insert.
  bool reserve(uint32_t n) {
    if (n <= available()) return true;
    sync(watermarks_, true);
    return n <= available();
  }

  /// Records that `producer` writes `region` of the buffer at `base`; producers of one ring come
  /// in ascending order, and the slot's previous task has retired. `allocated` says that the
  /// producer allocated the buffer: what is known about the memory's earlier use is dropped.
  /// Returns false, with nothing changed, when the pool is exhausted.
  [[nodiscard]] bool insert(uint64_t base, const Region& region, TaskId producer, bool allocated);

  /// Makes room for a larger pool and window, keeping all entries: for a run that goes on beyond
  /// its configured sizes in order to learn which would do. Requires a window that is a power of
  /// two; smaller values than the present ones change nothing. Throws std::bad_alloc.
  void enlarge(uint32_t window, uint32_t pool_size);

  /// When nobody uses the map any more: lets the next one have its memory. Requires TM-I2.
  void keep_memory();

  uint32_t available() const { return config_.pool_size - live_; }
  /// Entries in use, those of retired tasks that were not given back yet included.
  uint32_t live() const { return live_; }
  const TensorMapConfig& config() const { return config_; }

  /// Checks TM-I1 to TM-I3 over all that was ever used; for tests and shutdown.
  bool invariant_holds() const;

 private:
  static constexpr uint32_t nil = 0;

  /// The first cache line decides most look-ups; the second holds the boxes.
  struct alignas(64) Entry {
    uint64_t base;
    TaskId producer;          ///< no_task: free
    uint32_t next_in_bucket;  ///< or in the free list
    uint32_t previous_in_bucket;
    uint32_t next_of_task;
    uint32_t previous_of_task;
    Region region;
    bool allocated;
  };
  static_assert(sizeof(Entry) == 128);
  static_assert(std::is_trivially_default_constructible_v<Entry>,
                "making the pool must not touch it");

  using Heads = MappedArray<uint32_t>;

  /// Multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4) spreads pieces
  /// of 64 KiB; inside one, neighbouring buffers of the heap have neighbouring buckets, so that
  /// successive allocations share cache lines.
  uint32_t& bucket(uint64_t base) const {
    const uint64_t piece = (base >> 16) * 0x9e3779b97f4a7c15U >> 32;
    return buckets_[((base >> 10) + piece) & (config_.num_buckets - 1)];
  }
  uint32_t& task_entry_head(TaskId producer) const {
    return task_entry_heads_[uint64_t{ring_of(producer).value} * config_.window +
                             (local_of(producer) & (config_.window - 1))];
  }
  bool retired(TaskId producer) const {
    return local_of(producer) < watermarks_[ring_of(producer).value];
  }

  void clean_up(uint32_t ring);
  uint32_t take();
  void remove(uint32_t index);
  void give_back(uint32_t index);
  void remove_task(uint32_t& head);
  void truncate(uint32_t index);
  void drop_buffer(uint64_t base, uint32_t index);
  bool bucket_chain_holds(uint32_t bucket_index, uint64_t& count) const;
  bool task_chain_holds(uint64_t slot, uint64_t& count) const;

  TensorMapConfig config_;
  Heads buckets_;
  Heads task_entry_heads_;  ///< [ring][slot]
  std::unique_ptr<Entry[]> entries_;
  uint32_t used_ = 1;  ///< entries from here on were never used in this run
  uint32_t free_head_ = nil;
  uint32_t live_ = 0;
  std::array<uint64_t, max_rings> watermarks_{};
  std::array<uint64_t, max_rings> cleaned_{};  ///< tasks below this have no entries left
  std::array<uint64_t, max_rings> ends_{};     ///< tasks from here on never had entries
};

template <class Visitor>
void TensorMap::lookup(uint64_t base, const Region& region, Access access, Visitor&& visit) {
  uint32_t index = bucket(base);
  while (index != nil) {
    const Entry& entry = entries_[index];
    const uint32_t next = entry.next_in_bucket;
    if (retired(entry.producer)) {
      if (config_.rings == 1) return truncate(index);
    } else if (entry.base == base) {
      const Relation found = relation(region, entry.region);
      if (found != Relation::disjoint) {
        const bool replaced =
            access == Access::inout && found == Relation::covered && !entry.allocated;
        visit(Match{entry.producer, found, replaced});
        if (replaced) remove(index);
      }
    }
    index = next;
  }
}

}  // namespace pto2
