#include "stress/simulation/relay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/chip/task_arguments.hpp"

namespace pto2::simulations {
namespace {

/// What the first bytes of a tensor hold.
uint64_t stamp_of(uint64_t number, std::size_t bytes) {
  const uint64_t mixed = number * 0x9e3779b97f4a7c15;
  return bytes == sizeof mixed ? mixed : mixed & ((uint64_t{1} << (8 * bytes)) - 1);
}

std::size_t stamp_bytes(uint64_t elements, uint64_t element_bytes) {
  return std::min<uint64_t>(elements * element_bytes, sizeof(uint64_t));
}

std::size_t stamp_bytes(const PTOTensor& tensor) {
  uint64_t elements = 1;
  for (const uint32_t extent : tensor.shape) elements *= extent;
  return stamp_bytes(elements, get_element_size(tensor.dtype));
}

/// The first scalar among the arguments of a kernel, as an address; null if there is none.
void* first_scalar(const int64_t* args) {
  for (int i = 0; i < pto_params(args); ++i) {
    const bool is_pipe = (pto_call(args).pipes >> i & 1) != 0;
    if (!is_pipe && pto_find_tensor(args, i) == nullptr) return reinterpret_cast<void*>(args[i]);
  }
  return nullptr;
}

/// The number of a tensor's record, which is another tensor's when its scope has ended
/// (runtime/tensormap/tensor_table.hpp).
std::size_t record_of(uint64_t tensor) {
  return tensor & 0xffffffffU;
}

}  // namespace

const PTO2RuntimeOps Relay::table{
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task =
        [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t count) {
          of(rt).submit(params, count, 1, max_params, [&](const PTOParam* given, uint32_t n) {
            of(rt).ops().submit_task(of(rt).target_, kernel, type, given, n);
          });
        },
    .scope_begin = [](PTO2Runtime* rt) { of(rt).ops().scope_begin(of(rt).target_); },
    .scope_end = [](PTO2Runtime* rt) { of(rt).ops().scope_end(of(rt).target_); },
    .orchestration_done = [](PTO2Runtime* rt) { of(rt).ops().orchestration_done(of(rt).target_); },
    .make_tensor = [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                      DataType dtype) { return of(rt).make(address, shapes, ndims, dtype); },
    .view = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
               const uint64_t* offsets) -> uint64_t {
      if (of(rt).is_over()) return 0;
      return of(rt).derive(tensor, of(rt).ops().view(of(rt).target_, tensor, shapes, offsets),
                           shapes, 0);
    },
    .reshape = [](PTO2Runtime* rt, uint64_t tensor, const uint64_t* shapes,
                  uint32_t ndims) -> uint64_t {
      if (of(rt).is_over()) return 0;
      return of(rt).derive(tensor, of(rt).ops().reshape(of(rt).target_, tensor, shapes, ndims),
                           shapes, ndims);
    },
    .transpose = [](PTO2Runtime* rt, uint64_t tensor, uint32_t x, uint32_t y) -> uint64_t {
      if (of(rt).is_over()) return 0;
      const uint64_t made = of(rt).ops().transpose(of(rt).target_, tensor, x, y);
      of(rt).keep(made, of(rt).handle_of(tensor));
      return made;
    },
    .ndims = [](PTO2Runtime* rt, uint64_t tensor) -> uint32_t {
      return of(rt).is_over() ? 0 : of(rt).ops().ndims(of(rt).target_, tensor);
    },
    .numel = [](PTO2Runtime* rt, uint64_t tensor) -> uint64_t {
      return of(rt).is_over() ? 0 : of(rt).ops().numel(of(rt).target_, tensor);
    },
    .is_contiguous =
        [](PTO2Runtime* rt, uint64_t tensor) {
          return of(rt).is_over() || of(rt).ops().is_contiguous(of(rt).target_, tensor);
        },
    .dump = [](PTO2Runtime*, uint64_t) {},
    .log = &Relay::log,
    .describe = [](PTO2Runtime* rt, uint64_t tensor, char* text, uint64_t capacity) -> uint64_t {
      return of(rt).is_over() ? 0 : of(rt).ops().describe(of(rt).target_, tensor, text, capacity);
    },
    .allocate_cluster =
        [](PTO2Runtime* rt) {
          return of(rt).is_over() ? 0 : of(rt).ops().allocate_cluster(of(rt).target_);
        },
    .free_cluster =
        [](PTO2Runtime* rt, int32_t cluster) {
          if (!of(rt).is_over()) of(rt).ops().free_cluster(of(rt).target_, cluster);
        },
    .submit_task_clustered =
        [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t count,
           int32_t cluster) {
          of(rt).submit(params, count, 1, max_params, [&](const PTOParam* given, uint32_t n) {
            of(rt).ops().submit_task_clustered(of(rt).target_, kernel, type, given, n, cluster);
          });
        },
    .submit_block_task =
        [](PTO2Runtime* rt, int32_t kernel, int32_t type, const PTOParam* params, uint32_t count,
           uint32_t block_dim, const int32_t* clusters) {
          of(rt).submit(params, count, block_dim, max_block_params,
                        [&](const PTOParam* given, uint32_t n) {
                          of(rt).ops().submit_block_task(of(rt).target_, kernel, type, given, n,
                                                         block_dim, clusters);
                        });
        },
    .fail = [](PTO2Runtime* rt, int32_t code,
               const char* text) { of(rt).ops().fail(of(rt).target_, code, text); },
};

Relay::~Relay() {
  for (const Written& written : written_) {
    if (written.former_bytes == 0) continue;
    std::memcpy(reinterpret_cast<void*>(written.address), &written.former, written.former_bytes);
  }
}

/// Of the first bytes, before a task that writes them is submitted. Up to then no stub has written
/// to them: nobody knows more than this buffer there.
void Relay::Written::keep_former(std::size_t most) {
  if (address == 0 || most <= former_bytes) return;
  std::memcpy(reinterpret_cast<std::byte*>(&former) + former_bytes,
              reinterpret_cast<const std::byte*>(address) + former_bytes, most - former_bytes);
  former_bytes = most;
}

void Relay::log(PTO2Runtime* rt, int32_t level, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  of(rt).ops().log(of(rt).target_, level, "%s", text);
}

uint64_t Relay::make(uint64_t address, const uint64_t* shapes, uint32_t ndims, DataType dtype) {
  if (is_over()) return 0;
  const uint64_t made = ops().make_tensor(target_, address, shapes, ndims, dtype);
  if (made == 0) return 0;  // the shape may have any number of dimensions
  uint64_t elements = 1;
  for (uint32_t i = 0; i < ndims; ++i) elements *= shapes[i];
  const uint64_t element_bytes = get_element_size(dtype);
  std::size_t buffer = written_.size();
  const bool is_external = address != 0 && address != PTO2_NULL_EXTERNAL;
  if (is_external) {
    buffer = external_.at(address, elements * element_bytes, buffer);
  }
  if (buffer == written_.size()) written_.push_back({.address = is_external ? address : 0});
  keep(made, {buffer, elements, element_bytes, ndims});
  return made;
}

void Relay::keep(uint64_t made, const Handle& handle) {
  const std::size_t record = record_of(made);
  if (record >= handles_.size()) handles_.resize(record + 1);
  handles_[record] = handle;
}

/// The runtime refuses a handle that it has not made.
Relay::Handle Relay::handle_of(uint64_t tensor) const {
  const std::size_t record = record_of(tensor);
  return record < handles_.size() ? handles_[record] : Handle{};
}

/// `ndims` 0: as many as before.
uint64_t Relay::derive(uint64_t from, uint64_t made, const uint64_t* shapes, uint32_t ndims) {
  if (made == 0) return 0;  // as make() does
  Handle handle = handle_of(from);
  if (ndims != 0) handle.ndims = ndims;
  uint64_t elements = 1;
  for (uint32_t i = 0; i < handle.ndims; ++i) elements *= shapes[i];
  handle.whole &= elements == handle.elements;
  handle.elements = elements;
  keep(made, handle);
  return made;
}

/// What the runtime refuses for its parameters goes there as it is.
template <class Submit>
void Relay::submit(const PTOParam* params, uint32_t count, uint32_t parts, uint32_t most,
                   Submit&& submit) {
  if (is_over()) return;
  ++tasks_;
  const bool is_null = params == nullptr && count != 0;
  if (!options_.stub_kernels || count > most || is_null) return submit(params, count);
  given_.assign(params, params + count);
  give_record(parts, most);
  submit(given_.data(), static_cast<uint32_t>(given_.size()));
}

void Relay::give_record(uint32_t parts, uint32_t most) {
  const bool has_room = given_.size() < most;
  const auto scalar = std::ranges::find(given_, PTOParamType::SCALAR, &PTOParam::type);
  const bool has_stub = has_room || scalar != given_.end();
  StubTask& stub = add_stub(has_stub ? parts : 0, has_room ? 1 : 0);
  const PTOParam record = make_scalar_param(reinterpret_cast<uint64_t>(&stub));
  if (has_room) {
    given_.insert(given_.begin(), record);
  } else if (has_stub) {
    *scalar = record;
  }
}

/// Of the task whose parameters are given.
Relay::StubTask& Relay::add_stub(uint32_t parts, uint32_t in_front) {
  StubTask& stub = stubs_.emplace_back(
      StubTask{tasks_, parts, in_front, std::pmr::vector<Access>(&memory_), 0, {}});
  stub.accesses.reserve(given_.size());
  for (uint32_t i = 0; i < given_.size(); ++i) {
    const PTOParamType type = given_[i].type;
    const bool reads = type == PTOParamType::INPUT || type == PTOParamType::INOUT;
    const bool writes = type == PTOParamType::OUTPUT || type == PTOParamType::INOUT;
    if (!reads && !writes) continue;
    const Handle handle = handle_of(given_[i].tensor.id);
    Written& written = written_[handle.buffer];
    // Parts of a block task write the same bytes, and read what others have written by then.
    const bool known = handle.whole && parts == 1 && !external_.is_shared(handle.buffer);
    // What it writes itself comes after all that it reads.
    const bool known_writer = !written.by_several && written.task != tasks_;
    const uint64_t expected = known && reads && known_writer ? written.task : 0;
    stub.accesses.push_back({i, reads, writes && known, expected, written.bytes});
    if (!writes) continue;
    // An OUTPUT does not wait for those who wrote it before.
    written.by_several = !known || (!reads && (written.task != 0 || written.by_several));
    written.task = tasks_;
    written.bytes = stamp_bytes(handle.elements, handle.element_bytes);
    if (known) written.keep_former(written.bytes);
  }
  return stub;
}

void Relay::stub(int64_t* args) {
  auto* const record = static_cast<StubTask*>(first_scalar(args));
  if (record == nullptr) return;
  StubTask& task = *record;
  // The parts of a block task have one record, and may run at the same time.
  std::atomic_ref(task.runs).fetch_add(1, std::memory_order_relaxed);
  const int64_t* const params = args + task.in_front;
  for (const Access& access : task.accesses) {
    // Who writes a page first has one fault, who reads it first and then writes has two.
    if (!access.reads && access.writes) continue;
    const auto& tensor = *reinterpret_cast<const PTOTensor*>(params[access.place]);
    std::size_t bytes = stamp_bytes(tensor);
    if (access.expected != 0) bytes = std::min(bytes, access.expected_bytes);
    uint64_t found = 0;
    std::memcpy(&found, tensor.data<std::byte>(), bytes);
    if (access.expected != 0 && found != stamp_of(access.expected, bytes)) {
      task.problem = fmt::format("task {}, parameter {}: it reads {:x} and not what task {} wrote",
                                 task.number, access.place + 1, found, access.expected);
    }
  }
  for (const Access& access : task.accesses) {
    if (!access.writes) continue;
    const auto& tensor = *reinterpret_cast<const PTOTensor*>(params[access.place]);
    const std::size_t bytes = stamp_bytes(tensor);
    const uint64_t stamp = stamp_of(task.number, bytes);
    std::memcpy(tensor.data<std::byte>(), &stamp, bytes);
  }
}

std::vector<std::string> Relay::problems(uint64_t submitted, bool complete) const {
  constexpr std::size_t enough = 4;
  std::vector<std::string> found;
  for (const StubTask& task : stubs_) {
    if (found.size() >= enough) break;
    if (!task.problem.empty()) found.push_back(task.problem);
    const uint32_t most = task.number <= submitted ? task.parts : 0;
    if (task.runs > most || (complete && task.runs != most)) {
      found.push_back(
          fmt::format("task {} of {} parts ran {} times", task.number, task.parts, task.runs));
    }
  }
  return found;
}

}  // namespace pto2::simulations
