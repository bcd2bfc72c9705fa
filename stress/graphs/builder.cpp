#include "stress/graphs/builder.hpp"

#include <utility>

namespace pto2::graphs {
namespace {

/// Tensors of a task; one parameter more is the kernel's own.
constexpr std::size_t most_tensors = 31;

}  // namespace

Builder::Builder(executors::Random& random, std::vector<uint64_t> external_bytes)
    : random_(random),
      program_{std::move(external_bytes), {}},
      interpreter_(program_.external_bytes) {}

void Builder::add(Step step) {
  interpreter_.apply(step);
  program_.steps.push_back(std::move(step));
}

uint32_t Builder::tensor(Step step) {
  add(std::move(step));
  return static_cast<uint32_t>(interpreter_.tensors().size() - 1);
}

bool Builder::try_param(Submit& task, Param param) const {
  const std::size_t before = task.params.size();
  if (before == most_tensors) return false;
  task.params.push_back(param);
  Hazards hazards = interpreter_.hazards(task);
  if (hazards.unordered.any() && !hazards.undefined) {
    order_after(task, hazards.unordered);
    hazards = interpreter_.hazards(task);
  }
  if (hazards.any() || task.params.size() > most_tensors) task.params.resize(before);
  return task.params.size() > before;
}

/// Adds, for each of the missing tasks, something that it wrote as INPUT, if there is such a thing.
void Builder::order_after(Submit& task, const TaskSet& missing) const {
  TaskSet left = missing;
  for_each_task(missing, [&](uint32_t number) {
    if (!left[number]) return;
    for (const Param& param : interpreter_.tasks()[number].params) {
      if (!records(param.use) || !interpreter_.is_usable(param.tensor) ||
          !interpreter_.is_defined(param.tensor)) {
        continue;
      }
      task.params.push_back({param.tensor, Use::input});
      left &= ~interpreter_.before_reader_of(param.tensor);
      return;
    }
  });
}

template <class Wanted>
std::optional<uint32_t> Builder::some(Wanted&& wanted) {
  constexpr std::size_t recent = 6;
  std::vector<uint32_t> found;
  const bool recent_only = random_.below(2) == 0;
  for (auto tensor = static_cast<uint32_t>(interpreter_.tensors().size()); tensor-- > 0;) {
    if (wanted(tensor)) found.push_back(tensor);
    if (recent_only && found.size() == recent) break;
  }
  if (found.empty()) return std::nullopt;
  return found[random_.below(found.size())];
}

std::optional<uint32_t> Builder::some_usable() {
  return some([this](uint32_t tensor) { return interpreter_.is_usable(tensor); });
}

std::optional<uint32_t> Builder::some_defined() {
  // Nearly all are; looking at the bytes of one is cheaper than at those of all.
  for (int tries = 0; tries < 4; ++tries) {
    const auto tensor = some_usable();
    if (!tensor || interpreter_.is_defined(*tensor)) return tensor;
  }
  return std::nullopt;
}

std::optional<uint32_t> Builder::some_without_memory() {
  return some([this](uint32_t tensor) {
    return interpreter_.is_live(tensor) && !interpreter_.has_memory(tensor);
  });
}

}  // namespace pto2::graphs
