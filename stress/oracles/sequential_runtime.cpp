#include "stress/oracles/sequential_runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>

namespace pto2::oracle {
namespace {

using Seconds = std::chrono::duration<double>;

/// In front of the arguments of a kernel.
constexpr size_t words_before = sizeof(PTOCall) / sizeof(int64_t);

uint64_t product(const std::vector<uint64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), uint64_t{1}, std::multiplies<>());
}

std::vector<uint64_t> row_major(const std::vector<uint64_t>& shape) {
  std::vector<uint64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

bool is_row_major(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& strides) {
  return strides == row_major(shape);
}

bool is_pipe(const PTOParam& param) {
  return param.type == PTOParamType::PIPE_OUT || param.type == PTOParamType::PIPE_IN;
}

}  // namespace

const PTO2RuntimeOps SequentialRuntime::table = {
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task = [](PTO2Runtime* rt, int32_t kernel, int32_t, const PTOParam* params,
                      uint32_t n) { self(rt).submit(kernel, params, n); },
    .scope_begin = [](PTO2Runtime* rt) { self(rt).scopes_.emplace_back(); },
    .scope_end = [](PTO2Runtime* rt) { self(rt).end_scope(); },
    .orchestration_done = [](PTO2Runtime*) {},
    .make_tensor = [](PTO2Runtime* rt, uint64_t address, const uint64_t* shapes, uint32_t ndims,
                      DataType dtype) { return self(rt).make(address, shapes, ndims, dtype); },
    .view = [](PTO2Runtime* rt, uint64_t id, const uint64_t* shapes,
               const uint64_t* offsets) { return self(rt).view(id, shapes, offsets); },
    .reshape = [](PTO2Runtime* rt, uint64_t id, const uint64_t* shapes,
                  uint32_t ndims) { return self(rt).reshape(id, shapes, ndims); },
    .transpose = [](PTO2Runtime* rt, uint64_t id, uint32_t x,
                    uint32_t y) { return self(rt).transpose(id, x, y); },
    .ndims = [](PTO2Runtime* rt,
                uint64_t id) { return static_cast<uint32_t>(self(rt).record(id).shape.size()); },
    .numel = [](PTO2Runtime* rt, uint64_t id) { return product(self(rt).record(id).shape); },
    .is_contiguous =
        [](PTO2Runtime* rt, uint64_t id) {
          const Record& r = self(rt).record(id);
          return is_row_major(r.shape, r.strides);
        },
    .dump = [](PTO2Runtime*, uint64_t) {},
    .log = &SequentialRuntime::log,
    .describe = [](PTO2Runtime*, uint64_t, char* text, uint64_t capacity) -> uint64_t {
      if (capacity != 0) *text = 0;
      return 0;
    },
    .allocate_cluster =
        [](PTO2Runtime* rt) {
          self(rt).pipes_.clear();
          return 0;
        },
    .free_cluster = [](PTO2Runtime*, int32_t) {},
    .submit_task_clustered = [](PTO2Runtime* rt, int32_t kernel, int32_t, const PTOParam* params,
                                uint32_t n, int32_t) { self(rt).submit(kernel, params, n); },
    .submit_block_task = [](PTO2Runtime* rt, int32_t kernel, int32_t, const PTOParam* params,
                            uint32_t n, uint32_t parts,
                            const int32_t*) { self(rt).submit(kernel, params, n, parts); },
    .fail = [](PTO2Runtime* rt, int32_t code, const char* text) { self(rt).fail(code, text); },
};

SequentialRuntime::SequentialRuntime(const KernelLibrary& kernels)
    : PTO2Runtime{&table}, kernels_(kernels), scopes_(1) {}

void SequentialRuntime::log(PTO2Runtime* rt, int32_t, const char* format, ...) {
  char text[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  self(rt).errors_.emplace_back(text);
}

/// The first of what ends a run is its end.
void SequentialRuntime::fail(int32_t code, const char* text) {
  if (failed_) return;
  failed_ = true;
  const std::string why = text == nullptr ? "" : std::string(": ") + text;
  errors_.push_back("the orchestration gave up with code " + std::to_string(code) + why);
}

double SequentialRuntime::kernel_seconds(int32_t func_id) const {
  const auto it = seconds_.find(func_id);
  return it == seconds_.end() ? 0 : it->second;
}

double SequentialRuntime::kernel_seconds() const {
  double sum = 0;
  for (const auto& [id, seconds] : seconds_) sum += seconds;
  return sum;
}

SequentialRuntime::Record& SequentialRuntime::record(uint64_t id) {
  return records_.at(id);
}

uint64_t SequentialRuntime::add_record(Record r) {
  records_.emplace(next_id_, std::move(r));
  return next_id_++;
}

uint64_t SequentialRuntime::make(uint64_t address, const uint64_t* shapes, uint32_t ndims,
                                 DataType dtype) {
  Record r;
  r.storage = std::make_shared<Storage>();
  r.storage->address = address;
  r.shape.assign(shapes, shapes + ndims);
  r.strides = row_major(r.shape);
  r.dtype = dtype;
  return add_record(std::move(r));
}

uint64_t SequentialRuntime::view(uint64_t id, const uint64_t* shapes, const uint64_t* offsets) {
  Record r = record(id);
  // What would have had an address is not run any more.
  if (!failed_ && r.storage->address == 0) {
    errors_.emplace_back("view of a tensor without an address");
  }
  for (size_t i = 0; i < r.shape.size(); ++i) {
    if (offsets[i] + shapes[i] > r.shape[i]) errors_.emplace_back("view outside its tensor");
    r.offset += offsets[i] * r.strides[i];
    r.origin[i] += offsets[i];
    r.shape[i] = shapes[i];
  }
  return add_record(std::move(r));
}

uint64_t SequentialRuntime::reshape(uint64_t id, const uint64_t* shapes, uint32_t ndims) {
  Record r = record(id);
  const std::vector<uint64_t> shape(shapes, shapes + ndims);
  if (!is_row_major(r.shape, r.strides) || product(shape) != product(r.shape)) {
    errors_.emplace_back("reshape to another size, or of a tensor with gaps");
  }
  r.shape = shape;
  r.strides = row_major(shape);
  r.reshaped = true;
  return add_record(std::move(r));
}

uint64_t SequentialRuntime::transpose(uint64_t id, uint32_t x, uint32_t y) {
  Record r = record(id);
  std::swap(r.shape.at(x), r.shape.at(y));
  std::swap(r.strides.at(x), r.strides.at(y));
  r.reshaped = true;
  return add_record(std::move(r));
}

void SequentialRuntime::allocate(Record& r) {
  const uint64_t floats = (product(r.shape) * get_element_size(r.dtype) + 3) / 4;
  auto memory = std::make_unique<float[]>(floats);
  // Memory of the heap ring holds whatever its last owner left there.
  std::fill_n(memory.get(), floats, std::numeric_limits<float>::quiet_NaN());
  r.storage->address = reinterpret_cast<uint64_t>(memory.get());
  r.storage->allocated = true;
  scopes_.back().buffer_floats.push_back(floats);
  scopes_.back().buffers.emplace_back(r.storage, std::move(memory));
}

PTOTensor SequentialRuntime::descriptor(const Record& r) const {
  PTOTensor tensor{};
  tensor.address = r.storage->address + r.offset * get_element_size(r.dtype);
  tensor.dtype = r.dtype;
  tensor.ndims = static_cast<uint32_t>(r.shape.size());
  for (size_t i = 0; i < PTO_MAX_DIMS; ++i) {
    tensor.shape[i] = i < r.shape.size() ? static_cast<uint32_t>(r.shape[i]) : 1;
    tensor.strides[i] = i < r.shape.size() ? static_cast<uint32_t>(r.strides[i]) : 0;
  }
  return tensor;
}

SequentialRuntime::Pipe& SequentialRuntime::pipe(const PTOParam& param) {
  const uint64_t tag = param.tensor.id & 0xffffffffU;
  if (const auto found = pipes_.find(tag); found != pipes_.end()) return found->second;
  const bool sized = (param.tensor.id & PTO2_PIPE_SIZED) != 0;
  Pipe& made = pipes_[tag];
  const uint64_t shape[] = {1};
  made.tensor = make(1, shape, 1, DataType::UINT8);
  made.control.capacity = sized ? static_cast<uint32_t>(param.scalar >> 32) : PTO2_PIPE_CAPACITY;
  made.control.slot_bytes = sized ? static_cast<uint32_t>(param.scalar) : PTO2_PIPE_SLOT_BYTES;
  made.control.stride = (uint64_t{made.control.slot_bytes} + 63) / 64 * 64;
  made.memory = std::make_unique<std::byte[]>(made.control.capacity * made.control.stride);
  made.control.slots = reinterpret_cast<uint64_t>(made.memory.get());
  return made;
}

/// A pipe orders its tasks as a tensor that each of them has as INOUT.
std::vector<PTOParam> SequentialRuntime::without_pipes(const PTOParam* params, uint32_t count) {
  std::vector<PTOParam> result(params, params + count);
  for (PTOParam& param : result) {
    if (is_pipe(param)) param = make_inout_param({pipe(param).tensor});
  }
  return result;
}

void SequentialRuntime::add_edges(const PTOParam* params, uint32_t count) {
  std::set<uint64_t> producers;
  std::vector<std::pair<Storage*, Storage::Access>> writes;
  for (const PTOParam* p = params; p != params + count; ++p) {
    if (p->type == PTOParamType::SCALAR) continue;
    Record& r = record(p->tensor.id);
    if (r.reshaped) continue;
    Storage::Access access{tasks_, r.origin, r.origin, p->type == PTOParamType::OUTPUT};
    for (size_t i = 0; i < PTO_MAX_DIMS; ++i) {
      access.end[i] += i < r.shape.size() ? r.shape[i] : 1;
    }
    auto& writers = r.storage->writers;
    if (p->type != PTOParamType::OUTPUT) {
      for (const Storage::Access& w : writers) {
        bool overlap = true;
        for (size_t i = 0; i < PTO_MAX_DIMS; ++i) {
          overlap &= access.begin[i] < w.end[i] && w.begin[i] < access.end[i];
        }
        if (overlap) producers.insert(w.task);
      }
    }
    if (p->type == PTOParamType::INOUT) {
      // It stands in for every older writer that it covers; the one that allocates stays.
      std::erase_if(writers, [&](const Storage::Access& w) {
        return !w.allocates &&
               std::equal(access.begin.begin(), access.begin.end(), w.begin.begin(),
                          std::less_equal<>()) &&
               std::equal(access.end.begin(), access.end.end(), w.end.begin(),
                          std::greater_equal<>());
      });
    }
    if (p->type != PTOParamType::INPUT) writes.emplace_back(r.storage.get(), access);
  }
  for (auto& [storage, access] : writes) storage->writers.push_back(access);
  edges_ += producers.size();
}

std::vector<std::vector<std::byte>> SequentialRuntime::input_bytes(const PTOParam* params,
                                                                   uint32_t count) {
  std::vector<std::vector<std::byte>> inputs;
  for (const PTOParam* p = params; p != params + count; ++p) {
    if (p->type != PTOParamType::INPUT || !record(p->tensor.id).storage->allocated) continue;
    const PTOTensor tensor = descriptor(record(p->tensor.id));
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor.ndims; ++i) {
      elements += uint64_t{tensor.shape[i] - 1} * tensor.strides[i];
    }
    const auto* from = tensor.data<const std::byte>();
    inputs.emplace_back(from, from + elements * get_element_size(tensor.dtype));
  }
  return inputs;
}

void SequentialRuntime::tell_pipe_faults() {
  for (const auto& [tag, used] : pipes_) {
    if (used.control.fault != PTOPipeFault::NONE) errors_.emplace_back("the bound of a pipe");
  }
}

void SequentialRuntime::submit(int32_t kernel_id, const PTOParam* asked, uint32_t count,
                               uint32_t parts) {
  if (failed_) return;
  const Kernel* kernel = kernels_.find(kernel_id);
  if (kernel == nullptr) {
    errors_.push_back("no kernel " + std::to_string(kernel_id));
    return;
  }
  const std::vector<PTOParam> ordered = without_pipes(asked, count);
  const PTOParam* const params = ordered.data();
  add_edges(params, count);
  std::vector<PTOTensor> tensors(count);
  std::vector<int64_t> words(words_before + count);
  words.resize(words.size() + (parts == 0 ? 0 : 2), parts);  // block_dim and block_id
  int64_t* const args = words.data() + words_before;
  PTOCall& call = pto_call(args);
  call.run = &run_;
  for (uint32_t i = 0; i < count; ++i) {
    if (params[i].type == PTOParamType::SCALAR) {
      args[i] = static_cast<int64_t>(params[i].scalar);
      continue;
    }
    Record& r = record(params[i].tensor.id);
    if (r.storage->address == 0 && params[i].type == PTOParamType::OUTPUT) allocate(r);
    if (r.storage->address == 0) {
      errors_.emplace_back("an input that no task has written");
      return;
    }
    tensors[i] = descriptor(r);
    args[i] = reinterpret_cast<int64_t>(&tensors[i]);
    if (!is_pipe(asked[i])) continue;
    args[i] = reinterpret_cast<int64_t>(&pipe(asked[i]).control);
    call.pipes |= uint32_t{1} << i;
  }
  const auto inputs = input_bytes(params, count);
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t part = 0; part < std::max(parts, 1U); ++part) {
    if (parts != 0) words.back() = part;
    kernel->entry(args);
  }
  seconds_[kernel_id] += Seconds(std::chrono::steady_clock::now() - start).count();
  tell_pipe_faults();
  if (call.misuse != 0) errors_.emplace_back("an argument that is no pipe, used as one");
  if (input_bytes(params, count) != inputs) {
    errors_.push_back("kernel " + kernel->name + " writes one of its inputs");
  }
  ++tasks_;
  largest_scope_ = std::max(largest_scope_, ++scopes_.back().tasks);
}

void SequentialRuntime::end_scope() {
  Scope& scope = scopes_.back();
  for (size_t i = 0; i < scope.buffers.size(); ++i) {
    std::fill_n(scope.buffers[i].second.get(), scope.buffer_floats[i],
                std::numeric_limits<float>::quiet_NaN());
    scope.buffers[i].first->address = 0;
  }
  scopes_.pop_back();
}

}  // namespace pto2::oracle
