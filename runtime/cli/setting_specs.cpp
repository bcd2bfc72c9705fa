#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/cli/executor_settings.hpp"
#include "runtime/cli/platform.hpp"
#include "runtime/cli/setting_values.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/run/error.hpp"

namespace pto2::cli {
namespace {

constexpr uint64_t mebi = uint64_t{1} << 20;

SettingSpec text(Setting id, const char* name, const char* help) {
  return {id, name, nullptr, ValueKind::text, 0, 0, false, "", "", help};
}

SettingSpec choice(Setting id, const char* name, const std::string& choices, const char* built_in,
                   const char* help) {
  return {id, name, nullptr, ValueKind::choice, 0, 0, false, choices, built_in, help};
}

/// Off, or one of the others; the flag without a value says on.
SettingSpec flag(Setting id, const char* name, const std::string& choices, const char* help) {
  SettingSpec spec = choice(id, name, choices, "off", help);
  spec.bare = "on";
  return spec;
}

SettingSpec count(Setting id, const char* name, const char* environment, uint64_t low,
                  uint64_t high, uint64_t built_in, const char* help) {
  return {id,   name,  environment, ValueKind::count,         low,
          high, false, "",          std::to_string(built_in), help};
}

SettingSpec size(Setting id, const char* name, const char* environment, SizeRange range,
                 uint64_t built_in, const char* help) {
  SettingSpec spec = count(id, name, environment, range.low, range.high, built_in, help);
  spec.kind = ValueKind::size;
  return spec;
}

void add_device_specs(std::vector<SettingSpec>& specs) {
  const DeviceConfig usual;
  SettingSpec window = size(Setting::window, "window", "PTO2_RING_TASK_WINDOW", window_range,
                            usual.window, "task slots per ring");
  window.power_of_two = true;
  specs.push_back(window);
  specs.push_back(size(Setting::heap, "heap", "PTO2_RING_HEAP", heap_range, usual.heap_bytes,
                       "bytes per ring for the outputs of tasks"));
  specs.push_back(size(Setting::dep_pool, "dep-pool", "PTO2_RING_DEP_POOL", dep_pool_range,
                       usual.dep_pool, "dependency nodes per ring"));
  specs.push_back(size(Setting::tensormap_pool, "tensormap-pool", "PTO2_TENSORMAP_POOL",
                       tensormap_pool_range, usual.tensormap_pool, "entries of the TensorMap"));
  specs.push_back(count(Setting::shards, "shards", "PTO2_READY_QUEUE_SHARDS", 1, 64, usual.shards,
                        "ready-queue shards per core type"));
  specs.push_back(
      count(Setting::rings, "rings", nullptr, 1, 4, usual.rings, "rings, one per scope depth"));
  specs.push_back(count(Setting::schedulers, "schedulers", nullptr, 1, max_schedulers,
                        usual.chip.schedulers, "scheduler threads, at most as many as blocks"));
  specs.push_back(count(Setting::blocks, "blocks", nullptr, 1, max_clusters, usual.chip.clusters,
                        "blocks of the chip, groups of cube and vector cores"));
  specs.push_back(count(Setting::accelerators, "accelerators", nullptr, 0, max_accelerators,
                        usual.chip.accelerators,
                        "devices beside the blocks, for tasks of type ACCELERATOR"));
  specs.push_back(
      choice(Setting::fan_out, "fan-out", "word,lock", "word",
             "protocol that notifies consumers; executors random, pct and bursts have word alone"));
}

void add_repetition_specs(std::vector<SettingSpec>& specs) {
  specs.push_back(count(Setting::repeat, "repeat", nullptr, 1, 1'000'000, 1,
                        "run so many times; times are medians"));
  specs.push_back(flag(Setting::replay_graph, "replay-graph", "off,on",
                       "with --repeat: record the graph of the first run, and submit it "
                       "again without looking for dependencies as long as the "
                       "orchestration makes the same calls"));
  specs.push_back(choice(Setting::expect, "expect",
                         fmt::format("pass,inconclusive,{}", fmt::join(fault_names(), ",")), "",
                         "how the run must end: exit code 0 if it does, 1 if not; inconclusive: "
                         "without a fault, and there is no reference"));
  specs.push_back(flag(Setting::isolate, "isolate", "off,on",
                       "run in a process of its own: a kernel that crashes it is reported "
                       "as crashed, in --json, too; after a crash there is no trace"));
}

std::vector<SettingSpec> make_specs() {
  std::vector<SettingSpec> specs;
  specs.push_back(text(Setting::workload, "workload", "what to run (see pto2 list)"));
  specs.push_back(text(Setting::case_name, "case", "case of the workload (default: its first)"));
  specs.push_back(choice(Setting::runtime, "runtime", "tensormap_and_ringbuffer",
                         "tensormap_and_ringbuffer", "runtime variant"));
  specs.push_back({Setting::platform, "platform", nullptr, ValueKind::platform, 0, 0, false, "",
                   known_chips().front().name, "simulated chip"});
  specs.push_back(
      choice(Setting::executor, "executor", executor_names(), "packed",
             "who runs orchestrator, schedulers and cores; random, pct and bursts simulate "
             "weak memory"));
  specs.push_back(count(Setting::seed, "seed", nullptr, 0, UINT64_MAX, 1,
                        "seed of a simulated schedule (executors seeded, random, pct, bursts)"));
  specs.push_back(count(Setting::host_threads, "host-threads", nullptr, 0, 256, 0,
                        "OS threads (executor packed), 0: one per CPU"));
  specs.push_back(
      count(Setting::deadline, "deadline", nullptr, 0, 1'000'000, 60,
            "seconds after which a kernel that has not returned, or an orchestration that "
            "has not called, is cut off and ends the run, 0: never; one that submits for ever "
            "is for timeout(1)"));
  specs.push_back(flag(Setting::guard, "guard", "off,on,all",
                       "end the run at a kernel that writes where it must not; --guard=all: "
                       "also at one that leaves outputs unwritten, or makes NaN"));
  add_device_specs(specs);
  for (const workloads::OptionSpec* option : workloads::all_options()) {
    specs.push_back({std::nullopt, option->name, nullptr, ValueKind::option, 0, 0, false, "", "",
                     option->help, option});
  }
  specs.push_back(
      count(Setting::input_seed, "input-seed", nullptr, 0, UINT64_MAX, 1, "seed of the inputs"));
  add_repetition_specs(specs);
  specs.push_back(size(Setting::trace_events, "trace-events", nullptr, {1, 1024 * mebi}, mebi,
                       "events kept per logical thread with --trace"));
  specs.push_back(choice(Setting::log_level, "log-level", "error,warn,info,debug", "warn",
                         "least severe message on stderr"));
  return specs;
}

}  // namespace

std::span<const SettingSpec> setting_specs() {
  static const std::vector<SettingSpec> specs = make_specs();
  return specs;
}

const SettingSpec& spec_of(Setting id) {
  const auto specs = setting_specs();
  return *std::ranges::find(specs, std::optional(id), &SettingSpec::id);
}

const char* variable_of(const SettingSpec& spec, const workloads::Workload* workload) {
  if (spec.environment != nullptr || workload == nullptr) return spec.environment;
  if (spec.id == Setting::case_name) return workload->case_variable();
  const auto* const option = spec.option != nullptr ? workload->find_option(spec.name) : nullptr;
  return option == nullptr ? nullptr : option->environment;
}

std::string variables_of(const SettingSpec& spec) {
  std::set<std::string> variables;
  const auto add = [&](const char* variable) {
    if (variable != nullptr) variables.insert(variable);
  };
  add(spec.environment);
  for (const workloads::Workload* workload : workloads::all_workloads()) {
    add(variable_of(spec, workload));
  }
  return fmt::format("{}", fmt::join(variables, ", "));
}

std::string allowed_values(const SettingSpec& spec) {
  switch (spec.kind) {
    case ValueKind::text:
      return "a name";
    case ValueKind::choice: {
      std::string list = spec.choices;
      for (std::size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 4) {
        list.replace(at, 1, " or ");
      }
      return list;
    }
    case ValueKind::platform:
      return platforms_text();
    case ValueKind::count:
      return spec.high == UINT64_MAX ? "a whole number below 2^64"
                                     : fmt::format("a whole number in {}..{}", spec.low, spec.high);
    case ValueKind::size:
      return fmt::format("{} in {}..{}", spec.power_of_two ? "a power of two" : "a whole number",
                         size_text(spec.low), size_text(spec.high));
    case ValueKind::option:
      return workloads::allowed_values(spec.option->kind);
  }
  return "";
}

}  // namespace pto2::cli
