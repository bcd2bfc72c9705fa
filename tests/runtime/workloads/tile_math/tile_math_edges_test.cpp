/// What lies at the edges: of memory, of a row, of the range of floats.
#include <pthread.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "runtime/cli/fenced_buffer.hpp"
#include "tests/runtime/workloads/tile_math/tile_math_fixture.hpp"

namespace pto2::workloads {
namespace {

/// `count` elements that end where a page begins that nobody may touch: whoever reads or writes the
/// next one dies. An odd count lies as badly as its type may.
template <class T>
class AtTheEnd {
 public:
  explicit AtTheEnd(size_t count)
      : memory_((count * sizeof(T) + line - 1) / line * line), count_(count) {}

  [[nodiscard]] T* data() const { return memory_.as<T>() + memory_.count<T>() - count_; }
  [[nodiscard]] std::span<T> span() const { return {data(), count_}; }

 private:
  static constexpr size_t line = 64;

  cli::FencedBuffer memory_;
  size_t count_;
};

class TileMathEdges : public TileMathTest {};

TEST_P(TileMathEdges, products_touch_nothing_beyond_their_operands) {
  for (const TileShape& t : shapes) {
    const AtTheEnd<uint16_t> query(t.rows * t.depth), keys(t.columns * t.depth);
    const AtTheEnd<uint16_t> weights(t.rows * t.columns);
    const AtTheEnd<float> scores(t.rows * t.columns), out(t.rows * t.depth);
    fill_uniform_half(query.span(), format, -1, 1, 1);
    fill_uniform_half(keys.span(), format, -1, 1, 2);
    fill_uniform_half(weights.span(), format, 0, 1, 3);
    math->scores(format, t, query.data(), t.depth, keys.data(), scores.data());
    math->weighted_values(format, t, weights.data(), keys.data(), out.data());
    double last_score = 0, last_out = 0;
    for (size_t d = 0; d < t.depth; ++d) {
      last_score += value_of(query.span()[(t.rows - 1) * t.depth + d], format) *
                    value_of(keys.span()[(t.columns - 1) * t.depth + d], format);
    }
    for (size_t n = 0; n < t.columns; ++n) {
      last_out += value_of(weights.span()[(t.rows - 1) * t.columns + n], format) *
                  value_of(keys.span()[(n + 1) * t.depth - 1], format);
    }
    EXPECT_NEAR(scores.span().back(), last_score, 1e-4);
    EXPECT_NEAR(out.span().back(), last_out, 1e-4);
  }
}

TEST_P(TileMathEdges, multiply_touches_nothing_beyond_its_operands) {
  for (const size_t side : {1, 3, 16, 33, 100}) {
    const AtTheEnd<float> left(side * side), right(side * side), out(side * side);
    std::ranges::fill(left.span(), 1.0f);
    std::ranges::fill(right.span(), 1.0f);
    math->multiply(side, left.data(), right.data(), out.data());
    EXPECT_EQ(out.span().back(), static_cast<float>(side));
  }
}

TEST_P(TileMathEdges, softmax_and_update_touch_nothing_beyond_their_operands) {
  for (const TileShape& t : shapes) {
    const AtTheEnd<float> scores(t.rows * t.columns), row_max(t.rows), row_sum(t.rows);
    const AtTheEnd<uint16_t> p(t.rows * t.columns);
    fill_uniform_float(scores.span(), -9, 9, 1);
    math->softmax(
        format, t,
        {scores.data(), t.columns, t.columns, 1, p.data(), row_max.data(), row_sum.data()});
    EXPECT_GE(row_sum.span().back(), 0.99f);
    const AtTheEnd<float> block(t.rows * t.depth), accumulator(t.rows * t.depth);
    const AtTheEnd<float> max(t.rows), sum(t.rows), out(t.rows * t.depth);
    std::ranges::fill(block.span(), 3.0f);
    for (const bool first : {true, false}) {
      math->update(t, {row_max.data(), row_sum.data(), block.data(), max.data(), sum.data(),
                       accumulator.data(), out.data(), t.depth, first, true});
    }
    EXPECT_EQ(accumulator.span().back(), 6.0f);
  }
}

TEST_P(TileMathEdges, rows_that_are_no_numbers_leave_the_others_alone) {
  const uint16_t infinity = format == HalfFormat::bfloat16 ? 0x7f80 : 0x7c00;
  for (const TileShape& t : shapes) {
    if (t.rows < 2 || t.columns < 2) continue;
    auto query = random_half(t.rows * t.depth, format, 1);
    auto keys = random_half(t.columns * t.depth, format, 2);
    std::fill_n(query.begin() + static_cast<std::ptrdiff_t>(t.depth), t.depth, infinity);
    std::fill_n(keys.begin() + static_cast<std::ptrdiff_t>(t.depth), t.depth, infinity);
    std::vector<float> scores(t.rows * t.columns);
    math->scores(format, t, query.data(), t.depth, keys.data(), scores.data());
    EXPECT_FALSE(std::isfinite(scores[1]));
    EXPECT_FALSE(std::isfinite(scores[t.columns]));
    EXPECT_TRUE(std::isfinite(scores[0]));

    auto weights = random_half(t.rows * t.columns, format, 3);
    const auto values = random_half(t.columns * t.depth, format, 4);
    std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(t.columns), t.columns, infinity);
    std::vector<float> out(t.rows * t.depth);
    math->weighted_values(format, t, weights.data(), values.data(), out.data());
    for (size_t d = 0; d < t.depth; ++d) {
      ASSERT_TRUE(std::isfinite(out[d])) << d;
      ASSERT_FALSE(std::isfinite(out[t.depth + d])) << d;
    }
  }
}

/// In a vector that is not full, and past the valid columns.
TEST_P(TileMathEdges, softmax_takes_no_maximum_from_what_is_not_there) {
  constexpr size_t columns = 40;
  for (size_t valid = 1; valid <= columns; ++valid) {
    std::vector<float> scores(columns, std::numeric_limits<float>::infinity());
    std::fill_n(scores.begin(), valid, -50.0f);
    scores[valid - 1] = -49.0f;
    std::vector<uint16_t> p(columns);
    float max = unset, sum = unset;
    math->softmax(format, {1, columns, 0},
                  {scores.data(), columns, valid, 1, p.data(), &max, &sum});
    ASSERT_EQ(max, -49.0f) << valid;
    ASSERT_EQ(value_of(p[valid - 1], format), 1.0);
    ASSERT_NEAR(sum, 1 + static_cast<double>(valid - 1) * std::exp(-1), 2e-3 * columns) << valid;
  }
}

/// The one product with 1 is the value itself.
TEST_P(TileMathEdges, every_16_bit_value_is_widened_exactly) {
  const uint16_t one = format == HalfFormat::bfloat16 ? 0x3f80 : 0x3c00;
  std::vector<uint16_t> values(65536);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i);
  std::vector<float> out(values.size()), scores(values.size());
  math->weighted_values(format, {1, 1, values.size()}, &one, values.data(), out.data());
  math->scores(format, {1, values.size(), 1}, &one, 1, values.data(), scores.data());
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = value_of(values[i], format);
    for (const float actual : {out[i], scores[i]}) {
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(actual)) << i;
      } else if (std::abs(expected) < double{std::numeric_limits<float>::min()}) {
        ASSERT_EQ(actual, 0.0f) << i;
      } else {
        ASSERT_EQ(actual, expected) << i;
      }
    }
  }
}

TEST_P(TileMathEdges, subnormals_count_as_zero_while_a_function_runs_and_not_after) {
  constexpr float subnormal = 1e-40f;
  const unsigned before = _mm_getcsr();
  const std::vector<float> ones(1, 1.0f), block(9, subnormal);
  std::vector<float> max(1, 1.0f), sum(1, 1.0f), accumulator(9, subnormal), out(9, unset);
  math->update({1, 0, 9}, {ones.data(), ones.data(), block.data(), max.data(), sum.data(),
                           accumulator.data(), out.data(), 9, false, true});
  EXPECT_EQ(out, std::vector<float>(9, 0.0f));

  const std::vector<float> scores(20, subnormal);
  std::vector<uint16_t> p(20);
  math->softmax(format, {1, 20, 0}, {scores.data(), 20, 20, 1, p.data(), max.data(), sum.data()});
  EXPECT_EQ(max[0], 0.0f);
  std::vector<float> products(400);
  math->scores(format, {1, 1, 20}, p.data(), 20, p.data(), products.data());
  math->weighted_values(format, {1, 20, 1}, p.data(), p.data(), products.data());
  const float large = 1e30f, small = 1e-20f;
  math->multiply(1, &large, &subnormal, products.data());
  EXPECT_EQ(products[0], 0.0f);
  math->multiply(1, &small, &small, products.data());
  EXPECT_EQ(products[0], 0.0f);
  constexpr unsigned flags = 0x3f;  // what has happened since; the rest is how to compute
  EXPECT_EQ(_mm_getcsr() & ~flags, before & ~flags);
}

// Sanitizers put more on a stack than is there without them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Bytes of a thread's stack that change while it runs `function`.
size_t stack_of(const std::function<void()>& function) {
  constexpr std::byte untouched{0xa5};
  std::vector<std::byte> stack(size_t{1} << 18, untouched);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.data(), stack.size());
  const auto run = [](void* what) -> void* {
    (*static_cast<const std::function<void()>*>(what))();
    return nullptr;
  };
  pthread_t thread;
  auto* const argument = const_cast<std::function<void()>*>(&function);
  const int error = pthread_create(&thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(error, 0);
  if (error == 0) pthread_join(thread, nullptr);
  const auto lowest = std::ranges::find_if(stack, [&](std::byte b) { return b != untouched; });
  return static_cast<size_t>(stack.end() - lowest);
}

TEST_P(TileMathEdges, functions_fit_the_stack_of_a_fiber) {
  const TileShape t{33, 129, 601};
  const auto halves = random_half(t.columns * t.depth, format, 1);
  std::vector<float> in(t.columns * t.depth, 1.0f), out(t.columns * t.depth, 1.0f);
  std::vector<float> max(t.rows), sum(t.rows);
  std::vector<uint16_t> p(t.rows * t.columns);
  const std::function<void()> functions[] = {
      [&] { math->scores(format, t, halves.data(), t.depth, halves.data(), out.data()); },
      [&] { math->weighted_values(format, t, halves.data(), halves.data(), out.data()); },
      [&] {
        math->softmax(format, t,
                      {in.data(), t.columns, t.columns, 1, p.data(), max.data(), sum.data()});
      },
      [&] {
        math->update(t, {in.data(), in.data(), in.data(), max.data(), sum.data(), out.data(),
                         out.data(), t.depth, false, false});
      },
      [&] { math->multiply(129, in.data(), in.data(), out.data()); }};
  const size_t of_the_thread = stack_of([] {});
  for (const auto& function : functions) {
    function();  // finds what it calls
    // Fibers have 256 KiB and more. GCC needs 20, clang 36.
    EXPECT_LE(stack_of(function) - of_the_thread, 48 * 1024);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(All, TileMathEdges, all_maths());

}  // namespace
}  // namespace pto2::workloads
