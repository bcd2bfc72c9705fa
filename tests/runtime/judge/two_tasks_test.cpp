// What only shows where it is known who does what: a trace of two tasks, one after the other.
#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

/// Writes down a trace, a line every nanosecond.
class Script {
 public:
  /// With the device of the other traces.
  Script() : trace_(Kit::independent) {
    submit_ = *trace_.events("submit").front();
    for (const char* field : {"t", "thread", "event"}) submit_.erase(field);
    end_ = trace_.lines().back();
    trace_.lines().resize(1);
    trace_.header()["tasks"] = 2;
  }

  void add(const std::string& thread, const std::string& event,
           const Json& fields = Json::object()) {
    Json line = {{"t", trace_.lines().size()}, {"thread", thread}, {"event", event}};
    line.update(fields);
    trace_.lines().push_back(line);
  }

  /// A task in a scope of its own, that writes elements 8 to 15 of the caller's memory, up to the
  /// end of its kernel.
  void run(const Json& task, uint64_t scope) {
    const Json of_scope = {{"scope", scope}, {"depth", 1}};
    const Json place = {{"ring", task["ring"]}, {"task", task["task"]}, {"part", 0}};
    add("orchestrator", "scope_begin", of_scope);
    Json submit = submit_;
    submit.update(task);
    submit.update(of_scope);
    submit["params"] = Json::array({elements("out", 8)});
    add("orchestrator", "submit", submit);
    Json ready = task;
    ready["type"] = submit["type"];
    add("orchestrator", "ready", ready);
    add("orchestrator", "scope_end", of_scope);
    Json dispatch = place;
    dispatch["core"] = "aiv0";
    add("scheduler0", "dispatch", dispatch);
    add("aiv0", "ack", place);
    add("aiv0", "fin", place);
  }

  EditedTrace finish() {
    for (const Json& thread : Json(trace_.header()["threads"])) add(thread, "exit");
    end_["events"] = trace_.lines().size() - 1;
    trace_.lines().push_back(end_);
    return trace_;
  }

  /// Eight elements of the caller's memory from a place on.
  static Json elements(const char* direction, uint64_t start) {
    return {{"dir", direction},
            {"external", 0},
            {"base", 0},
            {"element", 8},
            {"origin", 0},
            {"strides", Json::array({1})},
            {"start", Json::array({start})},
            {"extent", Json::array({8})}};
  }

 private:
  EditedTrace trace_;
  Json submit_;
  Json end_;
};

/// One scheduler runs and consumes the tasks, the other reclaims them and does nothing else; the
/// first one `late`: when the second has been submitted.
EditedTrace two_tasks(bool late = false) {
  Script script;
  const Json first = {{"ring", 1}, {"task", 0}};
  const Json second = {{"ring", 1}, {"task", 1}};
  script.add("orchestrator", "scope_begin", {{"scope", 0}, {"depth", 0}});
  script.run(first, 1);
  script.add("scheduler0", "consume", first);
  if (!late) script.add("scheduler1", "reclaim", first);
  script.run(second, 2);
  if (late) {
    script.add("scheduler1", "wait");
    script.add("scheduler1", "reclaim", first);
  }
  script.add("scheduler0", "consume", second);
  script.add("scheduler1", "reclaim", second);
  script.add("orchestrator", "scope_end", {{"scope", 0}, {"depth", 0}});
  return script.finish();
}

using Rules = std::set<std::string>;

TEST(TwoTasks, BreakNoRule) {
  EXPECT_EQ(two_tasks().broken(), Rules());
  EXPECT_EQ(two_tasks(true).broken(), Rules());
}

/// Who reclaims a task may have done nothing else since before its submission.
TEST(TwoTasks, I31MayHaveTheSameEntryOneAfterTheOther) {
  EditedTrace trace = two_tasks();
  trace.header()["tensormap_pool"] = 1;
  EXPECT_EQ(trace.broken(), Rules());
  EditedTrace late = two_tasks(true);
  late.header()["tensormap_pool"] = 1;
  EXPECT_EQ(late.broken(), Rules{"VR-I31"});
}

/// The second reads some elements, and has the first as a producer that was consumed.
Rules broken_by_reading(uint64_t start) {
  EditedTrace trace = two_tasks();
  Json& reader = *trace.events("submit").back();
  reader["params"] = Json::array({Script::elements("in", start)});
  reader["producers"] = Json::array({Json::array({1, 0, "none"})});
  reader["nodes"] = {1, 1};
  return trace.broken();
}

/// Elements 8 to 15 are written.
TEST(TwoTasks, I32AreOrderedByBytesThatBothHave) {
  for (const uint64_t start : {1, 8, 15}) EXPECT_EQ(broken_by_reading(start), Rules()) << start;
  for (const uint64_t start : {0, 16}) {
    EXPECT_EQ(broken_by_reading(start), Rules{"VR-I32"}) << start;
  }
}

/// What was consumed when the reader came is nobody's any more.
TEST(TwoTasks, I16NobodyReadsABufferWhoseOwnerIsNotKept) {
  EditedTrace trace = two_tasks();
  Json buffer = Script::elements("out", 0);
  buffer.erase("external");
  buffer["owner"] = {1, 0};
  Json& owner = *trace.events("submit").front();
  owner["heap"] = {0, 64};
  owner["params"] = Json::array({buffer});
  Json& reader = *trace.events("submit").back();
  buffer["dir"] = "in";
  reader["heap"] = {64, 0};
  reader["params"] = Json::array({buffer});
  reader["producers"] = Json::array({Json::array({1, 0, "none"})});
  reader["nodes"] = {1, 1};
  EXPECT_EQ(trace.broken(), Rules{"VR-I16"});
}

/// A task that is judged by no rule has used its memory all the same.
TEST(TwoTasks, I16MemoryOfABrokenTaskHasANumber) {
  EditedTrace trace = two_tasks();
  (*trace.events("submit").back())["params"][0]["external"] = 1;
  EXPECT_EQ(trace.broken(), Rules());
  (*trace.events("consume").front())["event"] = "wait";
  EXPECT_EQ(trace.broken(), Rules{"VR-I2"});
}

}  // namespace
}  // namespace pto2::test
