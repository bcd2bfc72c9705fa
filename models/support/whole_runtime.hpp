/// The whole runtime in miniature: the real orchestrator, schedulers and cores, on a chip of one
/// block per scheduler (a cube core and two vector cores each) and accelerators, if any.
///
/// Role 0 is the orchestrator, then the schedulers, then the cores. A scenario on it writes its
/// graph as an orchestration does, through the table of functions. Each task is a kernel that
/// checks what it reads and writes one value. What the scenarios check:
///
///   exactly once    each task runs once, after its producers                            FI-I1
///   data            a task reads what its producers wrote; no buffer is raced for       FI-I3
///   progress        every role returns: nobody is left waiting                          SU-I3
///   drained         everything is consumed and reclaimed                                WM-I3
///   events          those of the run, given up or not, keep every rule; without time   VR-I1..37
///
/// On the checker a scheduler without work polls instead of parking, which has scenarios of its own
/// (models/parked_schedulers): polling sleeps there until something changes.
#pragma once

#include <algorithm>
#include <deque>

#include "models/support/scenario.hpp"
#include "runtime/device/assembly.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/orchestrator/orchestrator_impl.hpp"
#include "runtime/orchestrator/submitter_impl.hpp"
#include "runtime/scheduler/scheduler_impl.hpp"

namespace pto2::scenarios {

/// Sizes that a scenario may want smaller or larger.
struct RuntimeShape {
  uint32_t rings = 1;
  uint32_t window = 4;
  uint64_t heap_units = 8;
  uint32_t dep_pool = 16;
  uint32_t map_pool = 16;
};

/// The cores of a block, and its threads: there is one block per scheduler.
inline constexpr uint32_t small_cubes = 1;
inline constexpr uint32_t small_vectors = 2;
inline constexpr uint32_t small_threads = 1 + small_cubes + small_vectors;

/// Whether inner scopes have ended before their tasks: whoever drops the last reference, the
/// scope's end or the task's, consumes the task.
template <Policy P>
void tell_of_inner_scopes(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind != EventKind::consume || ring_of(event.task).value == 0) continue;
    happened<P>(event.thread == 0 ? "an inner scope ends after its task"
                                  : "an inner scope ends before its task");
  }
}

template <Policy P, template <class> class F, uint32_t schedulers = 1, uint32_t accelerators = 0>
class WholeRuntime : public Roles<P, 1 + small_threads * schedulers + accelerators> {
 public:
  /// `outcome`: the error that every execution of the graph ends in.
  explicit WholeRuntime(const RuntimeShape& shape, ErrorCode outcome = ErrorCode::ok)
      : outcome_(outcome),
        assembly_(device(shape), {kernels_,
                                  [this](PTO2Runtime* rt) {
                                    rt_ = rt;
                                    submit_graph();
                                  },
                                  {}}) {
    buffers_ = std::vector<Buffer>(shape.rings * shape.heap_units + externals);
    for (uint32_t i = 0; i < externals; ++i) external_buffer(i).write(0);
  }

  void connect() {
    assembly_.connect_orchestrator(this->bells[0]);
    for (uint32_t s = 0; s < schedulers; ++s) assembly_.connect(SchedulerId(s), this->bells[1 + s]);
    for (uint32_t c = 0; c < assembly_.chip().cores(); ++c) {
      assembly_.connect(CoreId(c), this->bells[assembly_.thread_of(CoreId(c))]);
    }
  }

  void thread(uint32_t i) { assembly_.run(i); }

  void finish() {
    check<P>(assembly_.orchestrator().error().code == outcome_, "the run ends as it must");
    const RunResult result = assembly_.finish([](RunResult&) {});
    if (result.error.code != outcome_) expect_none("the audit: ", {result.error.message});
    expect_none("a rule of all runs is broken: ", judging::problems_of(result.record));
    bool all_run = true;
    for (uint64_t i = 0; i < tasks_.size(); ++i) {
      for (const uint32_t runs : tasks_[i].runs) {
        check<P>(runs <= (i < result.tasks ? 1 : 0), "no task runs twice, or unsubmitted");
        all_run = all_run && (i >= result.tasks || runs == 1);
      }
    }
    happened<P>(all_run ? "every task runs" : "a task does not run");
    if (outcome_ == ErrorCode::ok) {
      check<P>(all_run && result.tasks == tasks_.size(), "each task runs once");
    }
    tell(result);
  }

 protected:
  /// The graph; called inside the outer scope.
  virtual void submit_graph() = 0;
  virtual ~WholeRuntime() = default;

  /// A tensor of `units` values, each in a unit of the heap of its own, without memory until a
  /// task writes it.
  [[nodiscard]] uint32_t tensor(uint32_t units = 1) { return make_tensor(0, units); }

  /// A tensor of one value, 0, in memory that is not the runtime's: number `i`, 0 or 1.
  [[nodiscard]] uint32_t external_tensor(uint32_t i) {
    return make_tensor(reinterpret_cast<uint64_t>(&external_memory_[i]), 1);
  }

  /// The same with twice the size, of which external_tensor(0) is the front. To whoever makes it
  /// last, that one is a part of a buffer.
  void around_external_tensor() {
    (void)make_tensor(reinterpret_cast<uint64_t>(external_memory_.data()), 2);
  }

  /// Submits a task to a vector core: it reads the first values of `inputs` and writes that of
  /// `output`, as OUTPUT if that has no memory yet and as INOUT else.
  void task(const std::vector<uint32_t>& inputs, uint32_t output) {
    const TensorState& written = tensors_[output];
    const bool fresh = !written.external && written.value == 0;
    submit(inputs, output, fresh ? PTOParamType::OUTPUT : PTOParamType::INOUT, 0);
  }

  /// The same on what `worker` says.
  void task_on(PTO2WorkerType worker, const std::vector<uint32_t>& inputs, uint32_t output) {
    worker_ = worker;
    task(inputs, output);
    worker_ = PTO2_WORKER_VECTOR;
  }

  /// Submits a task that writes value number `unit` of `output` alone, as OUTPUT, whether or not
  /// that has memory. Nobody may read such a tensor.
  void write_part(uint32_t output, uint32_t unit) {
    submit({}, output, PTOParamType::OUTPUT, unit);
  }

  /// Submits a block task of `parts` parts, of which each reads the first values of `inputs` and
  /// writes the value of its number of `output`, which has no memory yet.
  void block_task(uint32_t parts, const std::vector<uint32_t>& inputs, uint32_t output,
                  PTO2WorkerType worker = PTO2_WORKER_VECTOR) {
    worker_ = worker;
    submit(inputs, output, PTOParamType::OUTPUT, 0, parts);
    worker_ = PTO2_WORKER_VECTOR;
  }

  /// The same with part i pinned to `clusters[i]`.
  void pinned_parts(const std::vector<int32_t>& clusters, const std::vector<uint32_t>& inputs,
                    uint32_t output) {
    part_clusters_ = clusters.data();
    block_task(static_cast<uint32_t>(clusters.size()), inputs, output);
    part_clusters_ = nullptr;
  }

  /// Submits a task that is refused: it reads a tensor that nobody has written.
  void refused_task() {
    const PTOParam unwritten = param(PTOParamType::INPUT, tensor());
    rt_->ops->submit_task(rt_, 0, PTO2_WORKER_VECTOR, &unwritten, 1);
  }

  /// The same in a scope of its own.
  void scoped_task(const std::vector<uint32_t>& inputs, uint32_t output) {
    begin_scope();
    task(inputs, output);
    end_scope();
  }

  [[nodiscard]] int32_t allocate_cluster() { return rt_->ops->allocate_cluster(rt_); }
  void free_cluster(int32_t cluster) { rt_->ops->free_cluster(rt_, cluster); }
  /// The same as task(), pinned to a cluster.
  void pinned_task(const std::vector<uint32_t>& inputs, uint32_t output, int32_t cluster) {
    cluster_ = cluster;
    task(inputs, output);
    cluster_ = any_cluster;
  }

  /// A pinned task that besides pushes its number to pipe 0 of its group, which has two slots.
  void pushing_task(uint32_t output, int32_t cluster) {
    pipe_type_ = PTOParamType::PIPE_OUT;
    pinned_task({}, output, cluster);
    pipe_type_ = PTOParamType::SCALAR;
  }
  /// A pinned task that besides pops an entry from that pipe, which task number `pushed`, from 1,
  /// has pushed; 0: none has.
  void popping_task(uint32_t output, int32_t cluster, uint32_t pushed) {
    pipe_type_ = PTOParamType::PIPE_IN;
    popped_ = pushed;
    pinned_task({}, output, cluster);
    pipe_type_ = PTOParamType::SCALAR;
  }

  /// The kernels of tasks that are submitted from now on wait for let_go(gate), gate 1 or 2; 0: for
  /// nothing. What a scenario orders so is ordered in time alone: no edge comes of it.
  void hold_kernels(uint32_t gate) { gate_ = gate; }
  void let_go(uint32_t gate) {
    gates_[gate].store(1, std::memory_order_relaxed);
    this->ring_all();
  }
  /// Waits until so many kernels have come to their gates, or so many tasks have finished.
  void await_held(uint32_t kernels) {
    P::await([&] { return held_.load(std::memory_order_relaxed) == kernels; });
  }
  /// Requires rung_by_completions() before the last of them was submitted, and no wait for room
  /// since.
  void await_finished(uint64_t tasks) {
    P::await([&] { return assembly_.state().stall.finished() == tasks; });
  }

  void rung_by_completions() { assembly_.state().admission.awaited().set_any(); }

  void begin_scope() { rt_->ops->scope_begin(rt_); }
  void end_scope() { rt_->ops->scope_end(rt_); }

 private:
  void expect_none(const char* what, const std::vector<std::string>& names) {
    for (const std::string& name : names) check<P>(false, (what + name).c_str());
  }

  /// Cases that scenarios want to see.
  void tell(const RunResult& result) {
    const OrchestratorCounts& counts = assembly_.orchestrator().counts();
    if (counts.edges_linked != 0) happened<P>("a consumer is linked");
    if (counts.edges_early != 0) happened<P>("a consumer is early");
    if (counts.tasks > 1 && counts.edges_linked + counts.edges_early == 0) {
      happened<P>("a consumer comes too late for an edge");
    }
    happened<P>(counts.waits != 0 ? "the orchestrator waits" : "the orchestrator never waits");
    const bool all = std::ranges::all_of(assembly_.schedulers(), [](const auto& scheduler) {
      return scheduler->counts().completions != 0;
    });
    happened<P>(all ? "every scheduler completes tasks" : "a scheduler completes nothing");
    const bool dispatch = std::ranges::all_of(assembly_.schedulers(), [](const auto& scheduler) {
      return scheduler->counts().dispatches + scheduler->counts().loans != 0;
    });
    happened<P>(dispatch ? "every scheduler dispatches" : "a scheduler dispatches nothing");
    tell_of_parts();
    tell_of_inner_scopes<P>(result.record.events);
  }
  void tell_of_parts() {
    const auto claiming = std::ranges::count_if(
        assembly_.state().cores, [](const auto& core) { return core.counts().claims != 0; });
    if (claiming == 1) happened<P>("one core runs every part");
    if (claiming > 1) happened<P>("several cores run parts");
  }

  using Buffer = typename P::template cell<uint32_t>;
  static constexpr uint32_t externals = 2;
  static constexpr uint32_t pipe_slots = 2;

  /// The first `units` values of a tensor.
  struct Read {
    uint32_t value;
    uint32_t units;
  };

  struct Task {
    WholeRuntime* runtime;
    uint32_t value;
    std::vector<Read> reads;                   ///< what its tensors must hold, in order
    std::size_t written = 0;                   ///< number of the argument that it writes
    uint32_t unit = 0;                         ///< the part of it, of a block task the first one
    uint32_t parts = 0;                        ///< of a block task; 0: it is none
    std::vector<uint32_t> runs;                ///< of each part
    PTOParamType pipe = PTOParamType::SCALAR;  ///< the side of it, if the task has one
    uint32_t popped = 0;                       ///< what it pops; 0: nothing can be
    uint32_t gate = 0;                         ///< what its kernel waits for; 0: nothing
  };
  struct TensorState {
    uint64_t id;
    bool external;
    uint32_t value;      ///< of the last task that was submitted to write it
    uint32_t units = 1;  ///< that hold it
  };

  uint32_t make_tensor(uint64_t address, uint32_t units) {
    const uint64_t shape = (units - 1) * (packed_output_alignment / sizeof(int32_t)) + 1;
    tensors_.push_back(
        {rt_->ops->make_tensor(rt_, address, &shape, 1, DataType::INT32), address != 0, 0});
    return static_cast<uint32_t>(tensors_.size() - 1);
  }

  void submit(const std::vector<uint32_t>& inputs, uint32_t output, PTOParamType direction,
              uint32_t unit, uint32_t parts = 0) {
    Task& task = tasks_.emplace_back();
    task.runtime = this;
    task.value = static_cast<uint32_t>(tasks_.size());
    task.unit = unit;
    task.parts = parts;
    task.gate = gate_;
    task.runs.resize(std::max(parts, 1u));
    std::vector<PTOParam> params(1);
    params[0].type = PTOParamType::SCALAR;
    params[0].scalar = reinterpret_cast<uint64_t>(&task);
    for (const uint32_t input : inputs) {
      params.push_back(param(PTOParamType::INPUT, input));
      task.reads.push_back({tensors_[input].value, tensors_[input].units});
    }
    params.push_back(param(direction, output));
    if (direction == PTOParamType::INOUT) task.reads.push_back({tensors_[output].value, 1});
    task.written = params.size() - 1;
    tensors_[output].value = task.value;
    tensors_[output].units = std::max(parts, 1u);
    if (pipe_type_ != PTOParamType::SCALAR) {
      task.pipe = pipe_type_;
      task.popped = popped_;
      params.push_back(make_pipe_out_param(0, pipe_slots, sizeof(uint32_t)));
      params.back().type = pipe_type_;
    }
    const auto count = static_cast<uint32_t>(params.size());
    if (parts == 0) {
      rt_->ops->submit_task_clustered(rt_, 0, worker_, params.data(), count, cluster_);
    } else {
      rt_->ops->submit_block_task(rt_, 0, worker_, params.data(), count, parts, part_clusters_);
    }
  }

  static DeviceConfig device(const RuntimeShape& shape) {
    DeviceConfig config;
    config.rings = shape.rings;
    config.heap_bytes = shape.heap_units * packed_output_alignment;
    config.dep_pool = 16;
    config.tensormap_pool = 16;
    config.tensormap_buckets = 4;
    config.shards = schedulers;
    config.shard_capacity = 2;
    config.orchestrator_queue = 2;
    config.chip = {"small", schedulers, small_cubes, small_vectors, schedulers, accelerators};
    config.events = 64;
    validate(config);
    // May be less than what users are allowed.
    config.window = shape.window;
    config.dep_pool = shape.dep_pool;
    config.tensormap_pool = shape.map_pool;
    return config;
  }

  PTOParam param(PTOParamType type, uint32_t tensor) const {
    PTOParam result{};
    result.type = type;
    result.tensor.id = tensors_[tensor].id;
    return result;
  }

  /// args: the task, then the tensors that it reads, then the one that it writes if that is new;
  /// for a part its two scalars.
  static void kernel(int64_t* args) {
    Task& task = *reinterpret_cast<Task*>(args[0]);
    if (task.gate != 0) task.runtime->wait_at(task.gate);
    uint32_t part = 0;
    if (task.parts != 0) {
      check<P>(args[task.written + 1] == task.parts, "a part knows block_dim");
      part = static_cast<uint32_t>(args[task.written + 2]);
      check<P>(part < task.parts, "and its number");
    }
    ++task.runs[part];
    int i = 1;
    for (const auto& [value, units] : task.reads) {
      for (uint32_t unit = 0; unit < units; ++unit) {
        check<P>(task.runtime->buffer(pto_tensor(args, i), unit).read() == value,
                 "a producer's buffer holds its result");
      }
      ++i;
    }
    const PTOTensor& written = pto_tensor(args, static_cast<int>(task.written));
    task.runtime->buffer(written, task.unit + part).write(task.value);
    if (task.pipe != PTOParamType::SCALAR) task.runtime->use_pipe(task, args);
  }

  void wait_at(uint32_t gate) {
    held_.fetch_add(1, std::memory_order_relaxed);
    this->bells[0].ring();
    P::await([&] { return gates_[gate].load(std::memory_order_relaxed) != 0; });
  }

  /// The pipe is the argument behind the tensors. A cell stands for each of its slots.
  void use_pipe(const Task& task, const int64_t* args) {
    const auto pipe = static_cast<int>(task.written) + 1;
    const auto slot_at = [&](const void* entry) -> Buffer& {
      const uint64_t offset = reinterpret_cast<uint64_t>(entry) - pto_pipe(args, pipe).slots;
      return slots_[offset / pto_pipe(args, pipe).stride];
    };
    if (task.pipe == PTOParamType::PIPE_OUT) {
      slot_at(TPUSH(args, pipe)).write(task.value);
      return;
    }
    const void* const entry = TPOP(args, pipe);
    check<P>((entry != nullptr) == (task.popped != 0), "an entry is there if one was pushed");
    if (entry == nullptr) return;
    check<P>(slot_at(entry).read() == task.popped, "the oldest entry is popped");
    TFREE(args, pipe);
  }

  /// The cell that stands for a unit of the memory of a tensor.
  Buffer& buffer(const PTOTensor& tensor, uint32_t unit = 0) {
    for (uint32_t i = 0; i < externals; ++i) {
      if (tensor.address == reinterpret_cast<uint64_t>(&external_memory_[i])) {
        return external_buffer(i);
      }
    }
    auto& state = assembly_.state();
    const uint64_t heap_bytes = state.config.heap_bytes;
    for (uint32_t ring = 0; ring < state.config.rings; ++ring) {
      const auto begin = reinterpret_cast<uint64_t>(state.rings[ring]->heap_memory.data());
      const uint64_t offset = tensor.address - begin;
      if (offset < heap_bytes) {
        return buffers_[(ring * heap_bytes + offset) / packed_output_alignment + unit];
      }
    }
    check<P>(false, "a tensor lies in a heap");
    return buffers_[0];
  }

  Buffer& external_buffer(uint32_t i) { return buffers_[buffers_.size() - externals + i]; }

  ErrorCode outcome_;
  std::array<KernelEntry, 1> kernels_{&kernel};
  Assembly<P, F> assembly_;
  PTO2Runtime* rt_ = nullptr;
  int32_t cluster_ = any_cluster;               // of the tasks that are submitted
  PTO2WorkerType worker_ = PTO2_WORKER_VECTOR;  // of the task under way
  const int32_t* part_clusters_ = nullptr;      // of the parts that are
  std::vector<Buffer> buffers_;  // one per unit of each heap, then those of external tensors
  std::array<Buffer, pipe_slots> slots_;           // of the pipes, which are in the same memory
  PTOParamType pipe_type_ = PTOParamType::SCALAR;  // of the tasks that are submitted
  uint32_t popped_ = 0;                            // by them
  std::array<typename P::template atomic<uint32_t>, 3> gates_{};
  typename P::template atomic<uint32_t> held_{0};
  uint32_t gate_ = 0;                                  // of the tasks that are submitted
  std::array<uint32_t, externals> external_memory_{};  // the addresses are all that matters
  // The orchestrator's; a kernel touches its own task.
  std::deque<Task> tasks_;
  std::vector<TensorState> tensors_;
};

}  // namespace pto2::scenarios
