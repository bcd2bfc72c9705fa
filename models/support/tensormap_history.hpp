/// What the scenarios of the TensorMap share: the orchestrator (role 0) submits tasks that each
/// read one of two buffers and write one, through a TensorMap with room for few entries, while each
/// ring's tasks are retired by a role of its own. The watermarks are all they share; what the
/// orchestrator sees of them, and when, decides which clean-up layer meets which write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/support/scenario.hpp"
#include "runtime/tensormap/tensor_map.hpp"

namespace pto2::scenarios {

template <Policy P, uint32_t rings>
class TensorMapHistory : public Roles<P, 1 + rings> {
 public:
  void thread(uint32_t i) { i == 0 ? submit_all() : retire_all(i - 1); }

  void finish() {
    observe();
    map_.sync(alive_, true);
    check<P>(map_.live() == 0, "every entry is given back");
    check<P>(map_.invariant_holds(), "the map is whole");
  }

 protected:
  /// A task: the buffer that it reads and the one that it writes, 0 or 1.
  struct Step {
    uint32_t ring;
    uint32_t read;
    uint32_t written;
    bool replaces = false;  ///< it reads and writes the former
  };

  /// Of buffers of `bytes` bytes, of which each task writes four.
  TensorMapHistory(std::vector<Step> steps, uint32_t pool, uint64_t bytes)
      : steps_(std::move(steps)),
        pool_(pool),
        map_({.rings = rings, .window = window, .pool_size = pool, .num_buckets = 1}),
        buffers_{BufferWrites{.key = 0x10000, .bytes = bytes},
                 BufferWrites{.key = 0x10010, .bytes = bytes}} {
    for (const Step& step : steps_) ++tasks_[step.ring];
  }
  ~TensorMapHistory() = default;

 private:
  static constexpr uint32_t window = 2;
  static constexpr Region part{.begin = 0,
                               .end = 4,
                               .origin = 0,
                               .element_size = 4,
                               .ndims = 1,
                               .contiguous = true,
                               .unused = 0,
                               .root_strides = {},
                               .box_begin = {},
                               .box_end = {1, 1, 1, 1, 1}};

  struct Writer {
    TaskId task;
    uint32_t buffer;
  };

  void submit_all() {
    for (const Step& step : steps_) {
      const TaskId id = make_id(RingId(step.ring), next_[step.ring]);
      wait_for_room(step.ring);
      check_producers(step.read, step.replaces ? Access::inout : Access::input);
      check<P>(map_.insert(buffers_[step.written], part, id), "what is reserved is there");
      writers_.push_back({id, step.written});
      submitted_[step.ring].store(++next_[step.ring], std::memory_order_release);
      this->bells[1 + step.ring].ring();
    }
  }

  /// For a slot of the ring and an entry of the map, which has those of writers that have not
  /// retired. It sees no watermark but those that end the wait: they never go back.
  void wait_for_room(uint32_t ring) {
    P::await([&] {
      observe();
      const auto is_alive = [this](const Writer& writer) { return !retired(writer.task); };
      const auto entries = std::count_if(writers_.begin(), writers_.end(), is_alive);
      return next_[ring] < alive_[ring] + window && entries < pool_;
    });
    map_.sync(alive_);
    check<P>(map_.reserve(1), "the entries of who has retired are free");
  }

  /// TM-I4: who wrote the buffer and has not retired is found; nobody else is. Whoever reads and
  /// writes takes the place of all that he finds.
  void check_producers(uint32_t buffer, Access access) {
    std::vector<TaskId> found;
    map_.lookup(buffers_[buffer], part, access, no_task,
                [&](const Match& match) { found.push_back(match.producer); });
    std::size_t live = 0;
    for (const Writer& writer : writers_) {
      if (writer.buffer != buffer || retired(writer.task)) continue;
      ++live;
      bool seen = false;
      for (const TaskId id : found) seen |= id == writer.task;
      check<P>(seen, "a producer that has not retired is found");
    }
    check<P>(found.size() == live, "nobody else is found");
    if (live < writers_.size()) happened<P>("a producer has retired");
    if (access == Access::inout) {
      std::erase_if(writers_, [&](const Writer& writer) { return writer.buffer == buffer; });
    }
  }

  void retire_all(uint32_t ring) {
    for (uint64_t task = 0; task < tasks_[ring]; ++task) {
      P::await([&] { return submitted_[ring].load(std::memory_order_acquire) > task; });
      watermarks_[ring].store(task + 1, std::memory_order_release);
      this->bells[0].ring();
    }
  }

  void observe() {
    for (uint32_t ring = 0; ring < rings; ++ring) {
      alive_[ring] = watermarks_[ring].load(std::memory_order_acquire);
    }
  }
  [[nodiscard]] bool retired(TaskId id) const { return local_of(id) < alive_[ring_of(id).value]; }

  std::vector<Step> steps_;
  std::ptrdiff_t pool_;
  std::array<uint64_t, rings> tasks_{};
  std::array<typename P::template atomic<uint64_t>, rings> submitted_{};
  std::array<typename P::template atomic<uint64_t>, rings> watermarks_{};
  // The orchestrator's.
  TensorMap map_;
  std::array<BufferWrites, 2> buffers_;
  std::array<uint64_t, max_rings> alive_{};
  std::array<uint64_t, rings> next_{};
  std::vector<Writer> writers_;
};

}  // namespace pto2::scenarios
