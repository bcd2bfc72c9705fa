#include "runtime/record/task_writer.hpp"

#include <fmt/format.h>

#include <span>

#include "runtime/record/append.hpp"

namespace pto2 {
namespace {

const char* claim_name(Claim claim) {
  switch (claim) {
    case Claim::linked:
      return "linked";
    case Claim::early:
      return "early";
    case Claim::none:
      return "none";
  }
  return "unknown";
}

const char* direction_name(const ParamRecord& param) {
  switch (param.direction) {
    case Direction::in:
      return "in";
    case Direction::out:
      return "out";
    case Direction::inout:
      return "inout";
    case Direction::none:
      return !param.pipe ? "scalar" : param.pipe_out ? "pipe_out" : "pipe_in";
  }
  return "unknown";
}

/// Appends `,"name":[..]` with what write() says of each item.
template <class Items, class Write>
void append_list(const char* name, const Items& items, std::string& text, Write&& write) {
  append(text, R"(,"{}":[)", name);
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += ",";
    first = false;
    write(item);
  }
  text += "]";
}

void append_numbers(const char* name, const ParamRecord& param,
                    const std::array<uint64_t, max_dims>& numbers, std::string& text) {
  append(text, R"(,"{}":[{}])", name, fmt::join(std::span(numbers).first(param.dims), ","));
}

void append_tensor(const ParamRecord& param, std::string& text) {
  if (param.external) {
    append(text, R"(,"external":{})", param.memory);
  } else {
    append(text, R"(,"owner":[{},{}])", ring_of(param.owner).value, local_of(param.owner));
  }
  append(text, R"(,"base":{},"element":{},"origin":{})", param.base, param.element, param.origin);
  append_numbers("strides", param, param.strides, text);
  append_numbers("start", param, param.start, text);
  append_numbers("extent", param, param.extent, text);
}

void append_param(const ParamRecord& param, std::string& text) {
  append(text, R"({{"dir":"{}")", direction_name(param));
  if (param.pipe) {
    append(text, R"(,"tag":{})", param.tag);
  } else if (param.direction != Direction::none) {
    append_tensor(param, text);
  }
  text += "}";
}

void append_fill(const char* name, const PipeFill& fill, std::string& text) {
  append(text, R"(,"{}":[{},{}])", name, fill.waiting, fill.held);
}

void append_pipe(const PipeUse& use, std::string& text) {
  append(text, R"(,"group":{},"tag":{})", use.group, use.tag);
}

}  // namespace

void write_task(const TaskRecord& task, const Record& record, std::string& text) {
  append(text, R"(,"kernel":{},"type":"{}","scope":{},"depth":{},"cluster":{},"group":{})",
         task.kernel, record.types[task.type], task.scope, task.depth, task.cluster, task.group);
  append(text, R"(,"block_dim":{},"heap":[{},{}],"nodes":[{},{}])", task.block_dim, task.heap_begin,
         task.heap_bytes, task.first_node, task.nodes);
  append_list("producers", task.producers, text, [&](const ProducerRecord& producer) {
    append(text, R"([{},{},"{}"])", ring_of(producer.task).value, local_of(producer.task),
           claim_name(producer.claim));
  });
  append_list("holds", task.holds, text, [&](TaskId owner) {
    append(text, "[{},{}]", ring_of(owner).value, local_of(owner));
  });
  append_list("params", task.params, text,
              [&](const ParamRecord& param) { append_param(param, text); });
  if (task.pipes.empty()) return;
  append_list("pipes", task.pipes, text,
              [&](const MadePipe& pipe) { append(text, "[{},{}]", pipe.tag, pipe.capacity); });
}

void write_use(const PipeUse& use, std::string& text) {
  append_pipe(use, text);
  append(text, R"(,"capacity":{},"pushed":{},"popped":{},"freed":{})", use.capacity, use.pushed,
         use.popped, use.freed);
  append_fill("before", use.before, text);
  append_fill("after", use.after, text);
}

void write_left(const PipeUse& use, std::string& text) {
  append_pipe(use, text);
  append_fill("left", use.after, text);
}

}  // namespace pto2
