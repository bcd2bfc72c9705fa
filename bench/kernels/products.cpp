#include <cblas.h>

#include "bench/kernels/operands.hpp"
#include "bench/kernels/section.hpp"

namespace pto2::bench {
namespace {

using namespace workloads;

/// Twice: a promise of ./dev bench kernels.
constexpr double most_of_products = 2;
constexpr const char* sgemm = "sgemm";

/// The product by OpenBLAS: of m x k and k x n floats, or of m x k and the transpose of n x k.
std::function<void()> sgemm_of(size_t rows, size_t columns, size_t depth, CBLAS_TRANSPOSE right) {
  const auto a = std::make_shared<Operand<float>>(random_floats(rows * depth));
  const auto b = std::make_shared<Operand<float>>(random_floats(depth * columns));
  const auto c = std::make_shared<Operand<float>>(rows * columns);
  const auto m = static_cast<blasint>(rows);
  const auto n = static_cast<blasint>(columns);
  const auto k = static_cast<blasint>(depth);
  return [=] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, right, m, n, k, 1, a->data(), k, b->data(),
                right == CblasTrans ? k : n, 0, c->data(), n);
  };
}

Comparison scores(const AttentionTile& tile) {
  const TileShape& t = tile.shape;
  const auto query = random_halves(t.rows * t.depth, tile.format);
  const auto keys = random_halves(t.columns * t.depth, tile.format);
  const Operand<float> out(t.rows * t.columns);
  std::vector<Contender> contenders{
      {sgemm, operations_of(t), sgemm_of(t.rows, t.columns, t.depth, CblasTrans)}};
  for (const TileMath* math : supported_maths()) {
    contenders.push_back({math->name, operations_of(t), [&, math] {
                            math->scores(tile.format, t, query.data(), t.depth, keys.data(),
                                         out.data());
                          }});
  }
  return {"scores " + name_of(tile), measure_in_turns(contenders), most_of_products};
}

Comparison weighted_values(const AttentionTile& tile) {
  const TileShape& t = tile.shape;
  const auto weights = random_halves(t.rows * t.columns, tile.format);
  const auto values = random_halves(t.columns * t.depth, tile.format);
  const Operand<float> out(t.rows * t.depth);
  std::vector<Contender> contenders{
      {sgemm, operations_of(t), sgemm_of(t.rows, t.depth, t.columns, CblasNoTrans)}};
  for (const TileMath* math : supported_maths()) {
    contenders.push_back({math->name, operations_of(t), [&, math] {
                            math->weighted_values(tile.format, t, weights.data(), values.data(),
                                                  out.data());
                          }});
  }
  return {"weighted_values " + name_of(tile), measure_in_turns(contenders), most_of_products};
}

/// The other workloads' product.
Comparison multiply(size_t side) {
  const auto left = random_floats(side * side);
  const auto right = random_floats(side * side);
  const Operand<float> out(side * side);
  const double units = operations_of({side, side, side});
  std::vector<Contender> contenders{{sgemm, units, sgemm_of(side, side, side, CblasNoTrans)}};
  for (const TileMath* math : supported_maths()) {
    contenders.push_back({math->name, units, [&, math] {
                            math->multiply(side, left.data(), right.data(), out.data());
                          }});
  }
  const std::string name = std::to_string(side);
  return {"multiply " + name + "x" + name + "x" + name + " float", measure_in_turns(contenders),
          most_of_products};
}

}  // namespace

std::vector<Comparison> measure_products() {
  std::vector<Comparison> comparisons;
  for (const AttentionTile& tile : attention_tiles()) {
    for (const HalfFormat format : {HalfFormat::bfloat16, HalfFormat::float16}) {
      comparisons.push_back(scores({tile.shape, format}));
      comparisons.push_back(weighted_values({tile.shape, format}));
    }
  }
  comparisons.push_back(weighted_values({{128, 128, 128}, HalfFormat::float16}));  // matmul's
  for (const size_t side : {64, 128}) comparisons.push_back(multiply(side));
  return comparisons;
}

}  // namespace pto2::bench
