/// Long runs of a workload on random configurations: every run must pass its verification, or be
/// the deadlock that an independent counting oracle predicts, and its events must keep every rule
/// (runtime/judge/rule_table.hpp).
///
///   soak --executor seeded|packed|threads --runs A..B [--workload W] [--case C]
///
/// Run number n decides everything: ring sizes, pools, queues, chip and, on the seeded executor,
/// the schedule. A failure prints the command that repeats it. Exit: 0, 1 on a failure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "runtime/judge/judge.hpp"
#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/numbered_runs.hpp"
#include "tests/support/executors_under_test.hpp"
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
        executor_(test::executor_named(options.executor)),
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
      result = test::launch_on(executor_, config, what, number);
    } catch (const executors::SeededFailure& failure) {
      return wrong(number, failure.what());
    }
    const std::vector<std::string> broken = judging::problems_of(result.record);
    if (!broken.empty()) return wrong(number, fmt::format("{}", fmt::join(broken, "\n")));
    const auto expected = oracle::first_deadlock(
        program_,
        {config.window, config.heap_bytes, config.dep_pool, config.tensormap_pool, config.rings});
    return judge(number, result, expected);
  }

 private:
  void call(PTO2Runtime* rt) {
    orchestration_.bind(rt);
    orchestration_.entry(rt, args_.data(), static_cast<int>(args_.size()));
  }

  static DeviceConfig random_config(uint64_t number) {
    executors::Random random(number ^ 0x5eed);
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
    test::draw_device(random, 6, config);
    return config;
  }

  Outcome judge(uint64_t number, const RunResult& result,
                const std::optional<oracle::Deadlock>& expected) {
    if (expected) {
      const ErrorCode code = test::code_of(expected->resource);
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
    fmt::print("run {}: {}\nrepeat: {} --executor {} --workload {} --case {} --runs {}..{}\n",
               number, what, test::program_under_test("soak"), options_.executor, options_.workload,
               options_.case_name, number, number + 1);
    return Outcome::wrong;
  }

  Options options_;
  test::ExecutorKind executor_;
  workloads::WorkloadImages images_;
  KernelLibrary kernels_;
  std::unique_ptr<workloads::CaseData> data_;
  std::vector<uint64_t> args_;
  OrchestrationLibrary orchestration_;
  std::vector<KernelEntry> entries_;
  oracle::Program program_;
};

int soak(const Options& options) {
  const cli::NumberRange runs = cli::parse_range("--runs", options.runs);
  Soak soak(options);
  uint64_t counts[3] = {};
  const double seconds =
      for_each_run(runs, 1, [&](uint64_t n) { ++counts[static_cast<size_t>(soak.run(n))]; });
  fmt::print("{} {} on {}: {} passed, {} predicted deadlocks, {} wrong, {:.1f} s\n",
             options.workload, options.case_name, options.executor, counts[0], counts[1], counts[2],
             seconds);
  const bool both_kinds = counts[0] != 0 && (counts[1] != 0 || runs.size() < 100);
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
  app.add_option("--runs", options.runs, "A..B, both included")->capture_default_str();
  app.add_option("--workload", options.workload)->capture_default_str();
  app.add_option("--case", options.case_name)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return pto2::cli::guarded([&] { return pto2::soak(options); },
                            {.memory = "use a smaller case", .thread = "use fewer --jobs"});
}
