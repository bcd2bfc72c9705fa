/// TPUT and TGET: copies between the tensors of two ranks, part by part through a tile in UB.
#pragma once

#include "pto/comm/signals.hpp"
#include "pto/pipes.hpp"

namespace pto::comm {
namespace detail {

/// The valid region of a tile, given or not, as it is again when this is gone.
template <class T>
class KeptValid {
 public:
  explicit KeptValid(T& tile) : tile_(tile), before_(tile) {}
  ~KeptValid() { tile_ = before_; }
  KeptValid(const KeptValid&) = delete;
  KeptValid& operator=(const KeptValid&) = delete;

 private:
  T& tile_;
  const T before_;
};

template <class Dst, class Src, class T>
constexpr void require_copy() {
  static_assert(std::is_same<typename Dst::RawDType, typename Src::RawDType>::value &&
                    std::is_same<typename Src::RawDType, typename T::DType>::value,
                "both tensors and the tile between them have the same elements");
  static_assert(Dst::layout == Src::layout, "both tensors have the same layout");
  static_assert(T::Loc == TileType::Vec, "the tile between the tensors is in UB");
}

template <class Global>
bool has_nothing(const Global& tensor) {
  for (int dim = 0; dim < 5; ++dim)
    if (tensor.GetShape(dim) == 0) return true;
  return false;
}

/// That a tensor goes on in each of its dimensions, if there is something to copy.
template <class Global>
void check_copied(const Use& use, const char* operand, const Global& tensor) {
  if (!has_nothing(tensor)) pto::detail::check_view(use, operand, tensor);
}

/// That both tensors have the same shape, and that a tile whose valid region is in its type divides
/// it.
template <class T, class Dst, class Src>
void check_copy(const Use& use, const Dst& dst, const Src& src) {
  if constexpr (!pto::detail::checks_bounds) return;
  check_copied(use, "dst", dst);
  check_copied(use, "src", src);
  for (int dim = 0; dim < 5; ++dim) {
    if (dst.GetShape(dim) == src.GetShape(dim)) continue;
    pto::detail::fail(use, "dimension " + std::to_string(dim) + " of dst is " +
                               std::to_string(dst.GetShape(dim)) + ", that of src " +
                               std::to_string(src.GetShape(dim)) + ": make them equal");
  }
  const auto check_divides = [&](int part, int dim, const char* what) {
    if (part == DYNAMIC || src.GetShape(dim) % part == 0) return;
    pto::detail::fail(use, "the " + std::to_string(src.GetShape(dim)) + " " + what +
                               " are no multiple of the " + std::to_string(part) +
                               " of the tile: give it a valid region that is DYNAMIC");
  };
  check_divides(T::ValidRow, 3, "rows");
  check_divides(T::ValidCol, 4, "columns");
}

/// Calls copy(dst, src, rows, cols) for the parts, which are views of two dimensions.
template <class Dst, class Src, class Copy>
void for_each_part(const Dst& dst, const Src& src, int rows, int cols, Copy copy) {
  const auto part_of = [](const auto& of, const int64_t(&at)[5], int height, int width) {
    using Element = typename std::decay_t<decltype(of)>::RawDType;
    using Part =
        GlobalTensor<Element, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, DYNAMIC>>;
    int64_t offset = 0;
    for (int dim = 0; dim < 5; ++dim) offset += at[dim] * of.GetStride(dim);
    return Part(of.data() + offset, {height, width}, {of.GetStride(3), of.GetStride(4)});
  };
  const auto least = [](int64_t a, int64_t b) { return static_cast<int>(a < b ? a : b); };
  const int64_t height = src.GetShape(3), width = src.GetShape(4);
  const int64_t outer = int64_t{src.GetShape(0)} * src.GetShape(1) * src.GetShape(2);
  for (int64_t block = 0; block < outer; ++block) {
    const int64_t d2 = block % src.GetShape(2), d01 = block / src.GetShape(2);
    const int64_t d1 = d01 % src.GetShape(1), d0 = d01 / src.GetShape(1);
    for (int64_t i = 0; i < height; i += rows)
      for (int64_t j = 0; j < width; j += cols) {
        const int64_t at[5] = {d0, d1, d2, i, j};
        const int h = least(rows, height - i), w = least(cols, width - j);
        copy(part_of(dst, at, h, w), part_of(src, at, h, w), h, w);
      }
  }
}

/// The parts go through the tiles in turn. What an earlier instruction has stored from them has
/// left them, and each part is loaded before it is stored.
template <AtomicType Atomic, class Dst, class Src, class T>
void copy_by_tiles(const char* name, const Dst& dst, const Src& src, T& ping, T& pong, Site site) {
  require_copy<Dst, Src, T>();
  const Use in{name, PIPE_MTE2, site, true}, out{name, PIPE_MTE3, site, true};
  if constexpr (T::ValidRow == 0 || T::ValidCol == 0) {
    if constexpr (pto::detail::checks_bounds)
      pto::detail::check_tile(in, "the tile", pto::detail::facts_of(ping));
    return;
  }
  check_copy<T>(in, dst, src);
  const KeptValid<T> kept_ping(ping), kept_pong(pong);
  const int rows = T::ValidRow == DYNAMIC ? T::Rows : T::ValidRow;
  const int cols = T::ValidCol == DYNAMIC ? T::Cols : T::ValidCol;
  T* tile = &ping;
  for_each_part(dst, src, rows, cols, [&](const auto& to, const auto& from, int h, int w) {
    tile->SetValidShape(h, w);
    order_pipes(PIPE_MTE3, PIPE_MTE2);
    pto::detail::load(in, *tile, from, "the tile");
    order_pipes(PIPE_MTE2, PIPE_MTE3);
    pto::detail::store<Atomic>(out, to, *tile, "the tile");
    tile = tile == &ping ? &pong : &ping;
  });
}

template <class T>
void check_apart(const char* name, const T& ping, const T& pong, Site site) {
  if constexpr (!pto::detail::checks_bounds) return;
  const int64_t distance = ping.address() - pong.address();
  if (distance < T::bytes && -distance < T::bytes)
    pto::detail::fail({name, PIPE_MTE2, site}, "pong", pto::detail::facts_of(pong),
                      "overlaps ping: assign them addresses that are further apart");
}

}  // namespace detail

/// dst = src, or dst += src, where dst is another rank's.
template <AtomicType Atomic = AtomicType::AtomicNone, class Dst, class Src, class T>
RecordEvent TPUT(const Dst& dst, const Src& src, T& tile,
                 detail::Site site = detail::Site::here()) {
  detail::copy_by_tiles<Atomic>("TPUT", dst, src, tile, tile, site);
  return {};
}
template <AtomicType Atomic = AtomicType::AtomicNone, class Dst, class Src, class T>
RecordEvent TPUT(const Dst& dst, const Src& src, T& ping, T& pong,
                 detail::Site site = detail::Site::here()) {
  detail::check_apart("TPUT", ping, pong, site);
  detail::copy_by_tiles<Atomic>("TPUT", dst, src, ping, pong, site);
  return {};
}
template <class Dst, class Src, class T>
RecordEvent TPUT(const Dst& dst, const Src& src, T& tile, AtomicType atomic,
                 detail::Site site = detail::Site::here()) {
  if (atomic == AtomicType::AtomicNone) return TPUT(dst, src, tile, site);
  if (atomic != AtomicType::AtomicAdd)
    pto::detail::fail({"TPUT", PIPE_MTE3, site}, "adds or copies: use AtomicAdd or AtomicNone");
  return TPUT<AtomicType::AtomicAdd>(dst, src, tile, site);
}

/// dst = src, where src is another rank's.
template <class Dst, class Src, class T>
RecordEvent TGET(const Dst& dst, const Src& src, T& tile,
                 detail::Site site = detail::Site::here()) {
  detail::copy_by_tiles<AtomicType::AtomicNone>("TGET", dst, src, tile, tile, site);
  return {};
}
template <class Dst, class Src, class T>
RecordEvent TGET(const Dst& dst, const Src& src, T& ping, T& pong,
                 detail::Site site = detail::Site::here()) {
  detail::check_apart("TGET", ping, pong, site);
  detail::copy_by_tiles<AtomicType::AtomicNone>("TGET", dst, src, ping, pong, site);
  return {};
}

}  // namespace pto::comm
