/// The instructions between chips: copies part by part, signals, transfers beside the core.
#include <gmock/gmock.h>

#include "pto/backend/sdma/sdma_completion_kernel.h"
#include "pto/intrinsic.h"
#include "pto/pto_async_kernel_api.h"
#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test::chips {
namespace {

using pto::AtomicType;
using pto::GlobalTensor;
using pto::Layout;
using pto::Shape;
using pto::Stride;
using pto::TileType;
using pto::comm::NotifyOp;
using pto::comm::Signal;
using pto::comm::WaitCmp;
using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// What the kernel is told; empty: nothing.
template <class Kernel>
std::string told_by(Kernel kernel) {
  try {
    kernel();
  } catch (const std::exception& finding) {
    return finding.what();
  }
  return "";
}

/// A view of two blocks of five rows of 11 elements, in a tensor with gaps.
using Gapped = GlobalTensor<float, Shape<1, 2, 1, 5, 11>, Stride<300, 150, 150, 25, 2>>;
constexpr std::size_t gapped_elements = 320;

std::vector<float> random_floats(std::size_t n) {
  std::vector<float> values(n);
  std::generate(values.begin(), values.end(), random_element<float>);
  return values;
}

/// copy(dst, src) makes the elements of the view what combine(old, new) is, and no others.
template <class Copy, class Combine>
void expect_copied(Copy copy, Combine combine) {
  std::vector<float> source = random_floats(gapped_elements), target = source;
  std::generate(target.begin(), target.end(), random_element<float>);
  auto expected = target;
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 11; ++j) {
        const std::size_t at = block * 150 + i * 25 + j * 2;
        expected[at] = combine(expected[at], source[at]);
      }
  copy(Gapped(target.data()), Gapped(source.data()));
  EXPECT_EQ(target, expected);
}
const auto new_one = [](float, float value) { return value; };
const auto sum = [](float old, float value) { return old + value; };

/// The parts at the end are smaller than the tile.
TEST(Comm, CopiesGoPartByPart) {
  RowTile<float, 2, 8> ping(1, 3), pong(2, 8);
  TASSIGN(ping, 0);
  TASSIGN(pong, 64);
  using pto::comm::TGET;
  using pto::comm::TPUT;
  expect_copied([&](auto dst, auto src) { TPUT(dst, src, ping); }, new_one);
  expect_copied([&](auto dst, auto src) { TPUT(dst, src, ping, pong); }, new_one);
  expect_copied([&](auto dst, auto src) { TPUT<AtomicType::AtomicAdd>(dst, src, ping); }, sum);
  expect_copied([&](auto dst, auto src) { TPUT(dst, src, ping, AtomicType::AtomicAdd); }, sum);
  expect_copied([&](auto dst, auto src) { TGET(dst, src, ping); }, new_one);
  expect_copied([&](auto dst, auto src) { TGET(dst, src, ping, pong); }, new_one);
  EXPECT_EQ(ping.GetValidRow(), 1) << "the tile's own";
  EXPECT_EQ(ping.GetValidCol(), 3);
}

TEST(Comm, CopiesThatCannotBe) {
  float memory[gapped_elements] = {};
  const Gapped view(memory);
  RowTile<float, 2, 8> ping(2, 8), pong(2, 8);
  TASSIGN(ping, 0);
  TASSIGN(pong, 32);
  using pto::comm::TPUT;
  EXPECT_THAT(told_by([&] { TPUT(view, view, ping, pong); }),
              AllOf(HasSubstr("TPUT at "), HasSubstr("overlaps ping")));
  const GlobalTensor<float, Shape<1, 2, 1, 5, 10>, Stride<300, 150, 150, 25, 2>> narrow(memory);
  EXPECT_THAT(told_by([&] { TPUT(narrow, view, ping); }),
              HasSubstr("dimension 4 of dst is 10, that of src 11"));
  EXPECT_THAT(told_by([&] { TPUT(view, view, ping, AtomicType::AtomicMax); }),
              HasSubstr("adds or copies"));
  pto::Tile<TileType::Vec, float, 2, 8> fixed;
  TASSIGN(fixed, 0);
  EXPECT_THAT(told_by([&] { TPUT(view, view, fixed); }),
              HasSubstr("the 5 rows are no multiple of the 2"));
  RowTile<float, 2, 8> nowhere(2, 8);
  EXPECT_THAT(told_by([&] { pto::comm::TGET(view, view, nowhere); }),
              AllOf(HasSubstr("TGET at "), HasSubstr("has no address")));
}

/// A tensor that goes nowhere; one with a size of 0 has nothing to copy.
TEST(Comm, CopiesOfViewsThatGoNowhere) {
  using Rows = GlobalTensor<float, Shape<1, 1, 1, -1, 8>, Stride<1, 1, 1, -1, 1>>;
  std::vector<float> memory(64);
  RowTile<float, 2, 8> tile(2, 8);
  TASSIGN(tile, 0);
  using pto::comm::TGET;
  using pto::comm::TPUT;
  const auto rows = [&](int64_t count, int64_t stride) {
    return Rows(memory.data() + 24, {count}, {stride});
  };
  EXPECT_EQ(told_by([&] { TPUT(rows(3, 8), rows(3, 0), tile); }), "");
  EXPECT_THAT(told_by([&] { TPUT(rows(3, -8), rows(3, 8), tile); }),
              AllOf(HasSubstr("TPUT at "), HasSubstr("dst has a stride of -8 in dimension 3")));
  EXPECT_THAT(told_by([&] { TGET(rows(3, 8), rows(3, -8), tile); }),
              AllOf(HasSubstr("TGET at "), HasSubstr("src has a stride of -8 in dimension 3")));
  EXPECT_THAT(told_by([&] { TPUT(Rows(memory.data()), Rows(memory.data()), tile); }),
              HasSubstr("dst has a size of -1 in dimension 3"));
  EXPECT_EQ(told_by([&] { TPUT(rows(0, 8), rows(0, 8), tile); }), "");
}

/// Which no kernel has given: it is no kernel's word that there is nothing to do.
TEST(Comm, ValidRegionsThatAreNotGivenStaySo) {
  float memory[gapped_elements] = {};
  const Gapped view(memory);
  RowTile<float, 2, 8> ping, pong;
  TASSIGN(ping, 0);
  TASSIGN(pong, 64);
  pto::comm::TPUT(view, view, ping, pong);
  EXPECT_THAT(told_by([&] { TEXPANDS(ping, 1); }), HasSubstr("has no valid element"));
  EXPECT_THAT(told_by([&] { TEXPANDS(pong, 1); }), HasSubstr("has no valid element"));
}

TEST(Comm, Signals) {
  int32_t words[8] = {};
  Signal signal(&words[3]);
  TNOTIFY(signal, 5, NotifyOp::Set);
  TNOTIFY(signal, 2, NotifyOp::AtomicAdd);
  EXPECT_EQ(words[3], 7);
  EXPECT_EQ(words[2] + words[4], 0);
  struct Case {
    WaitCmp cmp;
    bool below, equal, above;  // whether 7 compares so with 8, 7 and 6
  };
  for (const auto& [cmp, below, equal, above] :
       {Case{WaitCmp::EQ, false, true, false}, Case{WaitCmp::NE, true, false, true},
        Case{WaitCmp::GT, false, false, true}, Case{WaitCmp::GE, false, true, true},
        Case{WaitCmp::LT, true, false, false}, Case{WaitCmp::LE, true, true, false}}) {
    EXPECT_EQ(TTEST(signal, 8, cmp), below) << static_cast<int>(cmp);
    EXPECT_EQ(TTEST(signal, 7, cmp), equal) << static_cast<int>(cmp);
    EXPECT_EQ(TTEST(signal, 6, cmp), above) << static_cast<int>(cmp);
  }
  TWAIT(signal, 7, WaitCmp::GE);
  // All of several.
  pto::comm::Signal2D<2, 3> matrix(words);
  EXPECT_FALSE(TTEST(matrix, 1, WaitCmp::LT));
  words[3] = 0;
  EXPECT_TRUE(TTEST(matrix, 1, WaitCmp::LT));
}

TEST(Comm, SignalsThatCannotBe) {
  int32_t words[8] = {};
  Signal signal(words);
  EXPECT_THAT(
      told_by([&] { TWAIT(signal, 1, WaitCmp::GE); }),
      AllOf(HasSubstr("TWAIT at "), HasSubstr("a signal is 0 and shall be >= 1, and nobody")));
  pto::comm::Signal2D<2, 3> matrix(words);
  EXPECT_THAT(told_by([&] { TNOTIFY(matrix, 1, NotifyOp::Set); }),
              HasSubstr("there are several signals"));
  EXPECT_THAT(told_by([&] { TTEST(Signal(nullptr), 1, WaitCmp::EQ); }), HasSubstr("no address"));
  auto* const odd = reinterpret_cast<int32_t*>(reinterpret_cast<char*>(words) + 1);
  EXPECT_THAT(told_by([&] { TNOTIFY(Signal(odd), 1, NotifyOp::Set); }), HasSubstr("not aligned"));
}

template <int N>
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, N>, Stride<N, N, N, N, 1>>;

TEST(Comm, TransfersBesideTheCore) {
  std::vector<float> source = random_floats(16), target(16);
  Row<16> to(target.data()), from(source.data());
  pto::Tile<TileType::Vec, uint8_t, 1, SDMA_SCRATCH_ALIGNMENT> scratch;
  pto::comm::AsyncSession session;
  ASSERT_TRUE(BuildAsyncSession(scratch, get_dma_workspace(nullptr, DMA_WORKSPACE_SDMA), session));
  EXPECT_TRUE(pto::comm::TPUT_ASYNC(to, from, session).Wait(session));
  EXPECT_EQ(target, source);
  target.assign(16, 0);
  EXPECT_TRUE(pto::comm::TGET_ASYNC(to, from, session).Test(session));
  EXPECT_EQ(target, source);
  target.assign(16, 0);
  send_request_entry(get_async_ctx(nullptr), SdmaTget(to, from, scratch, nullptr));
  EXPECT_EQ(target, source);
  EXPECT_FALSE(BuildAsyncSession(scratch, nullptr, session));
  EXPECT_FALSE(TPREFETCH_ASYNC(from, pto::PrefetchAsyncContext(nullptr)).Wait(session));
  // Only rows without gaps.
  target.assign(16, 0);
  const GlobalTensor<float, Shape<1, 1, 1, 2, 8>, Stride<16, 16, 16, 8, 1>> rows(target.data());
  const GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<16, 16, 16, 16, 2>> gaps(target.data());
  EXPECT_FALSE(pto::comm::TPUT_ASYNC(rows, rows, session).valid());
  EXPECT_FALSE(pto::comm::TPUT_ASYNC(gaps, Row<8>(source.data()), session).valid());
  EXPECT_EQ(target, std::vector<float>(16));
  source.resize(200);
  const GlobalTensor<float, Shape<2, 1, 1, 1, 8>, Stride<100, 8, 8, 8, 1>, Layout::DN> apart(
      source.data());
  const GlobalTensor<float, Shape<2, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>, Layout::DN> together(
      target.data());
  EXPECT_FALSE(pto::comm::TGET_ASYNC(together, apart, session).valid());
  EXPECT_FALSE(pto::comm::TGET_ASYNC(apart, together, session).valid());
  EXPECT_EQ(target, std::vector<float>(16));
  const GlobalTensor<float, Shape<2, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>, Layout::DN> first(
      source.data());
  EXPECT_TRUE(pto::comm::TGET_ASYNC(together, first, session).valid());
  EXPECT_THAT(target, ElementsAreArray(source.data(), 16));
  EXPECT_THAT(told_by([&] { send_request_entry({}, SdmaTget(rows, rows, scratch, nullptr)); }),
              HasSubstr("rows of contiguous elements"));
}

TEST(Comm, TransfersOfNothingBesideTheCore) {
  using Part = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<8, 8, 8, 8, 1>>;
  std::vector<float> source(8, 1), target(8);
  const pto::comm::AsyncSession session;
  const auto copied = [&](int64_t rows, int64_t cols, int64_t source_cols) {
    const Part to(target.data(), {rows, cols}), from(source.data(), {rows, source_cols});
    const bool is_put = pto::comm::TPUT_ASYNC(to, from, session).valid();
    EXPECT_EQ(pto::comm::TGET_ASYNC(to, from, session).valid(), is_put);
    return is_put;
  };
  EXPECT_TRUE(copied(1, 0, 0));
  EXPECT_TRUE(copied(0, 8, 8));
  EXPECT_FALSE(copied(1, 0, 8));
  EXPECT_FALSE(copied(1, 8, 0));
  EXPECT_TRUE(pto::comm::TGET_ASYNC(Part(nullptr, {1, 0}), Part(nullptr, {1, 0}), session).valid());
  EXPECT_EQ(target, std::vector<float>(8));
  EXPECT_THAT(told_by([&] { copied(1, -1, -1); }),
              HasSubstr("src has a size of -1 in dimension 4"));
}

/// Its rows would divide those of the tensors.
TEST(Comm, ATileWithoutRowsCopiesNothing) {
  std::vector<float> source = random_floats(16), target(16);
  const Row<16> to(target.data()), from(source.data());
  pto::Tile<TileType::Vec, float, 8, 16, pto::BLayout::RowMajor, 0, 16> flat;
  pto::Tile<TileType::Vec, float, 8, 16, pto::BLayout::RowMajor, 0, 0> nothing;
  TASSIGN(flat, 0);
  TASSIGN(nothing, 0);
  EXPECT_THAT(told_by([&] { pto::comm::TPUT(to, from, flat); }), HasSubstr("no valid element"));
  EXPECT_EQ(told_by([&] { pto::comm::TPUT(to, from, nothing); }), "");
  EXPECT_EQ(target, std::vector<float>(16));
}

/// Memory that lies beside a tensor may be another rank's, but for what is loaded by itself.
TEST(Comm, PeersMayLieBesideATensor) {
  static float memory[32] = {};  // in the same image, which makes it no other memory
  struct {
    PTOTensor tensor;
    PTOCall call;
    int64_t args[1];
  } of_kernel{};
  of_kernel.tensor = {reinterpret_cast<uint64_t>(memory), {16}, {1}, DataType::FLOAT32, 1};
  of_kernel.call.params = 1;
  of_kernel.args[0] = reinterpret_cast<int64_t>(&of_kernel.tensor);
  pto::detail::begin_call(of_kernel.args);
  RowTile<float, 1, 8> tile(1, 8);
  TASSIGN(tile, 0);
  const Row<8> own(memory), beside(memory + 20);
  EXPECT_THAT(told_by([&] { TLOAD(tile, beside); }), HasSubstr("src begins 16 bytes behind"));
  EXPECT_EQ(told_by([&] {
              pto::comm::TPUT(beside, own, tile);
              pto::comm::TGET(own, beside, tile);
              TNOTIFY(Signal(reinterpret_cast<int32_t*>(memory + 17)), 1, NotifyOp::Set);
            }),
            "");
  // Not in part.
  EXPECT_THAT(told_by([&] { pto::comm::TPUT(Row<8>(memory + 12), own, tile); }),
              HasSubstr("dst reaches 16 bytes beyond"));
  pto::detail::call_tensors = {};
}

/// Between begin and end of a call, as kernel_entry.h has them.
template <class Body>
std::string told_by_kernel(Body body) {
  return told_by([&] {
    struct {
      PTOCall call;
      int64_t args[1];
    } of_kernel{};
    pto::detail::begin_call(of_kernel.args);
    body(get_async_ctx(of_kernel.args));
    pto::detail::end_call();
  });
}

/// A kernel may stop waiting by itself.
TEST(Comm, TestsThatNobodyAnswers) {
  int32_t word = 0;
  int tests = 0;
  EXPECT_EQ(told_by_kernel([&](const AsyncCtx&) {
              while (!TTEST(Signal(&word), 1, WaitCmp::GE) && tests < 100'000) ++tests;
            }),
            "");
  EXPECT_EQ(tests, 100'000);
}

TEST(Comm, ConditionsOfCompletion) {
  uint32_t counters[2] = {3, 0};
  EXPECT_EQ(told_by_kernel([&](const AsyncCtx& task) {
              save_expected_notification_counter(task, &counters[0], 3);
              save_expected_notification_counter(task, &counters[1], 1);
              // Not before the body has returned.
              send_notification(reinterpret_cast<int32_t*>(&counters[1]), 1, NotifyOp::AtomicAdd);
            }),
            "");
  EXPECT_THAT(told_by_kernel([&](const AsyncCtx& task) {
                save_expected_notification_counter(task, &counters[0], 4);
              }),
              HasSubstr("a counter is 3 and shall be >= 4, and nobody"));
  EXPECT_EQ(told_by_kernel([](const AsyncCtx&) {}), "") << "those of the former kernel are gone";
  EXPECT_THAT(told_by_kernel([&](const AsyncCtx& task) {
                for (int32_t i = 0; i <= MAX_COMPLETIONS_PER_TASK; ++i)
                  save_expected_notification_counter(task, &counters[0], 0);
              }),
              HasSubstr("has 64 conditions already"));
  EXPECT_THAT(told_by_kernel([](const AsyncCtx& task) {
                save_expected_notification_counter(task, nullptr, 1);
              }),
              HasSubstr("a counter is at address 0"));
  EXPECT_THAT(told_by_kernel([](const AsyncCtx& task) {
                detail::defer_error(task, PTO2_ERROR_ASYNC_COMPLETION_INVALID);
              }),
              HasSubstr("cannot complete: error 101"));
}

}  // namespace
}  // namespace pto2::test::chips
