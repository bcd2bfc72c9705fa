/// A runtime between an orchestration and the real one: it passes every call on, ends the graph
/// after some tasks if that is wanted, and can put stubs in the place of kernels.
///
/// A stub takes no time and works on no data, but it sees what the runtime is there for: that each
/// task runs once, and that what it reads was written by the task that wrote it last, where the
/// graph says which that is. Each whole tensor holds the number of that task in its first bytes.
/// Nothing is known of the callers' memory where tensors share bytes and begin at different ones.
///
/// A stub finds its record in the first scalar of its task: one of the relay's in front of the
/// others or, where there is no room for it, one of the task's own. A task that has all the
/// parameters that it may have, and no scalar, has no stub, and nothing is known of what it writes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string>
#include <vector>

#include "runtime/chip/ai_core.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/include/pto_orchestration_api.h"
#include "stress/oracles/caller_buffers.hpp"

namespace pto2::simulations {

struct RelayOptions {
  bool stub_kernels = false;
  uint64_t most_tasks = ~uint64_t{0};  ///< what is submitted after them is left out
};

class Relay : public PTO2Runtime {
 public:
  /// Passes calls on to `target`, which must outlive it.
  Relay(PTO2Runtime* target, const RelayOptions& options)
      : PTO2Runtime{&table}, target_(target), options_(options) {}
  /// No stub may be running. The callers' memory has what it had before they wrote there.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// What the stubs found wrong, after a run in which the first `submitted` tasks were accepted,
  /// all of which must have run; unless `complete`, none need have.
  [[nodiscard]] std::vector<std::string> problems(uint64_t submitted, bool complete = true) const;
  /// What runs in the place of every kernel.
  static void stub(int64_t* args);

 private:
  /// A parameter of a task whose kernel is a stub.
  struct Access {
    uint32_t place;  ///< among the parameters
    bool reads, writes;
    uint64_t expected;           ///< what it must read, 0: anything
    std::size_t expected_bytes;  ///< of that, at most
  };
  struct StubTask {
    uint64_t number;     ///< from 1 on
    uint32_t parts = 1;  ///< 0: of a task that has no stub
    uint32_t in_front;   ///< arguments that are no parameters of the orchestration's
    std::pmr::vector<Access> accesses;
    uint32_t runs = 0;
    std::string problem;
  };
  struct Written {
    uint64_t task = 0;  ///< 0: none, or a part of it
    bool by_several = false;
    std::size_t bytes = 0;  ///< of its number
    uint64_t address = 0;   ///< of a caller's buffer
    uint64_t former = 0;    ///< what was there before any stub has written
    std::size_t former_bytes = 0;
    void keep_former(std::size_t most);
  };
  struct Handle {
    std::size_t buffer = 0;
    uint64_t elements = 0;
    uint64_t element_bytes = 0;
    uint32_t ndims = 0;
    bool whole = true;
  };

  /// Bytes, for the stubs of some hundred tasks; of more it is as much again, time after time.
  static constexpr std::size_t first_memory = 32768;

  static const PTO2RuntimeOps table;
  static Relay& of(PTO2Runtime* rt) { return *static_cast<Relay*>(rt); }
  static void log(PTO2Runtime* rt, int32_t level, const char* format, ...)
      __attribute__((format(printf, 3, 4)));

  [[nodiscard]] const PTO2RuntimeOps& ops() const { return *target_->ops; }
  [[nodiscard]] bool is_over() const { return tasks_ >= options_.most_tasks; }
  uint64_t make(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype);
  void keep(uint64_t made, const Handle& handle);
  [[nodiscard]] Handle handle_of(uint64_t tensor) const;
  uint64_t derive(uint64_t from, uint64_t made, const uint64_t* shapes, uint32_t ndims);
  template <class Submit>
  void submit(const PTOParam* params, uint32_t count, uint32_t parts, uint32_t most,
              Submit&& submit);
  void give_record(uint32_t parts, uint32_t most);
  StubTask& add_stub(uint32_t parts, uint32_t in_front);

  PTO2Runtime* target_;
  RelayOptions options_;
  uint64_t tasks_ = 0;
  std::pmr::monotonic_buffer_resource memory_{first_memory};  ///< of what stubs look at
  std::pmr::deque<StubTask> stubs_{&memory_};
  std::vector<PTOParam> given_;  // of the submission under way: the stub's record, and its own
  std::vector<Handle> handles_;  // by the number of the target's record
  oracle::CallerBuffers external_;
  /// Entry b: who wrote buffer b last, and whether others may have done so at the same time. Buffer
  /// 0 is that of all handles that the runtime refuses.
  std::vector<Written> written_ = std::vector<Written>(1);
};

}  // namespace pto2::simulations
