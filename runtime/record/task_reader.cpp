#include "runtime/record/task_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/record/checked.hpp"

namespace pto2 {
namespace {

using Element = JsonLine::Element;

/// `[a, b]`
std::array<uint64_t, 2> pair_of(const JsonLine& line, std::string_view name) {
  const JsonLine::Array list = line.list(name);
  if (list.size() != 2) line.refuse(fmt::format("field \"{}\" is no list of two numbers", name));
  return {line.number_in(list.at(0).value(), name), line.number_in(list.at(1).value(), name)};
}

/// Requires one of the record's rings.
TaskId id_of(const JsonLine& line, uint64_t ring, uint64_t number) {
  if (number > max_task_local) line.refuse(fmt::format("task {} is past all numbers", number));
  return make_id(RingId(static_cast<uint32_t>(ring)), number);
}

/// `[ring, number, ..]` inside a list.
TaskId task_in(const JsonLine& line, const Element& element, std::string_view name,
               const Record& record, std::size_t size, Element* third) {
  JsonLine::Array list;
  if (element.get(list) != simdjson::SUCCESS || list.size() != size) {
    line.refuse(fmt::format("field \"{}\" has something else than lists of {}", name, size));
  }
  const uint64_t ring = line.number_in(list.at(0).value(), name);
  if (ring >= record.rings.size()) {
    line.refuse(fmt::format("field \"{}\" names ring {} of {}", name, ring, record.rings.size()));
  }
  if (third != nullptr) *third = list.at(2).value();
  return id_of(line, ring, line.number_in(list.at(1).value(), name));
}

Claim claim_of(const JsonLine& line, const Element& element) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) {
    if (text == "linked") return Claim::linked;
    if (text == "early") return Claim::early;
    if (text == "none") return Claim::none;
  }
  line.refuse("a producer's claim is none of linked, early, none");
}

void read_dims(const JsonLine& param, std::string_view name, std::array<uint64_t, max_dims>& values,
               uint32_t dims) {
  const JsonLine::Array list = param.list(name);
  if (list.size() != dims || dims == 0 || dims > max_dims) {
    param.refuse(fmt::format("field \"{}\" has {} dimensions, not the same 1 to {} of all three",
                             name, list.size(), max_dims));
  }
  std::size_t i = 0;
  for (const Element element : list) values[i++] = param.number_in(element, name);
}

Direction direction_of(const JsonLine& param) {
  const std::string_view text = param.text("dir");
  if (text == "in") return Direction::in;
  if (text == "out") return Direction::out;
  if (text == "inout") return Direction::inout;
  if (text == "scalar" || text == "pipe_out" || text == "pipe_in") return Direction::none;
  param.refuse("a parameter's \"dir\" is none of in, out, inout, scalar, pipe_out, pipe_in");
}

/// A root tensor lies row by row, and a region does not go past the end of a row. So its rows come
/// one after the other.
void check_form(const JsonLine& line, const ParamRecord& param) {
  if (param.strides[param.dims - 1] != 1) line.refuse("the last of the \"strides\" is not 1");
  for (uint32_t i = 1; i < param.dims; ++i) {
    const uint64_t row = param.strides[i - 1];
    const uint64_t step = param.strides[i];
    if (step == 0 || row == 0 || row % step != 0)
      line.refuse("the \"strides\" are of no row-major tensor");
    if ((Checked(param.start[i]) + param.extent[i]).exceeds(row / step)) {
      line.refuse(fmt::format("dimension {} of a tensor has {} elements, and its region more", i,
                              row / step));
    }
  }
}

ParamRecord read_param(const JsonLine& line, const Record& record) {
  ParamRecord param;
  param.direction = direction_of(line);
  param.pipe = param.direction == Direction::none && line.text("dir") != "scalar";
  param.pipe_out = line.text("dir") == "pipe_out";
  if (param.pipe) param.tag = line.signed_number("tag");
  if (param.direction == Direction::none) return param;
  param.external = line.has("external");
  if (param.external) {
    param.memory = line.number("external");
  } else {
    const auto [ring, number] = pair_of(line, "owner");
    if (ring >= record.rings.size()) line.refuse(fmt::format("the owner is of ring {}", ring));
    param.owner = id_of(line, ring, number);
  }
  param.base = line.number("base");
  param.element = line.number("element");
  param.origin = line.number("origin");
  param.dims = static_cast<uint32_t>(line.list("extent").size());
  read_dims(line, "strides", param.strides, param.dims);
  read_dims(line, "start", param.start, param.dims);
  read_dims(line, "extent", param.extent, param.dims);
  const auto extents = std::span(param.extent).first(param.dims);
  if (param.element == 0 || std::ranges::count(extents, 0U) != 0) {
    line.refuse("a tensor has no bytes: an element size or extent is 0");
  }
  check_form(line, param);
  return param;
}

/// `[tag, slots]`
MadePipe pipe_in(const JsonLine& line, const Element& element) {
  MadePipe pipe;
  JsonLine::Array list;
  if (element.get(list) != simdjson::SUCCESS || list.size() != 2 ||
      list.at(0).get(pipe.tag) != simdjson::SUCCESS ||
      list.at(1).get(pipe.capacity) != simdjson::SUCCESS) {
    line.refuse("field \"pipes\" has something else than lists of a tag and a number of slots");
  }
  return pipe;
}

/// `[waiting, held]`; negative numbers are for the rules to refuse.
PipeFill fill_of(const JsonLine& line, std::string_view name) {
  const JsonLine::Array list = line.list(name);
  PipeFill fill{};
  if (list.size() != 2 || list.at(0).get(fill.waiting) != simdjson::SUCCESS ||
      list.at(1).get(fill.held) != simdjson::SUCCESS) {
    line.refuse(fmt::format("field \"{}\" is no list of two whole numbers", name));
  }
  return fill;
}

}  // namespace

TaskId task_of(const JsonLine& line, const Record& record) {
  const uint32_t ring = line.index("ring");
  if (ring >= record.rings.size()) {
    line.refuse(fmt::format("ring {} of {}", ring, record.rings.size()));
  }
  return id_of(line, ring, line.number("task"));
}

uint32_t type_of(const JsonLine& line, const Record& record) {
  const std::string_view name = line.text("type");
  const auto found = std::ranges::find(record.types, name);
  if (found == record.types.end()) line.refuse(fmt::format("no core is of type \"{}\"", name));
  return static_cast<uint32_t>(found - record.types.begin());
}

TaskRecord read_task(const JsonLine& line, const Record& record) {
  TaskRecord task;
  task.task = task_of(line, record);
  task.event = static_cast<uint32_t>(record.events.size());
  task.kernel = line.index("kernel");
  task.type = type_of(line, record);
  task.scope = line.number("scope");
  task.depth = line.number("depth");
  task.cluster = line.signed_number("cluster");
  task.group = line.signed_number("group");
  task.block_dim = line.number("block_dim");
  if (task.block_dim > 65535) line.refuse("\"block_dim\" is more than 65535");
  const auto [heap_begin, heap_bytes] = pair_of(line, "heap");
  const auto [first_node, nodes] = pair_of(line, "nodes");
  task.heap_begin = heap_begin;
  task.heap_bytes = heap_bytes;
  task.first_node = first_node;
  task.nodes = nodes;
  for (const Element element : line.list("producers")) {
    Element claim;
    const TaskId producer = task_in(line, element, "producers", record, 3, &claim);
    task.producers.push_back({producer, claim_of(line, claim)});
  }
  for (const Element element : line.list("holds")) {
    task.holds.push_back(task_in(line, element, "holds", record, 2, nullptr));
  }
  for (const Element element : line.list("params")) {
    task.params.push_back(read_param(line.inner(element, "a parameter"), record));
  }
  if (!line.has("pipes")) return task;
  for (const Element element : line.list("pipes")) task.pipes.push_back(pipe_in(line, element));
  return task;
}

namespace {

/// The pipe's name, and what is in it, which is called `fill`.
PipeUse read_pipe(const JsonLine& line, const Record& record, std::string_view fill) {
  PipeUse use;
  use.event = static_cast<uint32_t>(record.events.size());
  use.group = line.number("group");
  use.tag = line.signed_number("tag");
  use.after = fill_of(line, fill);
  return use;
}

}  // namespace

PipeUse read_use(const JsonLine& line, const Record& record) {
  PipeUse use = read_pipe(line, record, "after");
  use.before = fill_of(line, "before");
  use.capacity = line.number("capacity");
  use.pushed = line.signed_number("pushed");
  use.popped = line.signed_number("popped");
  use.freed = line.signed_number("freed");
  return use;
}

PipeUse read_left(const JsonLine& line, const Record& record) {
  return read_pipe(line, record, "left");
}

}  // namespace pto2
