#include "runtime/chip/argument_text.hpp"

#include <gtest/gtest.h>

namespace pto2::test {
namespace {

class ArgumentText : public testing::Test {
 protected:
  TaskArguments with(uint8_t params) {
    const TaskArguments arguments(memory_ + in_front);
    arguments.call().params = params;
    return arguments;
  }

 private:
  static constexpr std::size_t in_front = TaskArguments::bytes_in_front(max_params);
  alignas(64) std::byte memory_[in_front + TaskArguments::bytes_behind(max_params)] = {};
};

TEST_F(ArgumentText, OfNoParameters) {
  EXPECT_EQ(arguments_text(with(0)), "none");
}

TEST_F(ArgumentText, OfEachKind) {
  const TaskArguments arguments = with(4);
  arguments.values()[0] = -7;
  arguments.tensor(1) = {0x1000, {2, 3}, {3, 1}, DataType::BFLOAT16, 2};
  arguments.values()[1] = reinterpret_cast<int64_t>(&arguments.tensor(1));
  arguments.tensor(2).address = 0x2000;
  arguments.values()[2] = 0x2000;
  arguments.call().pipes = 1U << 2;
  arguments.tensor(3) = {0x3000, {5}, {1}, static_cast<DataType>(77), 1};
  arguments.values()[3] = reinterpret_cast<int64_t>(&arguments.tensor(3));
  EXPECT_EQ(arguments_text(arguments),
            "0: scalar -7, 1: bfloat16 [2, 3] at 0x1000, 2: pipe at 0x2000, 3: unknown [5] at "
            "0x3000");
}

/// What a kernel wrote there is no reason to read behind the end.
TEST_F(ArgumentText, OfBrokenArguments) {
  const TaskArguments arguments = with(255);
  arguments.tensor(31).ndims = 1000;
  arguments.values()[31] = reinterpret_cast<int64_t>(&arguments.tensor(31));
  EXPECT_EQ(arguments_text(arguments).substr(0, 26), "0: scalar 0, 1: scalar 0, ");
  EXPECT_TRUE(arguments_text(arguments).ends_with("31: float32 [0, 0, 0, 0, 0] at 0x0"));
}

}  // namespace
}  // namespace pto2::test
