/// Takes a block into the running maxima, sums and results of its sequence. The last one divides
/// the results by the sums.
#include <pto/pto-inst.hpp>

#include "../shapes.hpp"

using namespace pto;

namespace {

/// One number per row of a tile; as one row of them for what goes element by element.
template <int M>
struct PerRow {
  explicit PerRow(int address) {
    TASSIGN(column, address);
    TASSIGN(row, address);
  }
  Tile<TileType::Vec, float, M, 1, BLayout::ColMajor> column;
  Tile<TileType::Vec, float, 1, M> row;
};

template <class S>
struct Update {
  static constexpr int M = S::heads, D = S::dim, bytes = M * D * 4;
  using Result = Tile<TileType::Vec, float, M, D>;
  using InGlobal = Matrix<float, M, D>;

  explicit Update(int64_t* args)
      : maxima(view_of<Column<M>>(args[0])),
        sums(view_of<Column<M>>(args[1])),
        weighted(view_of<InGlobal>(args[2])),
        running_maxima(view_of<Column<M>>(args[3])),
        running_sums(view_of<Column<M>>(args[4])),
        running_result(view_of<InGlobal>(args[5])),
        out(view_of<InGlobal>(args[6])) {
    TASSIGN(step, 0x0);
    TASSIGN(result, bytes);
    TASSIGN(quotient, 2 * bytes);
  }

  /// The block is the first: it is the running state.
  void begin() {
    TLOAD(new_maximum.column, maxima);
    TLOAD(new_sum.column, sums);
    TLOAD(result, weighted);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  }
  void go_on() {
    TLOAD(step_maximum.column, maxima);
    TLOAD(step_sum.column, sums);
    TLOAD(step, weighted);
    TLOAD(old_maximum.column, running_maxima);
    TLOAD(new_sum.column, running_sums);
    TLOAD(result, running_result);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMAX(new_maximum.row, old_maximum.row, step_maximum.row);
    weigh(old_maximum, new_sum, result);
    weigh(step_maximum, step_sum, step);
    TADD(new_sum.row, new_sum.row, step_sum.row);
    TADD(result, result, step);
  }
  void finish(bool is_last) {
    if (is_last) TROWEXPANDDIV(quotient, result, new_sum.column);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(running_maxima, new_maximum.column);
    TSTORE(running_sums, new_sum.column);
    TSTORE(running_result, result);
    if (is_last) TSTORE(out, quotient);
  }

 private:
  /// Brings sums and results from their own maximum to the new one.
  void weigh(PerRow<M>& maximum, PerRow<M>& sum, Result& of) {
    TSUB(maximum.row, maximum.row, new_maximum.row);
    TEXP(maximum.row, maximum.row);
    TMUL(sum.row, sum.row, maximum.row);
    TROWEXPANDMUL(of, of, maximum.column);
  }

  Column<M> maxima, sums;
  InGlobal weighted;
  Column<M> running_maxima, running_sums;
  InGlobal running_result, out;
  Result step, result, quotient;
  PerRow<M> old_maximum{3 * bytes}, step_maximum{3 * bytes + 0x100};
  PerRow<M> new_maximum{3 * bytes + 0x200};
  PerRow<M> step_sum{3 * bytes + 0x300}, new_sum{3 * bytes + 0x400};
};

}  // namespace

extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {
  const TensorData& weighted = tensor_of(args[2]);
  const uint32_t heads = weighted.shapes[0], dim = weighted.shapes[1];
  const bool is_first = args[7] != 0, is_last = args[8] != 0;
  with_sizes(heads,
             dim == 16     ? 16
             : heads == 16 ? 128
                           : 64,
             dim, [&](auto sizes) {
               Update<decltype(sizes)> update(args);
               is_first ? update.begin() : update.go_on();
               update.finish(is_last);
             });
}
