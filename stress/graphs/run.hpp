/// Runs a program on a device, with a kernel that checks what the interpreter predicted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device.hpp"
#include "stress/graphs/interpreter.hpp"

namespace pto2::graphs {

/// What the kernel of one task, or of one part of a block task, is told, and what it found.
struct KernelPart {
  uint64_t before = 0;
  uint64_t piped = 0;
  uint64_t after = 0;

  std::atomic<uint32_t> started{0};
  std::atomic<uint32_t> finished{0};
  std::atomic<uint32_t> unfinished_producers{0};
  std::atomic<bool> confused{false};      ///< it was told other parts than there are
  std::atomic<bool> wrong_before{false};  ///< what it read when it started
  std::atomic<bool> wrong_during{false};  ///< the same, read again before it wrote
  std::atomic<bool> wrong_piped{false};   ///< what it popped
  std::atomic<bool> stopped{false};       ///< a pipe refused a step
  std::atomic<bool> wrong_after{false};   ///< all its tensors, some time after it wrote
};

/// A task for its kernel, whose first parameter is the address of this.
struct KernelTask {
  uint64_t number = 0;
  uint32_t length = 0;
  uint32_t block_dim = 0;
  std::vector<Use> uses;
  std::vector<PipeParam> pipes;  ///< behind the tensors
  std::vector<const KernelTask*> producers;
  std::deque<KernelPart> parts;

  std::atomic<uint32_t> finished_parts{0};
};

/// One run. It owns the external memory and must outlive the launch.
class GraphRun {
 public:
  /// Both must outlive this. `clusters`: of the chip.
  GraphRun(const Program& program, const Interpreter& predicted, uint32_t clusters);

  [[nodiscard]] Launch launch();
  /// After a launch: all is as before it, and the external memory where it was.
  void reset();

  /// What the kernels and the external memory have to say against the run, when the first
  /// `submitted` tasks were accepted; `complete`: and all of them must have run, each once;
  /// `faulty`: a task whose kernel must be refused by a pipe, so that none after it runs.
  [[nodiscard]] std::vector<std::string> problems(std::size_t submitted, bool complete,
                                                  std::optional<uint32_t> faulty = {}) const;
  /// External memory that differs from the prediction; after a run to the end.
  [[nodiscard]] std::vector<std::string> wrong_memory() const;

 private:
  void fill_memory();
  void orchestrate(PTO2Runtime* rt);

  const Program& program_;
  const Interpreter& predicted_;
  uint32_t clusters_;
  std::deque<KernelTask> tasks_;
  std::vector<std::vector<uint64_t>> external_;  ///< aligned for every element type
};

}  // namespace pto2::graphs
