#include "runtime/record/header_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/record/chip_check.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/task_reader.hpp"

namespace pto2 {
namespace {

using simdjson::dom::element;

class HeaderReader {
 public:
  explicit HeaderReader(const JsonLine& line) : line_(line) {}

  Record read() {
    read_outcome();
    read_options();
    record_.tensormap_pool = line_.index("tensormap_pool");
    read_threads();
    read_cores();
    read_rings();
    check_chip(line_, record_);
    check_orchestrator();
    read_chip();
    read_kernels();
    if (line_.text("schema") != "pto2-trace/2") read_third();
    check_manner();
    return std::move(record_);
  }

 private:
  void read_outcome() {
    record_.error = line_.text("error");
    record_.given_up = line_.flag("given_up");
    const OutcomeRow* const outcome = outcome_called(record_.error);  // unknown: VR-I30
    if (record_.given_up != (outcome == nullptr || outcome->ends_early)) {
      line_.refuse(fmt::format("\"given_up\" contradicts \"error\" {}", record_.error));
    }
    if (line_.has("message")) record_.message = line_.text("message");
    if (line_.has("hint")) record_.hint = line_.text("hint");
    if (line_.has("damaged")) record_.damaged = texts("damaged");
  }

  void read_options() {
    for (const char* name : label_names) {
      if (line_.has(name)) record_.labels.emplace_back(name, line_.text(name));
    }
    record_.points = line_.text("clock") == "points";
    if (!record_.points && line_.text("clock") != "ns") {
      line_.refuse(
          fmt::format("\"clock\" is {}, neither \"ns\" nor \"points\"", line_.text("clock")));
    }
    record_.manner.weak_memory = line_.has("weak_memory") && line_.flag("weak_memory");
    record_.manner.kernels_last = line_.has("kernels_last") && line_.flag("kernels_last");
    record_.manner.replayed = line_.has("replayed") && line_.flag("replayed");
    if (line_.has("seed")) record_.seed = line_.number("seed");
  }

  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> texts;
    for (const element item : line_.list(name)) {
      std::string_view text;
      if (item.get(text) != simdjson::SUCCESS) {
        line_.refuse(fmt::format("field \"{}\" has something else than texts", name));
      }
      texts.emplace_back(text);
    }
    return texts;
  }

  void read_threads() {
    record_.threads = texts("threads");
    for (const std::string& name : record_.threads) {
      if (!threads_.emplace(name, static_cast<uint32_t>(threads_.size())).second) {
        line_.refuse(fmt::format("two threads are called {}", name));
      }
    }
    record_.roles.resize(record_.threads.size(), Role::orchestrator);
  }

  uint32_t thread_called(const std::string& thread, const std::string& core) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) line_.refuse(fmt::format("core {} has no thread", core));
    return found->second;
  }

  void read_cores() {
    const JsonLine::Array cores = line_.list("cores");
    for (const element item : cores) read_core(line_.inner(item, "a core"), cores.size());
    if (std::ranges::count(record_.roles, Role::orchestrator) == 0) {
      line_.refuse("there is no orchestrator: each thread is of a core");
    }
  }

  /// Who is of no core is the orchestrator.
  void check_orchestrator() const {
    std::vector<std::string_view> names;
    for (std::size_t thread = 0; thread < record_.roles.size(); ++thread) {
      if (record_.roles[thread] == Role::orchestrator) names.push_back(record_.threads[thread]);
    }
    if (names.size() == 1) return;
    line_.refuse(fmt::format("there are {} orchestrators, {}: each thread that is of no core",
                             names.size(), fmt::join(names, ", ")));
  }

  void read_core(const JsonLine& fields, std::size_t cores) {
    CoreRecord core;
    core.name = fields.text("name");
    core.thread = thread_called(
        fields.has("thread") ? std::string(fields.text("thread")) : core.name, core.name);
    const std::string_view type = fields.text("type");
    if (std::ranges::count(record_.types, type) == 0) record_.types.emplace_back(type);
    core.type = type_of(fields, record_);
    // What schedulers run themselves is a core of this type, one for each of them.
    record_.roles[core.thread] = type == "ai_cpu" ? Role::scheduler : Role::core;
    core.cluster = fields.signed_number("cluster");
    // Each cluster has a core, so that there are no more of them.
    if (core.cluster < -1 || core.cluster >= static_cast<int64_t>(cores)) {
      line_.refuse(fmt::format("core {} of {} is of cluster {}", core.name, cores, core.cluster));
    }
    if (!core_names_.insert(core.name).second) {
      line_.refuse(fmt::format("two cores are called {}", core.name));
    }
    if (!core_threads_.insert(core.thread).second) {
      line_.refuse(fmt::format("two cores are of thread {}", record_.threads[core.thread]));
    }
    if (fields.has("scheduler")) {
      core.scheduler = thread_called(std::string(fields.text("scheduler")), core.name);
    }
    record_.clusters = std::max(record_.clusters, static_cast<uint64_t>(core.cluster + 1));
    record_.cores.push_back(std::move(core));
  }

  void read_rings() {
    for (const element item : line_.list("rings")) {
      const JsonLine fields = line_.inner(item, "a ring");
      record_.rings.push_back(
          {fields.index("window"), fields.number("heap"), fields.index("dep_pool")});
      const RingRecord& ring = record_.rings.back();
      if (ring.window < 2 || ring.heap == 0 || ring.dep_pool == 0) {
        line_.refuse("a ring has no room");
      }
    }
    if (record_.rings.empty()) line_.refuse("there are no rings");
    if (record_.rings.size() > max_rings) {
      line_.refuse(
          fmt::format("there are {} rings, more than {}", record_.rings.size(), max_rings));
    }
  }

  void read_chip() {
    for (const auto& [key, value] : line_.object("chip")) {
      uint64_t number = 0;
      std::string_view text;
      if (value.get(number) == simdjson::SUCCESS) {
        record_.chip.numbers.emplace_back(key, number);
      } else if (key == "name" && value.get(text) == simdjson::SUCCESS) {
        record_.chip.name = text;
      }
    }
  }

  void read_kernels() {
    if (!line_.has("kernels")) return;
    for (const auto& [key, value] : line_.object("kernels")) {
      const std::string id(key);
      std::string_view name;
      // One way to write each, so that none has two names.
      const bool is_id = !id.empty() && id.size() <= 5 && (id.front() != '0' || id == "0") &&
                         id.find_first_not_of("0123456789") == std::string::npos;
      if (!is_id || value.get(name) != simdjson::SUCCESS) {
        line_.refuse("field \"kernels\" has something else than names by id");
      }
      const std::size_t number = std::stoul(id);
      if (record_.kernels.size() <= number) record_.kernels.resize(number + 1);
      record_.kernels[number] = name;
    }
  }

  /// What version 2 had not.
  void read_third() {
    record_.shards = line_.number("shards");
    if (record_.shards == 0) line_.refuse("there are no shards");
    for (const CoreRecord& core : record_.cores) {
      if (core.scheduler == no_index || record_.roles[core.scheduler] != Role::scheduler) {
        line_.refuse(fmt::format("core {} has no scheduler", core.name));
      }
      if (record_.roles[core.thread] == Role::scheduler && core.scheduler != core.thread) {
        line_.refuse(fmt::format("core {} is {} itself, but {} serves it", core.name,
                                 record_.threads[core.thread], record_.threads[core.scheduler]));
      }
    }
    const JsonLine counts(line_.object("counts"), line_.line());
    record_.counts.emplace();
    for (const CountRow& row : count_table()) {
      (*record_.counts).*row.member = counts.number(row.name);
    }
    if (record_.counts->host_threads == 0) {
      line_.refuse("\"counts\" has no host_threads: nobody has run");
    }
    if (record_.points != (record_.counts->points != 0)) {
      line_.refuse(fmt::format("\"clock\" is {}, but \"counts\" has {} points", line_.text("clock"),
                               record_.counts->points));
    }
  }

  /// What only a simulation can be.
  void check_manner() const {
    if (record_.points) return;
    const std::pair<const char*, bool> manners[] = {{"weak_memory", record_.manner.weak_memory},
                                                    {"kernels_last", record_.manner.kernels_last}};
    for (const auto& [name, is_so] : manners) {
      if (is_so) {
        line_.refuse(fmt::format("\"clock\" is ns, but \"{}\" is of simulations", name));
      }
    }
  }

  const JsonLine& line_;
  Record record_;
  std::unordered_map<std::string, uint32_t> threads_;
  std::unordered_set<std::string> core_names_;
  std::unordered_set<uint32_t> core_threads_;
};

}  // namespace

Record read_header(const JsonLine& line) {
  return HeaderReader(line).read();
}

}  // namespace pto2
