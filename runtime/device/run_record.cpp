#include "runtime/device/run_record.hpp"

#include <new>
#include <utility>

#include "runtime/chip/chip.hpp"
#include "runtime/events/merged_logs.hpp"
#include "runtime/record/external_memory.hpp"

namespace pto2 {
namespace {

/// Fills a record from what a run left behind.
class RecordBuilder {
 public:
  explicit RecordBuilder(const DeviceConfig& config) : config_(config) {}

  Record build(const RunResult& result, std::span<const EventLog* const> logs,
               std::vector<TaskRecord> tasks) {
    add_outcome(result);
    add_machine();
    add_threads(logs);
    record_.tasks = std::move(tasks);
    number_external_memory(record_.tasks);
    for (TaskRecord& task : record_.tasks) task.type = types_[task.type];
    add_events(logs);
    return std::move(record_);
  }

 private:
  void add_outcome(const RunResult& result) {
    record_.points = result.points != 0;
    record_.manner.weak_memory = result.weak_memory;
    record_.manner.kernels_last = result.kernels_last;
    record_.manner.replayed = result.replayed;
    record_.given_up = row_of(result.error.code).ends_early;
    record_.error = error_name(result.error.code);
    record_.message = result.error.message;
    record_.hint = result.error.hint;
    record_.damaged = result.damaged;
    record_.counts = result;
  }

  void add_machine() {
    const Chip& chip = config_.chip;
    record_.chip.name = chip.name;
    for (const ChipNumber& number : chip_numbers()) {
      record_.chip.numbers.emplace_back(number.name, chip.*number.member);
    }
    record_.clusters = chip.clusters;
    record_.tensormap_pool = config_.tensormap_pool;
    record_.shards = config_.shards;
    record_.rings.assign(config_.rings, {config_.window, config_.heap_bytes, config_.dep_pool});
    for (uint32_t w = 0; w < chip.workers(); ++w) add_worker(WorkerId(w));
  }

  void add_worker(WorkerId worker) {
    const Chip& chip = config_.chip;
    const uint32_t scheduler = 1 + chip.scheduler_of(worker).value;
    record_.cores.push_back(
        {.name = chip.name_of(worker),
         .type = type_of(chip.type_of(worker)),
         .thread = worker.value < chip.cores() ? 1 + chip.schedulers + worker.value : scheduler,
         .cluster = chip.is_in_cluster(worker) ? int64_t{chip.place_of(worker).cluster.value}
                                               : any_cluster,
         .scheduler = scheduler});
  }

  /// Number of a type's name: types are numbered by their first core.
  uint32_t type_of(CoreType type) {
    uint32_t& number = types_[static_cast<uint32_t>(type)];
    if (number == no_index) {
      number = static_cast<uint32_t>(record_.types.size());
      record_.types.emplace_back(core_type_name(type));
    }
    return number;
  }

  void add_threads(std::span<const EventLog* const> logs) {
    for (const EventLog* log : logs) {
      const std::size_t thread = record_.threads.size();
      record_.threads.push_back(log->thread());
      record_.roles.push_back(thread == 0                         ? Role::orchestrator
                              : thread <= config_.chip.schedulers ? Role::scheduler
                                                                  : Role::core);
      record_.dropped += log->dropped();
    }
  }

  /// On real threads time begins with the first.
  void add_events(std::span<const EventLog* const> logs) {
    std::vector<Event>& events = record_.events;
    std::size_t count = 0;
    for (const EventLog* log : logs) count += log->events().size();
    events.reserve(count);
    std::vector<uint64_t> before(logs.size());  // the last time of each thread
    MergedLogs merged(logs);
    const uint64_t origin = record_.points || merged.empty() ? 0 : merged.front().t;
    for (; !merged.empty(); merged.pop()) {
      const uint32_t thread = merged.log();
      Event& event = events.emplace_back(merged.front());
      event.thread = thread;
      event.t -= origin;
      event.before = std::exchange(before[thread], event.t);
      complete(event, *logs[thread]);
    }
    record_.tasks.resize(submissions_);  // there was no room for more events
  }

  /// The record's next event: its number, and those of what it tells of.
  void complete(Event& event, const EventLog& log) {
    const auto number = static_cast<uint32_t>(record_.events.size() - 1);
    event.line = number + 2;
    if (event.kind == EventKind::ready) event.place = types_[event.place];
    if (event.kind == EventKind::submit) record_.tasks[submissions_++].event = number;
    const bool of_a_pipe = event.kind == EventKind::pipe || event.kind == EventKind::leftover;
    if (of_a_pipe) add_use(log.pipe_uses()[event.place], event, number);
  }

  void add_use(PipeUse use, Event& event, uint32_t number) {
    use.event = number;
    event.place = static_cast<uint32_t>(record_.pipe_uses.size());
    record_.pipe_uses.push_back(use);
  }

  const DeviceConfig& config_;
  Record record_;
  uint32_t submissions_ = 0;  ///< that have an event so far
  std::array<uint32_t, core_types> types_ = [] {
    std::array<uint32_t, core_types> none;
    none.fill(no_index);
    return none;
  }();
};

}  // namespace

Record make_record(const DeviceConfig& config, const RunResult& result,
                   std::span<const EventLog* const> logs, std::vector<TaskRecord> tasks) {
  for (const EventLog* log : logs) {
    if (log->lacks_memory()) throw std::bad_alloc();
  }
  return RecordBuilder(config).build(result, logs, std::move(tasks));
}

}  // namespace pto2
