/// The machine fails in the middle of a run: memory, mappings, threads and files, each operation in
/// turn, alone and with all that come after it.
#include "tests/faults/machine_faults.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>

#include "runtime/executors/kept_memory.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/judge/judge.hpp"
#include "runtime/output/exit_codes.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/record/trace_reader.hpp"
#include "runtime/record/trace_writer.hpp"
#include "stress/hang_guard.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t hosts = 2;  // of the packed executor: some threads are not the caller's

/// A run under ASan takes twenty times as long: there not each point is visited.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t allocations_per_visit = 11;
#else
constexpr uint64_t allocations_per_visit = 1;
#endif

/// What a run came to.
enum class End { passed, orchestration_threw, no_memory, no_thread, no_file };

/// A program that is run again and again: a launch with events, and a trace of it.
struct Program {
  DeviceConfig config;
  executors::Executor executor;
  std::function<void(TaskGraph&)> build;
  std::string trace;                  ///< the file
  ErrorCode outcome = ErrorCode::ok;  ///< of a run on a machine that works
  uint64_t other_tasks = 0;           ///< than those of the graph
};

void write_one(int64_t* args) {
  *pto_tensor(args, 0).data<float>() = 1;
}

/// Builds the graph anew in every run.
struct OneRun {
  OneRun(const Program& what, std::size_t stack) : program(what), stack_bytes(stack) {}

  End launch() {
    return end_of([&] {
      const Launch what{kernels,
                        [this](PTO2Runtime* rt) {
                          graph.emplace(rt);
                          program.build(*graph);
                        },
                        [](int32_t, const char*) {}};
      result = pto2::launch(
          program.config,
          executors::TeamOptions{
              .executor = program.executor, .host_threads = hosts, .stack_bytes = stack_bytes},
          what);
      return result->error.code == program.outcome ? End::passed : End::orchestration_threw;
    });
  }

  /// Requires that launch() has passed.
  End write() {
    return end_of([&] {
      cli::OutputFile file(program.trace);
      write_trace(result->record, [&](std::string_view text) { file.write(text); });
      file.finish();
      return End::passed;
    });
  }

  /// With a machine that works again: what the run has left must fit its end.
  void check(End end) const {
    if (end == End::no_file) {
      EXPECT_THAT(message, testing::HasSubstr(program.trace));
    }
    if (end != End::passed) {
      if (end == End::orchestration_threw) {
        EXPECT_EQ(result->error.code, ErrorCode::orchestration_threw) << result->error.message;
        EXPECT_THAT(result->damaged, testing::IsEmpty());
      } else {
        EXPECT_FALSE(fs::exists(program.trace)) << "a trace that is not whole";
      }
      return;
    }
    EXPECT_THAT(result->damaged, testing::IsEmpty());
    if (program.outcome == ErrorCode::ok) {
      EXPECT_EQ(result->tasks, graph->tasks() + program.other_tasks);
      graph->verify();
    } else {
      EXPECT_THAT(result->error.hint, testing::HasSubstr("--window 16"));
    }
    EXPECT_THAT(judging::problems_of(result->record), testing::IsEmpty());
    EXPECT_THAT(judging::problems_of(read_trace(program.trace)), testing::IsEmpty());
  }

  /// What step() returns or throws.
  template <class Step>
  End end_of(Step&& step) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      return End::no_memory;
    } catch (const std::system_error&) {
      return End::no_thread;
    } catch (const cli::CliError& error) {
      message = error.what();
      return End::no_file;
    }
  }

  static constexpr KernelEntry kernels[] = {hash_kernel, [](int64_t*) {}, write_one};
  const Program& program;
  std::size_t stack_bytes;
  std::optional<TaskGraph> graph;
  std::optional<RunResult> result;
  std::string message;
};

/// Runs the program on a machine that fails so; `counted`: the operations that there were.
End run_once(const Program& program, const Failing& failing, uint64_t& counted) {
  fs::remove(program.trace);
  // Stacks of another size than those of the run before are mapped anew.
  OneRun run(program, failing.first == 0 ? 1 << 20 : 1 << 19);
  std::optional<FailingMachine> machine(failing);
  KeptMemory::of_process().release();  // or else the next run would ask for less
  End end = run.launch();
  KeptMemory::of_process().release();
  if (end == End::passed) end = run.write();
  counted = machine->counted();
  machine.reset();
  run.check(end);
  return end;
}

/// A failure of `operation` may lead to no other end than these.
std::vector<End> ends_of(Operation operation) {
  switch (operation) {
    case Operation::allocation:
      return {End::passed, End::orchestration_threw, End::no_memory};
    case Operation::mapping:
      return {End::passed, End::no_memory};  // a thread can do without a stack for signals
    case Operation::thread:
      return {End::no_thread};
    case Operation::closing:
      return {End::no_file};
    case Operation::file:
      break;
  }
  return {End::passed, End::no_file};
}

/// What docs/TESTING.md promises: of so many operations in a row one at least is visited. Said once
/// more, apart from what sweep() steps by.
constexpr uint64_t promised_stride(Operation operation, bool rest) {
  if (operation != Operation::allocation) return 1;
#ifdef __SANITIZE_ADDRESS__
  return rest ? 33 : 11;
#else
  return rest ? 3 : 1;
#endif
}

/// Lets each operation of a run fail in turn, and runs again on a machine that works after each.
/// Returns how many there are in a run of which none fails.
uint64_t sweep(const Program& program, Operation operation, bool rest, bool (*here)() = nullptr) {
  const Failing nothing{operation, 0, false, here};
  uint64_t counted = 0;
  EXPECT_EQ(run_once(program, nothing, counted), End::passed);
  EXPECT_EQ(run_once(program, nothing, counted), End::passed);
  const std::vector<End> allowed = ends_of(operation);
  // Where one allocation fails each point is visited, and a part of them where the rest does, too.
  const uint64_t step =
      operation == Operation::allocation ? allocations_per_visit * (rest ? 3 : 1) : 1;
  std::array<uint64_t, 5> ends{};  // by End
  stress::HangGuard guard(name_of(operation));
  Holdings before = holdings();
  uint64_t point = 1;
  // The count differs from run to run where threads allocate: the end is the first run with less.
  for (;; point += step, guard.progress()) {
    const End end = run_once(program, {operation, point, rest, here}, counted);
    if (counted < point) break;
    ++ends[static_cast<std::size_t>(end)];
    EXPECT_THAT(allowed, testing::Contains(end)) << name_of(operation) << " " << point;
    uint64_t any = 0;
    EXPECT_EQ(run_once(program, nothing, any), End::passed) << "after " << point;
    const Holdings after = holdings();
    if (to_string(after) != to_string(before)) {
      // What is made once and kept comes once; what is lost is lost in each such run.
      run_once(program, {operation, point, rest, here}, counted);
      EXPECT_EQ(run_once(program, nothing, any), End::passed) << "again after " << point;
      EXPECT_EQ(to_string(holdings()), to_string(after)) << "again after " << point;
      before = after;
    }
    if (testing::Test::HasFailure()) return 0;
  }
  const uint64_t visited = std::accumulate(ends.begin(), ends.end(), uint64_t{0});
  EXPECT_LT(counted, point) << "the last run had an operation that failed";
  EXPECT_GE(visited * promised_stride(operation, rest), counted) << "points were left out";
  fmt::print(
      "{}{}: {} points of {}; passed {}, orchestration_threw {}, no memory {}, no thread {}, no "
      "file {}\n",
      name_of(operation), rest ? " and all that follow" : "", visited, counted, ends[0], ends[1],
      ends[2], ends[3], ends[4]);
  return counted;
}

/// Chains, updates, scopes and pinned tasks, more than the window holds.
void build_mixed(TaskGraph& graph) {
  graph.pin(pto2_rt_allocate_cluster(graph.runtime()));
  Value value = graph.task({});
  graph.update(value);
  graph.pin(-1);
  for (int i = 0; i < 2; ++i) {
    PTO2_SCOPE(graph.runtime()) {
      const Value inner = graph.task({value}, 4);
      (void)graph.task({inner, value});
    }
  }
}

/// Two hundred tasks become ready at once, for queues of two places and one cluster: schedulers
/// keep them.
void build_crowd(TaskGraph& graph) {
  Value value = graph.task({}, 1, 5'000'000);
  for (int i = 0; i < 150; ++i) (void)graph.task({value});
  graph.pin(pto2_rt_allocate_cluster(graph.runtime()));
  for (int i = 0; i < 200; ++i) (void)graph.task({value});
}

/// The same of block tasks, whose tickets go through the queues as often as they have parts.
void build_tickets(TaskGraph& graph) {
  const Value value = graph.task({}, 1, 5'000'000);
  const PTOParam input = make_input_param(value.tensor);
  for (int i = 0; i < 200; ++i) {
    pto2_rt_submit_block_task(graph.runtime(), 1, PTO2_WORKER_VECTOR, &input, 1, 3);
  }
}

/// The same of tasks that wait for the end of a block task, on cores of the other type: the one
/// that has ended it has nothing yet when memory lacks.
void build_parted_crowd(TaskGraph& graph) {
  const Value value = graph.task({}, 1, 5'000'000);
  const uint32_t shape[] = {1};
  const Tensor tensor = make_tensor(shape, 1);
  const PTOParam params[] = {make_input_param(value.tensor), make_output_param(tensor)};
  pto2_rt_submit_block_task(graph.runtime(), 1, PTO2_WORKER_VECTOR, params, 2, 3);
  const PTOParam input = make_input_param(tensor);
  for (int i = 0; i < 200; ++i) {
    pto2_rt_submit_task(graph.runtime(), 1, PTO2_WORKER_CUBE, &input, 1);
  }
}

/// More tasks in one scope than a window of eight holds: what the orchestration needs is counted.
void build_deadlock(TaskGraph& graph) {
  for (int i = 0; i < 12; ++i) (void)graph.task({});
}

struct SweepCase {
  const char* name;
  executors::Executor executor;
  bool rest;
};

class MachineFaults : public testing::TestWithParam<SweepCase> {
 protected:
  ~MachineFaults() override { fs::remove(trace()); }
  [[nodiscard]] Program mixed() const {
    DeviceConfig config = tiny_device();
    config.events = 256;
    return {config, GetParam().executor, build_mixed, trace()};
  }
  [[nodiscard]] Program deadlock() const {
    Program program = mixed();
    program.build = build_deadlock;
    program.config.window = 8;
    program.config.heap_bytes = 64 << 10;
    program.config.dep_pool = 64;
    program.config.tensormap_pool = 64;
    program.outcome = ErrorCode::flow_control_deadlock;
    return program;
  }
  [[nodiscard]] Program crowd() const {
    DeviceConfig config = tiny_device();
    config.window = 512;
    config.heap_bytes = 1 << 20;
    config.dep_pool = 1024;
    config.tensormap_pool = 1024;
    config.events = 4096;
    return {config, GetParam().executor, build_crowd, trace()};
  }

 private:
  /// Of this process: the program may run several times at once.
  static std::string trace() {
    return testing::TempDir() + "machine_faults." + std::to_string(getpid()) + ".jsonl";
  }
};

INSTANTIATE_TEST_SUITE_P(
    Each, MachineFaults,
    testing::Values(SweepCase{"packed_one", executors::Executor::packed, false},
                    SweepCase{"packed_rest", executors::Executor::packed, true},
                    SweepCase{"threads_one", executors::Executor::threads, false},
                    SweepCase{"threads_rest", executors::Executor::threads, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(MachineFaults, AnAllocation) {
  EXPECT_GT(sweep(mixed(), Operation::allocation, GetParam().rest), 200u);
}

TEST_P(MachineFaults, AnAllocationOfADeadlocksReport) {
  EXPECT_GT(sweep(deadlock(), Operation::allocation, GetParam().rest), 200u);
}

bool is_scheduler() {
  return executors::running_thread().starts_with("scheduler");
}

TEST_P(MachineFaults, AnAllocationOfASchedulerThatKeepsTasks) {
  EXPECT_GT(sweep(crowd(), Operation::allocation, GetParam().rest, is_scheduler), 0u);
}

TEST_P(MachineFaults, AnAllocationOfASchedulerThatKeepsTickets) {
  Program program = crowd();
  program.build = build_tickets;
  program.other_tasks = 200;
  EXPECT_GT(sweep(program, Operation::allocation, GetParam().rest, is_scheduler), 0u);
}

/// The block task has ended then: nothing of it is left that could be given up.
TEST_P(MachineFaults, AnAllocationOfASchedulerThatEndsABlockTask) {
  Program program = crowd();
  program.build = build_parted_crowd;
  program.other_tasks = 201;
  EXPECT_GT(sweep(program, Operation::allocation, GetParam().rest, is_scheduler), 0u);
}

bool is_core() {
  return executors::running_thread().starts_with("ai");
}

/// An output that its first task leaves to others, which the guard notes. They are no tasks of the
/// graph's.
void build_unwritten(TaskGraph& graph) {
  PTO2_SCOPE(graph.runtime()) {
    const uint32_t shape[] = {1};
    const Tensor tensor = make_tensor(shape, 1);
    const PTOParam params[] = {make_output_param(tensor), make_scalar_param(0)};
    pto2_rt_submit_task(graph.runtime(), 1, PTO2_WORKER_VECTOR, params, 2);
    const PTOParam inout = make_inout_param(tensor);
    pto2_rt_submit_task(graph.runtime(), 2, PTO2_WORKER_VECTOR, &inout, 1);
  }
}

/// The guard copies what a kernel may not write, and notes what it has not written.
TEST_P(MachineFaults, AnAllocationOfAGuardedKernel) {
  Program program = mixed();
  program.build = [](TaskGraph& graph) {
    build_mixed(graph);
    build_unwritten(graph);
  };
  program.other_tasks = 2;
  program.config.guard = GuardKind::all;
  program.config.heap_bytes = 64 << 10;  // with room for red zones
  EXPECT_GT(sweep(program, Operation::allocation, GetParam().rest, is_core), 0u);
}

/// Arrays of 64 KiB and more, and with the packed executor the stacks that are not in the cache.
TEST_P(MachineFaults, AMapping) {
  EXPECT_GE(sweep(crowd(), Operation::mapping, GetParam().rest), 3u);
}

/// With the packed executor the other host and the reminder.
TEST_P(MachineFaults, AThread) {
  const uint64_t expected = GetParam().executor == executors::Executor::packed ? hosts : 6;
  EXPECT_EQ(sweep(mixed(), Operation::thread, GetParam().rest), expected);
}

/// The trace has no name yet, and gets none.
TEST_P(MachineFaults, AClosing) {
  EXPECT_GT(sweep(mixed(), Operation::closing, GetParam().rest), 0u);
}

TEST_P(MachineFaults, AFileOperation) {
  EXPECT_GT(sweep(mixed(), Operation::file, GetParam().rest), 50u);
}

/// Also one that is written in place, or that somebody else closes.
TEST(FileFaults, AClosingIsOneOfWhatIsOpenAlready) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  for (const std::string& name :
       {std::string("-"), fmt::format("/dev/fd/{}", fileno(file.get()))}) {
    cli::OutputFile output(name, "the result", file.get());
    output.write("text");
    const FailingMachine machine({Operation::closing, 1, true});
    EXPECT_THROW(output.finish(), cli::CliError) << name;
  }
}

}  // namespace
}  // namespace pto2::test
