/// Kernels that run at the same time: here one is called in the middle of another.
#include "runtime/guard/memory_guard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "runtime/guard/tensor_bytes.hpp"
#include "runtime/guard/values.hpp"

namespace pto2::guard::test {
namespace {

using Kind = GuardFinding::Kind;
using When = GuardFinding::When;
using Body = std::function<void()>;

void call_body(int64_t* args) {
  (*reinterpret_cast<const Body*>(args[0]))();
}

/// A matrix of the caller, and views of it.
class Together : public testing::Test {
 protected:
  Together() {
    const uint64_t shape[] = {8, 64};
    tensors_.scope_begin();
    all_ = tensors_.make(reinterpret_cast<uint64_t>(memory_.data()), shape, 2, DataType::FLOAT32)
               .handle;
  }
  uint64_t columns(uint64_t first, uint64_t count) {
    const uint64_t shape[] = {8, count};
    const uint64_t offsets[] = {0, first};
    return tensors_.view(all_, shape, offsets).handle;
  }
  GuardFinding find(const std::vector<PTOParam>& params, const Body& body) {
    const uint32_t number = next_++;
    std::vector<const TensorRecord*> tensors;
    for (const PTOParam& param : params) tensors.push_back(tensors_.find(param.tensor.id));
    const TaskId id = make_id(RingId(0), number);
    EXPECT_FALSE(guard_.open({id, 0, params, tensors, 1, 0, 0}));
    int64_t args[] = {reinterpret_cast<int64_t>(&body)};
    return guard_.of(number % 4).run(id, call_body, args);
  }
  GuardFinding::Kind run(const std::vector<PTOParam>& params, const Body& body) {
    return find(params, body).kind;
  }
  /// A tensor of eight floats in a buffer of the heap, which a task has written.
  uint64_t of_heap(float* buffer) {
    const uint64_t shape[] = {8};
    const uint64_t tensor = tensors_.make(0, shape, 1, DataType::FLOAT32).handle;
    tensors_.set_buffer(tensor, reinterpret_cast<uint64_t>(buffer),
                        {make_id(RingId(0), next_), 0, 1});
    EXPECT_EQ(run({make_output_param({tensor})}, [&] { std::fill_n(buffer, 8, 1.0F); }),
              Kind::none);
    return tensor;
  }

  std::array<float, 512> memory_{};
  TensorTable tensors_;
  uint64_t all_ = 0;
  MemoryGuard guard_{1, 16, 4, true};
  uint32_t next_ = 0;
};

PTOParam input(uint64_t tensor) {
  return make_input_param({tensor});
}
PTOParam inout(uint64_t tensor) {
  return make_inout_param({tensor});
}

TEST_F(Together, NobodyElseWritesAnInput) {
  EXPECT_EQ(run({input(all_)}, [this] { memory_[3] = 1; }), Kind::input);
  EXPECT_EQ(run({input(all_)}, [] {}), Kind::none);
}

/// Whichever of them began first.
TEST_F(Together, OneWritesWhatTheOtherReads) {
  const Body write = [this] { memory_[3] += 1; };
  EXPECT_EQ(run({input(all_)}, [&] { EXPECT_EQ(run({inout(all_)}, write), Kind::none); }),
            Kind::none);
  EXPECT_EQ(run({inout(all_)},
                [&] {
                  EXPECT_EQ(run({input(all_)}, write), Kind::none);
                  EXPECT_EQ(run({input(all_)}, [] {}), Kind::none);
                }),
            Kind::none);
}

/// One that writes elsewhere in the same rows is no excuse.
TEST_F(Together, ADisjointWriterIsNoExcuse) {
  const Body read = [this] { memory_[3] += 1; };
  EXPECT_EQ(run({inout(columns(32, 8))},
                [&] { EXPECT_EQ(run({input(columns(0, 8))}, read), Kind::input); }),
            Kind::none);
}

/// Also if the buffer of both has come to begin elsewhere when the other begins.
TEST_F(Together, ADisjointWriterIsNoExcuseInABufferThatGrows) {
  const uint64_t left = columns(0, 8);
  const uint64_t right = columns(8, 8);
  const Body write_left = [this] { memory_[3] += 1; };
  const Body grow = [&] {
    const uint64_t shape[] = {32};
    const auto in_front = reinterpret_cast<uint64_t>(memory_.data()) - 64;
    ASSERT_TRUE(tensors_.make(in_front, shape, 1, DataType::FLOAT32).ok());
    (void)run({inout(right)}, write_left);
  };
  EXPECT_EQ(run({input(left)}, grow), Kind::input);
}

/// Margins are another's to write, if it has them.
TEST_F(Together, NeighboursMeetInTheMargin) {
  const Body right = [this] { memory_[8] += 1; };
  EXPECT_EQ(run({inout(columns(0, 8))},
                [&] { EXPECT_EQ(run({inout(columns(8, 8))}, right), Kind::none); }),
            Kind::none);
  EXPECT_EQ(run({inout(columns(0, 8))}, right), Kind::beside);
}

/// The same behind the last element, which is in the margin of a buffer of the heap.
TEST_F(Together, NeighboursMeetInTheMarginOfABuffer) {
  const auto inout_rows = [this](uint64_t first) {
    const uint64_t shape[] = {4, 64};
    const uint64_t offsets[] = {first, 0};
    GuardedTask task;
    task.params.push_back({.tensor = *tensors_.find(tensors_.view(all_, shape, offsets).handle),
                           .type = PTOParamType::INOUT,
                           .buffer_bytes = sizeof memory_});
    return task;
  };
  const GuardedTask upper = inout_rows(0);
  const GuardedTask lower = inout_rows(4);
  for (const bool run_together : {false, true}) {
    WatchedKernel kernel;
    kernel.watch(upper);
    if (run_together) kernel.join(lower);
    kernel.copy();
    memory_[4 * 64] += 1;
    EXPECT_EQ(kernel.find_change().has_value(), !run_together);
  }
}

/// A task may show its kernel one tensor twice, or two that are neighbours.
TEST_F(Together, WhatATaskWritesItselfIsItsOwn) {
  EXPECT_EQ(run({input(all_), inout(all_)}, [this] { memory_[3] += 1; }), Kind::none);
  EXPECT_EQ(run({input(columns(0, 8)), inout(columns(8, 8))}, [this] { memory_[8] += 1; }),
            Kind::none);
}

/// It ends when its kernel does, however that ends.
TEST_F(Together, AKernelThatThrowsHasEnded) {
  EXPECT_THROW(run({inout(all_)}, [] { throw 1; }), int);
  EXPECT_EQ(run({input(all_)}, [this] { memory_[3] += 1; }), Kind::input);
}

/// Who wrote behind a buffer is known of a kernel that ran alone. Else it may be the other, whether
/// that was given the buffer or not, and whichever began first.
TEST_F(Together, SeveralAreNotTakenForOne) {
  alignas(packed_output_alignment) std::array<float, 3 * packed_output_alignment / 4> heap{};
  float* const buffer = heap.data() + packed_output_alignment / 4;
  const uint64_t tensor = of_heap(buffer);
  const auto finds = [&](When when, const std::vector<PTOParam>& params, const Body& body) {
    const GuardFinding found = find(params, body);
    EXPECT_EQ(found.kind, Kind::behind);
    EXPECT_EQ(found.when, when);
  };
  const Body spoil = [&] { ++reinterpret_cast<unsigned char*>(buffer)[32]; };
  finds(When::together, {input(tensor)}, [&] { EXPECT_EQ(run({input(all_)}, spoil), Kind::none); });
  paint_zones(reinterpret_cast<uint64_t>(buffer), 32);
  finds(When::together, {input(tensor)}, [&] { finds(When::together, {input(tensor)}, spoil); });
  paint_zones(reinterpret_cast<uint64_t>(buffer), 32);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run({input(tensor)}, [] {}), Kind::none);
  finds(When::during, {input(tensor)}, spoil);
}

/// The same of an INPUT.
TEST_F(Together, AnInputIsChangedByOneOfSeveral) {
  const Body write = [this] { memory_[3] += 1; };
  const auto finds = [&](When when, const Body& body) {
    const GuardFinding found = find({input(all_)}, body);
    EXPECT_EQ(found.kind, Kind::input);
    EXPECT_EQ(found.when, when);
  };
  finds(When::together, [&] { finds(When::together, write); });
  finds(When::during, write);
}

/// NaN that another has made meanwhile.
TEST_F(Together, OneMakesNaNWhereTheOtherWrites) {
  const Body spoil = [this] { memory_[3] = std::numeric_limits<float>::quiet_NaN(); };
  EXPECT_EQ(
      run({make_output_param({all_})}, [&] { EXPECT_EQ(run({inout(all_)}, spoil), Kind::none); }),
      Kind::none);
  EXPECT_EQ(run({make_output_param({all_})}, [] {}), Kind::none) << "it was there";
  memory_[3] = 0;
  EXPECT_EQ(run({make_output_param({all_})}, spoil), Kind::nan);
}

/// Tasks beside a new output of eight floats, of which they write half.
class HalfWritten : public Together {
 protected:
  /// Whether the output of such a task, with another parameter, is told when it is read.
  bool is_told_beside(const PTOParam& other) {
    const uint64_t shape[] = {8};
    const uint64_t tensor = tensors_.make(0, shape, 1, DataType::FLOAT32).handle;
    tensors_.set_buffer(tensor, reinterpret_cast<uint64_t>(buffer_),
                        {make_id(RingId(0), next_), 0, 1});
    const Body write_half = [&] { std::fill_n(buffer_, 4, 1.0F); };
    EXPECT_EQ(run({other, make_output_param({tensor})}, write_half), Kind::none);
    const bool is_told = run({input(tensor)}, [] {}) == Kind::unwritten;
    (void)guard_.close();
    return is_told;
  }
  bool is_told_of(uint32_t bits) {
    std::memcpy(&memory_[3], &bits, sizeof bits);
    return is_told_beside(input(all_));
  }
  /// The same of an element of two bytes.
  bool is_told_of(DataType type, uint16_t bits) {
    alignas(64) std::array<uint16_t, 32> narrow{};
    narrow[5] = bits;
    const uint64_t shape[] = {narrow.size()};
    return is_told_beside(
        input(tensors_.make(reinterpret_cast<uint64_t>(narrow.data()), shape, 1, type).handle));
  }

  alignas(packed_output_alignment) std::array<float, 3 * packed_output_alignment / 4> heap_{};
  float* const buffer_ = heap_.data() + packed_output_alignment / 4;
};

/// It is told of whatever NaN the task has read, unless what it read was unwritten, too, or may
/// have been.
TEST_F(HalfWritten, OnlyWhatIsUnwrittenMayComeFromAnInput) {
  EXPECT_TRUE(is_told_of(0));
  EXPECT_TRUE(is_told_of(0x7fc00000));
  EXPECT_FALSE(is_told_of(0xffffffff));
  for (int i = 0; i < 14; ++i) EXPECT_EQ(run({input(all_)}, [] {}), Kind::none);
  EXPECT_TRUE(is_told_of(0xffc00000)) << "in the slot of that task";
  EXPECT_FALSE(is_told_beside(make_pipe_in_param(0)));
  EXPECT_TRUE(is_told_beside(make_scalar_param(1)));
}

/// Where a kernel has made a float of an unwritten element of another type, the next one may make
/// the pattern of it again.
TEST_F(HalfWritten, OnlyWhatIsUnwrittenMayComeFromAnInputOfAnotherType) {
  EXPECT_FALSE(is_told_of(0xffffe000)) << "of half";
  EXPECT_FALSE(is_told_of(0xffff0000)) << "of bfloat16";
  EXPECT_TRUE(is_told_of(0xfffeffff));
  EXPECT_TRUE(is_told_of(0x7fffe000));
  EXPECT_FALSE(is_told_of(DataType::FLOAT16, 0xffff));
  EXPECT_FALSE(is_told_of(DataType::FLOAT16, 0xfff8)) << "of bfloat16";
  EXPECT_TRUE(is_told_of(DataType::FLOAT16, 0xfff7));
  EXPECT_FALSE(is_told_of(DataType::BFLOAT16, 0xffff));
  EXPECT_TRUE(is_told_of(DataType::BFLOAT16, 0xfffe));
}

/// What another writes meanwhile may have been unwritten when the task read it.
TEST_F(HalfWritten, WhatAnotherWritesMayBeUnwritten) {
  EXPECT_TRUE(is_told_beside(input(all_)));
  EXPECT_EQ(run({inout(all_)}, [&] { EXPECT_FALSE(is_told_beside(input(all_))); }), Kind::none);
}

/// What an OUTPUT finds in its memory is nothing that the task has read.
TEST_F(HalfWritten, WhatIsWrittenOverIsNotRead) {
  fill(*tensors_.find(all_));
  EXPECT_TRUE(is_told_beside(make_output_param({all_})));
}

/// The slots of sixteen tasks go round: what a former task read or did is not of the next.
TEST_F(Together, ASlotForgetsTheFormerTask) {
  const Body spoil = [this] { memory_[3] = std::numeric_limits<float>::quiet_NaN(); };
  spoil();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(run({inout(all_)}, [] {}), Kind::none);
  EXPECT_EQ(run({inout(all_)}, spoil), Kind::none) << "it was there";
  memory_[3] = 0;
  for (int i = 0; i < 16; ++i) EXPECT_EQ(run({inout(all_)}, [] {}), Kind::none);
  EXPECT_EQ(run({inout(all_)}, spoil), Kind::nan);
}

using Bytes = std::vector<std::pair<uint64_t, uint64_t>>;

TEST_F(Together, RunsGoUpWithoutGaps) {
  const uint64_t base = reinterpret_cast<uint64_t>(memory_.data());
  const auto runs_of = [&](uint64_t tensor) {
    Bytes runs;
    for_each_run(*tensors_.find(tensor), [&](uint64_t address, uint64_t bytes) {
      runs.emplace_back(address - base, bytes);
    });
    return runs;
  };
  EXPECT_EQ(runs_of(all_), (Bytes{{0, 2048}}));
  EXPECT_EQ(runs_of(tensors_.transpose(all_, 0, 1).handle), (Bytes{{0, 2048}}));
  const uint64_t shape[] = {2, 3};
  const uint64_t offsets[] = {1, 4};
  const uint64_t view = tensors_.view(all_, shape, offsets).handle;
  EXPECT_EQ(runs_of(view), (Bytes{{272, 12}, {528, 12}}));
  EXPECT_EQ(runs_of(tensors_.transpose(view, 0, 1).handle), (Bytes{{272, 12}, {528, 12}}));
}

/// In a buffer of the heap up to its edges, in memory of the caller up to those of the view.
TEST_F(Together, MarginsStayInTheBuffer) {
  const uint64_t base = reinterpret_cast<uint64_t>(memory_.data());
  const uint64_t shape[] = {2, 40};
  const uint64_t offsets[] = {0, 4};
  GuardedParam param{.tensor = *tensors_.find(tensors_.view(all_, shape, offsets).handle)};
  const auto margins = [&] {
    Bytes bytes;
    for_each_margin(param, [&](uint64_t address, uint64_t count) {
      bytes.emplace_back(address - base, count);
    });
    return bytes;
  };
  EXPECT_EQ(margins(), (Bytes{{176, 64}, {240, 32}}));
  param.buffer_bytes = 2048;
  EXPECT_EQ(margins(), (Bytes{{0, 16}, {176, 64}, {240, 32}, {432, 64}}));
  param.buffer_bytes = 440;
  EXPECT_EQ(margins(), (Bytes{{0, 16}, {176, 64}, {240, 32}, {432, 8}}));
}

/// The middle goes round, so that each byte has its turn.
TEST(Samples, CoverALargeTensor) {
  std::vector<uint8_t> seen(100'000, 0);
  TensorTable tensors;
  tensors.scope_begin();
  const uint64_t shape[] = {seen.size()};
  const uint64_t base = reinterpret_cast<uint64_t>(seen.data());
  const TensorRecord& tensor = *tensors.find(tensors.make(base, shape, 1, DataType::UINT8).handle);
  for (uint64_t turn = 0; turn < 20; ++turn) {
    uint64_t bytes = 0;
    for_each_sample(tensor, turn, [&](uint64_t address, uint64_t count) {
      bytes += count;
      std::fill_n(seen.begin() + static_cast<std::ptrdiff_t>(address - base), count, 1);
    });
    EXPECT_EQ(bytes, sampled_bytes);
  }
  EXPECT_EQ(seen, std::vector<uint8_t>(seen.size(), 1));
}

}  // namespace
}  // namespace pto2::guard::test
