/// The record of a run: what was run, what happened, and how it ended. The runtime fills one in
/// (runtime/device/run_record.hpp), files hold one (docs/TRACE.md), the judge reads one. It knows
/// of the runtime nothing but the names of tasks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/task_state.hpp"
#include "runtime/record/counts.hpp"
#include "runtime/record/event.hpp"

namespace pto2 {

/// The chip of a run, as a chip file has it.
struct ChipRecord {
  std::string name;
  std::vector<std::pair<std::string, uint64_t>> numbers;  ///< "blocks", ..
  friend bool operator==(const ChipRecord&, const ChipRecord&) = default;
};

/// What runs tasks: a core, or the thread of a scheduler.
struct CoreRecord {
  std::string name;
  uint32_t type = 0;              ///< number of its type's name
  uint32_t thread = 0;            ///< what it runs on
  int64_t cluster = -1;           ///< -1: of none
  uint32_t scheduler = no_index;  ///< thread that serves it; no_index: an older file
  friend bool operator==(const CoreRecord&, const CoreRecord&) = default;
};

struct RingRecord {
  uint64_t window = 0;    ///< slots
  uint64_t heap = 0;      ///< bytes
  uint64_t dep_pool = 0;  ///< nodes
  friend bool operator==(const RingRecord&, const RingRecord&) = default;
};

/// A producer, and what its claim came to.
struct ProducerRecord {
  TaskId task = no_task;
  Claim claim = Claim::linked;
  friend bool operator==(const ProducerRecord&, const ProducerRecord&) = default;
};

enum class Direction : uint8_t { in, out, inout, none };

inline constexpr std::size_t max_dims = 5;

/// Bytes [begin, end) of a memory or of a heap.
struct Bytes {
  uint64_t begin;
  uint64_t end;
};

/// A parameter: of a tensor the region that the TensorMap compares.
struct ParamRecord {
  Direction direction = Direction::none;  ///< none: a scalar, or a pipe
  bool pipe = false;
  bool pipe_out = false;  ///< the side that pushes
  int64_t tag = 0;        ///< of a pipe
  bool external = false;
  TaskId owner = no_task;  ///< if not external
  uint64_t memory = 0;     ///< number of the external memory
  uint64_t base = 0;       ///< bytes from the start of the memory, or of the owner's ring's heap
  uint64_t element = 0;    ///< bytes
  uint64_t origin = 0;     ///< bytes from base
  uint32_t dims = 0;
  std::array<uint64_t, max_dims> strides{};  ///< elements
  std::array<uint64_t, max_dims> start{};
  std::array<uint64_t, max_dims> extent{};

  [[nodiscard]] bool reads() const {
    return direction == Direction::in || direction == Direction::inout;
  }
  [[nodiscard]] bool writes() const {
    return direction == Direction::out || direction == Direction::inout;
  }
  /// Of the TensorMap: to it, a pipe is a tensor that its tasks read and write.
  [[nodiscard]] bool takes_an_entry() const { return writes() || pipe; }
  /// From its first byte to past its last. Nothing: its numbers do not fit 64 bits.
  [[nodiscard]] std::optional<Bytes> bytes() const;

  friend bool operator==(const ParamRecord&, const ParamRecord&) = default;
};

/// A pipe, where it is made.
struct MadePipe {
  int64_t tag = 0;
  uint64_t capacity = 0;  ///< slots
  friend bool operator==(const MadePipe&, const MadePipe&) = default;
};

/// A task, as it was submitted.
struct TaskRecord {
  TaskId task = no_task;
  uint32_t event = no_index;  ///< number of its `submit`
  uint32_t kernel = 0;
  uint32_t type = 0;  ///< number of the type's name
  uint64_t scope = 0;
  uint64_t depth = 0;
  int64_t cluster = -1;    ///< where it is pinned; -1: it is not, or its parts differ
  int64_t group = -1;      ///< that has the cluster
  uint64_t block_dim = 0;  ///< parts of a block task; 0: it is none
  uint64_t heap_begin = 0;
  uint64_t heap_bytes = 0;
  uint64_t first_node = 0;
  uint64_t nodes = 0;
  std::vector<ProducerRecord> producers;
  std::vector<TaskId> holds;
  std::vector<ParamRecord> params;
  std::vector<MadePipe> pipes;  ///< that it makes; older traces have none of these

  [[nodiscard]] uint32_t parts() const {
    return block_dim == 0 ? 1 : static_cast<uint32_t>(block_dim);
  }
  /// Of the TensorMap.
  [[nodiscard]] uint64_t entries() const;

  friend bool operator==(const TaskRecord&, const TaskRecord&) = default;
};

/// How a run differs from others of its kind.
struct Manner {
  bool weak_memory = false;   ///< threads see late what others did
  bool kernels_last = false;  ///< of a simulation: a kernel ends when all others wait
  bool replayed = false;      ///< some tasks have edges that were recorded in a run before

  friend bool operator==(const Manner&, const Manner&) = default;
};

struct Record {
  // What was run.
  std::vector<std::pair<std::string, std::string>> labels;  ///< of label_names
  bool points = false;  ///< times are points of a schedule, not nanoseconds
  Manner manner;
  std::optional<uint64_t> seed;  ///< of a simulation
  ChipRecord chip;
  std::vector<std::string> types;
  std::vector<std::string> threads;  ///< the orchestrator, the schedulers, the cores
  std::vector<Role> roles;           ///< of the threads
  std::vector<CoreRecord> cores;
  std::vector<RingRecord> rings;
  uint64_t clusters = 0;
  uint64_t tensormap_pool = 0;       ///< entries
  uint64_t shards = 0;               ///< of each ready queue; 0: an older file
  std::vector<std::string> kernels;  ///< names by id; empty: no such kernel

  // What happened.
  std::vector<Event> events;  ///< by time; of one thread in its order
  std::vector<TaskRecord> tasks;
  std::vector<PipeUse> pipe_uses;  ///< in the order of their events
  uint64_t dropped = 0;            ///< events that found their buffer full

  // How it ended.
  bool given_up = false;     ///< then not all tasks need have run
  std::string error = "ok";  ///< or the name of the fault that ended the run
  std::string message;
  std::string hint;
  std::vector<std::string> damaged;  ///< structures that are not whole after the run
  std::optional<Counts> counts;      ///< none: an older file

  friend bool operator==(const Record&, const Record&) = default;
};

inline constexpr std::array label_names{"workload", "case", "runtime", "executor"};

}  // namespace pto2
