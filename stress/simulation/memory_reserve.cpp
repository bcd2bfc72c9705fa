#include "stress/simulation/memory_reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace pto2::simulations {
namespace {

/// Of each part. From the system, where memory of any kind comes from (executors/freed_memory.hpp),
/// and much more than a report of ten runs takes.
constexpr std::size_t part_bytes = std::size_t{33} << 20;

std::atomic<void*> of_runs{nullptr};
std::atomic<void*> of_report{nullptr};
std::atomic<bool> has_ended{false};

/// Returns where it is worth another try.
void hand_out() {
  has_ended = true;
  void* const part = of_runs.exchange(nullptr);
  if (part == nullptr) throw std::bad_alloc();
  std::free(part);
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
