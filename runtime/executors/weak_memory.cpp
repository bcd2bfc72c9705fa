#include "runtime/executors/weak_memory.hpp"

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <string>

#include "runtime/executors/simulated_team.hpp"

namespace pto2::executors {

namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

void PlainAccesses::touch(bool writes, const std::type_info& type) {
  auto* const team = SimulatedTeam<WeakMemory>::active();
  if (team == nullptr) return;
  WeakMemory& memory = team->memory();
  const std::optional<PlainRace> race = writes ? memory.write(*this) : memory.read(*this);
  if (!race) [[likely]]
    return;
  team->give_up(std::string("data race: it ") + (writes ? "writes" : "reads") + " a " +
                boost::core::demangle(type.name()) + " that " + team->name_of(race->other) +
                (race->other_wrote ? " wrote" : " read") + ", and nothing orders the two");
}

void PlainAccesses::begin(bool writes, const std::type_info& type) {
  touch(writes, type);
  if (auto* const team = SimulatedTeam<WeakMemory>::active()) team->memory().begin(*this, writes);
}

void PlainAccesses::end(bool writes, const std::type_info& type) {
  if (auto* const team = SimulatedTeam<WeakMemory>::active()) team->memory().end(*this, writes);
  touch(writes, type);
}

WeakMemory::WeakMemory(const Options& options) : random_(options.schedule.seed ^ 0x5ea1ed0bad1dea) {
  constexpr uint32_t loads_per_stale[] = {2, 4, 16, 64};
  loads_per_stale_ = loads_per_stale[random_.below(std::size(loads_per_stale))];
  if (options.loads_per_stale) loads_per_stale_ = *options.loads_per_stale;
}

void WeakMemory::begin(std::size_t threads) {
  for (uint32_t i = 0; i < threads; ++i) {
    threads_.push_back({i, VectorClock(threads)});
    threads_.back().past.advance(i);
  }
}

bool WeakMemory::is_late() {
  if (random_.below(loads_per_stale_) != 0) return false;
  self_->missed = true;
  return true;
}

void WeakMemory::tell(uint32_t thread) {
  threads_[thread].told.join(self_->past);
  threads_[thread].heard = false;
  self_->past.advance(self_->number);
}

bool WeakMemory::hear() {
  if (self_->heard) return false;
  self_->heard = true;
  self_->past.join(self_->told);
  return true;
}

void WeakMemory::Entries::pass_on(WeakMemory* memory, uint64_t turn) {
  if (memory == nullptr) return;
  Entry& entry = entries_[turn % entries_.size()];
  VectorClock& past = memory->self_->past;
  past.join(entry.clock);
  entry.last = memory->now();
  entry.clock.assign(past);
  past.advance(memory->self_->number);
}

WeakMemory::History* WeakMemory::find(const Location& location) {
  if (location.history == 0 || location.history > histories_.size()) return nullptr;
  History& found = histories_[location.history - 1];
  return found.owner == &location ? &found : nullptr;
}

/// A new one starts with the value that the atomic had before any thread stored, which all know.
WeakMemory::History& WeakMemory::find_or_make(Location& location, uint64_t newest) {
  if (History* found = find(location)) return *found;
  histories_.push_back({&location, {}});
  location.history = static_cast<uint32_t>(histories_.size());
  History& made = histories_.back();
  made.stores.emplace_back(threads_.size());
  made.stores.back().value = newest;
  made.count = 1;
  return made;
}

bool WeakMemory::is_known(const Store& store) const {
  const VectorClock& past = self_->past;
  return store.by.is_in(past) ||
         std::ranges::any_of(store.reads, [&](const Stamp& read) { return read.is_in(past); });
}

/// A seq_cst load sees no store that is older than the last seq_cst one. What other seq_cst loads
/// have seen is no bound.
uint32_t WeakMemory::oldest_readable(History& history, bool seq_cst) const {
  const uint32_t oldest = history.count > kept ? history.count - kept : 0;
  uint32_t i = history.count - 1;
  while (i != oldest && !is_known(history.at(i)) && !(seq_cst && history.at(i).seq_cst)) --i;
  return i;
}

/// The running thread reads store `which`.
uint64_t WeakMemory::see(History& history, uint32_t which, std::memory_order order) {
  Store& store = history.at(which);
  if (!is_known(store)) store.reads.push_back(now());
  if (acquires(order) && store.gives) self_->past.join(store.gain);
  return store.value;
}

/// The newest store, or an older one that accept() takes.
template <class Accept>
uint32_t WeakMemory::choose(History& history, std::memory_order order, Accept&& accept) {
  const uint32_t last = history.count - 1;
  const uint32_t oldest = oldest_readable(history, order == std::memory_order_seq_cst);
  if (oldest == last) return last;
  const uint32_t older = oldest + static_cast<uint32_t>(random_.below(last - oldest));
  return accept(history.at(older)) && is_late() ? older : last;
}

uint64_t WeakMemory::load(const Location& location, uint64_t newest, std::memory_order order) {
  History* const found = find(location);
  if (found == nullptr) return newest;
  return see(*found, choose(*found, order, [](const Store&) { return true; }), order);
}

uint64_t WeakMemory::load_to_compare(const Location& location, uint64_t newest, uint64_t expected,
                                     std::memory_order failure) {
  History* const found = find(location);
  if (found == nullptr) return newest;
  const uint32_t which =
      choose(*found, failure, [&](const Store& store) { return store.value != expected; });
  const uint64_t value = found->at(which).value;
  return value == expected ? value : see(*found, which, failure);
}

/// Puts a store behind all others. The oldest is forgotten.
WeakMemory::Store& WeakMemory::add(History& history, uint64_t value, std::memory_order order) {
  if (history.stores.size() < kept) history.stores.emplace_back(threads_.size());
  Store& store = history.at(history.count++);
  store.value = value;
  store.by = now();
  store.seq_cst = order == std::memory_order_seq_cst;
  store.gives = false;
  store.reads.clear();
  if (releases(order)) {
    store.gives = true;
    store.gain.assign(self_->past);
    self_->past.advance(self_->number);
  }
  return store;
}

void WeakMemory::store(Location& location, uint64_t newest, uint64_t value,
                       std::memory_order order) {
  add(find_or_make(location, newest), value, order);
}

/// An update carries on what the store that it read gives (a release sequence).
void WeakMemory::update(Location& location, uint64_t newest, uint64_t value,
                        std::memory_order order) {
  History& found = find_or_make(location, newest);
  see(found, found.count - 1, order);
  Store& added = add(found, value, order);
  const Store& before = found.at(found.count - 2);
  if (!before.gives) return;
  if (!added.gives) added.gain.clear();
  added.gives = true;
  added.gain.join(before.gain);
}

void WeakMemory::end(const PlainAccesses& accesses, bool writes) {
  const LongAccess own{&accesses, self_->number, writes};
  const auto last = std::find(under_way_.rbegin(), under_way_.rend(), own);
  if (last != under_way_.rend()) under_way_.erase(std::next(last).base());
}

std::optional<PlainRace> WeakMemory::overlap(const PlainAccesses& accesses, bool writes) const {
  for (const LongAccess& other : under_way_) {
    if (other.to != &accesses || other.thread == self_->number) continue;
    if (writes || other.writes) return PlainRace{other.thread, other.writes};
  }
  return std::nullopt;
}

std::optional<PlainRace> WeakMemory::read(PlainAccesses& accesses) {
  const VectorClock& past = self_->past;
  if (!accesses.write.is_in(past)) return PlainRace{accesses.write.thread, true};
  if (const auto race = overlap(accesses, false)) return race;
  if (accesses.readers != 0 || !accesses.read.is_in(past)) {
    share(accesses);
  } else {
    accesses.read = now();
  }
  return std::nullopt;
}

/// Several threads read it, and none of these reads is in the past of the next.
void WeakMemory::share(PlainAccesses& accesses) {
  if (accesses.readers == 0) {
    readers_.push_back({accesses.read});
    accesses.readers = static_cast<uint32_t>(readers_.size());
  }
  std::vector<Stamp>& readers = readers_[accesses.readers - 1];
  std::erase_if(readers, [this](const Stamp& read) { return read.is_in(self_->past); });
  readers.push_back(now());
}

std::optional<PlainRace> WeakMemory::write(PlainAccesses& accesses) {
  const VectorClock& past = self_->past;
  if (!accesses.write.is_in(past)) return PlainRace{accesses.write.thread, true};
  if (accesses.readers != 0) {
    for (const Stamp& read : readers_[accesses.readers - 1]) {
      if (!read.is_in(past)) return PlainRace{read.thread, false};
    }
  } else if (!accesses.read.is_in(past)) {
    return PlainRace{accesses.read.thread, false};
  }
  if (const auto race = overlap(accesses, true)) return race;
  accesses = {now(), {}, 0};
  return std::nullopt;
}

}  // namespace pto2::executors
