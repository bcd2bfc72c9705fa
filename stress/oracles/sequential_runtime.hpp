#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/loader/kernel_library.hpp"

namespace pto2::oracle {

/// The simplest runtime behind pto_orchestration_api.h: every task runs at once, on the caller's
/// thread. Buffers of a scope are overwritten with NaN and freed when it ends, so that a kernel
/// that reads one too late gives a wrong result. A kernel that writes an INPUT which another task
/// made is an error. It counts tasks and derives edges by comparing
/// boxes, without knowing how the real TensorMap works.
class SequentialRuntime : public PTO2Runtime {
 public:
  /// `kernels` must outlive the runtime.
  explicit SequentialRuntime(const KernelLibrary& kernels);

  uint64_t tasks() const { return tasks_; }
  uint64_t edges() const { return edges_; }
  /// Seconds in the kernel with this id, or in all of them.
  double kernel_seconds(int32_t func_id) const;
  double kernel_seconds() const;
  /// Most tasks that one scope held.
  uint64_t largest_scope() const { return largest_scope_; }
  /// What the orchestration logged, that it gave up, and misuse of the interface. Once it has given
  /// up no task runs.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  /// One buffer, shared by all views.
  struct Storage {
    uint64_t address = 0;
    bool allocated = false;  ///< by a task, not the caller
    struct Access {
      uint64_t task;
      std::array<uint64_t, PTO_MAX_DIMS> begin;
      std::array<uint64_t, PTO_MAX_DIMS> end;
      bool allocates;
    };
    std::vector<Access> writers;
  };
  struct Record {
    std::shared_ptr<Storage> storage;
    std::vector<uint64_t> shape;
    std::vector<uint64_t> strides;
    uint64_t offset = 0;  ///< elements
    std::array<uint64_t, PTO_MAX_DIMS> origin{};
    DataType dtype = DataType::FLOAT32;
    bool reshaped = false;  ///< no box of the storage any more
  };
  /// Of the group that was opened last.
  struct Pipe {
    uint64_t tensor;  ///< what it is to its tasks' order
    PTOPipe control;
    std::unique_ptr<std::byte[]> memory;
  };
  struct Scope {
    std::vector<std::pair<std::shared_ptr<Storage>, std::unique_ptr<float[]>>> buffers;
    std::vector<uint64_t> buffer_floats;
    uint64_t tasks = 0;
  };

  static const PTO2RuntimeOps table;
  static SequentialRuntime& self(PTO2Runtime* rt) { return *static_cast<SequentialRuntime*>(rt); }
  static void log(PTO2Runtime* rt, int32_t level, const char* format, ...)
      __attribute__((format(printf, 3, 4)));

  void fail(int32_t code, const char* text);
  Record& record(uint64_t id);
  uint64_t add_record(Record r);
  uint64_t make(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype);
  uint64_t view(uint64_t id, const uint64_t* shapes, const uint64_t* offsets);
  uint64_t reshape(uint64_t id, const uint64_t* shapes, uint32_t ndims);
  uint64_t transpose(uint64_t id, uint32_t x, uint32_t y);
  /// `parts`: of a block task, 0 of others.
  void submit(int32_t kernel_id, const PTOParam* params, uint32_t count, uint32_t parts = 0);
  void allocate(Record& r);
  PTOTensor descriptor(const Record& r) const;
  /// The bytes from the first to the last element of every INPUT that a task made.
  std::vector<std::vector<std::byte>> input_bytes(const PTOParam* params, uint32_t count);
  Pipe& pipe(const PTOParam& param);
  void tell_pipe_faults();
  std::vector<PTOParam> without_pipes(const PTOParam* params, uint32_t count);
  void add_edges(const PTOParam* params, uint32_t count);
  void end_scope();

  const KernelLibrary& kernels_;
  std::map<uint64_t, Record> records_;
  std::map<uint64_t, Pipe> pipes_;  // by tag
  std::vector<Scope> scopes_;
  PTORun run_{};
  std::map<int32_t, double> seconds_;
  uint64_t next_id_ = 1;
  uint64_t tasks_ = 0;
  uint64_t edges_ = 0;
  uint64_t largest_scope_ = 0;
  bool failed_ = false;  ///< the orchestration has given up
  std::vector<std::string> errors_;
};

}  // namespace pto2::oracle
