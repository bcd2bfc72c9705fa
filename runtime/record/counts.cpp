#include "runtime/record/counts.hpp"

namespace pto2 {
namespace {

constexpr CountRow count_rows[] = {
    {"tasks", &Counts::tasks, "tasks that were submitted"},
    {"edges_linked", &Counts::edges_linked, "claims of producers that had not completed"},
    {"edges_early", &Counts::edges_early, "claims of producers that had, but were alive"},
    {"holds", &Counts::holds, "references to owners of buffers beside the edges"},
    {"dispatches", &Counts::dispatches,
     "tasks, and parts of block tasks, that were given to cores"},
    {"loans", &Counts::loans, "block tasks lent to cores, which claim the parts themselves"},
    {"acks", &Counts::acks, "kernels that began"},
    {"fins", &Counts::fins, "kernels that returned"},
    {"completions", &Counts::completions, "tasks that completed"},
    {"steals", &Counts::steals, "tasks that a scheduler took from another's shard"},
    {"cas_retries", &Counts::cas_retries, "compare-and-swaps that lost their race"},
    {"waits", &Counts::waits, "waits of the orchestrator for a resource"},
    {"wait_ticks", &Counts::wait_ticks,
     "time in those, and of the orchestrator in queues that are full and while it gives way to the "
     "others of its OS thread"},
    {"scheduler_parks", &Counts::scheduler_parks, "times that a scheduler slept"},
    {"peak_window", &Counts::peak_window,
     "most slots of one ring in use, as the orchestrator saw it"},
    {"slots_recycled", &Counts::slots_recycled, "submissions that took a slot used before"},
    {"kernel_ticks", &Counts::kernel_ticks,
     "time inside kernels, over all cores, if it is measured"},
    {"points", &Counts::points, "length of a simulated schedule; 0 on real threads"},
    {"host_threads", &Counts::host_threads, "OS threads that the run had"},
};
static_assert(sizeof(Counts) == std::size(count_rows) * sizeof(uint64_t));

}  // namespace

std::span<const CountRow> count_table() {
  return count_rows;
}

}  // namespace pto2
