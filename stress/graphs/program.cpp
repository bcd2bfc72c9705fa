#include "stress/graphs/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pto2::graphs {
namespace {

const char* name_of(Use use) {
  switch (use) {
    case Use::input:
      return "INPUT";
    case Use::output:
      return "OUTPUT";
    case Use::allocate:
      return "OUTPUT (unwritten)";
    case Use::inout:
      return "INOUT";
  }
  return "unknown";
}

/// Writes the lines of a program, counting its tensors and tasks.
class Printer {
 public:
  void operator()(const ScopeBegin&) {
    line("scope {{");
    ++depth_;
  }
  void operator()(const ScopeEnd&) {
    --depth_;
    line("}}");
  }
  void operator()(const Make& step) {
    line("t{} = make_tensor([{}], {} bytes each)", tensors_++, fmt::join(step.shape, ", "),
         get_element_size(step.dtype));
  }
  void operator()(const External& step) {
    line("t{} = external buffer {} as [{}], {} bytes each", tensors_++, step.buffer,
         fmt::join(step.shape, ", "), get_element_size(step.dtype));
  }
  void operator()(const View& step) {
    line("t{} = t{}.view([{}] at [{}])", tensors_++, step.of, fmt::join(step.shape, ", "),
         fmt::join(step.offsets, ", "));
  }
  void operator()(const Reshape& step) {
    line("t{} = t{}.reshape([{}])", tensors_++, step.of, fmt::join(step.shape, ", "));
  }
  void operator()(const Transpose& step) {
    line("t{} = t{}.transpose({}, {})", tensors_++, step.of, step.x, step.y);
  }
  void operator()(const Submit& step) {
    std::string params;
    for (const Param& param : step.params) {
      params += fmt::format(" {} t{}", name_of(param.use), param.tensor);
    }
    for (const PipeParam& pipe : step.pipes) params += text_of(pipe);
    line("task {} on {}, length {}{}:{}", tasks_++, core_type_name(step.core), step.length,
         parts_of(step), params);
  }
  void operator()(const Allocate&) { line("g{} = allocate_cluster()", groups_++); }
  void operator()(const Free& step) { line("free_cluster(g{})", step.group); }

  void operator()(const Misuse& step) {
    static constexpr const char* names[misuses] = {"a task with an unknown kernel",
                                                   "a task for an unknown worker type",
                                                   "a task after orchestration_done",
                                                   "one scope_end too many",
                                                   "throw std::runtime_error",
                                                   "throw 1",
                                                   "a task on cluster -2",
                                                   "a task on a cluster too many",
                                                   "free_cluster(-1)",
                                                   "a part on a cluster too many",
                                                   "a block task of 0 parts",
                                                   "a block task of 65536 parts",
                                                   "a task on cluster 0",
                                                   "free_cluster(0)"};
    line("{}", names[static_cast<std::size_t>(step)]);
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  static std::string text_of(const PipeParam& pipe) {
    static constexpr const char* names[] = {"push", "pop", "free", "push too much"};
    std::string text = fmt::format(" {} pipe {}", pipe.out ? "OUT" : "IN", pipe.tag);
    if (pipe.sizes) {
      text += fmt::format(" of {} x {} bytes", pipe.sizes->capacity, pipe.sizes->slot_bytes);
    }
    text += " (";
    for (std::size_t i = 0; i < pipe.steps.size(); ++i) {
      text +=
          fmt::format("{}{}", i == 0 ? "" : ", ", names[static_cast<std::size_t>(pipe.steps[i])]);
    }
    return text + ")";
  }
  static std::string parts_of(const Submit& step) {
    if (step.group) return fmt::format(", of g{}", *step.group);
    if (step.block_dim == 0) return "";
    if (step.part_groups.empty()) return fmt::format(", {} parts", step.block_dim);
    return fmt::format(", {} parts of g{}", step.block_dim, fmt::join(step.part_groups, ", g"));
  }

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_.append(2 * depth_, ' ');
    text_ += fmt::format(format, std::forward<Values>(values)...) + '\n';
  }

  std::string text_;
  std::size_t depth_ = 0;
  uint32_t tensors_ = 0;
  uint32_t tasks_ = 0;
  uint32_t groups_ = 0;
};

}  // namespace

bool makes_tensor(const Step& step) {
  return std::holds_alternative<Make>(step) || std::holds_alternative<External>(step) ||
         std::holds_alternative<View>(step) || std::holds_alternative<Reshape>(step) ||
         std::holds_alternative<Transpose>(step);
}

std::string to_string(const Program& program) {
  Printer printer;
  for (const Step& step : program.steps) std::visit(printer, step);
  return fmt::format("external buffers of [{}] bytes\n", fmt::join(program.external_bytes, ", ")) +
         std::move(printer).text();
}

}  // namespace pto2::graphs
