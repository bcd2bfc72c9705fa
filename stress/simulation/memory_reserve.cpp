#include "stress/simulation/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace pto2::simulations {
namespace {

/// Of each part. From the system, where memory of any kind comes from (executors/freed_memory.hpp),
/// and much more than a report of ten runs takes.
constexpr std::size_t part_bytes = std::size_t{33} << 20;

std::atomic<void*> of_runs{nullptr};
std::atomic<void*> of_report{nullptr};
std::atomic<bool> has_ended{false};

/// Returns where it is worth another try: each thread has one, since it may have failed before
/// another had the part freed.
void hand_out() {
  static std::mutex mutex;
  thread_local bool has_tried = false;
  has_ended = true;
  {
    const std::lock_guard lock(mutex);
    void* const part = of_runs.exchange(nullptr);
    std::free(part);
  }
  if (std::exchange(has_tried, true)) throw std::bad_alloc();
}

}  // namespace

void MemoryReserve::install() {
  of_runs = std::malloc(part_bytes);
  of_report = std::malloc(part_bytes);
  std::set_new_handler(hand_out);
}

void MemoryReserve::check() {
  if (has_ended) throw std::bad_alloc();
}

void MemoryReserve::release() {
  std::free(of_runs.exchange(nullptr));
  std::free(of_report.exchange(nullptr));
}

}  // namespace pto2::simulations
