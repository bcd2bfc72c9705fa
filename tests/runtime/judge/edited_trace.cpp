#include "tests/runtime/judge/edited_trace.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "runtime/device/device.hpp"
#include "runtime/include/pto_kernel_api.h"
#include "runtime/include/pto_orchestration_api.h"
#include "runtime/record/trace_writer.hpp"

namespace pto2::test {
namespace {

void no_work(int64_t*) {}

uint64_t memory[512];

Tensor tensor(uint32_t elements) {
  const uint64_t shape[] = {elements};
  return make_tensor(shape, 1, DataType::INT64);
}

/// Edges inside and across scopes and rings, an INOUT chain on memory from outside, a buffer that
/// is written twice.
void build(PTO2Runtime* rt, uint32_t scopes, uint32_t tasks) {
  pto2_rt_init_tensor_pool(rt);
  const uint64_t shape[] = {512};
  Tensor sum = make_tensor_external(memory, shape, 1, DataType::INT64);
  for (uint32_t scope = 0; scope < scopes; ++scope) {
    PTO2_SCOPE(rt) {
      Tensor first = tensor(128);
      Tensor second = tensor(256);
      PTOParam make[] = {make_input_param(sum), make_output_param(first)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, make, 2);
      PTOParam use[] = {make_input_param(first), make_output_param(second)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, use, 2);
      PTOParam rewrite[] = {make_input_param(second), make_output_param(first)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, rewrite, 2);
      for (uint32_t i = 0; i < tasks; ++i) {
        PTOParam add[] = {make_input_param(second), make_inout_param(sum)};
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, add, 2);
      }
    }
  }
}

/// Parameters: how many entries to push, pop and free, and a pipe.
void use_pipe(int64_t* args) {
  for (int64_t i = 0; i < args[0]; ++i) (void)TPUSH(args, 3);
  for (int64_t i = 0; i < args[1]; ++i) (void)TPOP(args, 3);
  for (int64_t i = 0; i < args[2]; ++i) (void)TFREE(args, 3);
}

void submit_use(PTO2Runtime* rt, int32_t cluster, PTOParam pipe, uint64_t pushes, uint64_t pops,
                uint64_t frees) {
  const PTOParam params[] = {make_scalar_param(pushes), make_scalar_param(pops),
                             make_scalar_param(frees), pipe};
  const int32_t type = pushes == 0 ? PTO2_WORKER_VECTOR : PTO2_WORKER_CUBE;
  pto2_rt_submit_task_clustered(rt, 1, type, params, 4, cluster);
}

/// A task that only names pipes, each of which takes an entry.
void submit_look(PTO2Runtime* rt, int32_t cluster) {
  std::vector<PTOParam> params(3, make_scalar_param(0));
  for (int32_t tag = 10; tag < 16; ++tag) params.push_back(make_pipe_in_param(tag));
  pto2_rt_submit_task_clustered(rt, 1, PTO2_WORKER_VECTOR, params.data(),
                                static_cast<int32_t>(params.size()), cluster);
}

/// Ten groups with two pipes each. Of every second group's first pipe some entries are left.
void build_pipes(PTO2Runtime* rt) {
  for (uint64_t group = 0; group < 10; ++group) {
    PTO2_SCOPE(rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit_use(rt, cluster, make_pipe_out_param(3, 6, 64), 4, 0, 0);
      submit_use(rt, cluster, make_pipe_out_param(4, 8, 64), 5, 1, 1);
      submit_use(rt, cluster, make_pipe_in_param(3), 0, 3, 2);
      submit_use(rt, cluster, make_pipe_in_param(4), 0, 4, 4);
      submit_use(rt, cluster, make_pipe_in_param(3), 0, group % 2, 1 + group % 2);
      submit_look(rt, cluster);
    }
  }
}

/// Buffers of seven sizes, one after the other. Every third has no reader.
void build_odd_buffers(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  for (uint32_t i = 0; i < 40; ++i) {
    PTO2_SCOPE(rt) {
      Tensor made = tensor(128 * (1 + i * i % 7));
      PTOParam make[] = {make_output_param(made)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, make, 1);
      PTOParam use[] = {make_input_param(made)};
      if (i % 3 != 0) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, use, 1);
    }
  }
}

void build_independent(PTO2Runtime* rt) {
  pto2_rt_init_tensor_pool(rt);
  for (uint32_t i = 0; i < 24; ++i) {
    PTOParam none[] = {make_scalar_param(i)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, none, 1);
  }
}

DeviceConfig config_of(Kit kit) {
  DeviceConfig config;
  config.window = kit == Kit::few_slots || kit == Kit::deadlock ? 8 : 64;
  const bool small = kit == Kit::small_heap || kit == Kit::odd_buffers;
  config.heap_bytes = small ? 8192 : 65536;
  config.dep_pool = kit == Kit::few_nodes ? 16 : 256;
  config.tensormap_pool = kit == Kit::pipes ? 16 : 256;
  config.tensormap_buckets = 16;
  config.shard_capacity = 64;
  config.orchestrator_queue = 64;
  config.chip = {"small", 2, 1, 2, 2};
  config.events = 4096;
  return config;
}

std::string trace_of(Kit kit, uint64_t seed) {
  static std::map<std::pair<Kit, uint64_t>, std::string> made;
  std::string& text = made[{kit, seed}];
  if (!text.empty()) return text;
  static constexpr KernelEntry kernels[] = {no_work, use_pipe};
  const uint32_t tasks = kit == Kit::deadlock ? 9 : 1;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      if (kit == Kit::independent) return build_independent(rt);
                      if (kit == Kit::pipes) return build_pipes(rt);
                      if (kit == Kit::odd_buffers) return build_odd_buffers(rt);
                      build(rt, 12, tasks);
                    },
                    {}};
  const DeviceConfig config = config_of(kit);
  const RunResult result = launch(config, executors::SeededOptions{.seed = seed}, what);
  EXPECT_EQ(result.error.code,
            kit == Kit::deadlock ? ErrorCode::flow_control_deadlock : ErrorCode::ok)
      << result.error.message;
  Record record = result.record;
  record.labels = {{"workload", "test"}};
  record.seed = seed;
  write_trace(record, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace

EditedTrace::EditedTrace(Kit kit, uint64_t seed) {
  std::istringstream stream(trace_of(kit, seed));
  for (std::string line; std::getline(stream, line);) lines_.push_back(Json::parse(line));
}

std::vector<Json*> EditedTrace::events(const std::string& event) {
  std::vector<Json*> found;
  for (Json& line : lines_) {
    if (line.value("event", "") == event) found.push_back(&line);
  }
  return found;
}

Json& EditedTrace::of(const std::string& event, const Json& task) {
  for (Json* line : events(event)) {
    if ((*line)["ring"] == task["ring"] && (*line)["task"] == task["task"]) return *line;
  }
  static Json missing;
  ADD_FAILURE() << "no " << event << " of " << task;
  return missing;
}

Json* EditedTrace::before(const Json& line) {
  Json* found = nullptr;
  for (Json& other : lines_) {
    if (&other == &line) return found;
    if (other.contains("t") && other["thread"] == line["thread"]) found = &other;
  }
  return nullptr;
}

void EditedTrace::insert(const Json& line) {
  const auto place = std::find_if(lines_.begin() + 1, lines_.end(), [&](const Json& other) {
    return !other.contains("t") || other["t"] > line["t"];
  });
  lines_.insert(place, line);
  lines_.back()["events"] = lines_.size() - 2;
}

std::string EditedTrace::text() const {
  std::string text;
  for (const Json& line : lines_) text += line.dump() + "\n";
  return text;
}

EditedTrace EditedTrace::sorted() const {
  EditedTrace trace(*this);
  std::map<std::string, uint64_t> latest;  // by thread
  std::vector<std::pair<uint64_t, Json>> events;
  for (auto line = lines_.begin() + 1; line != lines_.end() - 1; ++line) {
    uint64_t& time = latest[(*line)["thread"].get<std::string>()];
    time = std::max(time, time_of(*line));
    events.emplace_back(time, *line);
  }
  std::ranges::stable_sort(events, {}, &std::pair<uint64_t, Json>::first);
  for (std::size_t i = 0; i < events.size(); ++i) trace.lines_[i + 1] = events[i].second;
  return trace;
}

judging::Verdict EditedTrace::verdict(bool races) const {
  return judging::judge(read_trace_text(sorted().text()), {.races = races});
}

std::set<std::string> EditedTrace::broken(bool races) const {
  std::set<std::string> rules;
  for (const judging::Violation& violation : verdict(races).violations) {
    rules.insert(violation.rule);
  }
  for (const char* rule : {"VR-I33", "VR-I34", "VR-I35"}) rules.erase(rule);
  return rules;
}

namespace {

/// The rule alone refuses the edit of one of the event's lines, in the trace of one of the seeds.
void expect_refused(const std::string& rule, Kit kit, const std::string& event, const Edit& edit,
                    bool races) {
  std::map<std::set<std::string>, int> outcomes;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const EditedTrace original(kit, seed);
    ASSERT_EQ(original.verdict(true).violations.size(), 0U) << original.broken(true).size();
    const std::size_t lines = EditedTrace(original).events(event).size();
    for (std::size_t line = 0; line < lines; ++line) {
      EditedTrace edited(original);
      if (!edit(edited, *edited.events(event)[line])) continue;
      const std::set<std::string> broken = edited.broken(races);
      if (broken == std::set{rule}) return;
      ++outcomes[broken];
    }
  }
  std::string others;
  for (const auto& [rules, times] : outcomes) {
    others += std::to_string(times) + " x";
    for (const std::string& other : rules) others += " " + other;
    others += "; ";
  }
  ADD_FAILURE() << rule << " alone refuses none, but: " << others;
}

}  // namespace

void expect_refused(const std::string& rule, Kit kit, const Edit& edit, bool races) {
  expect_refused(rule, kit, "submit", edit, races);
}

void expect_line_refused(const std::string& rule, Kit kit, const std::string& event,
                         const Edit& edit) {
  expect_refused(rule, kit, event, edit, false);
}

void expect_header_refused(const std::string& rule, Kit kit,
                           const std::function<void(EditedTrace&)>& edit) {
  EditedTrace edited(kit);
  ASSERT_EQ(edited.broken(true), std::set<std::string>());
  edit(edited);
  EXPECT_EQ(edited.broken(), std::set{rule});
}

}  // namespace pto2::test
