#include <algorithm>
#include <array>
#include <memory>

#include "bench/kernels/operands.hpp"
#include "bench/kernels/section.hpp"

namespace pto2::bench {
namespace {

using namespace workloads;

constexpr double most_of_cliffs = 1.5;

/// Bytes behind a page's begin of three operands; the plain ones start lines, and differ modulo
/// 4 KiB.
using Offsets = std::array<size_t, 3>;
constexpr Offsets plain{0, 1088, 2176};
constexpr Offsets off_by_2{2, 1090, 2180};  // the third is of floats
constexpr Offsets off_by_4{4, 1092, 2180};
constexpr Offsets off_by_64{64, 1152, 2240};
constexpr Offsets aliased{0, 0, 0};

constexpr TileShape tile{16, 128, 128};

/// What differs from the plain case of a product.
struct ProductCase {
  TileShape shape = tile;
  size_t query_stride = tile.depth;  ///< elements; of scores alone
  Offsets offsets = plain;
  float least = -1, most = 1;  ///< of both inputs
  bool subnormal = false;      ///< the first input is 16-bit subnormals, in [1, 63] of the smallest
};

Operand<uint16_t> halves_of(const ProductCase& c, size_t count, HalfFormat format, size_t offset) {
  Operand<uint16_t> operand(count, offset);
  fill_uniform_half(operand.span(), format, c.least, c.most, count);
  return operand;
}

Operand<uint16_t> first_of(const ProductCase& c, size_t count, HalfFormat format) {
  auto operand = halves_of(c, count, format, c.offsets[0]);
  if (c.subnormal) {
    for (uint16_t& x : operand.span()) x = static_cast<uint16_t>(1 + x % 63);
  }
  return operand;
}

Contender product_of(const TileMath& math, HalfFormat format, const ProductCase& c, bool scores) {
  struct Operands {
    Operand<uint16_t> first, second;
    Operand<float> out;
  };
  const TileShape t = c.shape;
  const auto o = std::make_shared<Operands>(
      Operands{first_of(c, t.rows * (scores ? c.query_stride : t.columns), format),
               halves_of(c, t.columns * t.depth, format, c.offsets[1]),
               Operand<float>(t.rows * (scores ? t.columns : t.depth), c.offsets[2])});
  const double units = operations_of(t);
  if (scores) {
    return {math.name, units, [=, &math, stride = c.query_stride] {
              math.scores(format, t, o->first.data(), stride, o->second.data(), o->out.data());
            }};
  }
  return {math.name, units, [=, &math] {
            math.weighted_values(format, t, o->first.data(), o->second.data(), o->out.data());
          }};
}

/// What differs from the plain case of softmax.
struct SoftmaxCase {
  size_t stride = tile.columns;
  Offsets offsets = plain;
  float least = -9, most = 9;
  size_t valid = tile.columns;
};

Contender softmax_of(const TileMath& math, HalfFormat format, const SoftmaxCase& c) {
  struct Operands {
    Operand<float> scores;
    Operand<uint16_t> probabilities;
    Operand<float> max, sum;
  };
  const auto o = std::make_shared<Operands>(
      Operands{random_floats(tile.rows * c.stride, c.least, c.most, c.offsets[2]),
               Operand<uint16_t>(tile.rows * tile.columns, c.offsets[1]), Operand<float>(tile.rows),
               Operand<float>(tile.rows)});
  return {math.name, static_cast<double>(tile.rows * c.valid), [=, &math] {
            math.softmax(format, tile,
                         {o->scores.data(), c.stride, c.valid, 1.0f, o->probabilities.data(),
                          o->max.data(), o->sum.data()});
          }};
}

/// What differs from the plain case of update.
struct UpdateCase {
  size_t depth = tile.depth;
  size_t out_stride = tile.depth;
  Offsets offsets = plain;
  float size = 1;      ///< of block_out and of the accumulator
  float behind = 0.5;  ///< of the running maximum
};

Contender update_of(const TileMath& math, const UpdateCase& c) {
  struct Operands {
    Operand<float> block_max, ones, block_out, max, sum, accumulator, out;
  };
  const TileShape t{tile.rows, tile.columns, c.depth};
  const size_t count = t.rows * t.depth;
  const auto o = std::make_shared<Operands>(
      Operands{Operand<float>(tile.rows), Operand<float>(tile.rows),
               random_floats(count, -c.size, c.size, c.offsets[0]), Operand<float>(tile.rows),
               Operand<float>(tile.rows), Operand<float>(count, c.offsets[1]),
               Operand<float>(tile.rows * c.out_stride, c.offsets[2])});
  std::ranges::fill(o->block_max.span(), c.behind);
  std::ranges::fill(o->ones.span(), 1.0f);
  std::ranges::fill(o->sum.span(), 1.0f);
  std::ranges::fill(o->accumulator.span(), c.size);
  return {math.name, static_cast<double>(count), [=, &math] {
            std::ranges::fill(o->max.span(), 0.0f);  // or it would be behind once only
            math.update(t, {o->block_max.data(), o->ones.data(), o->block_out.data(), o->max.data(),
                            o->sum.data(), o->accumulator.data(), o->out.data(), c.out_stride,
                            false, true});
          }};
}

/// Makes the contender of a case. The comparisons are with that of the plain case.
using Maker = std::function<Contender(const TileMath&)>;

class Cliffs {
 public:
  void add(const std::string& work, const Maker& ordinary, const Maker& special) {
    for (const TileMath* math : supported_maths()) {
      Contender first = ordinary(*math);
      first.name = "the ordinary case";
      comparisons_.push_back({work, measure_in_turns({first, special(*math)}), most_of_cliffs});
    }
  }
  std::vector<Comparison> take() { return std::move(comparisons_); }

 private:
  std::vector<Comparison> comparisons_;
};

struct Placement {
  const char* name;
  Offsets offsets;
};
constexpr Placement placements[] = {{"2 bytes off", off_by_2},
                                    {"4 bytes off", off_by_4},
                                    {"64 bytes off", off_by_64},
                                    {"all at a page's begin", aliased}};

void add_products(Cliffs& cliffs, HalfFormat format, bool scores) {
  const std::string subject = std::string(scores ? "scores" : "weighted_values") +
                              (format == HalfFormat::bfloat16 ? " bf16, " : " fp16, ");
  const auto add = [&](const std::string& what, const ProductCase& special,
                       const ProductCase& ordinary = {}) {
    const auto maker = [=](const ProductCase& c) {
      return [=](const TileMath& math) { return product_of(math, format, c, scores); };
    };
    cliffs.add(subject + what, maker(ordinary), maker(special));
  };
  for (const Placement& placement : placements) {
    add(placement.name, {.offsets = placement.offsets});
  }
  // Rows of 2080 are no power of two apart, and as much work in as many blocks.
  add("rows 4 KiB apart", {.shape = {16, 128, 2048}, .query_stride = 2048},
      {.shape = {16, 128, 2080}, .query_stride = 2080});
  if (scores) add("query 4 KiB apart", {.query_stride = 2048});
  add("one input subnormal", {.subnormal = true});
  add("odd shape", {.shape = {15, 127, 127}, .query_stride = 127});
  if (format == HalfFormat::bfloat16) {
    add("results subnormal", {.least = -1e-20f, .most = 1e-20f});
  }
}

void add_softmax(Cliffs& cliffs, HalfFormat format) {
  const std::string subject = format == HalfFormat::bfloat16 ? "softmax bf16, " : "softmax fp16, ";
  const auto add = [&](const std::string& what, const SoftmaxCase& special) {
    const auto maker = [=](const SoftmaxCase& c) {
      return [=](const TileMath& math) { return softmax_of(math, format, c); };
    };
    cliffs.add(subject + what, maker({}), maker(special));
  };
  for (const Placement& placement : placements) {
    add(placement.name, {.offsets = placement.offsets});
  }
  add("rows 4 KiB apart", {.stride = 1024});
  add("most underflow", {.least = -1000, .most = 0});
  add("around the least exponent", {.least = -88, .most = 0});
  add("subnormal scores", {.least = -1e-40f, .most = 1e-40f});
  add("last vector partial", {.valid = tile.columns - 1});
}

void add_update(Cliffs& cliffs) {
  const auto add = [&](const std::string& what, const UpdateCase& special) {
    const auto maker = [=](const UpdateCase& c) {
      return [=](const TileMath& math) { return update_of(math, c); };
    };
    cliffs.add("update, " + what, maker({}), maker(special));
  };
  for (const Placement& placement : placements) {
    if (placement.offsets != off_by_2) add(placement.name, {.offsets = placement.offsets});
  }
  add("rows 4 KiB apart", {.out_stride = 1024});
  add("odd shape", {.depth = 127});
  add("subnormal accumulator", {.size = 1e-40f});
  add("accumulator becomes subnormal", {.size = 1e-20f, .behind = 50});
  add("old state underflows", {.behind = 95});
}

}  // namespace

std::vector<Comparison> measure_cliffs() {
  Cliffs cliffs;
  for (const HalfFormat format : {HalfFormat::bfloat16, HalfFormat::float16}) {
    add_products(cliffs, format, true);
    add_products(cliffs, format, false);
    add_softmax(cliffs, format);
  }
  add_update(cliffs);
  return cliffs.take();
}

}  // namespace pto2::bench
