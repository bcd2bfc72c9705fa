#include "tests/fuzz/graph_from_bytes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "stress/graphs/builder.hpp"

namespace pto2::fuzz {
namespace {

using namespace graphs;

constexpr std::size_t most_tasks = 32;
constexpr std::size_t most_steps = 160;
constexpr std::size_t deepest = 6;       ///< scopes open at a time, the outer one included
constexpr std::size_t most_groups = 20;  ///< open at a time
constexpr uint64_t most_elements = 240;
/// Of a task: the kernel has three parameters more at most.
constexpr std::size_t most_tensors = 29;
/// Of a pipe that is not refused; more is slow.
constexpr uint64_t most_pipe_bytes = 1 << 16;

class GraphReader {
 public:
  explicit GraphReader(Bytes& bytes)
      : bytes_(bytes), random_(0), builder_(random_, read_external_bytes(bytes)) {}

  Program read() {
    for (std::size_t steps = 0; steps < most_steps && !finished(); ++steps) step();
    if (state().refusal()) builder_.submit({.params = {}});  // which nobody may see
    return std::move(builder_).program();
  }

 private:
  static std::vector<uint64_t> read_external_bytes(Bytes& bytes) {
    std::vector<uint64_t> sizes(1 + bytes.below(3));
    for (uint64_t& size : sizes) size = 16 + 8 * bytes.below(40);
    return sizes;
  }

  [[nodiscard]] const Interpreter& state() const { return builder_.state(); }
  [[nodiscard]] bool finished() const {
    return bytes_.empty() || state().refusal() || builder_.tasks() >= most_tasks;
  }

  void step() {
    const uint64_t kind = bytes_.below(20);
    if (kind == 0) return begin_scope();
    if (kind == 1) return end_scope();
    if (kind == 2) return static_cast<void>(make());
    if (kind == 3) return external();
    if (kind <= 6) return derive(kind);
    if (kind <= 14) return task();
    if (kind == 15) return raw_task();
    if (kind <= 17) return allocate();
    if (kind == 18) return free();
    misuse();
  }

  void begin_scope() {
    if (state().depth() < deepest) builder_.begin_scope();
  }
  void end_scope() {
    if (state().depth() > 1) builder_.end_scope();
  }

  DataType type() {
    return static_cast<DataType>(bytes_.below(static_cast<uint64_t>(DataType::UINT64) + 1));
  }
  /// Of at most `most` elements, at least 1.
  Extents shape(uint64_t most) {
    Extents shape(1 + bytes_.below(PTO_MAX_DIMS));
    for (uint64_t& extent : shape) {
      extent = 1 + bytes_.below(std::min<uint64_t>(std::max<uint64_t>(most, 1), 64));
      most /= extent;
    }
    return shape;
  }

  uint32_t make() {
    const DataType dtype = type();
    return builder_.tensor(Make{dtype, shape(most_elements)});
  }

  void external() {
    const auto buffer = static_cast<uint32_t>(bytes_.below(builder_.externals()));
    const DataType dtype = type();
    const uint64_t size = state().buffers()[buffer].contents.size();
    builder_.tensor(External{buffer, dtype, shape(size / get_element_size(dtype))});
  }

  /// Any tensor; the recent ones are near 0.
  uint32_t any_tensor() {
    const std::size_t tensors = state().tensors().size();
    return static_cast<uint32_t>(tensors - 1 - bytes_.below(tensors));
  }

  /// A view, a reshape or a transpose of any tensor, be there something wrong with it or not.
  void derive(uint64_t kind) {
    if (state().tensors().empty()) return;
    const uint32_t of = any_tensor();
    const Extents& shape = builder_.model(of).shape;
    Step step;
    if (kind == 4) {
      step = view(of, shape);
    } else if (kind == 5) {
      step = reshape(of);
    } else {
      const auto x = static_cast<uint32_t>(bytes_.below(shape.size()));
      step = Transpose{of, x, static_cast<uint32_t>(bytes_.below(shape.size()))};
    }
    if (!state().fault() || is_certain(step)) builder_.tensor(std::move(step));
  }

  /// Whether what comes of it does not depend on the schedule.
  [[nodiscard]] bool is_certain(const Step& step) const {
    Interpreter after = state();
    after.apply(step);
    return !after.hazard();
  }

  /// In one of 256 cases for each dimension, what sticks out.
  View view(uint32_t of, const Extents& shape) {
    View view{of, shape, Extents(shape.size(), 0)};
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const uint8_t first = bytes_.byte();
      if (first < 128) continue;
      view.offsets[i] = first % shape[i];
      view.shape[i] = first == 255 ? shape[i] + 1 : 1 + bytes_.below(shape[i] - view.offsets[i]);
    }
    return view;
  }

  /// Mostly with as many elements as there are.
  Reshape reshape(uint32_t of) {
    uint64_t left = builder_.model(of).elements.size();
    Extents shape;
    for (uint64_t n = bytes_.below(PTO_MAX_DIMS); n != 0; --n) {
      const uint64_t factor = 1 + bytes_.below(6);
      if (left % factor != 0) continue;
      shape.push_back(factor);
      left /= factor;
    }
    shape.push_back(bytes_.byte() == 255 ? left + 1 : left);
    return {of, shape};
  }

  /// Vector, cube, or now and then the others.
  CoreType core() {
    static constexpr std::array<CoreType, 8> cores{
        CoreType::vector, CoreType::vector, CoreType::vector, CoreType::cube,
        CoreType::cube,   CoreType::cube,   CoreType::ai_cpu, CoreType::accelerator};
    return cores[bytes_.below(cores.size())];
  }

  /// A parameter that the runtime accepts, if it leaves the task deterministic.
  void add_param(Submit& task) {
    const auto use = static_cast<Use>(bytes_.below(4));
    if (state().tensors().empty() || bytes_.byte() < 96) {
      if (use == Use::output || use == Use::allocate) builder_.try_param(task, {make(), use});
      return;
    }
    const uint32_t tensor = any_tensor();
    const bool named = std::any_of(task.params.begin(), task.params.end(),
                                   [&](const Param& param) { return param.tensor == tensor; });
    const bool is_new = state().is_live(tensor) && !state().has_memory(tensor) && !reads(use);
    if (is_new ? !named : state().is_usable(tensor) && use != Use::allocate) {
      builder_.try_param(task, {tensor, use});
    }
  }

  void task() {
    Submit task{.core = core()};
    task.length = static_cast<uint32_t>(bytes_.below(16));
    for (uint64_t n = bytes_.below(6); n != 0; --n) add_param(task);
    const bool has_repeats = bytes_.byte() % 16 == 1 && !task.params.empty();
    for (uint64_t n = has_repeats ? bytes_.below(24) : 0; n != 0; --n) {
      builder_.try_param(task, {task.params.front().tensor, Use::input});
    }
    if (task.params.size() > most_tensors) task.params.resize(1);
    join(task);
    const bool is_pinned = task.group || !task.part_groups.empty();
    const bool is_rare = task.core == CoreType::ai_cpu || task.core == CoreType::accelerator;
    if (is_pinned && is_rare && bytes_.byte() < 240) task.core = CoreType::vector;
    submit(std::move(task));
  }

  /// What must be refused, or else leave the outcome to the program.
  void submit(Submit task) {
    if (is_certain(task)) builder_.submit(std::move(task));
  }

  /// Parameters that are wrong more often than not, or too many of them.
  void raw_task() {
    Submit task{.core = core()};
    const uint64_t params = bytes_.byte() < 240 ? bytes_.below(4) : 28 + bytes_.below(5);
    for (uint64_t n = params; n != 0 && !state().tensors().empty(); --n) {
      task.params.push_back({any_tensor(), static_cast<Use>(bytes_.below(4))});
    }
    if (bytes_.byte() < 128) join(task);
    submit(std::move(task));
  }

  uint32_t some_group() {
    const std::vector<uint32_t> open = state().open_groups();
    const std::size_t all = state().groups().size();
    if (open.empty() || bytes_.byte() == 255) return static_cast<uint32_t>(bytes_.below(all));
    return open[open.size() - 1 - bytes_.below(open.size())];
  }

  /// Makes it a block task, or pins it, or both, and gives it pipes.
  void join(Submit& task) {
    const uint64_t kind = bytes_.below(8);
    const bool pinned = kind % 2 == 1 && !state().groups().empty();
    if (kind >= 6 && !state().parts_conflict(task)) {
      task.block_dim = static_cast<uint32_t>(1 + bytes_.below(9));
      for (uint32_t part = 0; pinned && part < task.block_dim; ++part) {
        task.part_groups.push_back(some_group());
      }
    } else if (pinned) {
      task.group = some_group();
    }
    if (pinned || bytes_.byte() == 255) add_pipes(task);
  }

  void add_pipes(Submit& task) {
    for (uint64_t n = bytes_.below(4) % 3; n != 0; --n) {
      PipeParam pipe{.tag = static_cast<int32_t>(bytes_.below(3)) - 1};
      pipe.out = bytes_.below(2) == 0;
      if (bytes_.below(2) == 0) pipe.sizes = pipe_sizes();
      for (uint64_t step = bytes_.below(6); step != 0; --step) {
        static constexpr std::array<PipeStep, 8> steps{
            PipeStep::push, PipeStep::push,    PipeStep::push,    PipeStep::pop,
            PipeStep::pop,  PipeStep::release, PipeStep::release, PipeStep::oversized};
        pipe.steps.push_back(steps[bytes_.below(steps.size())]);
      }
      task.pipes.push_back(std::move(pipe));
    }
  }

  PipeSizes pipe_sizes() {
    static constexpr std::array<uint32_t, 8> capacities{1, 2, 3, 4, 8, 2, 0, 1 << 16};
    static constexpr std::array<uint32_t, 8> slots{8, 16, 40, 64, 8, 24, 0, 1 << 16};
    PipeSizes sizes{capacities[bytes_.below(8)], slots[bytes_.below(8)]};
    const uint64_t bytes = uint64_t{sizes.capacity} * sizes.slot_bytes;
    const bool both = sizes.capacity == 1 << 16 && sizes.slot_bytes == 1 << 16;
    if (bytes > most_pipe_bytes && !both) sizes = {4, 64};
    return sizes;
  }

  void allocate() {
    if (state().open_groups().size() < most_groups) builder_.allocate();
  }

  void free() {
    if (state().groups().empty()) return;
    const Free step{some_group()};
    if (is_certain(step)) builder_.free(step.group);
  }

  void misuse() {
    const uint64_t kind = bytes_.below(64);
    if (kind >= misuses) return;
    if (is_certain(static_cast<Misuse>(kind))) builder_.misuse(static_cast<Misuse>(kind));
  }

  Bytes& bytes_;
  executors::Random random_;  // draws nothing: the bytes do
  Builder builder_;
};

}  // namespace

Program graph_from(Bytes& bytes) {
  return GraphReader(bytes).read();
}

}  // namespace pto2::fuzz
