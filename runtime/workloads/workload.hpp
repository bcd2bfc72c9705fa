/// Workloads as the host sees them: what to load, with which arguments, and what must come out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/tensormap/caller_arrays.hpp"
#include "runtime/workloads/buffer.hpp"
#include "runtime/workloads/case_options.hpp"

namespace pto2::workloads {

/// What an argument of an orchestration is to the host; the values are those of the C API.
enum class ArgumentKind : int32_t { scalar = 0, input = 1, output = 2, inout = 3 };

struct Argument {
  std::string name;
  ArgumentKind kind;
  uint64_t value;  ///< an address on the host, or the scalar itself
  uint64_t bytes;  ///< of the memory behind the address; 0 for a scalar
};

/// Sizes of the rings and of the TensorMap's pool, as in PTO2_RING_TASK_WINDOW, PTO2_RING_HEAP,
/// PTO2_RING_DEP_POOL and PTO2_TENSORMAP_POOL.
struct RingSizes {
  uint64_t window = 65536;
  uint64_t heap_bytes = uint64_t{1} << 30;
  uint64_t dep_pool = 65536;
  uint64_t tensormap_pool = 65536;
};

struct CaseInfo {
  std::string name;
  std::string description;
  RingSizes rings;  ///< what the case is meant to run with
  /// Set in a reproduction: the case cannot finish with `rings`, and the runtime has to say so with
  /// the fault of this name (pto2::error_name()).
  std::string fault;
  std::string twin;      ///< the case that passes where a reproduction does not
  uint64_t tasks = 0;    ///< tasks of the graph, without changes by CaseOptions
  double tolerance = 0;  ///< CaseData::tolerance()
  uint64_t blocks = 0;   ///< that the chip is meant to have; 0: any number

  /// What a run of the case ends in: "pass" or its fault.
  std::string outcome() const { return fault.empty() ? "pass" : fault; }
};

struct Verification {
  bool pass = false;
  /// Largest |out - reference|; infinity when an output is not a number, or was not compared.
  double max_abs_error = 0;
  uint64_t mismatches = 0;  ///< elements outside the tolerance
  std::string detail;       ///< the first mismatch, or a changed input; empty when there is none
};

/// One case with its inputs and outputs, which it owns.
class CaseData {
 public:
  virtual ~CaseData() = default;
  CaseData(const CaseData&) = delete;
  CaseData& operator=(const CaseData&) = delete;

  const CaseInfo& info() const { return info_; }
  /// The arguments, in the orchestration's order.
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// Their values.
  std::vector<uint64_t> args() const;
  /// The memory behind those that are no scalars.
  std::vector<CallerArray> arrays() const;
  /// Name of the function of the orchestration that builds this case's graph.
  const std::string& entry() const { return entry_; }
  /// Tasks that the orchestration submits.
  uint64_t expected_tasks() const { return expected_tasks_; }
  /// Edges between them, while no producer is consumed before its consumer is submitted. That
  /// holds within one scope; with nested scopes it is an upper bound (edges_are_exact()).
  uint64_t expected_edges() const { return expected_edges_; }
  bool edges_are_exact() const { return edges_are_exact_; }
  /// Both tolerances of verify().
  double tolerance() const { return tolerance_; }

  /// Fills the outputs with NaN, so that an element nobody writes fails. Done at construction, and
  /// to do before each repetition.
  virtual void reset_outputs() = 0;
  /// Compares the outputs with a reference in double precision: every element must satisfy
  /// |out - reference| <= tolerance + tolerance * |reference|; NaN never does. The reference is
  /// computed from the inputs: where one is no longer what it was at construction, nothing is
  /// compared, and it fails.
  Verification verify();
  /// Whether each input is what it was at construction. Reads all of them.
  bool inputs_are_whole() const { return changed_input().empty(); }
  /// Makes the inputs what they are in `other`, which is of the same case.
  void copy_inputs(const CaseData& other);

 protected:
  explicit CaseData(CaseInfo info) : info_(std::move(info)) {}
  /// To call at the end of construction, when all inputs are filled: keeps what tells of a change.
  void keep_digests();

  CaseInfo info_;
  std::vector<Argument> arguments_;
  std::string entry_ = "aicpu_orchestration_entry";
  uint64_t expected_tasks_ = 0;
  uint64_t expected_edges_ = 0;
  bool edges_are_exact_ = true;
  double tolerance_ = 0;

 private:
  /// verify(), the inputs being what they were.
  virtual Verification compare_outputs() = 0;
  /// Empty when there is none.
  std::string changed_input() const;

  std::vector<uint64_t> digests_;  ///< of the inputs, in the arguments' order
};

/// The comparison of outputs in CaseData::verify().
Verification compare(std::span<const float> out, std::span<const double> reference,
                     double tolerance);

class Workload {
 public:
  virtual ~Workload() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  /// The cases, the default one first.
  virtual std::vector<CaseInfo> cases() const = 0;
  /// What can be changed about its cases. An option of the same name in another workload is of the
  /// same kind there.
  virtual std::span<const OptionSpec> options() const { return {}; }
  /// The environment variable that names a case, or null.
  virtual const char* case_variable() const { return nullptr; }

  /// The option of this name; null when the workload has none.
  const OptionSpec* find_option(const std::string& option) const;
  /// Makes the inputs of a case. std::invalid_argument for an unknown name (the message lists the
  /// known ones); OptionError for an option that the workload does not have, or whose value is of
  /// another kind or does not fit the case; std::overflow_error for sizes past 64 bits.
  std::unique_ptr<CaseData> make_case(const std::string& case_name,
                                      const CaseOptions& options = {}) const;

 private:
  /// make_case() with options that the workload has, of the right kinds.
  virtual std::unique_ptr<CaseData> make(const std::string& case_name,
                                         const CaseOptions& options) const = 0;
};

/// All workloads, by name.
std::span<const Workload* const> all_workloads();
/// The workload of this name; std::invalid_argument, listing the names, when there is none.
const Workload& find_workload(const std::string& name);

/// The case of `workload` of this name; std::invalid_argument, listing the names, when there is
/// none.
CaseInfo find_case(const Workload& workload, const std::string& name);

/// The options of all workloads, each name once.
std::vector<const OptionSpec*> all_options();
/// The error of an option that `workload`, or a run without one (null), does not have. It names the
/// workloads that have it.
OptionError missing_option(const Workload* workload, const std::string& option);

/// Where the shared objects of a workload are.
struct WorkloadImages {
  std::string orchestration;  ///< path of orchestration.so
  std::string kernels;        ///< folder of FUNCID_NAME.so
};

/// The images of `workload` in PTO2_WORKLOADS, if that variable is set, else in ../workloads
/// or ../lib/pto2/workloads beside the folder of the running program. std::runtime_error, with the
/// places that were tried, when they are not there.
WorkloadImages find_workload_images(const std::string& workload);

}  // namespace pto2::workloads
