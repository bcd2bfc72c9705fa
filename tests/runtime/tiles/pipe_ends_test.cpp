/// The ends of a TPipe: which core pushes tiles to it, and which pops them. Whoever has the other
/// end would count for another core.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "pto/pto-inst.hpp"
#include "runtime/device/device.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int square_edge = 16;
constexpr uint32_t square_bytes = square_edge * square_edge * sizeof(float);
using OfCube = pto::TileAcc<float, square_edge, square_edge>;
using InCube = pto::Tile<pto::TileType::Mat, float, square_edge, square_edge,
                         pto::BLayout::ColMajor, square_edge, square_edge, pto::SLayout::RowMajor>;
using OfVector = pto::Tile<pto::TileType::Vec, float, square_edge, square_edge>;

enum class End { pushes, pops };

/// Of a task with one such tile, and a pipe.
template <uint8_t Direction, class TileOfEnd, End Which>
void use_one_end(int64_t* args) {
  using Pipe = pto::TPipe<0, Direction, square_bytes, 2>;
  pto::detail::begin_call(args);
  Pipe pipe(nullptr, 0, 0);
  TileOfEnd tile;
  TASSIGN(tile, 0);
  constexpr auto split = pto::TileSplitAxis::TILE_UP_DOWN;
  if constexpr (Which == End::pushes) {
    TPUSH<Pipe, TileOfEnd, split>(pipe, tile);
  } else {
    TPOP<Pipe, TileOfEnd, split>(pipe, tile);
  }
  pto::detail::end_call();
}

/// What it is told on all cores of this type.
template <uint8_t Direction, class TileOfEnd, End Which>
std::string told_on(int type) {
  constexpr KernelEntry kernels[] = {use_one_end<Direction, TileOfEnd, Which>};
  DeviceConfig config = small_device();
  config.chip.vectors_per_cluster = 2;
  const RunResult result =
      launch(config, executors::SeededOptions{.seed = 1},
             {kernels,
              [type](PTO2Runtime* rt) {
                const int32_t cluster = pto2_rt_allocate_cluster(rt);
                for (int i = 0; i < (type == PTO2_WORKER_CUBE ? 1 : 2); ++i)
                  pto2_rt_submit_task_clustered(rt, 0, type, nullptr, 0, cluster);
              },
              {}});
  return result.error.message;
}

TEST(PipeEnds, ArePushedToByTheirCoreAlone) {
  const auto refused = AllOf(HasSubstr("TPUSH at "), HasSubstr("this core pops from the pipe"));
  EXPECT_THAT((told_on<pto::DIR_C2V, OfCube, End::pushes>(PTO2_WORKER_VECTOR)), refused);
  EXPECT_THAT((told_on<pto::DIR_V2C, OfVector, End::pushes>(PTO2_WORKER_CUBE)), refused);
  const auto looks_at_it = HasSubstr("which nobody has written in this kernel");
  EXPECT_THAT((told_on<pto::DIR_C2V, OfCube, End::pushes>(PTO2_WORKER_CUBE)), looks_at_it);
  EXPECT_THAT((told_on<pto::DIR_V2C, OfVector, End::pushes>(PTO2_WORKER_VECTOR)), looks_at_it);
}

TEST(PipeEnds, ArePoppedFromByTheirCoreAlone) {
  const auto refused = AllOf(HasSubstr("TPOP at "), HasSubstr("this core pushes to the pipe"));
  EXPECT_THAT((told_on<pto::DIR_V2C, InCube, End::pops>(PTO2_WORKER_VECTOR)), refused);
  EXPECT_THAT((told_on<pto::DIR_C2V, OfVector, End::pops>(PTO2_WORKER_CUBE)), refused);
  const auto waits = HasSubstr("no entry of the pipe is there");
  EXPECT_THAT((told_on<pto::DIR_V2C, InCube, End::pops>(PTO2_WORKER_CUBE)), waits);
  EXPECT_THAT((told_on<pto::DIR_C2V, OfVector, End::pops>(PTO2_WORKER_VECTOR)), waits);
}

/// A core may have either end of it: of which FIFO says the tile.
TEST(PipeEnds, OfAPipeThatGoesBothWaysAreToldByTheTile) {
  const auto of_cube = HasSubstr("the cube pushes tiles of TileType::Acc, and pops those of");
  EXPECT_THAT((told_on<pto::DIR_BOTH, OfVector, End::pushes>(PTO2_WORKER_CUBE)), of_cube);
  EXPECT_THAT((told_on<pto::DIR_BOTH, OfVector, End::pops>(PTO2_WORKER_CUBE)), of_cube);
  const auto of_vector = HasSubstr("a vector core pushes and pops tiles of TileType::Vec");
  EXPECT_THAT((told_on<pto::DIR_BOTH, OfCube, End::pushes>(PTO2_WORKER_VECTOR)), of_vector);
  EXPECT_THAT((told_on<pto::DIR_BOTH, InCube, End::pops>(PTO2_WORKER_VECTOR)), of_vector);
}

using SlotView = pto::GlobalTensor<float, pto::Shape<1, 1, 1, square_edge, square_edge>,
                                   pto::Stride<1, 1, 1, square_edge, 1>>;

/// The kernel has a tensor that begins there, of two rows with so many floats each.
void begin_tensor_at(const float* data, uint32_t row) {
  PTOTensor tensor{};
  tensor.address = reinterpret_cast<uint64_t>(data);
  tensor.shape[0] = 2;
  tensor.shape[1] = tensor.strides[0] = row;
  tensor.strides[1] = 1;
  tensor.dtype = DataType::FLOAT32;
  tensor.ndims = 2;
  pto::detail::call_tensors.tensors[0] = pto::detail::TensorMemory(0, tensor);
  pto::detail::call_tensors.count = 1;
}

/// Uses both slots that the runtime has for a pipe, right before a tensor, and then what lies
/// before the slots.
void use_slots_beside_a_tensor(int64_t* args) {
  using Pipe = pto::TPipe<1, pto::DIR_V2C, square_bytes, 2>;
  constexpr auto split = pto::TileSplitAxis::TILE_UP_DOWN;
  pto::detail::begin_call(args);
  Pipe pipe(nullptr, 0, 0);
  OfVector tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1);
  pipe_barrier(PIPE_ALL);
  SlotView slot;
  pto::TALLOC<Pipe, SlotView, split>(pipe, slot);
  float* const first = slot.data();
  constexpr int parts = 2;  // of a slot, which has one per vector core
  begin_tensor_at(first + 2 * parts * square_edge * square_edge, 1024);
  TSTORE(slot, tile);
  pto::TPUSH<Pipe, SlotView, split>(pipe, slot);
  pto::TPUSH<Pipe, OfVector, split>(pipe, tile);
  pipe_barrier(PIPE_ALL);
  TLOAD(tile, SlotView(first - 16));
  pto::detail::end_call();
}

TEST(PipeEnds, HaveSlotsThatMayLieBesideATensor) {
  constexpr KernelEntry kernels[] = {use_slots_beside_a_tensor};
  const bool others_know_peers = std::exchange(pto::detail::knows_peers, false);
  const RunResult result =
      launch(small_device(), executors::SeededOptions{.seed = 1},
             {kernels,
              [](PTO2Runtime* rt) {
                pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0,
                                              pto2_rt_allocate_cluster(rt));
              },
              {}});
  pto::detail::knows_peers = others_know_peers;
  EXPECT_THAT(result.error.message,
              AllOf(HasSubstr("TLOAD at "), HasSubstr("src begins 4160 bytes before the tensor of "
                                                      "argument 0, which has 8192")));
}

/// Where there are more pipes than are remembered, nothing is called a mistake of that kind.
TEST(PipeEnds, OfManyPipesMayLieAnywhere) {
  pto::detail::CallTensors call;
  for (int again = 0; again < 2; ++again)  // as of a pipe that is made once more
    for (uintptr_t begin = 1000; begin < 17000; begin += 1000) call.add_other({begin, begin + 100});
  EXPECT_TRUE(call.is_other(1000) && call.is_other(1099) && call.is_other(16000));
  EXPECT_FALSE(call.is_other(999) || call.is_other(1100) || call.is_other(17000));
  call.add_other({17000, 17100});
  EXPECT_TRUE(call.is_other(17000) && call.is_other(1100));
}

}  // namespace
}  // namespace pto2::test
