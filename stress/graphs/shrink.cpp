#include "stress/graphs/shrink.hpp"

#include <algorithm>
#include <optional>

#include "stress/graphs/interpreter.hpp"

namespace pto2::graphs {
namespace {

/// Calls visit(number) for each tensor that a step refers to, by reference.
template <class StepType, class Visit>
void for_each_reference(StepType& step, Visit&& visit) {
  std::visit(
      [&](auto& which) {
        if constexpr (requires { which.of; }) visit(which.of);
        if constexpr (requires { which.params; }) {
          for (auto& param : which.params) visit(param.tensor);
        }
      },
      step);
}

/// The same for each group.
template <class Visit>
void for_each_group(Step& step, Visit&& visit) {
  if (auto* free = std::get_if<Free>(&step)) visit(free->group);
  auto* task = std::get_if<Submit>(&step);
  if (task == nullptr) return;
  if (task->group) visit(*task->group);
  for (uint32_t& group : task->part_groups) visit(group);
}

std::size_t matching_end(const std::vector<Step>& steps, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < steps.size(); ++i) {
    if (std::holds_alternative<ScopeBegin>(steps[i])) ++depth;
    if (std::holds_alternative<ScopeEnd>(steps[i]) && --depth == 0) return i;
  }
  return steps.size();
}

/// Without step `at`; a scope loses both its ends. None if something refers to it.
std::optional<Program> without_step(Program program, std::size_t at) {
  std::vector<Step>& steps = program.steps;
  const auto position = [&](std::size_t i) {
    return steps.begin() + static_cast<std::ptrdiff_t>(i);
  };
  if (std::holds_alternative<ScopeEnd>(steps[at])) return std::nullopt;
  if (std::holds_alternative<ScopeBegin>(steps[at])) {
    const std::size_t end = matching_end(steps, at);
    if (end != steps.size()) steps.erase(position(end));
  }
  if (makes_tensor(steps[at])) {
    const auto number =
        static_cast<uint32_t>(std::count_if(steps.begin(), position(at), makes_tensor));
    bool used = false;
    for (Step& step : steps) {
      for_each_reference(step, [&](uint32_t& tensor) {
        used |= tensor == number;
        tensor -= tensor > number ? 1 : 0;
      });
    }
    if (used) return std::nullopt;
  }
  if (std::holds_alternative<Allocate>(steps[at])) {
    const auto number =
        static_cast<uint32_t>(std::count_if(steps.begin(), position(at), [](const Step& step) {
          return std::holds_alternative<Allocate>(step);
        }));
    bool used = false;
    for (Step& step : steps) {
      for_each_group(step, [&](uint32_t& group) {
        used |= group == number;
        group -= group > number ? 1 : 0;
      });
    }
    if (used) return std::nullopt;
  }
  steps.erase(position(at));
  return program;
}

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& still)
      : program_(std::move(program)),
        still_(still),
        refused_(interpret(program_).refusal().has_value()),
        faulty_(interpret(program_).fault().has_value()) {}

  Program run() {
    while (pass()) {
    }
    return std::move(program_);
  }

 private:
  /// From the end, so that nothing refers to what is tried. True if something went.
  bool pass() {
    bool smaller = false;
    for (std::size_t at = program_.steps.size(); at-- > 0;) {
      if (at < program_.steps.size()) smaller |= accept(without_step(program_, at));
      if (at < program_.steps.size()) smaller |= drop_params(at);
      if (at < program_.steps.size()) smaller |= drop_pipes(at);
      if (at < program_.steps.size()) smaller |= make_plain(at);
    }
    return smaller;
  }

  bool drop_params(std::size_t at) {
    bool smaller = false;
    const auto* task = std::get_if<Submit>(&program_.steps[at]);
    for (std::size_t i = task == nullptr ? 0 : task->params.size(); i-- > 0;) {
      Program candidate = program_;
      auto& params = std::get<Submit>(candidate.steps[at]).params;
      params.erase(params.begin() + static_cast<std::ptrdiff_t>(i));
      smaller |= accept(std::move(candidate));
    }
    return smaller;
  }

  /// Pipes of a task, or steps with them.
  bool drop_pipes(std::size_t at) {
    bool smaller = false;
    const auto pipes = [&]() -> std::vector<PipeParam>* {
      auto* task = std::get_if<Submit>(&program_.steps[at]);
      return task == nullptr ? nullptr : &task->pipes;
    };
    for (std::size_t i = pipes() == nullptr ? 0 : pipes()->size(); i-- > 0;) {
      Program candidate = program_;
      auto& less = std::get<Submit>(candidate.steps[at]).pipes;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      if (accept(std::move(candidate))) {
        smaller = true;
        continue;
      }
      for (std::size_t step = (*pipes())[i].steps.size(); step-- > 0;) {
        candidate = program_;
        auto& steps = std::get<Submit>(candidate.steps[at]).pipes[i].steps;
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
        smaller |= accept(std::move(candidate));
      }
    }
    return smaller;
  }

  /// Takes a task out of its groups, or makes a block task one of fewer parts.
  bool make_plain(std::size_t at) {
    const auto* task = std::get_if<Submit>(&program_.steps[at]);
    if (task == nullptr) return false;
    bool smaller = false;
    const auto attempt = [&](bool possible, auto&& change) {
      if (!possible) return;
      Program candidate = program_;
      change(std::get<Submit>(candidate.steps[at]));
      smaller |= accept(std::move(candidate));
    };
    attempt(task->group.has_value(), [](Submit& of) { of.group.reset(); });
    attempt(std::get<Submit>(program_.steps[at]).block_dim != 0, [](Submit& of) {
      of.block_dim = 0;
      of.part_groups.clear();
    });
    attempt(!std::get<Submit>(program_.steps[at]).part_groups.empty(),
            [](Submit& of) { of.part_groups.clear(); });
    const auto& groups = std::get<Submit>(program_.steps[at]).part_groups;
    const bool differ = std::any_of(groups.begin(), groups.end(),
                                    [&](uint32_t group) { return group != groups.front(); });
    attempt(differ, [](Submit& of) {
      std::fill(of.part_groups.begin(), of.part_groups.end(), of.part_groups.front());
    });
    attempt(std::get<Submit>(program_.steps[at]).block_dim > 1, [](Submit& of) {
      --of.block_dim;
      if (!of.part_groups.empty()) of.part_groups.pop_back();
    });
    return smaller;
  }

  bool accept(std::optional<Program> candidate) {
    if (!candidate) return false;
    const Interpreter predicted = interpret(*candidate);
    if (predicted.hazard() || predicted.refusal().has_value() != refused_) return false;
    if (predicted.fault().has_value() != faulty_) return false;
    if (!still_(*candidate)) return false;
    program_ = std::move(*candidate);
    return true;
  }

  Program program_;
  const std::function<bool(const Program&)>& still_;
  bool refused_;
  bool faulty_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& still) {
  return Shrinker(std::move(program), still).run();
}

}  // namespace pto2::graphs
