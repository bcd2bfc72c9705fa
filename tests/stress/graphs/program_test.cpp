/// The text of a program, which is all that a reader of a wrong run has of it.
#include "stress/graphs/program.hpp"

#include <gtest/gtest.h>

namespace pto2::graphs::program_test {
namespace {

TEST(Program, ItsTextHasEveryStep) {
  using enum PipeStep;
  const Submit piped{.group = 0,
                     .pipes = {{.tag = 3, .sizes = PipeSizes{2, 8}, .steps = {push, oversized}},
                               {.tag = 4, .out = false, .steps = {pop, release}}}};
  const Program program{
      {16, 8},
      {Make{DataType::INT32, {2, 3}}, External{1, DataType::UINT8, {8}}, ScopeBegin{},
       View{0, {1, 3}, {1, 0}}, Reshape{2, {3}}, ScopeBegin{}, Transpose{0, 0, 1}, ScopeEnd{},
       Submit{.core = CoreType::cube,
              .length = 5,
              .params = {{0, Use::output}, {1, Use::input}, {2, Use::inout}, {3, Use::allocate}}},
       ScopeEnd{}, Allocate{}, Allocate{}, piped, Free{0}, Submit{.block_dim = 3},
       Submit{.block_dim = 2, .part_groups = {0, 1}}, Misuse::exception}};
  EXPECT_EQ(to_string(program),
            "external buffers of [16, 8] bytes\n"
            "t0 = make_tensor([2, 3], 4 bytes each)\n"
            "t1 = external buffer 1 as [8], 1 bytes each\n"
            "scope {\n"
            "  t2 = t0.view([1, 3] at [1, 0])\n"
            "  t3 = t2.reshape([3])\n"
            "  scope {\n"
            "    t4 = t0.transpose(0, 1)\n"
            "  }\n"
            "  task 0 on cube, length 5: OUTPUT t0 INPUT t1 INOUT t2 OUTPUT (unwritten) t3\n"
            "}\n"
            "g0 = allocate_cluster()\n"
            "g1 = allocate_cluster()\n"
            "task 1 on vector, length 0, of g0: OUT pipe 3 of 2 x 8 bytes (push, push too much) "
            "IN pipe 4 (pop, free)\n"
            "free_cluster(g0)\n"
            "task 2 on vector, length 0, 3 parts:\n"
            "task 3 on vector, length 0, 2 parts of g0, g1:\n"
            "throw std::runtime_error\n");
}

}  // namespace
}  // namespace pto2::graphs::program_test
