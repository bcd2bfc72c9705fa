#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bench/kernels/operands.hpp"
#include "bench/kernels/section.hpp"

namespace pto2::bench {
namespace {

using namespace workloads;

uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16(uint16_t x) {
  return std::bit_cast<float>(uint32_t{x} << 16);
}

/// Softmax in bf16 as one would write it down.
void plain_softmax(const TileShape& t, const SoftmaxTile& tile) {
  for (size_t m = 0; m < t.rows; ++m) {
    const float* scores = tile.scores + m * tile.score_stride;
    float max = -std::numeric_limits<float>::infinity();
    for (size_t n = 0; n < t.columns; ++n) max = std::max(max, scores[n] * tile.scale);
    float sum = 0;
    for (size_t n = 0; n < t.columns; ++n) {
      const uint16_t p = to_bfloat16(std::exp(scores[n] * tile.scale - max));
      tile.probabilities[m * t.columns + n] = p;
      sum += from_bfloat16(p);
    }
    tile.row_max[m] = max;
    tile.row_sum[m] = sum;
  }
}

/// A step in the middle.
void plain_update(const TileShape& t, const UpdateTile& tile) {
  for (size_t m = 0; m < t.rows; ++m) {
    const float max = std::max(tile.max[m], tile.block_max[m]);
    const float keep = std::exp(tile.max[m] - max);
    const float add = std::exp(tile.block_max[m] - max);
    for (size_t i = m * t.depth; i < (m + 1) * t.depth; ++i) {
      tile.accumulator[i] = keep * tile.accumulator[i] + add * tile.block_out[i];
    }
    tile.max[m] = max;
    tile.sum[m] = keep * tile.sum[m] + add * tile.block_sum[m];
  }
}

/// Moves `bytes` bytes: half of them are read, half are written.
class Copy {
 public:
  explicit Copy(size_t bytes) : from_(bytes / 2), to_(bytes / 2) {
    std::ranges::fill(from_.span(), std::byte{1});
  }
  void operator()() const {
    std::memcpy(to_.data(), from_.data(), from_.span().size());
    asm volatile("" ::: "memory");
  }

 private:
  Operand<std::byte> from_;
  Operand<std::byte> to_;
};

Comparison softmax(const AttentionTile& tile) {
  const TileShape& t = tile.shape;
  const auto scores = random_floats(t.rows * t.columns, -9, 9);
  const Operand<uint16_t> probabilities(t.rows * t.columns);
  const Operand<float> max(t.rows), sum(t.rows);
  const SoftmaxTile arguments{scores.data(),        t.columns,  t.columns, 0.7f,
                              probabilities.data(), max.data(), sum.data()};
  const auto units = static_cast<double>(t.rows * t.columns);
  const Copy copy(t.rows * t.columns * (sizeof(float) + sizeof(uint16_t)));
  std::vector<Contender> contenders{{"plain", units, [&] { plain_softmax(t, arguments); }}};
  for (const TileMath* math : supported_maths()) {
    contenders.push_back(
        {math->name, units, [&, math] { math->softmax(tile.format, t, arguments); }});
  }
  contenders.push_back({"copy", units, [&] { copy(); }});
  return {"softmax " + name_of(tile), measure_in_turns(contenders), 1};
}

Comparison update(const AttentionTile& tile) {
  const TileShape& t = tile.shape;
  const auto block_max = random_floats(t.rows), block_sum = random_floats(t.rows, 1, 2);
  const auto block = random_floats(t.rows * t.depth), accumulator = random_floats(t.rows * t.depth);
  const auto max = random_floats(t.rows, 1, 2), sum = random_floats(t.rows, 1, 2);
  const UpdateTile arguments{block_max.data(),
                             block_sum.data(),
                             block.data(),
                             max.data(),
                             sum.data(),
                             accumulator.data(),
                             nullptr,
                             0,
                             false,
                             false};
  const auto units = static_cast<double>(t.rows * t.depth);
  const Copy copy(t.rows * t.depth * 3 * sizeof(float));
  std::vector<Contender> contenders{{"plain", units, [&] { plain_update(t, arguments); }}};
  for (const TileMath* math : supported_maths()) {
    contenders.push_back({math->name, units, [&, math] { math->update(t, arguments); }});
  }
  contenders.push_back({"copy", units, [&] { copy(); }});
  return {"update " + name_of(tile), measure_in_turns(contenders)};
}

}  // namespace

std::vector<Comparison> measure_elements() {
  std::vector<Comparison> comparisons;
  for (const AttentionTile& tile : attention_tiles()) comparisons.push_back(softmax(tile));
  for (const AttentionTile& tile : attention_tiles()) comparisons.push_back(update(tile));
  return comparisons;
}

}  // namespace pto2::bench
