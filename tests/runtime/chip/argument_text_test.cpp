#include "runtime/chip/argument_text.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

TaskArguments with(uint8_t params) {
  TaskArguments arguments{};
  arguments.call.params = params;
  return arguments;
}

TEST(ArgumentText, OfNoParameters) {
  EXPECT_EQ(arguments_text(with(0)), "none");
}

TEST(ArgumentText, OfEachKind) {
  TaskArguments arguments = with(4);
  arguments.args[0] = -7;
  arguments.tensors[1] = {0x1000, {2, 3}, {3, 1}, DataType::BFLOAT16, 2};
  arguments.args[1] = reinterpret_cast<int64_t>(&arguments.tensors[1]);
  arguments.tensors[2].address = 0x2000;
  arguments.args[2] = 0x2000;
  arguments.call.pipes = 1U << 2;
  arguments.tensors[3] = {0x3000, {5}, {1}, static_cast<DataType>(77), 1};
  arguments.args[3] = reinterpret_cast<int64_t>(&arguments.tensors[3]);
  EXPECT_EQ(arguments_text(arguments),
            "0: scalar -7, 1: bfloat16 [2, 3] at 0x1000, 2: pipe at 0x2000, 3: unknown [5] at "
            "0x3000");
}

/// What a kernel wrote there is no reason to read behind the end.
TEST(ArgumentText, OfBrokenArguments) {
  TaskArguments arguments = with(255);
  arguments.tensors[31].ndims = 1000;
  arguments.args[31] = reinterpret_cast<int64_t>(&arguments.tensors[31]);
  EXPECT_EQ(arguments_text(arguments).substr(0, 26), "0: scalar 0, 1: scalar 0, ");
  EXPECT_TRUE(arguments_text(arguments).ends_with("31: float32 [0, 0, 0, 0, 0] at 0x0"));
}

}  // namespace
}  // namespace pto2::test
