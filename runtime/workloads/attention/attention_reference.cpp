#include "runtime/workloads/attention/attention_reference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <thread>

namespace pto2::workloads {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Half>
Matrix to_double(const uint16_t* from, uint64_t rows, uint64_t columns) {
  using HalfMatrix = Eigen::Matrix<Half, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const HalfMatrix>(reinterpret_cast<const Half*>(from),
                                      static_cast<Eigen::Index>(rows),
                                      static_cast<Eigen::Index>(columns))
      .template cast<double>();
}

/// Rows first..first+count-1 of the context that lie in one block, with the block's index.
struct Span {
  Eigen::Index first;
  Eigen::Index count;
  uint64_t block;
};

std::vector<Span> spans_of(const AttentionInputs& in, uint64_t b) {
  std::vector<Span> spans;
  const auto context = static_cast<uint64_t>(in.context_lens[b]);
  for (uint64_t first = 0; first < context; first += in.block_size) {
    const int32_t block = in.block_table[b * in.blocks_per_request + first / in.block_size];
    spans.push_back({static_cast<Eigen::Index>(first),
                     static_cast<Eigen::Index>(std::min(in.block_size, context - first)),
                     static_cast<uint64_t>(block)});
  }
  return spans;
}

template <class Half>
void attend(const AttentionInputs& in, uint64_t b, double* out) {
  const uint64_t query_size = in.num_heads * in.head_dim;
  const uint64_t block_elements = in.block_size * in.head_dim;
  const Matrix query = to_double<Half>(in.query + b * query_size, in.num_heads, in.head_dim);
  const std::vector<Span> spans = spans_of(in, b);
  Matrix scores(static_cast<Eigen::Index>(in.context_lens[b]), query.rows());
  for (const Span& s : spans) {
    const Matrix keys = to_double<Half>(in.keys + s.block * block_elements,
                                        static_cast<uint64_t>(s.count), in.head_dim);
    scores.middleRows(s.first, s.count).noalias() = in.scale * keys * query.transpose();
  }
  const Eigen::RowVectorXd max = scores.colwise().maxCoeff();
  Matrix weights = (scores.rowwise() - max).array().exp();
  const Eigen::VectorXd sums = weights.colwise().sum();
  Matrix result = Matrix::Zero(query.rows(), query.cols());
  for (const Span& s : spans) {
    const Matrix values = to_double<Half>(in.values + s.block * block_elements,
                                          static_cast<uint64_t>(s.count), in.head_dim);
    result.noalias() += weights.middleRows(s.first, s.count).transpose() * values;
  }
  result.array().colwise() /= sums.array();
  std::copy_n(result.data(), query_size, out + b * query_size);
}

}  // namespace

std::vector<double> attention_reference(const AttentionInputs& in) {
  std::vector<double> out(in.batch * in.num_heads * in.head_dim);
  constexpr uint64_t threads = 2;
  const auto part = [&](uint64_t first) {
    for (uint64_t b = first; b < in.batch; b += threads) {
      in.format == HalfFormat::bfloat16 ? attend<Eigen::bfloat16>(in, b, out.data())
                                        : attend<Eigen::half>(in, b, out.data());
    }
  };
  std::jthread other(part, 1);
  part(0);
  other.join();
  return out;
}

}  // namespace pto2::workloads
