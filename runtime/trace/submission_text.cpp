#include "runtime/trace/submission_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "runtime/orchestrator/submission.hpp"

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

const char* direction_name(PTOParamType type) {
  switch (type) {
    case PTOParamType::INPUT:
      return "in";
    case PTOParamType::OUTPUT:
      return "out";
    case PTOParamType::INOUT:
      return "inout";
    case PTOParamType::SCALAR:
      return "scalar";
    case PTOParamType::PIPE_OUT:
      return "pipe_out";
    case PTOParamType::PIPE_IN:
      return "pipe_in";
  }
  return "unknown";
}

template <class... Values>
void append(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

/// Opens a list, or goes on with it.
const char* separator(bool first) {
  return first ? "" : ",";
}

}  // namespace

SubmissionText::SubmissionText(const TaskTrace& trace, const EventLog& events)
    : trace_(trace), memory_(trace.params()) {
  for (const Event& event : events.events()) {
    if (event.kind == EventKind::allocate) clusters_[event.task.value] = event.detail;
  }
}

uint32_t SubmissionText::cluster_of(uint64_t group) const {
  const auto found = clusters_.find(group);
  return found == clusters_.end() ? 0 : found->second;
}

std::string SubmissionText::next(const Event& submit) {
  std::string text;
  append(text, R"(,"kernel":{})", submit.detail);
  if (task_ == trace_.tasks().size()) return text;  // there was no room for more
  const TracedTask& task = trace_.tasks()[task_++];
  const int64_t group = task.cluster == any_cluster ? -1 : int64_t{task.group};
  append(text, R"(,"type":"{}","scope":{},"depth":{},"cluster":{},"group":{},"block_dim":{})",
         core_type_name(task.type), task.scope, task.depth, task.cluster, group, task.block_dim);
  append(text, R"(,"heap":[{},{}],"nodes":[{},{}])", task.heap_begin, task.heap_bytes,
         task.first_node, task.nodes);
  add_edges(task, text);
  add_params(task, text);
  if (task.pipes != 0) add_pipes(task, text);
  return text;
}

uint64_t SubmissionText::next_request() {
  return request_ < trace_.requests().size() ? trace_.requests()[request_++] : 0;
}

void SubmissionText::add_edges(const TracedTask& task, std::string& text) {
  text += R"(,"producers":[)";
  for (uint32_t i = 0; i < task.edges; ++i) {
    const TracedEdge& edge = trace_.edges()[edge_++];
    append(text, R"({}[{},{},"{}"])", separator(i == 0), ring_of(edge.producer),
           local_of(edge.producer), claim_name(edge.claim));
  }
  text += R"(],"holds":[)";
  for (uint32_t i = 0; i < task.holds; ++i) {
    const TaskId owner = trace_.holds()[hold_++];
    append(text, "{}[{},{}]", separator(i == 0), ring_of(owner), local_of(owner));
  }
  text += "]";
}

void SubmissionText::add_params(const TracedTask& task, std::string& text) {
  text += R"(,"params":[)";
  for (uint32_t i = 0; i < task.params; ++i) {
    const TracedParam& param = trace_.params()[param_++];
    append(text, R"({}{{"dir":"{}")", separator(i == 0), direction_name(param.type));
    if (is_pipe(param.type)) {
      append(text, R"(,"tag":{})", param.tag);
    } else if (param.type != PTOParamType::SCALAR) {
      add_tensor(param, text);
    }
    text += "}";
  }
  text += "]";
}

void SubmissionText::add_pipes(const TracedTask& task, std::string& text) {
  text += R"(,"pipes":[)";
  for (uint32_t i = 0; i < task.pipes; ++i) {
    const TracedPipe& pipe = trace_.pipes()[pipe_++];
    append(text, "{}[{},{}]", separator(i == 0), pipe.tag, pipe.capacity);
  }
  text += "]";
}

void SubmissionText::add_tensor(const TracedParam& param, std::string& text) const {
  const Region& region = param.region;
  if (param.external) {
    const ExternalPlace place = memory_.place_of(param.base);
    append(text, R"(,"external":{},"base":{})", place.memory, place.offset);
  } else {
    append(text, R"(,"owner":[{},{}],"base":{})", ring_of(param.owner), local_of(param.owner),
           param.base - trace_.heap(ring_of(param.owner)));
  }
  append(text, R"(,"element":{},"origin":{},"strides":[)", region.element_size, region.origin);
  for (uint32_t i = 0; i + 1 < region.ndims; ++i) append(text, "{},", region.root_strides[i]);
  text += R"(1],"start":[)";
  for (uint32_t i = 0; i < region.ndims; ++i) {
    append(text, "{}{}", separator(i == 0), region.box_begin[i]);
  }
  text += R"(],"extent":[)";
  for (uint32_t i = 0; i < region.ndims; ++i) {
    append(text, "{}{}", separator(i == 0), region.box_end[i] - region.box_begin[i]);
  }
  text += "]";
}

}  // namespace pto2
