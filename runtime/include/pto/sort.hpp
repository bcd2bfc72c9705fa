/// TSORT32 and TMRGSORT: values with their indices, in descending order.
///
/// A pair takes 8 bytes: the value, of half with two bytes of 0 behind it, and the index.
#pragma once

#include <algorithm>

#include "pto/accesses.hpp"
#include "pto/elements.hpp"

namespace pto {

/// How many pairs of each list a merge has taken.
struct MrgSortExecutedNumList {
  uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3;
};

namespace detail {

template <class T>
struct SortPair {
  T value;
  uint32_t index;
};
/// Elements of a tile that a pair takes.
template <class T>
inline constexpr int pair_elements = 8 / sizeof(T);

template <class T>
SortPair<T> load_pair(const T* from) {
  SortPair<T> pair;
  std::memcpy(&pair.value, from, sizeof pair.value);
  std::memcpy(&pair.index, reinterpret_cast<const std::byte*>(from) + 4, sizeof pair.index);
  return pair;
}
template <class T>
void store_pair(T* to, const SortPair<T>& pair) {
  std::memset(to, 0, 8);
  std::memcpy(to, &pair.value, sizeof pair.value);
  std::memcpy(reinterpret_cast<std::byte*>(to) + 4, &pair.index, sizeof pair.index);
}

/// A NaN comes behind all others.
template <class T>
bool is_larger(const SortPair<T>& a, const SortPair<T>& b) {
  const float left = as<float>(a.value), right = as<float>(b.value);
  if (left != left || right != right) return left == left;
  return left > right;
}

template <class T>
constexpr void require_sortable() {
  static_assert(std::is_same<T, half>::value || std::is_same<T, float>::value,
                "the values of a sort are half or float");
}

template <class Dst, class Src, class Index, class Tmp = NoScratch>
RecordEvent sort_blocks(const Use& use, Dst& dst, const Src& src, const Index& index,
                        const Tmp& tmp = {}) {
  using T = typename Src::DType;
  require_sortable<T>();
  static_assert(std::is_same<T, typename Dst::DType>::value &&
                    std::is_same<typename Index::DType, uint32_t>::value,
                "dst has the element type of src, and idx has uint32_t");
  static_assert(Dst::isRowMajor && Src::isRowMajor && Index::isRowMajor,
                "the operands of TSORT32 are row-major");
  const int rows = src.GetValidRow(), cols = src.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    check_tile(use, "idx", facts_of(index));
    check_operand(use, "idx", facts_of(index), index.GetValidRow() == 1 ? 1 : rows, cols);
    if (rows > Dst::Rows || cols * pair_elements < T >> Dst::Cols)
      fail(use, "dst", facts_of(dst),
           "has no room for the pairs: make it " + sizes(rows, cols * pair_elements<T>));
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.reads(index);
  if (cols % 32 != 0) accesses.scratch(tmp);  // for the last block, which is not full
  accesses.writes(dst, rows, cols * pair_elements<T>);
  const Elements<Dst> to(dst);
  const Elements<Src> values(src);
  const Elements<Index> indices(index);
  for (int i = 0; i < rows; ++i)
    for (int begin = 0; begin < cols; begin += 32) {
      SortPair<T> block[32];
      const int n = std::min(32, cols - begin);
      for (int j = 0; j < n; ++j)
        block[j] = {values(i, begin + j), indices(index.GetValidRow() == 1 ? 0 : i, begin + j)};
      std::stable_sort(block, block + n, [](const SortPair<T>& a, const SortPair<T>& b) {
        return is_larger(a, b) || (!is_larger(b, a) && a.index < b.index);
      });
      for (int j = 0; j < n; ++j) store_pair(&to(i, (begin + j) * pair_elements<T>), block[j]);
    }
  return {};
}

/// Pairs in descending order.
template <class T>
struct SortedList {
  const T* next = nullptr;
  int left = 0, taken = 0;
};

/// Merges into `to`, pairs that are equal in the order of the lists; with `until_one_ends`, until
/// one of the lists is used up. Returns the pairs that it wrote.
template <class T, int Lists>
int merge_lists(SortedList<T> (&lists)[Lists], T* to, bool until_one_ends) {
  int written = 0;
  while (true) {
    SortedList<T>* best = nullptr;
    for (SortedList<T>& list : lists) {
      if (list.left == 0) continue;
      if (best == nullptr || is_larger(load_pair(list.next), load_pair(best->next))) best = &list;
    }
    if (best == nullptr) return written;
    store_pair(to + written * pair_elements<T>, load_pair(best->next));
    ++written;
    best->next += pair_elements<T>;
    ++best->taken;
    if (--best->left == 0 && until_one_ends) return written;
  }
}

template <class Dst, class Src>
RecordEvent merge_blocks(const Use& use, Dst& dst, const Src& src, int64_t block) {
  using T = typename Src::DType;
  require_sortable<T>();
  static_assert(std::is_same<T, typename Dst::DType>::value && Dst::Rows == 1 && Src::Rows == 1,
                "the operands of TMRGSORT are rows of the same element type");
  const int cols = src.GetValidCol();
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_source(use, "src", facts_of(src), dst.has_nothing());
    if (block <= 0 || block % 64 != 0 || cols % (4 * block) != 0)
      fail(use, "src", facts_of(src),
           "is not a multiple of four blocks of " + std::to_string(block) +
               ", which has to be a multiple of 64: choose another block");
    if (cols > Dst::Cols) fail(use, "dst", facts_of(dst), "has no room for src: make it as wide");
  }
  if (dst.has_nothing()) return {};
  Accesses accesses(use);
  accesses.reads(src);
  accesses.writes(dst, 1, cols);
  const int pairs = static_cast<int>(block) / pair_elements<T>;
  for (int begin = 0; pairs > 0 && begin + 4 * block <= cols;
       begin += static_cast<int>(4 * block)) {
    SortedList<T> lists[4];
    for (int k = 0; k < 4; ++k) lists[k] = {src.data() + begin + k * block, pairs, 0};
    merge_lists(lists, dst.data() + begin, false);
  }
  return {};
}

template <bool Exhausted, class Dst, class Tmp, class... Src>
RecordEvent merge_tiles(const Use& use, Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp,
                        const Src&... src) {
  using T = typename Dst::DType;
  require_sortable<T>();
  static_assert(std::is_same<T, typename Tmp::DType>::value &&
                    (std::is_same<T, typename Src::DType>::value && ...) && Dst::Rows == 1 &&
                    Tmp::Rows == 1 && ((Src::Rows == 1) && ...),
                "the operands of TMRGSORT are rows of the same element type");
  const int total = (src.GetValidCol() + ...);
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    check_tile(use, "tmp", facts_of(tmp));
    // Some of the lists may be empty.
    (check_source(use, "src", facts_of(src), dst.has_nothing() || total != 0), ...);
    if (total > Tmp::Cols)
      fail(use, "tmp", facts_of(tmp),
           "has no room for all lists: it takes " + std::to_string(total) + " columns");
  }
  Accesses accesses(use);
  (accesses.reads(src), ...);
  accesses.writes(tmp, 1, total);
  SortedList<T> lists[] = {{src.data(), src.GetValidCol() / pair_elements<T>, 0}...};
  const int written = merge_lists(lists, tmp.data(), Exhausted) * pair_elements<T>;
  // What does not fit is what comes last: kernels keep the largest.
  const int kept = std::min(written, dst.GetValidCol());
  accesses.writes(dst, 1, kept);
  std::memmove(dst.data(), tmp.data(), static_cast<std::size_t>(kept) * sizeof(T));
  uint16_t taken[4] = {};
  for (std::size_t k = 0; k < sizeof...(Src); ++k) taken[k] = static_cast<uint16_t>(lists[k].taken);
  executed = {taken[0], taken[1], taken[2], taken[3]};
  return {};
}

}  // namespace detail

/// Each 32 elements of a row, with their indices.
template <class Dst, class Src, class Index>
RecordEvent TSORT32(Dst& dst, Src& src, Index& idx, detail::Site site = detail::Site::here()) {
  return detail::sort_blocks({"TSORT32", PIPE_V, site}, dst, src, idx);
}
template <class Dst, class Src, class Index, class Tmp>
RecordEvent TSORT32(Dst& dst, Src& src, Index& idx, Tmp& tmp,
                    detail::Site site = detail::Site::here()) {
  return detail::sort_blocks({"TSORT32", PIPE_V, site}, dst, src, idx, tmp);
}

/// Each four blocks of so many elements, which are sorted, to one.
template <class Dst, class Src>
RecordEvent TMRGSORT(Dst& dst, Src& src, uint32_t block, detail::Site site = detail::Site::here()) {
  return detail::merge_blocks({"TMRGSORT", PIPE_V, site}, dst, src, block);
}
/// Two to four sorted rows to one.
template <class Dst, class Tmp, class A, class B, bool Exhausted>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, A& src0, B& src1,
                     detail::Site site = detail::Site::here()) {
  return detail::merge_tiles<Exhausted>({"TMRGSORT", PIPE_V, site}, dst, executed, tmp, src0, src1);
}
template <class Dst, class Tmp, class A, class B, class C, bool Exhausted>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, A& src0, B& src1,
                     C& src2, detail::Site site = detail::Site::here()) {
  return detail::merge_tiles<Exhausted>({"TMRGSORT", PIPE_V, site}, dst, executed, tmp, src0, src1,
                                        src2);
}
template <class Dst, class Tmp, class A, class B, class C, class D, bool Exhausted>
RecordEvent TMRGSORT(Dst& dst, MrgSortExecutedNumList& executed, Tmp& tmp, A& src0, B& src1,
                     C& src2, D& src3, detail::Site site = detail::Site::here()) {
  return detail::merge_tiles<Exhausted>({"TMRGSORT", PIPE_V, site}, dst, executed, tmp, src0, src1,
                                        src2, src3);
}
template <class... Src>
constexpr int GETMRGSORTTMPSIZE() {
  return (Src::Cols + ...);
}

}  // namespace pto
