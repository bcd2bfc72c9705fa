/// Memory that a process shares with those that it forks.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace pto2::cli {

/// For SharedWithForks: zeroed memory. Throws std::bad_alloc.
void* map_shared(std::size_t bytes);
void unmap_shared(void* memory, std::size_t bytes);

/// A T that is shared with the processes that are forked later. T must be trivially destructible.
template <class T>
class SharedWithForks {
 public:
  SharedWithForks() : value_(new (map_shared(sizeof(T))) T{}) {}
  [[nodiscard]] T& operator*() const { return *value_; }
  [[nodiscard]] T* operator->() const { return value_.get(); }
  [[nodiscard]] T* get() const { return value_.get(); }

 private:
  struct Unmap {
    void operator()(T* value) const { unmap_shared(value, sizeof(T)); }
  };
  std::unique_ptr<T, Unmap> value_;
};

}  // namespace pto2::cli
