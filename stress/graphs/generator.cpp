#include "stress/graphs/generator.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "stress/graphs/builder.hpp"
#include "stress/graphs/groups.hpp"
#include "stress/graphs/mistakes.hpp"
#include "stress/graphs/shapes.hpp"

namespace pto2::graphs {
namespace {

constexpr std::size_t deepest = 6;  ///< scopes open at a time, the outer one included

/// What is drawn once, so that programs differ in kind and not only in detail.
struct Style {
  std::size_t tasks;       ///< no scope or task is begun beyond
  uint64_t scopes;         ///< of 16 steps
  uint64_t externals;      ///< of 16 steps
  uint64_t tiles;          ///< of 256 steps
  uint64_t longest;        ///< kernel
  std::size_t mistake_at;  ///< number of tasks; max_tasks: never
};

class Generator {
 public:
  Generator(uint64_t seed, Mistakes mistakes, Graphs graphs)
      : random_(seed), style_(draw_style(mistakes)), builder_(random_, draw_external_bytes()) {
    if (graphs == Graphs::clustered)
      groups_.emplace(seed, builder_, style_.mistake_at == max_tasks);
  }

  Program run() {
    while (!finished()) step();
    const bool missed = style_.mistake_at != max_tasks && !builder_.state().refusal();
    if (missed) mistake();
    return std::move(builder_).program();
  }

 private:
  Style draw_style(Mistakes mistakes) {
    static constexpr std::array<uint64_t, 5> scopes{0, 1, 3, 5, 8};
    Style style{};
    style.tasks = 5 + random_.below(26);
    style.scopes = scopes[random_.below(scopes.size())];
    style.externals = random_.below(5);
    style.tiles = random_.below(2) == 0 ? 0 : random_.below(24);
    style.longest = random_.below(2) == 0 ? 0 : 1 + random_.below(40);
    const bool mistaken = random_.below(10) == 0 || mistakes == Mistakes::always;
    style.mistake_at = mistaken ? random_.below(style.tasks) : max_tasks;
    return style;
  }

  std::vector<uint64_t> draw_external_bytes() {
    std::vector<uint64_t> bytes(1 + random_.below(3));
    for (uint64_t& size : bytes) size = 16 + 8 * random_.below(40);
    return bytes;
  }

  [[nodiscard]] bool finished() const {
    return builder_.tasks() >= style_.tasks || builder_.state().refusal().has_value();
  }
  [[nodiscard]] bool chance(uint64_t numerator, uint64_t denominator) {
    return random_.below(denominator) < numerator;
  }

  void mistake() {
    if (groups_ && groups_->mistakes_clusters()) return groups_->make_mistake();
    make_mistake(builder_, random_);
  }

  void step() {
    if (builder_.tasks() >= style_.mistake_at) return mistake();
    if (groups_) {
      groups_->before_step();
      groups_->burst();
      groups_->relay();
    }
    if (chance(style_.scopes, 16)) return scope();
    if (chance(style_.externals, 16)) return external();
    if (chance(style_.tiles, 256)) return tiles();
    const uint64_t kind = random_.below(32);
    if (kind < 8) return derive();
    if (kind < 10) return static_cast<void>(new_tensor());
    if (kind < 11) return gather();
    task();
  }

  void scope() {
    if (builder_.state().depth() == deepest) return task();
    builder_.begin_scope();
    if (groups_) groups_->scope_began();
    for (uint64_t left = 1 + random_.below(6); left != 0 && !finished(); --left) step();
    if (!builder_.state().refusal()) builder_.end_scope();
  }

  void external() {
    const auto buffer = static_cast<uint32_t>(random_.below(builder_.externals()));
    const uint64_t bytes = builder_.state().buffers()[buffer].contents.size();
    const DataType dtype = draw_type(random_);
    builder_.tensor(External{buffer, dtype, draw_shape(random_, bytes / get_element_size(dtype))});
  }

  /// A view, a transpose or a reshape.
  void derive() {
    if (const auto of = builder_.some_usable()) {
      builder_.tensor(draw_derived(random_, *of, builder_.model(*of)));
    } else {
      task();
    }
  }

  uint32_t new_tensor() {
    const DataType dtype = draw_type(random_);
    return builder_.tensor(Make{dtype, draw_shape(random_, chance(1, 12) ? 400 : 64)});
  }

  Submit new_task() {
    const uint64_t length = style_.longest == 0 ? 0 : random_.below(style_.longest + 1);
    return {chance(1, 3) ? CoreType::cube : CoreType::vector,
            static_cast<uint32_t>(chance(1, 2) ? 0 : length),
            {}};
  }

  /// The order in which a task names its tensors means nothing; the runtime must not care.
  void submit(Submit task) {
    if (chance(1, 2)) {
      for (std::size_t i = task.params.size(); i > 1; --i) {
        std::swap(task.params[i - 1], task.params[random_.below(i)]);
      }
    }
    if (groups_) groups_->join(task);
    builder_.submit(std::move(task));
  }

  void task() {
    Submit task = new_task();
    for (uint64_t n = random_.below(4); n != 0; --n) add_input(task);
    if (chance(3, 8)) add_write(task, Use::inout);
    if (chance(3, 8)) add_write(task, Use::output);
    if (chance(1, 5)) repeat_param(task);
    static constexpr std::array<uint64_t, 8> new_outputs{0, 1, 1, 1, 1, 1, 2, 3};
    for (uint64_t n = new_outputs[random_.below(new_outputs.size())]; n != 0; --n) {
      add_new_output(task);
    }
    submit(std::move(task));
  }

  static bool names(const Submit& task, uint32_t tensor) {
    return std::any_of(task.params.begin(), task.params.end(),
                       [&](const Param& param) { return param.tensor == tensor; });
  }

  void add_input(Submit& task) {
    const auto tensor = builder_.some_defined();
    if (tensor && !names(task, *tensor)) builder_.try_param(task, {*tensor, Use::input});
  }

  void add_write(Submit& task, Use use) {
    const auto tensor = use == Use::inout ? builder_.some_defined() : builder_.some_usable();
    if (tensor && !names(task, *tensor)) builder_.try_param(task, {*tensor, use});
  }

  /// Names a tensor of the task once more, in any direction.
  void repeat_param(Submit& task) {
    if (task.params.empty()) return;
    static constexpr std::array uses{Use::input, Use::output, Use::inout};
    const uint32_t tensor = task.params[random_.below(task.params.size())].tensor;
    builder_.try_param(task, {tensor, uses[random_.below(uses.size())]});
  }

  void add_new_output(Submit& task) {
    auto tensor = chance(1, 3) ? builder_.some_without_memory() : std::nullopt;
    if (!tensor || names(task, *tensor)) tensor = new_tensor();
    builder_.try_param(task, {*tensor, chance(1, 8) ? Use::allocate : Use::output});
  }

  /// A task with many parameters, the same tensor again and again among them.
  void gather() {
    Submit task = new_task();
    add_write(task, Use::inout);
    add_write(task, Use::output);
    for (uint64_t n = 8 + random_.below(24); n != 0; --n) {
      if (const auto tensor = builder_.some_defined()) {
        builder_.try_param(task, {*tensor, Use::input});
      }
    }
    add_new_output(task);
    submit(std::move(task));
  }

  /// A buffer whose pieces are written by a task each, and read as a whole.
  void tiles() {
    const bool many = chance(1, 2);
    const uint64_t pieces = many ? 17 + random_.below(6) : 2 + random_.below(6);
    if (builder_.tasks() + pieces + 2 > max_tasks) return task();
    Extents shape = draw_shape(random_, 6);
    shape.resize(std::min<std::size_t>(shape.size(), 4));
    const auto axis = static_cast<uint32_t>(random_.below(shape.size() + 1));
    shape.insert(shape.begin() + axis, pieces);
    const uint32_t whole = builder_.tensor(Make{draw_type(random_), shape});
    Submit first = new_task();
    if (chance(1, 2)) add_input(first);
    first.params.push_back({whole, chance(2, 3) ? Use::allocate : Use::output});
    submit(std::move(first));
    const bool inside = chance(1, 3) && builder_.state().depth() < deepest;
    if (inside) builder_.begin_scope();
    for (uint64_t piece = 0; piece < pieces; ++piece) tile(whole, axis, piece);
    if (inside) builder_.end_scope();
    read_tiles(whole);
  }

  /// Overlaps the next piece now and then; the two writers must be ordered then.
  void tile(uint32_t whole, uint32_t axis, uint64_t piece) {
    Extents shape = builder_.model(whole).shape;
    Extents offsets(shape.size(), 0);
    const uint64_t left = shape[axis] - piece;
    offsets[axis] = piece;
    shape[axis] = std::min<uint64_t>(left, chance(1, 8) ? 2 : 1);
    const uint32_t part = builder_.tensor(View{whole, shape, offsets});
    Submit task = new_task();
    if (chance(1, 4)) add_input(task);
    const Use preferred = chance(1, 4) ? Use::inout : Use::output;
    if (!builder_.try_param(task, {part, preferred}) &&
        !builder_.try_param(task, {part, Use::inout})) {
      return;
    }
    if (chance(1, 4)) add_new_output(task);
    submit(std::move(task));
  }

  void read_tiles(uint32_t whole) {
    uint32_t tensor = whole;
    if (chance(1, 3))
      tensor = builder_.tensor(draw_rearranged(random_, whole, builder_.model(whole)));
    Submit task = new_task();
    builder_.try_param(task, {tensor, chance(1, 3) ? Use::inout : Use::input});
    add_new_output(task);
    submit(std::move(task));
  }

  executors::Random random_;
  Style style_;
  Builder builder_;
  std::optional<GroupDrawer> groups_;  ///< of a clustered program
};

}  // namespace

Program generate(uint64_t seed, Mistakes mistakes, Graphs graphs) {
  return Generator(seed, mistakes, graphs).run();
}

}  // namespace pto2::graphs
