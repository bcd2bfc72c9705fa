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

const TensorMapConfig& checked(const TensorMapConfig& config) {
  require(config.rings >= 1 && config.rings <= max_rings,
          "TensorMap: the number of rings must be 1 to 4", config.rings);
  require(std::has_single_bit(config.window), "TensorMap: the task window must be a power of two",
          config.window);
  require(config.pool_size >= 1 && config.pool_size < uint32_t{1} << 31,
          "TensorMap: the pool must have 1 to 2^31-1 entries", config.pool_size);
  require(std::has_single_bit(config.num_buckets),
          "TensorMap: the number of buckets must be a power of two", config.num_buckets);
  return config;
}

}  // namespace

TensorMap::TensorMap(const TensorMapConfig& config)
    : config_(checked(config)),
      buckets_(config.num_buckets),
      task_entry_heads_(std::size_t{config.rings} * config.window),
      entries_(std::make_unique_for_overwrite<Entry[]>(uint64_t{config.pool_size} + 1)) {}

bool TensorMap::insert(uint64_t base, const Region& region, TaskId producer, bool allocated) {
  PTO2_INVARIANT("TM-P1", ring_of(producer).value < config_.rings && !retired(producer));
  if (live_ == config_.pool_size) return false;
  uint32_t& bucket_head = bucket(base);
  if (allocated) drop_buffer(base, bucket_head);
  uint32_t& task_head = task_entry_head(producer);
  if (task_head != nil && entries_[task_head].producer != producer) {
    PTO2_INVARIANT("TM-P2", retired(entries_[task_head].producer));
    remove_task(task_head);
  }
  const uint32_t index = take();
  Entry& entry = entries_[index];
  entry.base = base;
  entry.producer = producer;
  entry.region = region;
  entry.allocated = allocated;
  entry.next_in_bucket = bucket_head;
  entry.previous_in_bucket = nil;
  if (bucket_head != nil) entries_[bucket_head].previous_in_bucket = index;
  bucket_head = index;
  entry.next_of_task = task_head;
  entry.previous_of_task = nil;
  if (task_head != nil) entries_[task_head].previous_of_task = index;
  task_head = index;
  ends_[ring_of(producer).value] = local_of(producer) + 1;
  return true;
}

void TensorMap::enlarge(uint32_t window, uint32_t pool_size) {
  TensorMapConfig larger = config_;
  larger.window = std::max(window, config_.window);
  larger.pool_size = std::max(pool_size, config_.pool_size);
  TensorMap target(checked(larger));
  std::copy_n(&entries_[1], used_ - 1, &target.entries_[1]);
  // A slot's chain belongs to one task, so that it moves to the task's new slot as a whole.
  for (uint64_t slot = 0; slot < uint64_t{config_.rings} * config_.window; ++slot) {
    const uint32_t head = task_entry_heads_[slot];
    if (head != nil) target.task_entry_head(entries_[head].producer) = head;
  }
  config_ = larger;
  entries_ = std::move(target.entries_);
  task_entry_heads_ = std::move(target.task_entry_heads_);
}

/// Clears the heads of the chains that are left, which are spread over both arrays.
void TensorMap::keep_memory() {
  for (uint32_t index = 1; index < used_; ++index) {
    const Entry& entry = entries_[index];
    if (entry.producer == no_task) continue;
    bucket(entry.base) = nil;
    task_entry_head(entry.producer) = nil;
  }
  buckets_.keep_cleared();
  task_entry_heads_.keep_cleared();
}

void TensorMap::clean_up(uint32_t ring) {
  // A slot that was visited once is clean up to the watermark, however many tasks it has seen.
  const uint64_t end = watermarks_[ring];
  const uint64_t slots = std::min<uint64_t>(end - cleaned_[ring], config_.window);
  for (uint64_t local = end - slots; local < end; ++local) {
    uint32_t& head = task_entry_head(make_id(RingId(ring), local));
    if (head != nil && retired(entries_[head].producer)) remove_task(head);
  }
  cleaned_[ring] = end;
}

uint32_t TensorMap::take() {
  ++live_;
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
  (previous != nil ? entries_[previous].next_of_task : task_entry_head(entry.producer)) = next;
  give_back(index);
}

/// Gives back an entry that is in no task's chain any more.
void TensorMap::give_back(uint32_t index) {
  Entry& entry = entries_[index];
  const uint32_t next = entry.next_in_bucket;
  const uint32_t previous = entry.previous_in_bucket;
  if (next != nil) entries_[next].previous_in_bucket = previous;
  (previous != nil ? entries_[previous].next_in_bucket : bucket(entry.base)) = next;
  entry.producer = no_task;
  entry.next_in_bucket = free_head_;
  free_head_ = index;
  --live_;
}

/// Gives back all entries of the task whose chain starts at `head`.
void TensorMap::remove_task(uint32_t& head) {
  uint32_t index = head;
  head = nil;
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
    PTO2_INVARIANT("TM-I3", retired(entries_[index].producer));
    remove(index);
    index = next;
  }
}

/// Gives back the entries of the buffer at `base` from `index` on along its bucket.
void TensorMap::drop_buffer(uint64_t base, uint32_t index) {
  while (index != nil) {
    const uint32_t next = entries_[index].next_in_bucket;
    if (entries_[index].base == base) remove(index);
    index = next;
  }
}

bool TensorMap::bucket_chain_holds(uint32_t bucket_index, uint64_t& count) const {
  uint32_t previous = nil;
  for (uint32_t index = buckets_[bucket_index]; index != nil;) {
    const Entry& entry = entries_[index];
    if (index >= used_ || ++count > live_ || entry.producer == no_task) return false;
    if (&bucket(entry.base) != &buckets_[bucket_index]) return false;
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

bool TensorMap::task_chain_holds(uint64_t slot, uint64_t& count) const {
  uint32_t previous = nil;
  for (uint32_t index = task_entry_heads_[slot]; index != nil;) {
    const Entry& entry = entries_[index];
    if (index >= used_ || ++count > live_ || entry.producer == no_task) return false;
    if (&task_entry_head(entry.producer) != &task_entry_heads_[slot]) return false;
    if (entry.previous_of_task != previous) return false;
    if (previous != nil && entries_[previous].producer != entry.producer) return false;
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
  for (uint32_t ring = 0; ring < config_.rings; ++ring) {
    const uint64_t used_slots = std::min<uint64_t>(ends_[ring], config_.window);
    for (uint64_t i = 0; i < used_slots; ++i) {
      if (!task_chain_holds(uint64_t{ring} * config_.window + i, in_tasks)) return false;
    }
  }
  uint64_t free = 0;
  for (uint32_t index = free_head_; index != nil; index = entries_[index].next_in_bucket) {
    if (index >= used_ || ++free >= used_ || entries_[index].producer != no_task) return false;
  }
  return in_buckets == live_ && in_tasks == live_ && live_ + free + 1 == used_ &&
         used_ <= config_.pool_size + 1;
}

}  // namespace pto2
