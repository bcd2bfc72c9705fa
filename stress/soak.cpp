/// Long runs of a workload on random configurations: every run must pass its verification, or be
/// the deadlock that an independent counting oracle predicts, and its events must keep every rule
/// (runtime/device/run_rules.hpp).
///
///   soak --executor seeded|packed|threads --runs A..B [--workload W] [--case C]
///
/// Run number n decides everything: ring sizes, pools, queues, cores, fan-out and, on the seeded
/// executor, the schedule. A failure prints the command that repeats it. Exit: 0, 1 on a failure.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "runtime/device/device.hpp"
#include "runtime/device/run_rules.hpp"
#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/platform/random.hpp"
#include "runtime/workloads/workload.hpp"
#include "tests/support/recording_runtime.hpp"

namespace pto2 {
namespace {

struct Options {
  std::string executor = "seeded";
  std::string runs = "0..1000";
  std::string workload = "paged_attention";
  std::string case_name = "Case3";
};

/// What one run came to.
enum class Outcome { passed, deadlocked, wrong };

class Soak {
 public:
  explicit Soak(const Options& options)
      : options_(options),
        images_(workloads::find_workload_images(options.workload)),
        kernels_(KernelLibrary::from_folder(images_.kernels)),
        data_(workloads::find_workload(options.workload).make_case(options.case_name)),
        args_(data_->args()),
        orchestration_(OrchestrationLibrary::from_file(images_.orchestration, data_->entry())) {
    for (int32_t id = 0; id < kernels_.id_limit(); ++id) {
      const Kernel* kernel = kernels_.find(id);
      entries_.push_back(kernel == nullptr ? nullptr : kernel->entry);
    }
    test::RecordingRuntime recorder;
    recorder.scope_begin();
    call(&recorder);
    recorder.scope_end();
    program_ = recorder.program();
  }

  Outcome run(uint64_t number) {
    DeviceConfig config = random_config(number);
    config.events = 8192;
    data_->reset_outputs();
    const Launch what{entries_, [this](PTO2Runtime* rt) { call(rt); }, {}};
    RunResult result;
    try {
      result = launch_with(number, config, what);
    } catch (const platform::SeededFailure& failure) {
      return wrong(number, failure.what());
    }
    const std::vector<std::string> broken = broken_rules(config, result);
    if (!broken.empty()) return wrong(number, fmt::format("{}", fmt::join(broken, "\n")));
    const auto expected =
        oracle::first_deadlock(program_, {config.window, config.heap_bytes, config.dep_pool,
                                          config.tensormap_pool, config.rings == 4});
    return judge(number, result, expected);
  }

 private:
  void call(PTO2Runtime* rt) {
    orchestration_.bind(rt);
    orchestration_.entry(rt, args_.data(), static_cast<int>(args_.size()));
  }

  RunResult launch_with(uint64_t number, const DeviceConfig& config, const Launch& what) {
    if (options_.executor == "seeded") {
      const bool kernels_last = platform::Random(number ^ 0x1a57).below(4) == 0;
      return launch_seeded(config, {.seed = number, .kernels_last = kernels_last}, what);
    }
    platform::TeamOptions team;
    team.executor =
        options_.executor == "threads" ? platform::Executor::threads : platform::Executor::packed;
    return launch(config, team, what);
  }

  static DeviceConfig random_config(uint64_t number) {
    platform::Random random(number ^ 0x5eed);
    DeviceConfig config;
    // Each resource is scarce in one run of five, so that most runs finish and each kind of
    // deadlock occurs; the ample sizes are still small enough for back-pressure.
    const auto choose = [&](uint64_t scarce, uint64_t ample) {
      const uint64_t limit = random.below(5) == 0 ? scarce : ample;
      return limit / 4 + random.below(limit - limit / 4);
    };
    config.rings = random.below(2) == 0 ? 1 : 4;
    config.window = random.below(5) == 0 ? 4u << random.below(6) : 64u << random.below(2);
    config.heap_bytes = 1024 * (1 + choose(80, 2000));
    config.dep_pool = static_cast<uint32_t>(16 + choose(60, 1000));
    config.tensormap_pool = static_cast<uint32_t>(16 + choose(80, 1000));
    config.tensormap_buckets = 1u << random.below(7);
    config.blocks = static_cast<uint32_t>(1 + random.below(6));
    config.schedulers = static_cast<uint32_t>(1 + random.below(std::min(config.blocks, 4u)));
    config.shards = static_cast<uint32_t>(1 + random.below(4));
    config.shard_capacity = 2u << random.below(4);
    config.orchestrator_queue = 2u << random.below(4);
    config.fan_out = random.below(2) == 0 ? FanOutKind::word : FanOutKind::lock;
    return config;
  }

  Outcome judge(uint64_t number, const RunResult& result,
                const std::optional<oracle::Deadlock>& expected) {
    constexpr ErrorCode codes[] = {ErrorCode::flow_control_deadlock, ErrorCode::heap_ring_deadlock,
                                   ErrorCode::dependency_pool_overflow,
                                   ErrorCode::tensormap_overflow};
    if (expected) {
      const ErrorCode code = codes[static_cast<size_t>(expected->resource)];
      if (result.error.code == code) return Outcome::deadlocked;
      return wrong(
          number, fmt::format("expected {} at task {}, got {}: {}", error_name(code),
                              expected->task, error_name(result.error.code), result.error.message));
    }
    if (result.error.code != ErrorCode::ok) return wrong(number, result.error.message);
    if (result.tasks != data_->expected_tasks()) {
      return wrong(number, fmt::format("{} tasks", result.tasks));
    }
    const workloads::Verification verified = data_->verify();
    return verified.pass ? Outcome::passed : wrong(number, verified.detail);
  }

  Outcome wrong(uint64_t number, const std::string& what) {
    fmt::print("run {}: {}\nrepeat: soak --executor {} --workload {} --case {} --runs {}..{}\n",
               number, what, options_.executor, options_.workload, options_.case_name, number,
               number + 1);
    return Outcome::wrong;
  }

  Options options_;
  workloads::WorkloadImages images_;
  KernelLibrary kernels_;
  std::unique_ptr<workloads::CaseData> data_;
  std::vector<uint64_t> args_;
  OrchestrationLibrary orchestration_;
  std::vector<KernelEntry> entries_;
  oracle::Program program_;
};

int soak(const Options& options) {
  uint64_t first = 0;
  uint64_t last = 0;
  if (std::sscanf(options.runs.c_str(), "%lu..%lu", &first, &last) != 2 || first >= last) {
    fmt::print(stderr, "--runs wants A..B with A < B, not '{}'\n", options.runs);
    return 2;
  }
  Soak soak(options);
  uint64_t counts[3] = {};
  const auto begin = std::chrono::steady_clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  for (uint64_t n = first; n < last; ++n) {
    ++counts[static_cast<size_t>(soak.run(n))];
    if (terminal && (n - first) % 256 == 255) {
      const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begin;
      const auto done = static_cast<double>(n + 1 - first);
      fmt::print(stderr, "\r{} runs, {:.0f}/s, {:.0f} s left ", n + 1 - first, done / past.count(),
                 past.count() / done * static_cast<double>(last - n - 1));
    }
  }
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {} on {}: {} passed, {} predicted deadlocks, {} wrong, {:.1f} s\n",
             options.workload, options.case_name, options.executor, counts[0], counts[1], counts[2],
             past.count());
  const bool both_kinds = counts[0] != 0 && (counts[1] != 0 || last - first < 100);
  return counts[2] == 0 && both_kinds ? 0 : 1;
}

}  // namespace
}  // namespace pto2

int main(int argc, char** argv) {
  pto2::Options options;
  CLI::App app{"Random configurations of a workload against a counting oracle"};
  app.add_option("--executor", options.executor, "seeded, packed or threads")
      ->check(CLI::IsMember({"seeded", "packed", "threads"}))
      ->capture_default_str();
  app.add_option("--runs", options.runs, "A..B, B excluded")->capture_default_str();
  app.add_option("--workload", options.workload)->capture_default_str();
  app.add_option("--case", options.case_name)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return pto2::soak(options);
}
