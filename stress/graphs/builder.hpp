/// Grows a program call by call, and keeps each task deterministic by asking the interpreter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/executors/random.hpp"
#include "stress/graphs/interpreter.hpp"

namespace pto2::graphs {

class Builder {
 public:
  Builder(executors::Random& random, std::vector<uint64_t> external_bytes);

  void begin_scope() { add(ScopeBegin{}); }
  void end_scope() { add(ScopeEnd{}); }
  /// Adds a step that makes a tensor; returns its number.
  uint32_t tensor(Step step);
  /// Adds the task. Requires that it is refused or has no hazards.
  void submit(Submit task) { add(std::move(task)); }

  /// Opens a group; returns its number.
  uint32_t allocate() {
    add(Allocate{});
    return static_cast<uint32_t>(interpreter_.groups().size() - 1);
  }
  void free(uint32_t group) { add(Free{group}); }

  void misuse(Misuse kind) { add(kind); }

  /// Adds the parameter if the task stays deterministic, if need be by adding INPUTs that order it
  /// after those whose data it would overwrite. False, and nothing changed, otherwise.
  bool try_param(Submit& task, Param param) const;

  /// One of the tensors that a task may name, more often a recent one. None if there is none.
  std::optional<uint32_t> some_usable();
  /// The same, of those that hold only defined bytes; none as well if a few draws find none.
  std::optional<uint32_t> some_defined();
  /// One that has no memory yet.
  std::optional<uint32_t> some_without_memory();

  [[nodiscard]] const Interpreter& state() const { return interpreter_; }
  /// External buffers; their numbers are those below.
  [[nodiscard]] std::size_t externals() const { return program_.external_bytes.size(); }
  [[nodiscard]] std::size_t tasks() const { return interpreter_.tasks().size(); }
  [[nodiscard]] const TensorModel& model(uint32_t tensor) const {
    return interpreter_.tensors()[tensor].model;
  }
  [[nodiscard]] Program program() && { return std::move(program_); }

 private:
  void add(Step step);
  void order_after(Submit& task, const TaskSet& missing) const;
  template <class Wanted>
  std::optional<uint32_t> some(Wanted&& wanted);

  executors::Random& random_;
  Program program_;
  Interpreter interpreter_;
};

}  // namespace pto2::graphs
