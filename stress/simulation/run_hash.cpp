#include "stress/simulation/run_hash.hpp"

#include <string_view>
#include <type_traits>
#include <vector>

namespace pto2::simulations {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), by words, whose high halves come down.
/// What it adds it takes apart into all its fields, so that a new one does not compile without.
class Hash {
 public:
  template <class... Values>
  void add(const Values&... values) {
    (add_one(values), ...);
  }
  [[nodiscard]] uint64_t value() const { return state_ == 0 ? 1 : state_; }

 private:
  template <class Value>
  requires std::is_integral_v<Value> || std::is_enum_v<Value>
  void add_one(Value value) {
    state_ = (state_ ^ static_cast<uint64_t>(value)) * 0x100000001b3;
    state_ ^= state_ >> 32;  // else 1 and -1 side by side are what -1 and 1 are
  }
  void add_one(TaskId task) { add(task.value); }
  void add_one(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  template <class Item>
  void add_one(const std::vector<Item>& items) {
    add(items.size());
    for (const Item& item : items) add(item);
  }
  void add_one(const Counts& counts) {
    for (const CountRow& row : count_table()) {
      // What differs from one machine to another is no part of a schedule.
      if (row.member != &Counts::kernel_ticks) add(counts.*row.member);
    }
  }
  void add_one(const Event& event) {
    const auto& [t, before, task, scope, group, requested, line, thread, part, place, kind,
                 lacking] = event;
    add(t, before, task, scope, group, requested, line, thread, part, place, kind);
    add(lacking ? 1 + static_cast<uint64_t>(*lacking) : 0);
  }
  void add_one(const PipeFill& fill) {
    const auto& [waiting, held] = fill;
    add(waiting, held);
  }
  void add_one(const PipeUse& use) {
    const auto& [event, group, tag, capacity, pushed, popped, freed, before, after] = use;
    add(event, group, tag, capacity, pushed, popped, freed, before, after);
  }
  void add_one(const ProducerRecord& producer) {
    const auto& [task, claim] = producer;
    add(task, claim);
  }
  void add_one(const ParamRecord& param) {
    const auto& [direction, pipe, pipe_out, tag, external, owner, memory, base, element, origin,
                 dims, strides, start, extent] = param;
    add(direction, pipe, pipe_out, tag, external, owner, memory, base, element, origin, dims);
    for (std::size_t i = 0; i < dims; ++i) add(strides[i], start[i], extent[i]);
  }
  void add_one(const MadePipe& pipe) {
    const auto& [tag, capacity] = pipe;
    add(tag, capacity);
  }
  void add_one(const TaskRecord& submission) {
    const auto& [task, event, kernel, type, scope, depth, cluster, group, block_dim, heap_begin,
                 heap_bytes, first_node, nodes, producers, holds, params, pipes] = submission;
    add(task, event, kernel, type, scope, depth, cluster, group, block_dim, heap_begin, heap_bytes);
    add(first_node, nodes, producers, holds, params, pipes);
  }

  uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

uint64_t hash_of(const RunResult& result) {
  const Record& record = result.record;
  Hash hash;
  hash.add(result.error.code, static_cast<const Counts&>(result), std::string_view(record.error));
  hash.add(record.counts.value_or(Counts{}), record.dropped, record.given_up);
  hash.add(record.damaged, record.events, record.tasks, record.pipe_uses);
  return hash.value();
}

}  // namespace pto2::simulations
