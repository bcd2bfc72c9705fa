#include "runtime/cli/run_program.hpp"

#include <cxxabi.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/cli/setting_values.hpp"
#include "runtime/device/crash_guard.hpp"
#include "runtime/device/still_running.hpp"
#include "runtime/executors/kernel_watch.hpp"
#include "runtime/executors/signal_stack.hpp"
#include "runtime/executors/ticker.hpp"
#include "runtime/executors/user_code.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/orchestrator/orchestration_ops.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::cli {
namespace {

std::unique_ptr<workloads::CaseData> make_data(const Settings& settings) {
  try {
    return settings.workload()->make_case(settings.text(Setting::case_name),
                                          settings.case_options());
  } catch (const workloads::OptionError& error) {
    const SettingValue& blamed = settings.of_option(error.option());
    throw CliError(blamed.error_code(), fmt::format("{}: {}", blamed.place(), error.what()));
  } catch (const std::overflow_error& error) {
    throw CliError(exit_bad_input, fmt::format("case {} is too large: {}",
                                               settings.text(Setting::case_name), error.what()));
  }
}

/// An orchestration of the user's has the default entry, or that of the case.
OrchestrationLibrary load_own_orchestration(const std::string& path, const std::string& entry) {
  SharedObject object = SharedObject::from_file(path);
  try {
    static_cast<void>(object.symbol(entry));
  } catch (const LoadError&) {
    return OrchestrationLibrary(std::move(object));
  }
  return OrchestrationLibrary(std::move(object), entry);
}

/// While it lives, what crashes on this thread is an image: the dynamic loader runs code of theirs.
class LoadingGuard {
 private:
  const executors::SignalStack stack_;
  const CrashGuard at_crash_{[loading = gettid()] {
    return gettid() == loading ? std::string("an image that is loaded or unloaded") : "";
  }};
};

/// While it lives, what crashes is the configuration of an orchestration. `code` is that, called on
/// the calling thread, and is left at the deadline, as an orchestration is. It is named if it goes
/// on after `stop` was requested.
class ConfigurationGuard {
 public:
  ConfigurationGuard(const executors::CallingCode& code, uint64_t deadline_ms, std::stop_token stop)
      : watch_({.deadline_ms = deadline_ms,
                .found = [deadline_ms](
                             const executors::KernelState& thread,
                             bool is_last) { CrashGuard::end_stuck(thread, deadline_ms, is_last); },
                .mute =
                    [this, deadline_ms](const executors::KernelState& thread) {
                      CrashGuard::end_mute(thread, deadline_ms, name_);
                    }}),
        ticker_(executors::KernelWatch::period,
                [this, &code, stop = std::move(stop), thread = gettid()] {
                  std::array states{executors::state_of(code, thread)};
                  states.front().name = &name_;
                  watch_.look(states);
                  if (stop.stop_requested()) still_running_.look(states);
                }) {}

 private:
  const std::string name_ = "aicpu_orchestration_config";

  const CrashGuard at_crash_{[this] { return name_; }};
  const executors::SignalStack stack_;
  executors::KernelWatch watch_;
  StillRunning still_running_{nullptr, nullptr};  // there are no kernels
  const executors::Ticker ticker_;
};

}  // namespace

RunProgram::RunProgram(const Settings& settings, const OwnImages& own)
    : graph_is_known_(settings.workload() != nullptr && own.orchestration.empty()) {
  if (settings.workload() != nullptr) {
    if (!own.arguments.empty() || !own.values.empty()) {
      throw CliError(exit_usage, "--arg: the arguments are those of the workload; leave one out");
    }
    data_ = make_data(settings);
    args_ = data_->args();
    arrays_ = data_->arrays();
  }
  for (const std::string& argument : own.arguments) {
    add_argument(parse_program_argument(argument), settings.number(Setting::input_seed));
  }
  args_.insert(args_.end(), own.values.begin(), own.values.end());
  arrays_.insert(arrays_.end(), own.arrays.begin(), own.arrays.end());
}

RunProgram::~RunProgram() {
  const LoadingGuard guard;
  orchestration_.reset();
  library_ = {};
}

void RunProgram::configure(const OwnImages& own, uint64_t deadline_ms, std::stop_token stop) {
  const int expected = ask_argument_count(deadline_ms, std::move(stop));
  if (error_.code == ErrorCode::ok) check_argument_count(expected, own);
}

void RunProgram::load(const Settings& settings, const OwnImages& own) {
  const LoadingGuard guard;
  workloads::WorkloadImages images{own.orchestration, own.kernels};
  if (own.orchestration.empty() || !own.has_kernels()) {
    if (settings.workload() == nullptr) {
      throw CliError(exit_usage,
                     "without a WORKLOAD both --orchestration and --kernels are needed");
    }
    try {
      images = workloads::find_workload_images(settings.workload()->name());
    } catch (const std::runtime_error& error) {
      throw CliError(exit_bad_input, error.what());
    }
    if (own.has_kernels()) images.kernels = own.kernels;
    if (!own.orchestration.empty()) images.orchestration = own.orchestration;
  }
  const std::string entry = data_ ? data_->entry() : OrchestrationLibrary::default_entry;
  if (!own.entry.empty()) {
    orchestration_ = OrchestrationLibrary::from_file(images.orchestration, own.entry);
  } else {
    orchestration_ = own.orchestration.empty()
                         ? OrchestrationLibrary::from_file(images.orchestration, entry)
                         : load_own_orchestration(images.orchestration, entry);
  }
  load_kernels(images.kernels, own.kernel_files);
}

void RunProgram::load_kernels(const std::string& folder, std::span<const KernelFile> files) {
  if (files.empty()) {
    library_ = KernelLibrary::from_folder(folder);
  }
  for (const KernelFile& file : files) {
    library_.add(file.func_id, file.declared.name, SharedObject::from_file(file.path));
  }
  if (!files.empty()) declared_.resize(static_cast<std::size_t>(library_.id_limit()));
  for (const KernelFile& file : files) {
    declared_[static_cast<std::size_t>(file.func_id)] = file.declared;
  }
  for (int32_t id = 0; id < library_.id_limit(); ++id) {
    const Kernel* kernel = library_.find(id);
    entries_.push_back(kernel == nullptr ? nullptr : kernel->entry);
  }
}

void RunProgram::add_argument(const ProgramArgument& argument, uint64_t input_seed) {
  if (!argument.is_buffer) return args_.push_back(argument.number);
  buffers_.push_back({FencedBuffer(argument.number), argument.is_random,
                      workloads::splitmix64(input_seed, args_.size())});
  const uint64_t address = buffers_.back().memory.address();
  arrays_.push_back({fmt::format("argument {}", args_.size()), address, argument.number});
  args_.push_back(address);
}

/// What is said after a call that did nothing is no answer.
int RunProgram::ask_argument_count(uint64_t deadline_ms, std::stop_token stop) {
  const auto handle = executors::RuntimeHandle::take_before_run();
  orchestration_->bind(handle.get());
  int expected = 0;
  executors::CallingCode code;
  const ConfigurationGuard guard(code, deadline_ms, std::move(stop));
  try {
    code.call([&] {
      const auto count = static_cast<int>(args_.size());
      expected = orchestration_->config(args_.data(), count).expected_arg_count;
    });
  } catch (const abi::__forced_unwind&) {
    std::exit(EXIT_FAILURE);  // as call_kernel() does
  } catch (const executors::LeftBehind& left) {
    error_ = error_of_timeout("aicpu_orchestration_config has not returned", left);
    return 0;
  } catch (...) {
    error_ = error_of_exception("aicpu_orchestration_config");
    return 0;
  }
  if (const char* call = handle->misplaced_call()) error_ = error_of_early(call);
  return expected;
}

const char* RunProgram::remedy_of_arguments(const OwnImages& own) const {
  if (data_ || own.orchestration.empty()) {
    return "name the workload that it is written for, or give --arg";
  }
  return own.values.empty() ? "give one --arg for each, in order"
                            : "give it each of them, in order";
}

void RunProgram::check_argument_count(int expected, const OwnImages& own) const {
  const auto count = static_cast<int>(args_.size());
  if (expected == count) return;
  throw CliError(exit_bad_input,
                 fmt::format("{}: the orchestration expects {} arguments, but there are {}; {}",
                             orchestration_->path(), expected, count, remedy_of_arguments(own)));
}

void RunProgram::reset() {
  if (data_) data_->reset_outputs();
  for (const OwnBuffer& buffer : buffers_) {
    std::memset(buffer.memory.as<std::byte>(), 0, buffer.memory.bytes());
    if (!buffer.random) continue;
    workloads::fill_uniform_float({buffer.memory.as<float>(), buffer.memory.count<float>()}, -1, 1,
                                  buffer.seed);
  }
}

void RunProgram::build_graph(PTO2Runtime* runtime) {
  orchestration_->bind(runtime);
  orchestration_->entry(runtime, args_.data(), static_cast<int>(args_.size()));
}

}  // namespace pto2::cli
