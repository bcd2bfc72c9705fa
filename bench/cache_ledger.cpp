#include "bench/cache_ledger.hpp"

#include "core/policy.hpp"

namespace pto2::bench {
namespace {

/// Calls visit(line) for the number of each line of the data.
template <class Visit>
void for_each_line(const void* address, std::size_t bytes, Visit&& visit) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t last = (begin + bytes - 1) / cache_line;
  for (uintptr_t line = begin / cache_line; line <= last; ++line) visit(line);
}

}  // namespace

void CacheLedger::read(std::size_t thread, const void* address, std::size_t bytes,
                       std::string_view structure) {
  for_each_line(address, bytes, [&](uintptr_t line) {
    Holders& holders = holders_[line];
    if (holders.any() && !holders.test(thread)) add_transfer(structure);
    holders.set(thread);
  });
}

void CacheLedger::write(std::size_t thread, const void* address, std::size_t bytes,
                        std::string_view structure) {
  for_each_line(address, bytes, [&](uintptr_t line) {
    Holders& holders = holders_[line];
    const Holders alone = Holders().set(thread);
    if (holders.any() && holders != alone) add_transfer(structure);
    holders = alone;
  });
}

void CacheLedger::add_transfer(std::string_view structure) {
  const auto found = transfers_.find(structure);
  ++(found != transfers_.end() ? found : transfers_.try_emplace(std::string(structure)).first)
        ->second;
}

}  // namespace pto2::bench
