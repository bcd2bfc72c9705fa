#include "runtime/guard/values.hpp"

#include <cstring>

#include "runtime/guard/tensor_bytes.hpp"

namespace pto2::guard {
namespace {

void add(ElementCount& count, uint64_t address) {
  if (count.elements++ == 0) count.first = address;
}

/// Word: the bits of an element; infinity: its bits without the sign.
template <class Word>
ValueCounts count_words(const TensorRecord& tensor, Word infinity) {
  constexpr auto pattern = static_cast<Word>(~Word{0});
  constexpr auto magnitude = static_cast<Word>(pattern >> 1);
  // A conversion keeps the upper bits of the pattern: at least those of bfloat16, which has the
  // least of them. One to a type of fewer bits may make the pattern of that again.
  const auto mantissa = static_cast<Word>(magnitude ^ infinity);
  const auto converted = static_cast<Word>(pattern - (mantissa >> 7));
  ValueCounts counts;
  for_each_run(tensor, [&](uint64_t begin, uint64_t bytes) {
    for (uint64_t address = begin; address != begin + bytes; address += sizeof(Word)) {
      Word word;
      std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
      if ((word & magnitude) <= infinity) continue;
      add(word == pattern ? counts.unwritten : counts.nans, address);
      counts.may_be_unwritten = counts.may_be_unwritten || word >= converted;
    }
  });
  return counts;
}

}  // namespace

bool is_float(DataType type) {
  return type == DataType::FLOAT32 || type == DataType::FLOAT16 || type == DataType::BFLOAT16;
}

bool is_nan(uint64_t scalar) {
  constexpr uint32_t of_float = 0x7fc00000;
  constexpr uint64_t of_double = 0x7ff8000000000000;
  return (static_cast<uint32_t>(scalar) & INT32_MAX) == of_float ||
         (scalar & INT64_MAX) == of_double;
}

void fill(const TensorRecord& tensor) {
  for_each_run(tensor, [](uint64_t begin, uint64_t bytes) {
    std::memset(reinterpret_cast<void*>(begin), 0xFF, bytes);
  });
}

ValueCounts count_values(const TensorRecord& tensor) {
  switch (tensor.dtype) {
    case DataType::FLOAT32:
      return count_words<uint32_t>(tensor, 0x7f800000);
    case DataType::FLOAT16:
      return count_words<uint16_t>(tensor, 0x7c00);
    case DataType::BFLOAT16:
      return count_words<uint16_t>(tensor, 0x7f80);
    default:
      return {};
  }
}

}  // namespace pto2::guard
