// Stands in for boost.atomic in front of headers that take their atomics from there, such as those
// of libcds with CDS_USE_BOOST_ATOMIC, so that they can be checked unmodified.
#pragma once

#include <atomic>
#include <cstddef>
#include <pto2/checker.hpp>

namespace boost {

using pto2::model::atomic;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
using atomic_size_t = atomic<std::size_t>;

inline void atomic_thread_fence(memory_order order) {
  pto2::model::fence(order);
}

}  // namespace boost
