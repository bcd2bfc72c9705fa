// Stands in for the atomics that libcds brings along (CDS_USE_LIBCDS_ATOMIC), so that its queue has
// annotated ones (annotated_atomic.hpp) and is otherwise unmodified.
#pragma once

#include <cstddef>

#include "runtime/executors/annotated_atomic.hpp"

namespace cds::cxx11_atomic {

template <class T>
using atomic = pto2::executors::MachineAtomic<T>;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
using atomic_size_t = atomic<std::size_t>;

}  // namespace cds::cxx11_atomic
