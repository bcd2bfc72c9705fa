#include "stress/graphs/mistakes.hpp"

#include <stdexcept>

namespace pto2::graphs {
namespace {

/// Kinds of mistakes with tensors.
constexpr uint64_t tensor_mistakes = 14;
/// Kinds of mistakes with groups, and with their pipes.
constexpr uint64_t group_mistakes = 7;
constexpr uint64_t pipe_mistakes = 7;
/// Kinds of misuse of clusters while groups are open, and while none is.
constexpr uint64_t cluster_misuses = 6;
constexpr uint64_t unallocated_misuses = 2;
static_assert(plain_misuses + cluster_misuses + unallocated_misuses == misuses);

uint32_t make(Builder& builder, Extents shape = {4, 3}) {
  return builder.tensor(Make{DataType::INT16, std::move(shape)});
}

void submit(Builder& builder, uint32_t tensor, Use use) {
  builder.submit({.params = {{tensor, use}}});
}

/// The result of a sibling scope: the handle is valid, its memory is not.
void name_sibling(Builder& builder, Use use) {
  const uint32_t shared = make(builder);
  builder.begin_scope();
  submit(builder, shared, Use::output);
  builder.end_scope();
  builder.begin_scope();
  submit(builder, shared, use);
}

/// A tensor that was made in a scope that has ended.
uint32_t make_stale(Builder& builder) {
  builder.begin_scope();
  const uint32_t stale = make(builder);
  submit(builder, stale, Use::output);
  builder.end_scope();
  return stale;
}

uint32_t make_with_memory(Builder& builder) {
  const uint32_t tensor = make(builder);
  submit(builder, tensor, Use::output);
  return tensor;
}

void name_too_many(Builder& builder) {
  const uint32_t tensor = make_with_memory(builder);
  builder.submit({.params = std::vector<Param>(32, {tensor, Use::input})});
}

void mistake(Builder& builder, uint64_t kind) {
  switch (kind) {
    case 0:
      return name_sibling(builder, Use::input);
    case 1:
      return name_sibling(builder, Use::inout);
    case 2:
      return name_sibling(builder, Use::output);
    case 3:
      return submit(builder, make_stale(builder), Use::input);
    case 4:
      return submit(builder, make_stale(builder), Use::output);
    case 5:
      return static_cast<void>(builder.tensor(Transpose{make_stale(builder), 0, 1}));
    case 6:
      return submit(builder, make(builder), Use::input);
    case 7:
      return submit(builder, make(builder), Use::inout);
    case 8: {
      const uint32_t tensor = make(builder);
      return builder.submit({.params = {{tensor, Use::output}, {tensor, Use::output}}});
    }
    case 9:
      return static_cast<void>(builder.tensor(Reshape{make(builder), {12}}));
    case 10:
      return static_cast<void>(builder.tensor(Reshape{make_with_memory(builder), {13}}));
    case 11: {
      const uint32_t columns = builder.tensor(View{make_with_memory(builder), {4, 2}, {0, 1}});
      return static_cast<void>(builder.tensor(Reshape{columns, {8}}));
    }
    case 12:
      return static_cast<void>(builder.tensor(View{make_with_memory(builder), {2, 3}, {3, 0}}));
    case 13:
      return name_too_many(builder);
    default:
      return builder.misuse(static_cast<Misuse>(kind - tensor_mistakes));
  }
}

/// A group that was freed.
uint32_t make_freed(Builder& builder) {
  const uint32_t group = builder.allocate();
  builder.submit({.group = group});
  builder.free(group);
  return group;
}

/// A group whose scope has ended.
uint32_t make_ended(Builder& builder) {
  builder.begin_scope();
  const uint32_t group = builder.allocate();
  builder.submit({.group = group});
  builder.end_scope();
  return group;
}

void group_mistake(Builder& builder, uint64_t kind) {
  switch (kind) {
    case 0:
      return builder.free(make_freed(builder));
    case 1:
      return builder.free(make_ended(builder));
    case 2:
      return builder.submit({.group = make_freed(builder)});
    case 3:
      return builder.submit({.group = make_ended(builder)});
    case 4: {
      const uint32_t open = builder.allocate();
      return builder.submit({.block_dim = 2, .part_groups = {open, make_freed(builder)}});
    }
    case 5:
      return builder.submit({.core = CoreType::ai_cpu, .group = builder.allocate()});
    default:
      return builder.submit(
          {.params = std::vector<Param>(30, {make_with_memory(builder), Use::input}),
           .block_dim = 3});
  }
}

void pipe_mistake(Builder& builder, uint64_t kind) {
  const auto sized = [](uint32_t capacity, uint32_t slot_bytes) {
    return PipeParam{.tag = -9, .sizes = PipeSizes{capacity, slot_bytes}};
  };
  const PipeParam pipe{.tag = -9};
  if (kind == 0) return builder.submit({.pipes = {pipe}});
  if (kind == 1) return builder.submit({.block_dim = 2, .pipes = {pipe}});
  const uint32_t group = builder.allocate();
  switch (kind) {
    case 2: {
      const std::vector<uint32_t> groups{group, builder.allocate()};
      return builder.submit({.block_dim = 2, .part_groups = groups, .pipes = {pipe}});
    }
    case 3:
      return builder.submit({.block_dim = 2, .part_groups = {group, group}, .pipes = {pipe}});
    case 4:
      return builder.submit({.group = group, .pipes = {sized(4, 0)}});
    case 5:
      return builder.submit({.group = group, .pipes = {sized(1 << 16, 1 << 16)}});
    default:
      builder.submit({.group = group, .pipes = {sized(4, 64), pipe}});
      return builder.submit({.group = group, .pipes = {pipe, sized(4, 65)}});
  }
}

/// Makes sure of the mistake, and that something follows.
void go_on(Builder& builder) {
  if (!builder.state().refusal()) throw std::logic_error("mistakes: nothing is wrong");
  submit(builder, make(builder), Use::output);
}

}  // namespace

void make_mistake(Builder& builder, executors::Random& random) {
  mistake(builder, random.below(tensor_mistakes + plain_misuses));
  go_on(builder);
}

void make_cluster_mistake(Builder& builder, executors::Random& random) {
  const bool none_open = builder.state().open_groups().empty();
  const uint64_t kind = random.below(pipe_mistakes + group_mistakes + cluster_misuses +
                                     (none_open ? unallocated_misuses : 0));
  constexpr uint64_t mistakes = group_mistakes + pipe_mistakes;
  if (kind < group_mistakes) {
    group_mistake(builder, kind);
  } else if (kind < mistakes) {
    pipe_mistake(builder, kind - group_mistakes);
  } else {
    builder.misuse(static_cast<Misuse>(plain_misuses + kind - mistakes));
  }
  go_on(builder);
}

}  // namespace pto2::graphs
