#include "runtime/judge/overlap.hpp"

#include <vector>

namespace pto2::judging {
namespace {

/// Of one memory. Where their buffer begins in it may have changed from one to the other.
bool same_space(const ParamRecord& a, const ParamRecord& b) {
  return a.base + a.origin == b.base + b.origin && a.element == b.element && a.dims == b.dims &&
         a.strides == b.strides;
}

bool boxes_meet(const ParamRecord& a, const ParamRecord& b) {
  for (uint32_t i = 0; i < a.dims; ++i) {
    if (a.start[i] + a.extent[i] <= b.start[i] || b.start[i] + b.extent[i] <= a.start[i]) {
      return false;
    }
  }
  return true;
}

bool has_few_rows(const ParamRecord& param) {
  uint64_t rows = 1;
  for (uint32_t i = 0; i + 1 < param.dims; ++i) {
    if (param.extent[i] > most_rows / rows) return false;
    rows *= param.extent[i];
  }
  return true;
}

/// First bytes of the rows, ascending.
std::vector<uint64_t> rows(const ParamRecord& param, uint64_t begin) {
  std::vector<uint64_t> found{begin};
  for (uint32_t dim = 0; dim + 1 < param.dims; ++dim) {
    std::vector<uint64_t> finer;
    for (const uint64_t row : found) {
      for (uint64_t i = 0; i < param.extent[dim]; ++i) {
        finer.push_back(row + i * param.strides[dim] * param.element);
      }
    }
    found = std::move(finer);
  }
  return found;
}

bool rows_meet(const ParamRecord& a, const Bytes& of_a, const ParamRecord& b, const Bytes& of_b) {
  const std::vector<uint64_t> rows_a = rows(a, of_a.begin);
  const std::vector<uint64_t> rows_b = rows(b, of_b.begin);
  const uint64_t bytes_a = a.extent[a.dims - 1] * a.element;
  const uint64_t bytes_b = b.extent[b.dims - 1] * b.element;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows_a.size() && j < rows_b.size()) {
    if (rows_a[i] + bytes_a <= rows_b[j]) {
      ++i;
    } else if (rows_b[j] + bytes_b <= rows_a[i]) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace

bool may_share_bytes(const ParamRecord& a, const Bytes& of_a, const ParamRecord& b,
                     const Bytes& of_b) {
  if (of_a.end <= of_b.begin || of_b.end <= of_a.begin) return false;
  return !same_space(a, b) || boxes_meet(a, b);
}

bool share_bytes(const ParamRecord& a, const Bytes& of_a, const ParamRecord& b, const Bytes& of_b) {
  if (!may_share_bytes(a, of_a, b, of_b)) return false;
  if (same_space(a, b)) return true;
  if (!has_few_rows(a) || !has_few_rows(b)) return true;
  return rows_meet(a, of_a, b, of_b);
}

}  // namespace pto2::judging
