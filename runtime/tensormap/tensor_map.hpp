/// Which tasks wrote which parts of which buffers: from it the edges of the graph follow.
///
/// Most buffers are written as a whole: by the task that allocated them, and perhaps by others
/// later. The first and the last of them stand at the buffer itself (BufferWrites). Every other
/// write is an entry (region, producer) in a fixed pool, found by a hash table from the buffer's
/// key. Every entry is in two doubly linked lists: the chain of its bucket, newest first, and the
/// chain of its producer, so that the entries of a retired task are found without a search. Entry 0
/// is nil. Writes of both kinds count against the pool: its size is what users set, whatever the
/// shape of their writes.
///
/// Who writes all of a buffer unread, and is ordered behind who did so last, takes his place: whom
/// that one came behind, and who has read him since, need not be met any more. That he is ordered
/// so is known if he depends on the other, or on the last task that has read what that wrote.
///
///   TM-I1: every entry of the pool is live, in the free list, or was never used.
///   TM-I2: a live entry is in the chain of its buffer's bucket and in that of its producer's slot,
///          once each, and a slot's chain holds entries of one task only.
///   TM-I3: with one ring, the producers along a bucket's chain never ascend.
///   TM-I4: a write whose producer has not retired is forgotten only when a newer access covers it
///          and is ordered behind it, and that of the task which allocated the buffer not even
///          then.
///   TM-I5: an insertion that was reserved finds room.
///   TM-I6: who stands at a buffer and has not retired has it counted in its slot.
///   TM-P1: who is recorded as a producer belongs to one of the rings and has not retired.
///   TM-P2: its slot's previous task has retired.
///
/// A task retires when the watermark of its ring passes it. Its writes are skipped from then on
/// and given back by one of: clean-up every `cleanup_interval` retired tasks, the slot's next task,
/// and reserve() when the pool is exhausted; its entries besides by truncation of a bucket's chain
/// during a look-up (one ring only: across rings a retired entry says nothing about those behind
/// it).
///
/// Used by one thread, the orchestrator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/assert.hpp"
#include "core/task_id.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/tensormap/buffer_writes.hpp"
#include "runtime/tensormap/region.hpp"

namespace pto2 {

struct TensorMapConfig {
  uint32_t rings = max_rings;    ///< 1..max_rings; producers come from rings below this
  uint32_t window = 65536;       ///< slots per ring; a power of two
  uint32_t pool_size = 65536;    ///< writes that can be known at a time; 1..2^31-1
  uint32_t num_buckets = 65536;  ///< a power of two
};

/// Twice this pool, or the largest that there can be. Throws std::bad_alloc beyond that.
[[nodiscard]] uint32_t larger_pool(uint32_t pool_size);

enum class Access : uint8_t {
  input,
  inout,  ///< takes the place of the writes it covers
};

/// One older access found by a look-up.
struct Match {
  TaskId producer;
  Relation relation;  ///< covered or other
  bool replaced;      ///< the look-up removed it
};

class TensorMap {
 public:
  /// Retired tasks of one ring that trigger a clean-up.
  static constexpr uint64_t cleanup_interval = 64;

  /// Throws std::invalid_argument on a configuration out of range, std::bad_alloc.
  explicit TensorMap(const TensorMapConfig& config);
  TensorMap(const TensorMap&) = delete;
  TensorMap& operator=(const TensorMap&) = delete;

  /// Takes note of the rings' watermarks (oldest live task per ring), which never go back. Writes
  /// of retired tasks are given back in batches, or all of them when `force`.
  void sync(const std::array<uint64_t, max_rings>& watermarks, bool force = false) {
    for (uint32_t ring = 0; ring < config_.rings; ++ring) {
      oldest_[ring] = make_id(RingId(ring), watermarks[ring]);
      clean_up_behind(ring, force ? 1 : cleanup_interval);
    }
  }

  /// For `reader`, or nobody: calls visit(Match) for every live write of the buffer whose region is
  /// not disjoint from `region`, the parts before the wholes. A producer can come up more than
  /// once. An inout access removes what it covers, except the write of the task that allocated the
  /// buffer: that task must stay alive as long as the buffer is used. `visit` must not call into
  /// the map.
  template <class Visitor>
  void lookup(BufferWrites& buffer, const Region& region, Access access, TaskId reader,
              Visitor visit);

  /// True when the next n inserts will succeed; gives back the writes of retired tasks for it when
  /// it must. When false, more tasks have to retire and be noted by sync(). To submit a task all
  /// or nothing: reserve its inserts, look everything up, then insert.
  bool reserve(uint32_t n) {
    if (live_ + n <= limit_) [[likely]]  // a pool is far smaller than the numbers
      return true;
    for (uint32_t ring = 0; ring < config_.rings; ++ring) clean_up_behind(ring, 1);
    return n <= available();
  }

  /// Records that `producer` writes `region` of the buffer; producers of one ring come in
  /// ascending order, and the slot's previous task has retired. Who allocated the buffer writes all
  /// of it, once, before anybody else does. Returns false, with nothing changed, when the pool is
  /// exhausted.
  [[nodiscard]] bool insert(BufferWrites& buffer, const Region& region, TaskId producer) {
    if (live_ == config_.pool_size) return false;
    insert(begin_inserts(producer, 1), buffer, region, [](const BufferWrites&) { return false; });
    return true;
  }

  /// What is known of the last task of a slot that wrote anything; nothing if it is empty.
  struct TaskWrites {
    TaskId task;
    uint32_t head;    ///< of the chain of its entries
    uint32_t wholes;  ///< buffers at which it stands
    [[nodiscard]] bool is_empty() const { return head == nil && wholes == 0; }
  };
  /// The same in parts: `producer` makes n insertions, each once, which were reserved.
  [[nodiscard]] TaskWrites& begin_inserts(TaskId producer, uint32_t n) {
    const uint32_t ring = ring_of(producer).value;
    PTO2_INVARIANT("TM-P1", ring < config_.rings && producer >= oldest_[ring]);
    PTO2_INVARIANT("TM-I5", n <= config_.pool_size - live_);
    TaskWrites& of_task = writes_of(producer);
    if (of_task.task != producer) [[likely]] {
      PTO2_INVARIANT("TM-P2", of_task.is_empty() || has_retired(of_task.task));
      if (!of_task.is_empty()) forget(of_task);
      of_task.task = producer;
    }
    ends_[ring] = local_of(producer) + 1;
    live_ += n;
    return of_task;
  }
  /// is_behind(buffer) says whether the task is ordered behind who stands at it.
  template <class IsBehind>
  void insert(TaskWrites& of_task, BufferWrites& buffer, const Region& region,
              IsBehind&& is_behind) {
    if (of_task.task == buffer.owner) return insert_owner(of_task);
    if (!region.contiguous || region.begin != 0 || region.end != buffer.bytes) {
      return insert_part(buffer, region, of_task);
    }
    if (!is_vacant(buffer)) [[unlikely]] {
      const bool displaces = region.end >= buffer.written && is_behind(buffer);
      displaces ? vacate(buffer) : move_aside(buffer);
    }
    buffer.writer = of_task.task;
    buffer.written = region.end;
    buffer.reader = no_task;
    ++of_task.wholes;
  }
  /// Of a buffer that the task has allocated: BufferWrites::owner says all.
  static void insert_owner(TaskWrites& of_task) { ++of_task.wholes; }

  /// What was written of `other` was written of `buffer`, in which it begins at place `shift`. Both
  /// are external.
  void take_in(BufferWrites& buffer, BufferWrites& other, uint64_t shift);

  /// Looks whether a task that has not retired has written some of the buffer, which is external;
  /// forgets those that have.
  [[nodiscard]] bool find_writers(BufferWrites& buffer);

  /// Makes room for a larger pool and window, keeping all writes: for a run that goes on beyond
  /// its configured sizes in order to learn which would do. Requires a window that is a power of
  /// two; smaller values than the present ones change nothing. Throws std::bad_alloc.
  void enlarge(uint32_t window, uint32_t pool_size);

  /// Entries that a look-up of the buffer goes by, at most.
  [[nodiscard]] uint64_t entries_beside(const BufferWrites& buffer) const;

  /// When nobody uses the map any more: lets the next one have its memory. Requires TM-I2.
  void keep_memory();

  /// Has room for no more than so many writes from now on, at most as many as the pool has.
  void keep_to(uint32_t limit) { limit_ = limit; }
  uint32_t limit() const { return limit_; }
  uint32_t available() const { return live_ < limit_ ? limit_ - live_ : 0; }
  /// Writes that are known, those of retired tasks that were not given back yet included.
  uint32_t live() const { return live_; }
  const TensorMapConfig& config() const { return config_; }

  /// Checks TM-I1 to TM-I3, and what is counted, over all that was ever used; for tests and
  /// shutdown.
  bool invariant_holds() const;

 private:
  static constexpr uint32_t nil = 0;

  /// The first cache line decides most look-ups; the second holds the boxes.
  struct alignas(64) Entry {
    uint64_t key;             ///< of the buffer
    TaskId producer;          ///< no_task: free
    uint32_t next_in_bucket;  ///< or in the free list
    uint32_t previous_in_bucket;
    uint32_t next_of_task;
    uint32_t previous_of_task;
    Region region;
  };
  static_assert(sizeof(Entry) == 128);
  static_assert(std::is_trivially_default_constructible_v<Entry>,
                "making the pool must not touch it");

  /// Multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4) spreads pieces
  /// of 64 KiB; inside one, neighbouring buffers have neighbouring buckets, so that successive ones
  /// share cache lines.
  uint32_t bucket_of(uint64_t key) const {
    const uint64_t piece = (key >> 16) * 0x9e3779b97f4a7c15U >> 32;
    return static_cast<uint32_t>((key >> 10) + piece) & (config_.num_buckets - 1);
  }
  uint32_t& bucket(uint64_t key) const { return buckets_[bucket_of(key)]; }
  TaskWrites& writes_of(TaskId producer) const {
    return first_of_tasks_[ring_of(producer).value]
                          [static_cast<uint32_t>(producer.value) & (config_.window - 1)];
  }
  bool has_retired(TaskId producer) const { return producer < oldest_[ring_of(producer).value]; }
  /// Nobody stands at the buffer beside the task that allocated it, or not any more.
  bool is_vacant(BufferWrites& buffer) const {
    if (buffer.writer == no_task) return true;
    if (!has_retired(buffer.writer)) return false;
    buffer.writer = no_task;
    return true;
  }
  void vacate(BufferWrites& buffer) {
    TaskWrites& of_task = writes_of(buffer.writer);
    PTO2_INVARIANT("TM-I6", of_task.task == buffer.writer && of_task.wholes != 0);
    --of_task.wholes;
    --live_;
    buffer.writer = no_task;
  }

  template <Access access, class Visitor>
  void look_up(BufferWrites& buffer, const Region& region, TaskId reader, Visitor visit);
  template <Access access, class Visitor>
  bool look_up_parts(const BufferWrites& buffer, const Region& region, Visitor visit);
  void insert_part(BufferWrites& buffer, const Region& region, TaskWrites& of_task);
  void move_aside(BufferWrites& buffer);
  /// If so many tasks of the ring have retired since the last time.
  void clean_up_behind(uint32_t ring, uint64_t retired) {
    if (local_of(oldest_[ring]) - cleaned_[ring] >= retired) clean_up(ring);
  }
  void clean_up(uint32_t ring);
  uint32_t take();
  void remove(uint32_t index);
  void give_back(uint32_t index);
  void forget(TaskWrites& of_task);
  void truncate(uint32_t index);
  bool bucket_chain_holds(uint32_t bucket_index, uint64_t& count) const;
  bool task_chain_holds(const TaskWrites& of_task, uint64_t& count) const;

  TensorMapConfig config_;
  uint32_t limit_;  ///< writes that may be known at a time
  MappedArray<uint32_t> buckets_;
  std::array<MappedArray<TaskWrites>, max_rings> tasks_;  ///< by slot
  std::array<TaskWrites*, max_rings> first_of_tasks_{};   ///< of each ring
  std::unique_ptr<Entry[]> entries_;
  uint32_t used_ = 1;  ///< entries from here on were never used in this run
  uint32_t free_head_ = nil;
  uint32_t live_ = 0;
  std::array<TaskId, max_rings> oldest_;       ///< tasks that have not retired
  std::array<uint64_t, max_rings> cleaned_{};  ///< tasks below this have no writes left
  std::array<uint64_t, max_rings> ends_{};     ///< tasks from here on never had any
};

template <class Visitor>
inline void TensorMap::lookup(BufferWrites& buffer, const Region& region, Access access,
                              TaskId reader, Visitor visit) {
  if (access == Access::inout) {
    look_up<Access::inout>(buffer, region, reader, visit);
  } else {
    look_up<Access::input>(buffer, region, reader, visit);
  }
}

/// The entries of the buffer, and who stands at it.
template <Access access, class Visitor>
inline void TensorMap::look_up(BufferWrites& buffer, const Region& region, TaskId reader,
                               Visitor visit) {
  if (buffer.may_have_parts) buffer.may_have_parts = look_up_parts<access>(buffer, region, visit);
  if (region.begin >= buffer.written) return;
  const bool covers = region.contiguous && region.begin == 0 && region.end >= buffer.written;
  const Relation found = covers ? Relation::covered : Relation::other;
  if (!is_vacant(buffer)) {
    const bool replaced = access == Access::inout && covers;
    visit(Match{buffer.writer, found, replaced});
    buffer.reader = reader;
    if (replaced) vacate(buffer);
  }
  if (buffer.owner != no_task && !has_retired(buffer.owner))
    visit(Match{buffer.owner, found, false});
}

/// Tells whether the buffer has entries left.
template <Access access, class Visitor>
inline bool TensorMap::look_up_parts(const BufferWrites& buffer, const Region& region,
                                     Visitor visit) {
  const uint64_t key = buffer.key;
  const Cover cover(region);
  bool has_parts = false;
  uint32_t index = buckets_[buffer.bucket];
  while (index != nil) {
    const Entry& entry = entries_[index];
    const uint32_t next = entry.next_in_bucket;
    if (has_retired(entry.producer)) [[unlikely]] {
      if (config_.rings == 1) {
        truncate(index);
        break;
      }
    } else if (entry.key == key) {
      const Relation found =
          cover.has(entry.region) ? Relation::covered : relation(region, entry.region);
      const bool replaced = access == Access::inout && found == Relation::covered;
      has_parts |= !replaced;
      if (found != Relation::disjoint) visit(Match{entry.producer, found, replaced});
      if (replaced) remove(index);
    }
    index = next;
  }
  return has_parts;
}

}  // namespace pto2
