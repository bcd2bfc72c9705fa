#include "bench/ledger_memory.hpp"

#include <stdexcept>

#include "runtime/executors/simulated_team.hpp"

namespace pto2::bench {

std::memory_order LedgerMemory::order(const OrderUse& use) {
  if (auto* const team = executors::SimulatedTeam<LedgerMemory>::active()) {
    LedgerMemory& memory = team->memory();
    const std::string_view site = use.site->name;
    memory.structures_[memory.self_] = site.substr(0, site.find('.'));
  }
  return use.site->order;
}

void LedgerMemory::begin(std::size_t threads) {
  if (threads > CacheLedger::max_threads) throw std::runtime_error("too many threads for a ledger");
  structures_.resize(threads);
}

}  // namespace pto2::bench
