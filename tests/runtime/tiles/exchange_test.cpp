/// Kernels that exchange tiles and signals while they run: the cores of a cluster through a TPipe,
/// ranks through each other's windows. On every executor, and on one OS thread.
#define PTO2_KERNEL_CHECKS 2

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pto/intrinsic.h"
#include "pto/platform_comm/comm_context.h"
#include "pto/pto-inst.hpp"
#include "runtime/device/device.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using namespace pto;
using testing::AllOf;
using testing::HasSubstr;

constexpr int rounds = 5, edge = 16, half_edge = edge / 2;
constexpr std::size_t matrix = edge * edge;
using Matrix = GlobalTensor<float, Shape<1, 1, 1, edge, edge>, Stride<256, 256, 256, edge, 1>>;
using InL1 =
    Tile<TileType::Mat, float, edge, edge, BLayout::ColMajor, edge, edge, SLayout::RowMajor>;
using Sum = TileAcc<float, edge, edge>;
template <int Rows, int Cols>
using InUb = Tile<TileType::Vec, float, Rows, Cols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;

/// What all kernels of a cluster get: matrices, what becomes of them, and slots of a pipe.
struct Work {
  std::vector<float> in = std::vector<float>(rounds * matrix);
  std::vector<float> out = std::vector<float>(rounds * matrix, -1.0F);
  std::vector<float> identity = std::vector<float>(matrix);
  std::vector<float> slots = std::vector<float>(4 * matrix);
  bool own_slots = true;

  Work() {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 977);
    for (std::size_t i = 0; i < edge; ++i) identity[i * (edge + 1)] = 1;
  }
  void* slots_or_null() { return own_slots ? slots.data() : nullptr; }
};
Work& work_of(const int64_t* args) {
  return *reinterpret_cast<Work*>(args[0]);
}

void pass_flag(pipe_t from, pipe_t to) {
  set_flag(from, to, EVENT_ID0);
  wait_flag(from, to, EVENT_ID0);
}

/// Two FIFOs of two slots each.
constexpr uint32_t slot_bytes = matrix * sizeof(float);
using Both = TPipe<0, pto::DIR_BOTH, slot_bytes, 2>;

/// Multiplies each matrix by the identity, gives it to the vector cores, and stores what comes
/// back. One is on its way while the next is computed.
template <TileSplitAxis Split>
void on_cube(Work& work) {
  Both pipe(work.slots_or_null(), 0, 0x10000);
  InL1 a, b, back;
  TASSIGN(a, 0);
  TASSIGN(b, slot_bytes);
  TileLeft<float, edge, edge> left;
  TileRight<float, edge, edge> right;
  Sum product;
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(product, 0);
  const auto push = [&](int round) {
    pipe_barrier(PIPE_ALL);
    TLOAD(a, Matrix(work.in.data() + round * matrix));
    TLOAD(b, Matrix(work.identity.data()));
    pass_flag(PIPE_MTE2, PIPE_MTE1);
    TMOV(left, a);
    TMOV(right, b);
    pass_flag(PIPE_MTE1, PIPE_M);
    TMATMUL(product, left, right);
    pass_flag(PIPE_M, PIPE_FIX);
    TPUSH<Both, Sum, Split>(pipe, product);
  };
  push(0);
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) push(round + 1);
    TPOP<Both, InL1, TileSplitAxis::TILE_NO_SPLIT>(pipe, back);
    pass_flag(PIPE_MTE2, PIPE_MTE3);
    TSTORE(Matrix(work.out.data() + round * matrix), back);
    pass_flag(PIPE_MTE3, PIPE_MTE1);
    TFREE<Both, TileSplitAxis::TILE_NO_SPLIT>(pipe);
  }
}

/// Adds 1000 to its part if it is the first of both, else 2000, and gives it back.
template <class Part, TileSplitAxis Split>
void on_vector(Work& work, int lane) {
  Both pipe(work.slots_or_null(), 0, 0x10000);
  // Without parts the first has all, and the second nothing.
  const bool is_idle = Split == TileSplitAxis::TILE_NO_SPLIT && lane != 0;
  Part part(is_idle ? 0 : Part::Rows, is_idle ? 0 : Part::Cols), more(part);
  TASSIGN(more, 0x8000);
  for (int round = 0; round < rounds; ++round) {
    TPOP<Both, Part, Split>(pipe, part);
    EXPECT_EQ(part.address(), round % 2 * static_cast<int64_t>(slot_bytes));
    EXPECT_EQ(pipe.cons.getTileId(), round + 1);
    pass_flag(PIPE_MTE2, PIPE_V);
    if (!is_idle) TADDS(more, part, lane == 0 ? 1000.0F : 2000.0F);
    pass_flag(PIPE_V, PIPE_MTE3);
    TPUSH<Both, Part, Split>(pipe, more);
    pass_flag(PIPE_MTE3, PIPE_V);
  }
}

using Kernel = void (*)(int64_t*);
/// As kernel_entry.h has it.
template <auto Body>
void kernel(int64_t* args) {
  pto::detail::begin_call(args);
  Body(args);
  pto::detail::end_call();
}
template <TileSplitAxis Split>
constexpr Kernel cube_kernel = kernel<[](int64_t* args) { on_cube<Split>(work_of(args)); }>;
template <TileSplitAxis Split, int Rows, int Cols>
constexpr Kernel vector_kernel = kernel<[](int64_t* args) {
  on_vector<InUb<Rows, Cols>, Split>(work_of(args), get_sub_block_id(args));
}>;

/// The same by views of the slots.
void views_on_cube(int64_t* args) {
  Work& work = work_of(args);
  Both pipe(work.slots_or_null(), 0, 0);
  InL1 tile;
  TASSIGN(tile, 0);
  for (int round = 0; round < rounds; ++round) {
    Matrix slot;
    TALLOC<Both, Matrix, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
    TLOAD(tile, Matrix(work.in.data() + round * matrix));
    pass_flag(PIPE_MTE2, PIPE_MTE3);
    TSTORE(slot, tile);
    TPUSH<Both, Matrix, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
    TPOP<Both, Matrix, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
    pipe_barrier(PIPE_ALL);
    TLOAD(tile, slot);
    TFREE<Both, Matrix, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
    pass_flag(PIPE_MTE2, PIPE_MTE3);
    TSTORE(Matrix(work.out.data() + round * matrix), tile);
    pipe_barrier(PIPE_ALL);
  }
}
using Rows = GlobalTensor<float, Shape<1, 1, 1, half_edge, edge>, Stride<128, 128, 128, edge, 1>>;
void views_on_vector(int64_t* args) {
  const int lane = get_sub_block_id(args);
  Both pipe(work_of(args).slots_or_null(), 0, 0);
  InUb<half_edge, edge> tile(half_edge, edge);
  TASSIGN(tile, 0);
  for (int round = 0; round < rounds; ++round) {
    Rows slot;
    TPOP<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
    TLOAD(tile, slot);
    TFREE<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
    pass_flag(PIPE_MTE2, PIPE_V);
    TADDS(tile, tile, lane == 0 ? 1000.0F : 2000.0F);
    pass_flag(PIPE_V, PIPE_MTE3);
    TALLOC<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
    TSTORE(slot, tile);
    TPUSH<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
    pipe_barrier(PIPE_ALL);
  }
}

/// Of one of two ranks, whose windows hold a signal and, from element 16 on, a row.
struct Rank {
  CommContext context{};
  std::vector<float> window = std::vector<float>(80);
  float sum = 0;
  float kept = 0;  ///< in a tile that was filled before the wait
};
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<64, 64, 64, 64, 1>>;

/// Puts its row into the window of the other, tells it so, and waits for that of the other.
void exchange_rows(int64_t* args) {
  Rank& rank = *reinterpret_cast<Rank*>(args[0]);
  const auto remote = [&](uint32_t peer) {
    return reinterpret_cast<float*>(rank.context.windowsIn[peer]);
  };
  const uint32_t self = rank.context.rankId, peer = 1 - self;
  std::vector<float> own(64, static_cast<float>(self + 1));
  InUb<1, 64> tile(1, 64), kept(1, 64);
  TASSIGN(tile, 0);
  TASSIGN(kept, 0x1000);
  TEXPANDS(kept, static_cast<float>(self + 5));
  comm::TPUT(Row(remote(peer) + 16), Row(own.data()), tile);
  pipe_barrier(PIPE_ALL);
  comm::TNOTIFY(comm::Signal(reinterpret_cast<int32_t*>(remote(peer))), 1,
                comm::NotifyOp::AtomicAdd);
  comm::TWAIT(comm::Signal(reinterpret_cast<int32_t*>(remote(self))), 1, comm::WaitCmp::GE);
  TLOAD(tile, Row(remote(self) + 16));
  pass_flag(PIPE_MTE2, PIPE_S);
  for (int i = 0; i < 64; ++i) rank.sum += tile.GetValue(i);
  rank.kept = kept.GetValue(63);
}

using Body = std::function<void()>;
/// What a test gives it.
void given_body(int64_t* args) {
  (*reinterpret_cast<const Body*>(args[0]))();
}
enum KernelId : int32_t {
  up_down_cube,
  up_down_vector,
  left_right_cube,
  left_right_vector,
  whole_cube,
  whole_vector,
  slots_cube,
  slots_vector,
  ranks,
  given
};
constexpr Kernel kernels_of_all[] = {cube_kernel<TileSplitAxis::TILE_UP_DOWN>,
                                     vector_kernel<TileSplitAxis::TILE_UP_DOWN, half_edge, edge>,
                                     cube_kernel<TileSplitAxis::TILE_LEFT_RIGHT>,
                                     vector_kernel<TileSplitAxis::TILE_LEFT_RIGHT, edge, half_edge>,
                                     cube_kernel<TileSplitAxis::TILE_NO_SPLIT>,
                                     vector_kernel<TileSplitAxis::TILE_NO_SPLIT, edge, edge>,
                                     kernel<views_on_cube>,
                                     kernel<views_on_vector>,
                                     kernel<exchange_rows>,
                                     kernel<given_body>};

DeviceConfig device() {
  DeviceConfig config = small_device();
  config.chip.vectors_per_cluster = 2;
  return config;
}
void submit(PTO2Runtime* rt, int32_t id, int type, const void* argument, int32_t cluster) {
  PTOParam params[] = {make_scalar_param(reinterpret_cast<uint64_t>(argument))};
  pto2_rt_submit_task_clustered(rt, id, type, params, 1, cluster);
}
/// The cube's kernel, and the next one on both vector cores.
void submit_three(PTO2Runtime* rt, int32_t cube, const Work& work, int32_t cluster) {
  submit(rt, cube, PTO2_WORKER_CUBE, &work, cluster);
  for (int i = 0; i < 2; ++i) submit(rt, cube + 1, PTO2_WORKER_VECTOR, &work, cluster);
}

/// `is_first`: whether the element is of the first vector core.
void expect_exchanged(const Work& work,
                      const std::function<bool(std::size_t, std::size_t)>& is_first) {
  for (std::size_t i = 0; i < work.out.size(); ++i) {
    const float more = is_first(i % matrix / edge, i % edge) ? 1000.0F : 2000.0F;
    ASSERT_EQ(work.out[i], work.in[i] + more) << i;
  }
}
const auto upper = [](std::size_t row, std::size_t) { return row < half_edge; };
const auto left_ones = [](std::size_t, std::size_t col) { return col < half_edge; };
const auto all = [](std::size_t, std::size_t) { return true; };

using Entry = std::function<void(PTO2Runtime*)>;
using RunOn = std::function<RunResult(const Entry&)>;

/// Every split, on a cluster of its own; and again on each, as the pipes are left.
void expect_splits(const RunOn& run, bool own_slots) {
  std::array<Work, 6> works;
  for (Work& work : works) work.own_slots = own_slots;
  const RunResult result = run([&](PTO2Runtime* rt) {
    for (std::size_t again = 0; again < 2; ++again) {
      PTO2_SCOPE(rt) {
        for (const int32_t cube : {up_down_cube, left_right_cube, whole_cube}) {
          const Work& work = works[again * 3 + static_cast<std::size_t>(cube) / 2];
          submit_three(rt, cube, work, pto2_rt_allocate_cluster(rt));
        }
      }
    }
  });
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  for (std::size_t again = 0; again < 2; ++again) {
    expect_exchanged(works[again * 3], upper);
    expect_exchanged(works[again * 3 + 1], left_ones);
    expect_exchanged(works[again * 3 + 2], all);
  }
}

void expect_ranks(const RunOn& run) {
  std::array<Rank, 2> both;
  for (uint32_t r = 0; r < 2; ++r) {
    CommContext& context = both[r].context;
    context.rankId = r;
    context.rankNum = 2;
    for (uint32_t w = 0; w < 2; ++w)
      context.windowsIn[w] = reinterpret_cast<uint64_t>(both[w].window.data());
  }
  const RunResult result = run([&](PTO2Runtime* rt) {
    for (const Rank& rank : both) submit(rt, ranks, PTO2_WORKER_VECTOR, &rank, -1);
  });
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(both[0].sum, 2 * 64);
  EXPECT_EQ(both[1].sum, 1 * 64);
  EXPECT_EQ(both[0].kept, 5);
  EXPECT_EQ(both[1].kept, 6);
}

/// Two kernels, each of which sets the other's word and polls its own. Whether both have seen it:
/// the first one does not if its thread runs no other kernel meanwhile.
bool have_polled(const RunOn& run) {
  std::array<int32_t, 2> words = {};
  std::array<bool, 2> seen = {};
  std::array<Body, 2> bodies;
  for (std::size_t i = 0; i < 2; ++i)
    bodies[i] = [&own = words[i], &other = words[1 - i], &has_seen = seen[i]] {
      comm::TNOTIFY(comm::Signal(&other), 1, comm::NotifyOp::Set);
      for (int tests = 0; tests < 100'000 && !has_seen; ++tests)
        has_seen = comm::TTEST(comm::Signal(&own), 1, comm::WaitCmp::GE);
    };
  const RunResult result = run([&](PTO2Runtime* rt) {
    for (const Body& body : bodies) submit(rt, given, PTO2_WORKER_VECTOR, &body, -1);
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return seen[0] && seen[1];
}

class Exchange : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunOn on(uint64_t seed) {
    return [seed](const Entry& entry) {
      return run_at(GetParam(), device(), {kernels_of_all, entry, {}}, seed);
    };
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, Exchange, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Exchange, Tiles) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    expect_splits(on(seed), true);
    expect_splits(on(seed), false);
  }
}
TEST_P(Exchange, ViewsOfSlots) {
  Work work;
  const RunResult result = on(1)(
      [&](PTO2Runtime* rt) { submit_three(rt, slots_cube, work, pto2_rt_allocate_cluster(rt)); });
  ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  expect_exchanged(work, upper);
}
TEST_P(Exchange, RowsOfRanks) {
  for (uint64_t seed = 1; seed <= 3; ++seed) expect_ranks(on(seed));
}

TEST_P(Exchange, PolledSignals) {
  for (uint64_t seed = 1; seed <= 3; ++seed) EXPECT_TRUE(have_polled(on(seed)));
}

/// One OS thread, on which all kernels of all clusters wait for each other.
TEST(ExchangeOnOneHost, TilesRowsAndSignals) {
  const RunOn run = [](const Entry& entry) {
    return launch(
        device(),
        executors::TeamOptions{.executor = executors::Executor::packed, .host_threads = 1},
        {kernels_of_all, entry, {}});
  };
  expect_splits(run, true);
  expect_ranks(run);
  EXPECT_TRUE(have_polled(run));
}

/// What the split says of where a part begins gives way to what the kernel says.
TEST(PipeEnd, HasTheOffsetThatItIsGiven) {
  pto::detail::PipeEnd end;
  EXPECT_EQ(end.offset_or(512), 512);
  end.setEntryOffset(0);
  EXPECT_EQ(end.offset_or(512), 0);
}

/// In a simulation, where it takes no time to see that nobody comes.
std::string told(const Entry& entry) {
  const RunResult result =
      launch(device(), executors::SeededOptions{.seed = 1}, {kernels_of_all, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::kernel_threw);
  return result.error.message;
}

/// What the kernel of a cube is told that has a pipe and a view, in a cluster of its own.
template <class View = Matrix, class OfPipe>
std::string told_cube(OfPipe of_pipe) {
  const Body body = [&] {
    Both pipe(nullptr, 0, 0);
    View slot;
    of_pipe(pipe, slot);
  };
  return told([&](PTO2Runtime* rt) {
    submit(rt, given, PTO2_WORKER_CUBE, &body, pto2_rt_allocate_cluster(rt));
  });
}
constexpr TileSplitAxis whole = TileSplitAxis::TILE_NO_SPLIT;

TEST(ExchangeThatCannotBe, IsToldWhy) {
  Work work;
  const auto of_one = [&](int32_t id, int type) {
    return told([&, id, type](PTO2Runtime* rt) {
      submit(rt, id, type, &work, pto2_rt_allocate_cluster(rt));
    });
  };
  EXPECT_THAT(of_one(up_down_vector, PTO2_WORKER_VECTOR),
              AllOf(HasSubstr("TPOP at "), HasSubstr("no entry of the pipe is there; 0 were pushed "
                                                     "and 0 popped by all, and nobody")));
  // Both entries that have room.
  EXPECT_THAT(of_one(up_down_cube, PTO2_WORKER_CUBE),
              AllOf(HasSubstr("TPOP at "), HasSubstr("and nobody changes that")));
  EXPECT_THAT(
      told([&](PTO2Runtime* rt) { submit(rt, up_down_cube, PTO2_WORKER_AI_CPU, &work, -1); }),
      HasSubstr("no core of a cluster"));
  EXPECT_THAT(told_cube([](Both&, Matrix&) {
                TPipe<3, pto::DIR_C2V, 256, 2> pipe(nullptr, 0, 0);
                Sum tile;
                TASSIGN(tile, 0);
                TPUSH<decltype(pipe), Sum, TileSplitAxis::TILE_UP_DOWN>(pipe, tile);
              }),
              HasSubstr(" at L0C 0x0) takes bytes 0 to 1024 of a slot that has 512: give the"));
  EXPECT_THAT(told_cube([](Both& pipe, Matrix& slot) { TFREE<Both, Matrix, whole>(pipe, slot); }),
              HasSubstr("TPOP it first"));
  EXPECT_THAT(told_cube([](Both& pipe, Matrix& slot) { TPUSH<Both, Matrix, whole>(pipe, slot); }),
              HasSubstr("TALLOC one"));
}

/// The same of one that takes a slot, in which its part begins where it says.
template <class View, bool Pushes>
std::string told_of_part(std::optional<int64_t> offset) {
  return told_cube<View>([&](Both& pipe, View& slot) {
    if (offset) (Pushes ? pipe.prod : pipe.cons).setEntryOffset(*offset);
    if constexpr (Pushes) {
      TALLOC<Both, View, whole>(pipe, slot);
    } else {
      TPOP<Both, View, whole>(pipe, slot);
    }
  });
}

/// Slots of the runtime hold what both vector cores have: 2048 bytes.
TEST(ExchangeThatCannotBe, PartsBeyondTheirSlot) {
  using Tall = GlobalTensor<float, Shape<1, 1, 1, 33, edge>, Stride<1, 1, 1, edge, 1>>;
  const auto beyond = [](const char* what, const std::string& bytes) {
    return AllOf(HasSubstr(what),
                 HasSubstr("the view takes bytes " + bytes + " of a slot that has 2048: give"));
  };
  EXPECT_THAT((told_of_part<Tall, true>({})), beyond("TALLOC at ", "0 to 2112"));
  EXPECT_THAT((told_of_part<Tall, false>({})), beyond("TPOP at ", "0 to 2112"));
  EXPECT_THAT((told_of_part<Matrix, true>(1028)), beyond("TALLOC at ", "1028 to 2052"));
  EXPECT_THAT((told_of_part<Matrix, true>(-4)), beyond("TALLOC at ", "-4 to 1020"));
  EXPECT_THAT((told_of_part<Matrix, false>(std::numeric_limits<int64_t>::max() - 4)),
              beyond("TPOP at ", "9223372036854775803 to 9223372036854775807"));
  using Unsized = GlobalTensor<float, Shape<1, 1, 1, -1, edge>, Stride<1, 1, 1, edge, 1>>;
  EXPECT_THAT((told_of_part<Unsized, true>({})),
              HasSubstr("the view has a size of -1 in dimension 3"));
}

/// A tile would take the slot before that of the view.
TEST(ExchangeThatCannotBe, TilesBehindViews) {
  EXPECT_THAT(told_cube([](Both& pipe, Matrix& slot) {
                TALLOC<Both, Matrix, whole>(pipe, slot);
                Sum tile;
                TASSIGN(tile, 0);
                TPUSH<Both, Sum, TileSplitAxis::TILE_UP_DOWN>(pipe, tile);
              }),
              AllOf(HasSubstr("TPUSH at "), HasSubstr("a slot is allocated and not pushed")));
  const Body pops = [] {
    Both pipe(nullptr, 0, 0);
    Matrix slot;
    TPOP<Both, Matrix, whole>(pipe, slot);
    InL1 tile;
    TPOP<Both, InL1, whole>(pipe, tile);
  };
  int32_t cores = 0;  // that run at the same time, so that they are two
  const Body pushes = [&cores] {
    const comm::Signal both(&cores);
    comm::TNOTIFY(both, 1, comm::NotifyOp::AtomicAdd);
    comm::TWAIT(both, 2, comm::WaitCmp::GE);
    Both pipe(nullptr, 0, 0);
    Rows slot;
    TALLOC<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
    TPUSH<Both, Rows, TileSplitAxis::TILE_UP_DOWN>(pipe, slot);
  };
  EXPECT_THAT(told([&](PTO2Runtime* rt) {
                const int32_t cluster = pto2_rt_allocate_cluster(rt);
                submit(rt, given, PTO2_WORKER_CUBE, &pops, cluster);
                for (int i = 0; i < 2; ++i) submit(rt, given, PTO2_WORKER_VECTOR, &pushes, cluster);
              }),
              AllOf(HasSubstr("TPOP at "), HasSubstr("an entry is popped and not free")));
}

}  // namespace
}  // namespace pto2::test
