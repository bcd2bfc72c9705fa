#include "runtime/chip/argument_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace pto2 {

namespace {

std::string tensor_text(const PTOTensor& tensor) {
  const std::span shape(tensor.shape, std::min(tensor.ndims, PTO_MAX_DIMS));
  return fmt::format("{} [{}] at {:#x}", data_type_name(tensor.dtype), fmt::join(shape, ", "),
                     tensor.address);
}

std::string argument_text(const TaskArguments& arguments, uint32_t i) {
  const PTOTensor& tensor = arguments.tensor(i);
  if ((arguments.call().pipes >> i & 1) != 0) return fmt::format("pipe at {:#x}", tensor.address);
  const bool is_tensor = arguments.values()[i] == reinterpret_cast<int64_t>(&tensor);
  return is_tensor ? tensor_text(tensor) : fmt::format("scalar {}", arguments.values()[i]);
}

}  // namespace

const char* data_type_name(DataType dtype) {
  switch (dtype) {
    case DataType::FLOAT32:
      return "float32";
    case DataType::FLOAT16:
      return "float16";
    case DataType::INT32:
      return "int32";
    case DataType::INT16:
      return "int16";
    case DataType::INT8:
      return "int8";
    case DataType::UINT8:
      return "uint8";
    case DataType::BFLOAT16:
      return "bfloat16";
    case DataType::INT64:
      return "int64";
    case DataType::UINT64:
      return "uint64";
  }
  return "unknown";
}

std::string arguments_text(const TaskArguments& arguments) {
  std::string text;
  const uint32_t count = std::min<uint32_t>(arguments.call().params, max_params);
  for (uint32_t i = 0; i < count; ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", i, argument_text(arguments, i));
  }
  return text.empty() ? "none" : text;
}

}  // namespace pto2
