#include "models/checker/engine/spin_loops.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>

namespace pto2::model::engine {

namespace {

/// Of all executions of this process.
std::mutex mutex_of_known;
std::vector<std::source_location> known_places;
bool any_suspected = false;

}  // namespace

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::string_view(a.file_name()) == b.file_name();
}

const void*& ExplorersFrame::innermost() {
  static constinit thread_local const void* frame = nullptr;
  return frame;
}

SpinLoops::SpinLoops() {
  const std::lock_guard guard(mutex_of_known);
  places_ = known_places;
  suspected_ = any_suspected;
  if (suspected_) callers_ = stack_from(ExplorersFrame::innermost());
}

void SpinLoops::suspect() {
  const std::lock_guard guard(mutex_of_known);
  any_suspected = true;
}

std::uint64_t SpinLoops::sum_of_surroundings() const {
  return sum_of_globals() + sum_of(callers_);
}

bool SpinLoops::contains(const std::source_location& place) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const auto& known) { return same_place(known, place); });
}

void SpinLoops::add(const std::source_location& place) {
  places_.push_back(place);
  const std::lock_guard guard(mutex_of_known);
  known_places.push_back(place);
}

}  // namespace pto2::model::engine
