#include "stress/graphs/demand.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace pto2::graphs {
namespace {

/// Where a task recorded that it writes, as long as no newer access has taken its place.
struct Entry {
  uint32_t task;
  uint32_t tensor;
  bool allocated;  ///< by this task; such an entry is never replaced
  /// The last that wrote all of the buffer, and was not it that allocated it.
  bool stands = false;
  std::optional<uint32_t> reader = {};  ///< of who stands there, the last
};

class Counter {
 public:
  Counter(const Interpreter& interpreter, uint32_t rings)
      : interpreter_(interpreter), rings_(rings) {
    begin();
  }

  void begin() {
    add({oracle::CallKind::scope_begin});
    open_scopes_.push_back(scope_is_open_.size());
    scope_is_open_.push_back(true);
  }

  void end() {
    add({oracle::CallKind::scope_end});
    scope_is_open_[open_scopes_.back()] = false;
    for (std::size_t task = 0; task < tasks_; ++task) {
      if (interpreter_.tasks()[task].scope != open_scopes_.back()) continue;
      demand_.tasks[task].scope_end = tasks_;
    }
    open_scopes_.pop_back();
    for (uint32_t ring = 0; ring < rings_; ++ring) {
      const std::vector<uint32_t>& tasks = of_ring_[ring];
      while (retired_[ring] < tasks.size() && scope_has_ended(tasks[retired_[ring]])) {
        has_retired_.set(tasks[retired_[ring]++]);
      }
    }
  }

  /// A root of an external buffer.
  void make(uint32_t number) { bytes_[tensor(number).buffer] = tensor(number).model.bytes.end(); }

  void open_group() { add({oracle::CallKind::open_group}); }
  void close_group(uint32_t group) {
    oracle::Call call{oracle::CallKind::close_group};
    call.group = group;
    add(call);
  }

  void submit() {
    const auto number = static_cast<uint32_t>(tasks_++);
    ring_.push_back(oracle::ring_at(open_scopes_.size(), rings_));
    oracle::Call call{oracle::CallKind::submit};
    const TaskSet producers = look_up(number, call);
    count_edges(producers);
    const TaskSet held = producers | owners(number);
    demand_.holds += held.count() - producers.count();
    add_task(producers, held & ~producers);
    record(number, producers, call);
    of_ring_[ring_.back()].push_back(number);
    call.dep_nodes = held.count();
    demand_.slow_program.push_back(call);
    call.dep_nodes = (held & ~has_retired_).count();
    demand_.program.push_back(std::move(call));
  }

  Demand result() && {
    while (!open_scopes_.empty()) end();
    return std::move(demand_);
  }

 private:
  void add(const oracle::Call& call) {
    demand_.program.push_back(call);
    demand_.slow_program.push_back(call);
  }
  [[nodiscard]] bool scope_has_ended(uint32_t task) const {
    return !scope_is_open_[interpreter_.tasks()[task].scope];
  }
  [[nodiscard]] const PlacedTensor& tensor(uint32_t number) const {
    return interpreter_.tensors()[number];
  }

  TaskSet look_up(uint32_t number, oracle::Call& call) {
    const PredictedTask& task = interpreter_.tasks()[number];
    TaskSet producers;
    for (const Param& param : task.params) {
      if (!reads(param.use)) continue;
      const uint32_t buffer = tensor(param.tensor).buffer;
      std::erase_if(entries_[buffer], [&](Entry& entry) {
        const Overlap found =
            documented_overlap(tensor(param.tensor).model, tensor(entry.tensor).model);
        if (found == Overlap::none) return false;
        producers.set(entry.task);
        entry.reader = number;
        const bool goes = found == Overlap::whole && param.use == Use::inout && !entry.allocated;
        if (goes) call.replaced.push_back(entry.task);
        return goes;
      });
    }
    // To the TensorMap a pipe is a tensor that each of its tasks reads and writes.
    for (const PipeParam& param : task.pipes) {
      for (const uint32_t user : std::exchange(pipe_entries_[{*task.group, param.tag}], {})) {
        producers.set(user);
        call.replaced.push_back(user);
      }
    }
    return producers;
  }

  void add_task(const TaskSet& producers, const TaskSet& owners) {
    oracle::RecordedTask& task = demand_.tasks.emplace_back();
    for_each_task(producers, [&](uint32_t number) { task.producers.push_back(number); });
    for_each_task(owners, [&](uint32_t number) { task.owners.push_back(number); });
    task.ring = ring_.back();
  }

  void count_edges(const TaskSet& producers) {
    demand_.most_edges += producers.count();
    for_each_task(producers, [&](uint32_t task) { demand_.least_edges += !scope_has_ended(task); });
  }

  /// The tasks whose heap bytes the task names.
  [[nodiscard]] TaskSet owners(uint32_t number) const {
    TaskSet result;
    for (const Param& param : interpreter_.tasks()[number].params) {
      const auto owner = interpreter_.buffers()[tensor(param.tensor).buffer].owner;
      if (owner && *owner != number) result.set(*owner);
    }
    return result;
  }

  /// All of its buffer, as that was made last.
  [[nodiscard]] bool is_whole(const PlacedTensor& written) const {
    const ByteSet& bytes = written.model.bytes;
    const auto made = bytes_.find(written.buffer);
    const uint64_t end = made != bytes_.end()
                             ? made->second
                             : interpreter_.buffers()[written.buffer].contents.size();
    return bytes.is_range() && bytes.first() == 0 && bytes.end() == end;
  }

  /// Who writes all of a buffer unread takes the place of who did so last, if he is ordered behind
  /// him: because of what he reads of him, or of the last that has read him, in the same ring. Else
  /// that one is met as before, but stands there no more. Who has retired is met by nobody, so that
  /// his place is as good as taken.
  void take_place(uint32_t buffer, const PlacedTensor& written, const TaskSet& producers,
                  oracle::Call& call) {
    std::vector<Entry>& entries = entries_[buffer];
    const auto last = std::ranges::find_if(entries, &Entry::stands);
    if (last == entries.end()) return;
    last->stands = false;
    const bool reads_reader =
        last->reader && producers[*last->reader] && ring_[*last->reader] == ring_[last->task];
    const bool is_behind = producers[last->task] || reads_reader;
    if (!is_behind || tensor(last->tensor).model.bytes.end() > written.model.bytes.end()) return;
    call.displaced.push_back(last->task);
    entries.erase(last);
  }

  void record(uint32_t number, const TaskSet& producers, oracle::Call& call) {
    for (const Param& param : interpreter_.tasks()[number].params) {
      if (!records(param.use)) continue;
      const PlacedTensor& written = tensor(param.tensor);
      const uint32_t buffer = written.buffer;
      const bool allocates =
          interpreter_.buffers()[buffer].owner == number && entries_[buffer].empty();
      if (allocates) call.output_bytes.push_back(interpreter_.buffers()[buffer].contents.size());
      const bool stands = !allocates && is_whole(written);
      if (stands) take_place(buffer, written, producers, call);
      entries_[buffer].push_back({number, param.tensor, allocates, stands});
      ++call.map_entries;
    }
    const PredictedTask& task = interpreter_.tasks()[number];
    for (const PipeParam& param : task.pipes) {
      pipe_entries_[{*task.group, param.tag}].push_back(number);
      ++call.map_entries;
    }
  }

  const Interpreter& interpreter_;
  uint32_t rings_;
  Demand demand_;
  std::size_t tasks_ = 0;
  std::vector<bool> scope_is_open_;
  std::vector<std::size_t> open_scopes_;
  std::map<uint32_t, std::vector<Entry>> entries_;          ///< by buffer
  std::map<uint32_t, uint64_t> bytes_;                      ///< of external buffers
  std::vector<uint32_t> ring_;                              ///< of each task
  std::map<PipeName, std::vector<uint32_t>> pipe_entries_;  ///< tasks
  std::array<std::vector<uint32_t>, 4> of_ring_;
  std::array<std::size_t, 4> retired_{};
  TaskSet has_retired_;
};

}  // namespace

Demand demand_of(const Program& program, const Interpreter& interpreter, uint32_t rings) {
  Counter counter(interpreter, rings);
  const auto& refusal = interpreter.refusal();
  const std::size_t steps = refusal ? refusal->step : program.steps.size();
  uint32_t tensors = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = program.steps[i];
    if (makes_tensor(step)) {
      if (std::holds_alternative<External>(step)) counter.make(tensors);
      ++tensors;
    }
    if (std::holds_alternative<ScopeBegin>(step)) counter.begin();
    if (std::holds_alternative<ScopeEnd>(step)) counter.end();
    if (std::holds_alternative<Submit>(step)) counter.submit();
    if (std::holds_alternative<Allocate>(step)) counter.open_group();
    if (const auto* free = std::get_if<Free>(&step)) counter.close_group(free->group);
  }
  return std::move(counter).result();
}

}  // namespace pto2::graphs
