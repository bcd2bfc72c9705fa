/// Access to what a cell holds by an address that leads around the cell.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "core/policy.hpp"

namespace pto2 {

/// Whether policy P watches who accesses a cell for how long; else a guard is a bare pointer.
template <class P, class T>
concept Watched =
    !std::is_pointer_v<decltype(std::declval<const typename P::template cell<T>&>().reading())>;

/// Which cell those accesses count for. Nothing where they are not watched.
template <MemoryPolicy P, class T>
class CellAccess {
 public:
  using Cell = typename P::template cell<T>;

  CellAccess() = default;
  explicit CellAccess(Cell&) {}
  [[nodiscard]] const T* reading() const { return nullptr; }
  [[nodiscard]] T* editing() const { return nullptr; }
};

template <MemoryPolicy P, class T>
requires Watched<P, T>
class CellAccess<P, T> {
 public:
  using Cell = typename P::template cell<T>;

  CellAccess() = default;
  explicit CellAccess(Cell& cell) : cell_(&cell) {}
  [[nodiscard]] auto reading() const { return cell_->reading(); }
  [[nodiscard]] auto editing() const { return cell_->editing(); }

 private:
  Cell* cell_ = nullptr;
};

}  // namespace pto2
