/// The calls of an orchestration, word by word, so that a later run can be compared with them.
///
/// A call is a head, which says what was called and how many words follow, and its operands.
/// Handles of tensors are relative to the first generation of their run: its n-th tensor has the
/// same relative handle in every run that makes the same calls. A scalar is no operand: what a task
/// depends on does not depend on it.
///
/// Used by one thread, the orchestrator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/orchestrator/request.hpp"

namespace pto2 {

/// What is called. The end of a tape is no call.
enum class CallKind : uint8_t {
  end,
  scope_begin,
  scope_end,
  orchestration_done,
  make_tensor,  ///< address, extents
  view,         ///< tensor, extents, offsets
  reshape,      ///< tensor, extents
  transpose,    ///< tensor, both dimensions in a word
  submit,       ///< parts, types of the parameters, tensors among them
};
/// As the function of the orchestration API is called.
[[nodiscard]] const char* call_name(CallKind kind);

/// The first word of a call: its kind in the lowest byte, then two numbers of 8 and 16 bits, and
/// one of 32.
constexpr uint64_t head_of(CallKind kind, uint32_t small = 0, uint32_t middle = 0,
                           uint32_t large = 0) {
  return static_cast<uint64_t>(kind) | uint64_t{small & 0xffU} << 8 |
         uint64_t{middle & 0xffffU} << 16 | uint64_t{large} << 32;
}
constexpr CallKind kind_of(uint64_t head) {
  return static_cast<CallKind>(head & 0xffU);
}
constexpr uint32_t small_of(uint64_t head) {
  return static_cast<uint32_t>(head >> 8 & 0xffU);
}
constexpr uint32_t middle_of(uint64_t head) {
  return static_cast<uint32_t>(head >> 16 & 0xffffU);
}
constexpr uint32_t large_of(uint64_t head) {
  return static_cast<uint32_t>(head >> 32);
}
constexpr uint64_t head_of_make(uint32_t ndims, DataType dtype) {
  return head_of(CallKind::make_tensor, ndims, 0, static_cast<uint32_t>(dtype));
}
/// The head of a submission of at most max_params parameters.
constexpr uint64_t head_of(const Request& request) {
  return head_of(CallKind::submit, static_cast<uint32_t>(request.params.size()),
                 static_cast<uint32_t>(request.worker_type),
                 static_cast<uint32_t>(request.kernel_id));
}
/// The parts of a block task, one more than there are; 0: it is none.
constexpr uint64_t parts_word(const Request& request) {
  return request.where != nullptr && request.where->is_block
             ? uint64_t{request.where->block_dim} + 1
             : 0;
}
/// Bits of the type of a parameter in the word of types.
constexpr uint32_t type_bits = 2;
constexpr uint64_t type_mask = (uint64_t{1} << type_bits) - 1;
static_assert(max_params * type_bits <= 64);

class CallTape {
 public:
  /// Half a gibibyte of words.
  static constexpr std::size_t usual_most = std::size_t{1} << 26;

  /// The first tensor of the run that is recorded has this generation. Of more than `most` words,
  /// the end among them, nothing is recorded.
  explicit CallTape(uint32_t first_generation = 0, std::size_t most = usual_most)
      : offset_(uint64_t{first_generation} << 32), most_(most) {}

  void note(CallKind kind) { add({{head_of(kind)}}); }
  // Tensors that were made; `ndims` of view() is that of the tensor.
  void make(uint64_t address, const uint64_t* shape, uint32_t ndims, DataType dtype);
  void view(uint64_t tensor, const uint64_t* shape, const uint64_t* offsets, uint32_t ndims);
  void reshape(uint64_t tensor, const uint64_t* shape, uint32_t ndims);
  void transpose(uint64_t tensor, uint32_t x, uint32_t y);
  /// Perhaps one that will be refused: then the run fails.
  void submit(const Request& request);
  /// What comes now is not to be recorded, nor what came. Where memory lacks, the reason is to be
  /// short enough for a std::string to need none.
  void give_up(const char* reason);
  /// Nothing was called.
  void clear();

  /// The calls, and the end.
  [[nodiscard]] std::span<const uint64_t> words() const { return words_; }
  /// Why nothing is recorded; null: all is.
  [[nodiscard]] const char* given_up() const { return given_up_; }

 private:
  void add(std::span<const uint64_t> words);

  uint64_t offset_;
  std::size_t most_;
  std::vector<uint64_t> words_{head_of(CallKind::end)};
  const char* given_up_ = nullptr;
};

/// Words of the call at `words`, which is not the end.
[[nodiscard]] std::size_t size_of_call(const uint64_t* words);

}  // namespace pto2
