#include "runtime/orchestrator/call_tape.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace pto2 {

namespace {

/// One call that is put together.
class CallWords {
 public:
  explicit CallWords(uint64_t head) { add(head); }
  void add(uint64_t word) { words_[size_++] = word; }
  void add(const uint64_t* words, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) add(words[i]);
  }
  [[nodiscard]] std::span<const uint64_t> words() const { return std::span(words_).first(size_); }

 private:
  std::array<uint64_t, 3 + max_params> words_;
  std::size_t size_ = 0;
};

}  // namespace

const char* call_name(CallKind kind) {
  switch (kind) {
    case CallKind::end:
      break;
    case CallKind::scope_begin:
      return "scope_begin";
    case CallKind::scope_end:
      return "scope_end";
    case CallKind::orchestration_done:
      return "orchestration_done";
    case CallKind::make_tensor:
      return "make_tensor";
    case CallKind::view:
      return "view";
    case CallKind::reshape:
      return "reshape";
    case CallKind::transpose:
      return "transpose";
    case CallKind::submit:
      return "submit_task";
  }
  return "nothing";
}

std::size_t size_of_call(const uint64_t* words) {
  const uint32_t small = small_of(words[0]);
  switch (kind_of(words[0])) {
    case CallKind::make_tensor:
    case CallKind::reshape:
      return 2 + small;
    case CallKind::view:
      return 2 + 2 * small;
    case CallKind::transpose:
      return 3;
    case CallKind::submit: {
      std::size_t size = 3;
      for (uint32_t i = 0; i < small; ++i) {
        const auto type = static_cast<PTOParamType>(words[2] >> type_bits * i & type_mask);
        size += type == PTOParamType::SCALAR ? 0 : 1;
      }
      return size;
    }
    default:
      return 1;
  }
}

void CallTape::add(std::span<const uint64_t> words) {
  if (given_up_ != nullptr) return;
  if (words_.size() + words.size() > most_) return give_up("it makes too many calls");
  try {
    words_.insert(words_.end() - 1, words.begin(), words.end());
  } catch (const std::bad_alloc&) {
    give_up("lack of memory");
  }
}

void CallTape::make(uint64_t address, const uint64_t* shape, uint32_t ndims, DataType dtype) {
  CallWords call(head_of_make(ndims, dtype));
  call.add(address);
  call.add(shape, ndims);
  add(call.words());
}

void CallTape::view(uint64_t tensor, const uint64_t* shape, const uint64_t* offsets,
                    uint32_t ndims) {
  CallWords call(head_of(CallKind::view, ndims));
  call.add(tensor - offset_);
  call.add(shape, ndims);
  call.add(offsets, ndims);
  add(call.words());
}

void CallTape::reshape(uint64_t tensor, const uint64_t* shape, uint32_t ndims) {
  CallWords call(head_of(CallKind::reshape, ndims));
  call.add(tensor - offset_);
  call.add(shape, ndims);
  add(call.words());
}

void CallTape::transpose(uint64_t tensor, uint32_t x, uint32_t y) {
  CallWords call(head_of(CallKind::transpose));
  call.add(tensor - offset_);
  call.add(uint64_t{x} << 32 | y);
  add(call.words());
}

void CallTape::submit(const Request& request) {
  const std::size_t count = request.params.size();
  if (count > max_params || (count != 0 && request.params.data() == nullptr)) {
    return give_up("a submission of it is refused");
  }
  if (request.where != nullptr && !request.where->clusters.empty()) {
    return give_up("it pins tasks to clusters");
  }
  CallWords call(head_of(request));
  call.add(parts_word(request));
  uint64_t types = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto type = static_cast<uint64_t>(request.params[i].type);
    if (type > type_mask) return give_up("it has a task with pipes");
    types |= type << type_bits * i;
  }
  call.add(types);
  for (const PTOParam& param : request.params) {
    if (param.type != PTOParamType::SCALAR) call.add(param.tensor.id - offset_);
  }
  add(call.words());
}

void CallTape::give_up(const char* reason) {
  clear();
  given_up_ = reason;
}

void CallTape::clear() {
  words_.resize(1);
  words_.front() = head_of(CallKind::end);
  words_.shrink_to_fit();
  given_up_ = nullptr;
}

}  // namespace pto2
