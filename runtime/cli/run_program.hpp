/// What a run executes: an orchestration, its kernels and its arguments.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/chip/ai_core.hpp"
#include "runtime/cli/fenced_buffer.hpp"
#include "runtime/cli/program_argument.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/orchestrator/declared_kernel.hpp"
#include "runtime/run/error.hpp"
#include "runtime/tensormap/caller_arrays.hpp"

namespace pto2::cli {

/// A kernel in a file whose name says nothing.
struct KernelFile {
  int32_t func_id;
  DeclaredKernel declared;
  std::string path;
};

/// The user's own images and arguments.
struct OwnImages {
  std::string orchestration;  ///< path; empty: the workload's
  std::string entry;          ///< of the orchestration; empty: the default, or the case's
  std::string kernels;        ///< folder; empty: the workload's, or `kernel_files`
  std::vector<KernelFile> kernel_files;  ///< instead of a folder
  std::vector<std::string> arguments;    ///< "scalar:N" or "buffer:BYTES[:zero|:random]"
  std::vector<uint64_t> values;          ///< behind these: as they are, of memory the address
  std::vector<CallerArray> arrays;       ///< the memory of such values

  bool has_kernels() const { return !kernels.empty() || !kernel_files.empty(); }
};

class RunProgram {
 public:
  /// Makes the inputs. Throws CliError, std::bad_alloc.
  RunProgram(const Settings& settings, const OwnImages& own);
  ~RunProgram();
  RunProgram(const RunProgram&) = delete;
  RunProgram& operator=(const RunProgram&) = delete;
  /// Loads the images, which may run code of theirs. Throws CliError, LoadError, std::bad_alloc.
  void load(const Settings& settings, const OwnImages& own);
  /// Asks the orchestration for its configuration, once it is loaded. Throws CliError if it expects
  /// other arguments, std::system_error if the system refuses an OS thread. If it goes on after
  /// `stop` was requested, it is named on stderr.
  void configure(const OwnImages& own, uint64_t deadline_ms, std::stop_token stop);

  /// Why it cannot run: its configuration has called the runtime, thrown, or not returned. Else its
  /// code is `ok`.
  const RunError& error() const { return error_; }
  /// The inputs with their reference; null without a workload.
  workloads::CaseData* data() const { return data_.get(); }
  /// The graph is the workload's own, so its size is known.
  bool graph_is_known() const { return graph_is_known_; }
  std::span<const KernelEntry> kernels() const { return entries_; }
  const KernelLibrary& library() const { return library_; }
  std::span<const DeclaredKernel> declared() const { return declared_; }
  /// Behind the arguments.
  std::span<const CallerArray> arrays() const { return arrays_; }

  /// Before each repetition: outputs as if nothing had run, buffers as they were.
  void reset();
  /// The orchestration, as launch() wants it.
  void build_graph(PTO2Runtime* runtime);

 private:
  struct OwnBuffer {
    FencedBuffer memory;
    bool random;
    uint64_t seed;
  };
  void load_kernels(const std::string& folder, std::span<const KernelFile> files);
  void add_argument(const ProgramArgument& argument, uint64_t input_seed);
  int ask_argument_count(uint64_t deadline_ms, std::stop_token stop);
  const char* remedy_of_arguments(const OwnImages& own) const;
  void check_argument_count(int expected, const OwnImages& own) const;

  std::unique_ptr<workloads::CaseData> data_;
  std::vector<OwnBuffer> buffers_;
  std::vector<uint64_t> args_;
  std::vector<CallerArray> arrays_;
  KernelLibrary library_;
  std::vector<KernelEntry> entries_;
  std::vector<DeclaredKernel> declared_;  ///< empty: nothing is known of any
  std::optional<OrchestrationLibrary> orchestration_;
  RunError error_;
  bool graph_is_known_ = false;
};

}  // namespace pto2::cli
