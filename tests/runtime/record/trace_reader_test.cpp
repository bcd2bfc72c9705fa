// Files that are no trace that could be judged.
#include "runtime/record/trace_reader.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/runtime/judge/edited_trace.hpp"
#include "tests/runtime/record/refused_trace.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;

/// Number of a line, from 1.
uint32_t number_of(EditedTrace& trace, const Json& line) {
  return static_cast<uint32_t>(&line - trace.lines().data()) + 1;
}

/// Version 2 had no counts and did not say who serves whom; the rest is the same.
TEST(TraceReader, ReadsTheVersionBefore) {
  for (const Kit kit : {Kit::roomy, Kit::pipes, Kit::deadlock}) {
    EditedTrace trace(kit);
    const Record now = read_trace_text(trace.text());
    trace.header()["schema"] = "pto2-trace/2";
    for (const char* field : {"counts", "shards", "message", "hint"}) {
      trace.header().erase(field);
    }
    for (Json& core : trace.header()["cores"]) core.erase("scheduler");
    const Record before = read_trace_text(trace.text());
    EXPECT_EQ(before.counts, std::nullopt);
    EXPECT_EQ(before.events, now.events);
    EXPECT_EQ(before.tasks, now.tasks);
    EXPECT_THAT(judging::problems_of(before), testing::IsEmpty());
    trace.header()["schema"] = "pto2-trace/3";
    expect_error(trace.text(), 1, "\"shards\" is missing");
  }
}

TEST(TraceReader, RefusesWhatIsNoTrace) {
  expect_error("", 1, "empty");
  for (const char* newline : {"\n", ""}) {
    const auto expect_foreign = [&](const std::string& text, const std::string& message) {
      expect_error(text + newline, 1, "the file is no trace: " + message);
    };
    expect_foreign("hello", "its first line is no JSON object");
    expect_foreign("hello\nworld", "its first line is no JSON object");
    expect_foreign("{\n  \"schema\": \"pto2-run/1\"\n}", "its first line is no JSON object");
    expect_foreign("[1]", "its first line is no JSON object");
    expect_foreign("{\"a\":1}", "it has no schema");
    expect_foreign("{\"schema\":\"pto2-run/1\"}", "its schema is pto2-run/1");
  }
  expect_error("{\"schema\":\"pto2-trace/1\"}\n", 1,
               "pto2-trace/1, neither pto2-trace/3 nor pto2-trace/2");
  expect_error("{\"schema\":\"pto2-trace/2\"}\n", 1, "field \"error\" is missing");
}

TEST(TraceReader, NamesAFileThatCannotBeRead) {
  EXPECT_THROW(static_cast<void>(read_trace("/nowhere/at/all")), TraceError);
}

TEST(TraceReader, SaysThatADirectoryIsOne) {
  try {
    static_cast<void>(read_trace(testing::TempDir()));
    ADD_FAILURE() << "a directory was read";
  } catch (const TraceError& error) {
    EXPECT_STREQ(error.what(), "is a directory");
    EXPECT_EQ(error.line(), 0U);
  }
}

TEST(TraceReader, RefusesWhatWasCutOff) {
  EditedTrace trace(Kit::roomy);
  const std::string whole = trace.text();
  const auto lines = static_cast<uint32_t>(trace.lines().size());
  expect_error(whole.substr(0, whole.size() - 1), lines, "cut off");
  const std::string half = whole.substr(0, whole.size() / 2);
  const auto newlines = static_cast<uint32_t>(std::ranges::count(half, '\n'));
  expect_error(half, 1 + newlines, "cut off");
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  expect_error(whole.substr(0, last), lines - 1, "no closing line");
  expect_error(whole + whole.substr(last), lines + 1, "goes on");
  const std::string part = whole.substr(0, whole.find("\"task\"") + 3);
  const auto before = static_cast<uint32_t>(std::ranges::count(part, '\n'));
  expect_error(part + "\n", 1 + before, "no JSON object");
  for (const std::size_t bytes : {1, 5, 21, 40, 200}) {
    expect_error(whole.substr(0, bytes), 1, "cut off");
  }
}

TEST(TraceReader, RefusesCountsThatContradict) {
  EditedTrace events(Kit::roomy);
  events.lines().back()["events"] = 7;
  expect_error(events.text(), static_cast<uint32_t>(events.lines().size()), "lines were lost");
  EditedTrace dropped(Kit::roomy);
  dropped.lines().back()["dropped"] = 7;
  expect_error(dropped.text(), static_cast<uint32_t>(dropped.lines().size()), "7 events");
  // One too few, and one too many.
  EditedTrace tasks(Kit::roomy);
  const auto submitted = tasks.header()["tasks"].get<uint64_t>();
  for (const uint64_t wrong : {submitted - 1, submitted + 1}) {
    tasks.header()["tasks"] = wrong;
    expect_error(tasks.text(), static_cast<uint32_t>(tasks.lines().size()),
                 "header counts " + std::to_string(wrong) + " tasks, but " +
                     std::to_string(submitted) + " were");
  }
  EditedTrace given_up(Kit::roomy);
  given_up.header()["given_up"] = true;
  expect_error(given_up.text(), 1, "\"given_up\" contradicts");
  given_up.header()["error"] = "wrong_thread";
  expect_error(given_up.text(), 1, "\"given_up\" contradicts");
  given_up.header()["given_up"] = false;
  EXPECT_FALSE(read_trace_text(given_up.text()).given_up);
}

/// In a line, in an object of it or of a list in it.
TEST(TraceReader, RefusesAFieldThatComesTwice) {
  EditedTrace trace(Kit::roomy);
  trace.header()["kernels"] = {{"3", "last"}};
  const std::string text = trace.text();
  const auto expect = [&](const std::string& object, const std::string& field) {
    std::string twice = text;
    const std::size_t at = twice.find(object);
    ASSERT_NE(at, std::string::npos) << object;
    twice.insert(at + object.size(), field + ',');
    const std::string before = text.substr(0, at + object.size());
    const auto line = static_cast<uint32_t>(1 + std::ranges::count(before, '\n'));
    expect_error(twice, line, "field " + field.substr(0, field.find(':')) + " comes twice");
  };
  expect(R"({)", R"("clock":"ns")");
  expect(R"("cores":[{)", R"("type":"cube")");
  expect(R"("chip":{)", R"("blocks":2)");
  expect(R"("counts":{)", R"("tasks":9)");
  expect(R"("kernels":{)", R"("3":"first")");
  expect("\n{", R"("thread":"aic0")");
  expect(R"("params":[{)", R"("dir":"in")");
}

/// A name of its own says nothing of the numbers.
TEST(TraceReader, TakesAChipByItsNumbers) {
  EditedTrace trace(Kit::roomy);
  trace.header()["chip"]["name"] = "a2a3sim";
  EXPECT_EQ(read_trace_text(trace.text()).clusters, 2U);
}

TEST(TraceReader, TakesABlockTaskOfAsManyPartsAsThereCanBe) {
  EditedTrace trace(Kit::few_slots);
  (*trace.events("submit").front())["block_dim"] = 65535;
  EXPECT_EQ(read_trace_text(trace.text()).tasks.front().block_dim, 65535U);
}

TEST(TraceReader, ReadsWhatATaskRuns) {
  EditedTrace trace(Kit::roomy);
  (*trace.events("submit").front())["kernel"] = 77;
  EXPECT_EQ(read_trace_text(trace.text()).tasks.front().kernel, 77U);
}

/// In whatever order their ids come.
TEST(TraceReader, ReadsTheNamesOfKernels) {
  EditedTrace trace(Kit::roomy);
  trace.header()["kernels"] = {{"3", "last"}, {"1", "first"}};
  EXPECT_THAT(read_trace_text(trace.text()).kernels, testing::ElementsAre("", "first", "", "last"));
}

/// Parts are numbered over all tasks, with 32 bits.
TEST(TraceReader, RefusesMorePartsThanCanBeNumbered) {
  EditedTrace trace(Kit::independent);
  const std::string header = trace.header().dump() + '\n';
  Json task = *trace.events("submit").front();
  task["block_dim"] = 65535;
  const std::string text = task.dump() + '\n';
  const std::string number = "\"task\":" + task["task"].dump();
  const std::size_t at = text.find(number);
  ASSERT_NE(at, std::string::npos);
  std::string many = header;
  // 65537 tasks of so many have 2^32 - 1 parts.
  for (uint64_t i = 0; i < 65'537; ++i) {
    many.append(text, 0, at).append("\"task\":").append(std::to_string(i));
    many.append(text, at + number.size());
  }
  expect_error(many, 65'538, "more parts than can be numbered");
}

TEST(TraceReader, RefusesFieldsOfEventsWithTheirLine) {
  const auto expect = [](const char* event, const char* field, const Json& value,
                         const std::string& message) {
    EditedTrace trace(Kit::few_slots);
    for (Json* line : trace.events(event)) {
      if (!line->contains(field)) continue;
      (*line)[field] = value;
      return expect_error(trace.text(), number_of(trace, *line), message);
    }
    ADD_FAILURE() << event << " has no " << field;
  };
  expect("fin", "t", -1, "\"t\" is no number");
  expect("fin", "thread", "aic99", "no thread aic99");
  expect("dispatch", "core", "aic99", "no core aic99");
  expect("dispatch", "part", "x", "\"part\" is no number");
  expect("dispatch", "part", 1ULL << 33, "too large");
  expect("ready", "ring", 4, "ring 4 of 4");
  expect("ready", "type", "acc", "no core is of type \"acc\"");
  expect("ready", "event", "redy", "\"redy\" is no event");
  expect("wait", "resource", "Luck", "\"Luck\" is no resource");
  for (const Json& heap : {Json({1, 2, 3}), Json({1})}) {
    expect("submit", "heap", heap, "\"heap\" is no list of two");
  }
  for (const Json& task : {Json::array({0}), Json::array({0, 0, 0})}) {
    expect("submit", "holds", Json::array({task}), "lists of 2");
  }
  expect("submit", "holds", Json::array({Json({4, 0})}), "\"holds\" names ring 4 of 4");
  expect("submit", "producers", Json::array({Json::array({9, 0, "early"})}), "ring 9 of 4");
  expect("submit", "producers", Json::array({Json::array({0, 0, "late"})}), "claim");
  expect("submit", "block_dim", 65536, "65535");
  expect("submit", "kernel", "x", "\"kernel\" is no number");
  expect("submit", "params", {{{"dir", "up"}}}, "\"dir\" is none of");
  expect("submit", "params", {3}, "a parameter is no object");
}

/// Two lines of two threads change places; of one thread, VR-I3 tells it.
TEST(TraceReader, RefusesLinesThatAreNotSortedByTime) {
  bool refused = false;
  bool told = false;
  for (std::size_t i = 1; i + 2 < EditedTrace(Kit::roomy).lines().size(); ++i) {
    EditedTrace trace(Kit::roomy);
    Json& line = trace.lines()[i];
    Json& next = trace.lines()[i + 1];
    if (time_of(line) == time_of(next)) continue;
    std::swap(line, next);
    if (line["thread"] != next["thread"]) {
      expect_error(trace.text(), static_cast<uint32_t>(i + 2),
                   fmt::format("its time is {}, and that of a line before it {}", time_of(next),
                               time_of(line)));
      refused = true;
    } else {
      EXPECT_THAT(judging::problems_of(read_trace_text(trace.text())),
                  testing::Contains(HasSubstr("VR-I3: ")));
      told = true;
    }
  }
  EXPECT_TRUE(refused && told);
}

/// A line that goes back in time stands for itself: others are compared with the latest.
TEST(TraceReader, RefusesATimeBeforeTheLatestOfAll) {
  EditedTrace trace(Kit::roomy);
  for (std::size_t i = 4; i + 1 < trace.lines().size(); ++i) {
    const Json first = trace.lines()[i - 2];
    Json& back = trace.lines()[i - 1];
    Json& late = trace.lines()[i];
    if (first["thread"] != back["thread"] || late["thread"] == back["thread"]) continue;
    back["t"] = 0;
    late["t"] = time_of(first) - 1;
    return expect_error(trace.text(), static_cast<uint32_t>(i + 1), "not sorted by time");
  }
  ADD_FAILURE() << "no such lines";
}

TEST(TraceReader, RefusesFieldsOfPipes) {
  const auto expect = [](const char* event, const char* field, const Json& value,
                         const std::string& message) {
    EditedTrace trace(Kit::pipes);
    Json& line = *trace.events(event).front();
    ASSERT_TRUE(line.contains(field));
    line[field] = value;
    expect_error(trace.text(), number_of(trace, line), message);
  };
  expect("pipe", "task", -1, "\"task\" is no number");
  expect("pipe", "group", -1, "\"group\" is no number");
  expect("pipe", "tag", "x", "\"tag\" is no whole number");
  for (const char* event : {"allocate", "close", "give_back"}) {
    expect(event, "cluster", 2, "cluster 2 of 2");
  }
  expect("pipe", "capacity", -1, "\"capacity\" is no number");
  expect("pipe", "pushed", 0.5, "\"pushed\" is no whole number");
  expect("pipe", "before", Json::array({1}), "\"before\" is no list of two whole numbers");
  expect("pipe", "after", Json::array({1, 2, 3}), "\"after\" is no list of two whole numbers");
  for (const Json& fill : {Json({1, "x"}), Json({"x", 1}), Json({1, 2, 3, 4})}) {
    expect("leftover", "left", fill, "\"left\" is no list of two whole numbers");
  }
  expect("submit", "params", {{{"dir", "pipe_in"}}}, "\"tag\" is missing");
  for (const Json& pipe : {Json({1}), Json({1, 2, 3}), Json({"x", 2}), Json({1, -2})}) {
    expect("submit", "pipes", Json::array({pipe}), "\"pipes\" has something else than lists");
  }
}

TEST(TraceReader, RefusesTensorsWithoutAForm) {
  const auto expect = [](const char* field, const Json& value, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    Json& task = *trace.events("submit").front();
    task["params"][0][field] = value;
    expect_error(trace.text(), number_of(trace, task), message);
  };
  expect("extent", {0}, "no bytes");
  expect("element", 0, "no bytes");
  expect("extent", Json::array(), "dimensions");
  expect("extent", {1, 1}, "dimensions");
  expect("start", {0, 0}, "dimensions");
  for (const std::size_t dims : {std::size_t{0}, max_dims + 1}) {
    EditedTrace trace(Kit::roomy);
    Json& task = *trace.events("submit").front();
    for (const char* field : {"strides", "start", "extent"}) {
      task["params"][0][field] = Json::array();
      for (std::size_t i = 0; i < dims; ++i) task["params"][0][field].push_back(1);
    }
    expect_error(trace.text(), number_of(trace, task), "not the same 1 to 5");
  }
  expect("strides", {"a"}, "something else than numbers");
  expect("strides", {2}, "is not 1");
}

TEST(TraceReader, RefusesOwnersThatAreNoTasks) {
  const auto expect = [](const Json& owner, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    for (Json* task : trace.events("submit")) {
      for (Json& param : (*task)["params"]) {
        if (!param.contains("owner")) continue;
        param["owner"] = owner;
        return expect_error(trace.text(), number_of(trace, *task), message);
      }
    }
    ADD_FAILURE() << "no buffer has an owner";
  };
  expect({4, 0}, "the owner is of ring 4");
  expect({0, 1, 2}, "\"owner\" is no list of two numbers");
  expect({0, uint64_t{1} << 62}, "past all numbers");
  expect({0, max_task_local + 1}, "past all numbers");
}

TEST(TraceReader, TakesTheLastNumberThatATaskCanHave) {
  EditedTrace trace(Kit::few_slots);
  (*trace.events("submit").front())["holds"] = {{3, max_task_local}};
  EXPECT_THAT(read_trace_text(trace.text()).tasks.front().holds,
              testing::ElementsAre(make_id(3, max_task_local)));
}

TEST(TraceReader, RefusesTensorsThatAreNotRowMajor) {
  const auto expect = [](const Json& strides, const Json& start, const Json& extent,
                         const std::string& message) {
    EditedTrace trace(Kit::roomy);
    Json& task = *trace.events("submit").front();
    task["params"][0]["strides"] = strides;
    task["params"][0]["start"] = start;
    task["params"][0]["extent"] = extent;
    expect_error(trace.text(), number_of(trace, task), message);
  };
  expect({8, 2}, {0, 0}, {1, 1}, "is not 1");
  expect({12, 8, 1}, {0, 0, 0}, {1, 1, 1}, "no row-major tensor");
  expect({0, 1}, {0, 0}, {1, 1}, "no row-major tensor");
  expect({8, 0, 1}, {0, 0, 0}, {1, 1, 1}, "no row-major tensor");
  expect({8, 1}, {0, 0}, {0, 2}, "no bytes");
  expect({8, 1}, {0, 7}, {2, 2}, "dimension 1 of a tensor has 8 elements, and its region more");
  expect({24, 6, 1}, {0, 2, 0}, {1, 3, 6}, "dimension 1 of a tensor has 4 elements");
  expect({24, 6, 1}, {0, 0, 0}, {1, 1, 7}, "dimension 2 of a tensor has 6 elements");
  expect({8, 1}, {0, uint64_t{1} << 63}, {1, uint64_t{1} << 63}, "its region more");
}

}  // namespace
}  // namespace pto2::test
