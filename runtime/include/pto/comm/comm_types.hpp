/// Types of the instructions between chips. A rank is a chip; here the memory of all ranks is that
/// of the process.
#pragma once

#include "pto/comm/async_common/async_types.hpp"
#include "pto/global_tensor.hpp"

namespace pto::comm {

enum class NotifyOp { AtomicAdd, Set };
enum class WaitCmp { EQ, NE, GT, GE, LT, LE };
enum class ReduceOp { Sum, Max, Min };

/// A word that one rank writes and another waits for.
using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
/// A matrix of them, without gaps.
template <int Rows, int Cols>
using Signal2D = GlobalTensor<int32_t, Shape<1, 1, 1, Rows, Cols>,
                              Stride<Rows * Cols, Rows * Cols, Rows * Cols, Cols, 1>>;

/// A tensor of each rank.
template <class GlobalData>
struct ParallelGroup {
  GlobalData* tensors = nullptr;
  int nranks = 0;
  int rootIdx = 0;

  static ParallelGroup Create(GlobalData* tensor_of_each, int ranks, int root) {
    return {tensor_of_each, ranks, root};
  }
  [[nodiscard]] int GetRootIdx() const { return rootIdx; }
};

}  // namespace pto::comm
