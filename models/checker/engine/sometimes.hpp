#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// What a program says must come to pass in some execution. Whether a run is one is known at its
/// end.
class Sometimes {
 public:
  using Names = std::vector<std::pair<std::string, bool>>;

  void note(ThreadId thread, std::string_view name, bool condition) {
    auto known = std::find_if(names_.begin(), names_.end(),
                              [&](const auto& entry) { return entry.first == name; });
    if (known == names_.end()) known = names_.insert(known, {std::string(name), false});
    if (!condition || known->second) return;
    const auto index = static_cast<std::size_t>(thread);
    if (index >= passed_.size()) passed_.resize(index + 1);
    passed_[index].push_back(static_cast<std::size_t>(known - names_.begin()));
  }
  /// The thread runs again, from its beginning.
  void forget(ThreadId thread) {
    const auto index = static_cast<std::size_t>(thread);
    if (index < passed_.size()) passed_[index].clear();
  }
  /// The run was an execution. Threads that are kept have passed by in an earlier one.
  void keep() {
    for (std::vector<std::size_t>& of_thread : passed_) {
      for (const std::size_t which : of_thread) names_[which].second = true;
      of_thread.clear();
    }
  }
  /// All that were passed by, and whether the condition held in an execution.
  const Names& names() const { return names_; }

 private:
  Names names_;
  std::vector<std::vector<std::size_t>> passed_;  // by thread: places in names_ where it held
};

}  // namespace pto2::model::engine
