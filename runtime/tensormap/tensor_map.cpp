#include "runtime/tensormap/tensor_map.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/assert.hpp"

namespace pto2 {
namespace {

void require(bool holds, const char* text, uint64_t value) {
  if (!holds) throw std::invalid_argument(std::string(text) + ", not " + std::to_string(value));
}

constexpr uint32_t largest_pool = (uint32_t{1} << 31) - 1;

const TensorMapConfig& checked(const TensorMapConfig& config) {
  require(config.rings >= 1 && config.rings <= max_rings,
          "TensorMap: the number of rings must be 1 to 4", config.rings);
  require(std::has_single_bit(config.window), "TensorMap: the task window must be a power of two",
          config.window);
  require(config.pool_size >= 1 && config.pool_size <= largest_pool,
          "TensorMap: the pool must have 1 to 2^31-1 entries", config.pool_size);
  require(std::has_single_bit(config.num_buckets),
          "TensorMap: the number of buckets must be a power of two", config.num_buckets);
  return config;
}

}  // namespace

TensorMap::TensorMap(const TensorMapConfig& config)
    : config_(checked(config)),
      limit_(config.pool_size),
      buckets_(config.num_buckets),
      entries_(std::make_unique_for_overwrite<Entry[]>(uint64_t{config.pool_size} + 1)) {
  for (uint32_t ring = 0; ring < max_rings; ++ring) oldest_[ring] = make_id(RingId(ring), 0);
  for (uint32_t ring = 0; ring < config.rings; ++ring) {
    tasks_[ring] = MappedArray<TaskWrites>(config.window);
    first_of_tasks_[ring] = tasks_[ring].span().data();
  }
}

/// Behind the entries of younger tasks, if there are any.
void TensorMap::insert_part(BufferWrites& buffer, const Region& region, TaskWrites& of_task) {
  buffer.bucket = bucket_of(buffer.key);
  uint32_t previous = nil;
  uint32_t next = buckets_[buffer.bucket];
  while (config_.rings == 1 && next != nil && entries_[next].producer > of_task.task) {
    previous = next;
    next = entries_[next].next_in_bucket;
  }
  const uint32_t index = take();
  Entry& entry = entries_[index];
  entry.key = buffer.key;
  entry.producer = of_task.task;
  entry.region = region;
  entry.next_in_bucket = next;
  entry.previous_in_bucket = previous;
  if (next != nil) entries_[next].previous_in_bucket = index;
  (previous != nil ? entries_[previous].next_in_bucket : buckets_[buffer.bucket]) = index;
  entry.next_of_task = of_task.head;
  entry.previous_of_task = nil;
  if (of_task.head != nil) entries_[of_task.head].previous_of_task = index;
  of_task.head = index;
  buffer.may_have_parts = true;
}

/// Who stands at the buffer makes place for one that is not ordered behind him, and is met as the
/// writer of a part from now on: the bytes that he has written.
[[gnu::noinline]] void TensorMap::move_aside(BufferWrites& buffer) {
  TaskWrites& of_task = writes_of(buffer.writer);
  PTO2_INVARIANT("TM-I6", of_task.task == buffer.writer && of_task.wholes != 0);
  --of_task.wholes;
  Region region{};  // in the space of no tensor
  region.end = buffer.written;
  region.contiguous = true;
  insert_part(buffer, region, of_task);
}

void TensorMap::take_in(BufferWrites& buffer, BufferWrites& other, uint64_t shift) {
  if (!is_vacant(other)) move_aside(other);
  if (!other.may_have_parts) return;
  const bool moves = bucket_of(buffer.key) != other.bucket;
  if (!moves) {
    buffer.bucket = other.bucket;
    buffer.may_have_parts = other.may_have_parts;
  }
  uint32_t index = buckets_[other.bucket];
  while (index != nil && entries_[index].next_in_bucket != nil) {
    index = entries_[index].next_in_bucket;
  }
  // The oldest first, for which there is no search.
  while (index != nil) {
    Entry& entry = entries_[index];
    const uint32_t before = entry.previous_in_bucket;
    if (entry.key == other.key) {
      entry.region.shift(shift);
      if (moves) {
        const Entry moved = entry;
        remove(index);
        ++live_;
        insert_part(buffer, moved.region, writes_of(moved.producer));
      } else {
        entry.key = buffer.key;
      }
    }
    index = before;
  }
}

bool TensorMap::find_writers(BufferWrites& buffer) {
  const auto nobody = [](const Match&) {};
  if (buffer.may_have_parts) look_up<Access::input>(buffer, Region{}, buffer.reader, nobody);
  return !is_vacant(buffer) || buffer.may_have_parts;
}

uint64_t TensorMap::entries_beside(const BufferWrites& buffer) const {
  uint64_t count = 0;
  if (!buffer.may_have_parts) return count;
  for (uint32_t index = buckets_[buffer.bucket]; index != nil;
       index = entries_[index].next_in_bucket) {
    ++count;
  }
  return count;
}

void TensorMap::enlarge(uint32_t window, uint32_t pool_size) {
  TensorMapConfig larger = config_;
  larger.window = std::max(window, config_.window);
  larger.pool_size = std::max(pool_size, config_.pool_size);
  TensorMap target(checked(larger));
  std::copy_n(&entries_[1], used_ - 1, &target.entries_[1]);
  for (uint32_t ring = 0; ring < config_.rings; ++ring) {
    for (const TaskWrites& of_task : tasks_[ring].span()) {
      if (!of_task.is_empty()) target.writes_of(of_task.task) = of_task;
    }
  }
  config_ = larger;
  limit_ = std::max(limit_, pool_size);
  entries_ = std::move(target.entries_);
  tasks_ = std::move(target.tasks_);
  first_of_tasks_ = target.first_of_tasks_;
}

uint32_t larger_pool(uint32_t pool_size) {
  if (pool_size >= largest_pool) throw std::bad_alloc();
  return std::min(2 * pool_size, largest_pool);
}

/// Clears the heads of the chains that are left, which are spread over the buckets.
void TensorMap::keep_memory() {
  for (uint32_t index = 1; index < used_; ++index) {
    if (entries_[index].producer != no_task) bucket(entries_[index].key) = nil;
  }
  buckets_.keep_cleared();
  for (uint32_t ring = 0; ring < config_.rings; ++ring) tasks_[ring].keep_for_the_next(ends_[ring]);
}

void TensorMap::clean_up(uint32_t ring) {
  const TaskId oldest = oldest_[ring];
  const std::span<TaskWrites> tasks = tasks_[ring].span();
  // Those from here on never wrote anything.
  const uint64_t end = std::min(local_of(oldest), ends_[ring]);
  const uint64_t slot_mask = config_.window - 1;
  // A slot that was visited once is clean up to the watermark, however many tasks it has seen.
  uint64_t local = std::max(cleaned_[ring], end - std::min<uint64_t>(end, config_.window));
  for (; local < end; ++local) {
    TaskWrites& of_task = tasks[local & slot_mask];
    if (!of_task.is_empty() && of_task.task < oldest) forget(of_task);
  }
  cleaned_[ring] = local_of(oldest);
}

uint32_t TensorMap::take() {
  if (free_head_ == nil) return used_++;
  const uint32_t index = free_head_;
  free_head_ = entries_[index].next_in_bucket;
  return index;
}

void TensorMap::remove(uint32_t index) {
  Entry& entry = entries_[index];
  const uint32_t next = entry.next_of_task;
  const uint32_t previous = entry.previous_of_task;
  if (next != nil) entries_[next].previous_of_task = previous;
  (previous != nil ? entries_[previous].next_of_task : writes_of(entry.producer).head) = next;
  give_back(index);
}

/// Gives back an entry that is in no task's chain any more.
void TensorMap::give_back(uint32_t index) {
  Entry& entry = entries_[index];
  const uint32_t next = entry.next_in_bucket;
  const uint32_t previous = entry.previous_in_bucket;
  if (next != nil) entries_[next].previous_in_bucket = previous;
  (previous != nil ? entries_[previous].next_in_bucket : bucket(entry.key)) = next;
  entry.producer = no_task;
  entry.next_in_bucket = free_head_;
  free_head_ = index;
  --live_;
}

/// Gives back all that is known of the slot's task.
void TensorMap::forget(TaskWrites& of_task) {
  live_ -= std::exchange(of_task.wholes, 0);
  uint32_t index = std::exchange(of_task.head, nil);
  while (index != nil) {
    const uint32_t next = entries_[index].next_of_task;
    give_back(index);
    index = next;
  }
}

/// Gives back the entry and all behind it in its bucket, all of them of retired tasks.
void TensorMap::truncate(uint32_t index) {
  while (index != nil) {
    const uint32_t next = entries_[index].next_in_bucket;
    PTO2_INVARIANT("TM-I3", has_retired(entries_[index].producer));
    remove(index);
    index = next;
  }
}

bool TensorMap::bucket_chain_holds(uint32_t bucket_index, uint64_t& count) const {
  uint32_t previous = nil;
  for (uint32_t index = buckets_[bucket_index]; index != nil;) {
    const Entry& entry = entries_[index];
    if (index >= used_ || ++count > live_ || entry.producer == no_task) return false;
    if (&bucket(entry.key) != &buckets_[bucket_index]) return false;
    if (entry.previous_in_bucket != previous) return false;
    if (config_.rings == 1 && previous != nil &&
        local_of(entry.producer) > local_of(entries_[previous].producer)) {
      return false;
    }
    previous = index;
    index = entry.next_in_bucket;
  }
  return true;
}

bool TensorMap::task_chain_holds(const TaskWrites& of_task, uint64_t& count) const {
  if (!of_task.is_empty() && &writes_of(of_task.task) != &of_task) return false;
  uint32_t previous = nil;
  for (uint32_t index = of_task.head; index != nil;) {
    const Entry& entry = entries_[index];
    if (index >= used_ || ++count > live_ || entry.producer != of_task.task) return false;
    if (entry.previous_of_task != previous) return false;
    previous = index;
    index = entry.next_of_task;
  }
  return true;
}

bool TensorMap::invariant_holds() const {
  uint64_t in_buckets = 0;
  for (uint32_t i = 0; i < config_.num_buckets; ++i) {
    if (buckets_[i] != nil && !bucket_chain_holds(i, in_buckets)) return false;
  }
  uint64_t in_tasks = 0;
  uint64_t wholes = 0;
  for (uint32_t ring = 0; ring < config_.rings; ++ring) {
    const uint64_t used_slots = std::min<uint64_t>(ends_[ring], config_.window);
    for (const TaskWrites& of_task : tasks_[ring].span().first(used_slots)) {
      if (!task_chain_holds(of_task, in_tasks)) return false;
      wholes += of_task.wholes;
    }
  }
  uint64_t free = 0;
  for (uint32_t index = free_head_; index != nil; index = entries_[index].next_in_bucket) {
    if (index >= used_ || ++free >= used_ || entries_[index].producer != no_task) return false;
  }
  return in_buckets == in_tasks && in_tasks + wholes == live_ && in_tasks + free + 1 == used_ &&
         used_ <= config_.pool_size + 1;
}

}  // namespace pto2
