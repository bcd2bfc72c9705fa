// What programs can read of a violation: the execution graph in JSON, and the same in DOT.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pto2/checker.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace pto2::model {
namespace {

using enum std::memory_order;
using Json = nlohmann::json;

/// The violation of a program that has one, as JSON, with what every graph has to keep.
class Found {
 public:
  explicit Found(const std::function<void()>& body) {
    const Report report = explore({}, body);
    EXPECT_TRUE(report.violation) << report.to_text();
    const Json whole = Json::parse(report.to_json());
    EXPECT_EQ(whole.at("schema"), "pto2.checker.report/1");
    EXPECT_EQ(whole.at("verdict"), "fail");
    json_ = whole.at("violation");
    for (std::size_t i = 0; i < json_.at("events").size(); ++i) {
      EXPECT_EQ(json_.at("events").at(i).at("id"), i);
    }
    for (std::size_t i = 0; i < json_.at("locations").size(); ++i) {
      EXPECT_EQ(json_.at("locations").at(i).at("id"), i);
    }
  }

  const Json& json() const { return json_; }
  /// The events of one operation on the location of that name.
  std::vector<Json> events(const std::string& operation, const std::string& name) const {
    std::vector<Json> found;
    for (const Json& event : json_.at("events")) {
      if (event.at("operation") != operation || event.at("location").is_null()) continue;
      const std::size_t index = event.at("location");
      if (json_.at("locations").at(index).at("name") == name) found.push_back(event);
    }
    return found;
  }
  Json location(const std::string& name) const {
    for (const Json& location : json_.at("locations")) {
      if (location.at("name") == name) return location;
    }
    ADD_FAILURE() << "no location " << name;
    return {};
  }
  /// Where the edges of a kind that end in an event come from.
  std::vector<int> sources(const std::string& kind, const Json& event) const {
    std::vector<int> found;
    for (const Json& edge : json_.at("edges")) {
      if (edge.at("kind") == kind && edge.at("to") == event.at("id")) {
        found.push_back(edge.at("from"));
      }
    }
    return found;
  }

 private:
  Json json_;
};

const unsigned first_line_of_message_passing = __LINE__ + 1;
void message_passing() {
  atomic<int> x{7, "x"}, flag{0, "flag"};
  thread producer(
      [&] {
        x.store(8, relaxed);
        flag.store(1, relaxed);
      },
      "producer");
  thread consumer(
      [&] {
        if (flag.load(acquire) == 1) check(x.load(relaxed) == 8, "message seen");
      },
      "consumer");
  producer.join();
  consumer.join();
}

TEST(Report, the_graph_of_a_stale_read) {
  const Found found(message_passing);
  const std::vector<Json> stores = found.events("store", "x");
  const std::vector<Json> loads = found.events("load", "x");
  ASSERT_EQ(stores.size(), 1u);
  ASSERT_EQ(loads.size(), 1u);
  const Json x = found.location("x");
  EXPECT_EQ(x.at("initial"), "7");
  EXPECT_LT(x.at("initial_write"), 0);
  EXPECT_EQ(x.at("modification_order"), Json::array({stores[0].at("id")}));
  EXPECT_EQ(found.sources("rf", loads[0]), std::vector<int>{x.at("initial_write")});
  EXPECT_EQ(loads[0].at("thread"), "consumer");
  EXPECT_EQ(loads[0].at("thread_number"), 2);
  EXPECT_EQ(loads[0].at("value"), "7");
  EXPECT_EQ(loads[0].at("order"), "relaxed");
  EXPECT_EQ(loads[0].at("line"), first_line_of_message_passing + 10);
  EXPECT_TRUE(loads[0].at("file").get<std::string>().ends_with("report_test.cpp"));
  EXPECT_EQ(stores[0].at("thread"), "producer");
  EXPECT_EQ(stores[0].at("value"), "8");
  EXPECT_EQ(stores[0].at("line"), first_line_of_message_passing + 4);

  const std::vector<Json> flag_stores = found.events("store", "flag");
  const std::vector<Json> flag_loads = found.events("load", "flag");
  ASSERT_EQ(flag_stores.size(), 1u);
  ASSERT_EQ(flag_loads.size(), 1u);
  EXPECT_EQ(found.sources("rf", flag_loads[0]), std::vector<int>{flag_stores[0].at("id")});
  EXPECT_EQ(flag_loads[0].at("order"), "acquire");
  EXPECT_NE(found.location("flag").at("initial_write"), x.at("initial_write"));
  EXPECT_LT(flag_loads[0].at("id"), loads[0].at("id")) << "program order";
}

/// Two updates and a store of one location, and a fence.
TEST(Report, the_graph_of_updates) {
  const Found found([] {
    atomic<int> x{0, "x"};
    thread a([&] { x.fetch_add(1, acq_rel); }, "a");
    thread b(
        [&] {
          x.store(5, release);
          fence(seq_cst);
          int expected = 9;
          x.compare_exchange_strong(expected, 1, relaxed, acquire);
        },
        "b");
    a.join();
    b.join();
    check(x.load(relaxed) != 6, "the store comes last");
  });
  const std::vector<Json> writes = found.events("rmw_write", "x");
  const std::vector<Json> reads = found.events("rmw_read", "x");
  const std::vector<Json> stores = found.events("store", "x");
  const std::vector<Json> loads = found.events("load", "x");
  ASSERT_EQ(writes.size(), 1u) << "a failed exchange writes nothing";
  ASSERT_EQ(reads.size(), 2u);
  ASSERT_EQ(stores.size(), 1u);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(found.location("x").at("modification_order"),
            Json::array({stores[0].at("id"), writes[0].at("id")}));
  const bool a_first = reads[0].at("thread") == "a";
  const Json& add = a_first ? reads[0] : reads[1];
  const Json& failed = a_first ? reads[1] : reads[0];
  EXPECT_EQ(add.at("id").get<int>() + 1, writes[0].at("id"));
  EXPECT_EQ(add.at("order"), "acq_rel");
  EXPECT_EQ(add.at("value"), "5");
  EXPECT_EQ(writes[0].at("value"), "6");
  EXPECT_EQ(failed.at("order"), "acquire") << "the order of failure";
  EXPECT_EQ(found.sources("rf", add), std::vector<int>{stores[0].at("id")});
  EXPECT_EQ(found.sources("rf", loads[0]), std::vector<int>{writes[0].at("id")});
}

TEST(Report, starts_and_joins_are_edges) {
  const Found found([] {
    atomic<int> x{0, "x"};
    thread a([&] { x.store(1, relaxed); });
    a.join();
    check(x.load(relaxed) == 0, "not joined");
  });
  int spawn = -1;
  int fences = 0;
  Json join;
  for (const Json& event : found.json().at("events")) {
    if (event.at("operation") == "spawn") spawn = event.at("id");
    if (event.at("operation") == "join") join = event;
    fences += event.at("operation") == "fence";
  }
  EXPECT_EQ(fences, 0);
  const std::vector<Json> stores = found.events("store", "x");
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_EQ(found.sources("start", stores[0]), std::vector<int>{spawn});
  EXPECT_EQ(found.sources("end", join), std::vector<int>{stores[0].at("id")});
  EXPECT_EQ(join.at("location"), nullptr);
  EXPECT_EQ(join.at("order"), "");
}

/// How many lines of a text begin and end like that.
std::size_t count(const std::string& text, const std::string& begin, const std::string& end) {
  std::istringstream lines(text);
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    found += line.starts_with(begin) && line.ends_with(end);
  }
  return found;
}

TEST(Report, dot_shows_the_same_graph) {
  const Found found(message_passing);
  const std::string dot = found.json().at("dot");
  const std::size_t events = found.json().at("events").size();
  EXPECT_EQ(count(dot, "  e", "\"];"), events);
  EXPECT_EQ(count(dot, "  i", "\"];"), 2u);
  EXPECT_NE(dot.find("x = 7 initially"), std::string::npos) << dot;
  for (const Json& edge : found.json().at("edges")) {
    const int from = edge.at("from");
    const std::string source =
        from < 0 ? "i" + std::to_string(-1 - from) : "e" + std::to_string(from);
    const std::string line = "  " + source + " -> e" + edge.at("to").dump() +
                             " [label=" + edge.at("kind").get<std::string>() + "];\n";
    EXPECT_NE(dot.find(line), std::string::npos) << line << dot;
  }
  EXPECT_EQ(count(dot, "", "[label=rf];") + count(dot, "", "[label=start];") +
                count(dot, "", "[label=end];"),
            found.json().at("edges").size());
  EXPECT_EQ(count(dot, "", "[label=mo];"), 2u);
  std::size_t threads = 0;
  for (int number = 0; number < 3; ++number) {
    threads += std::ranges::any_of(found.json().at("events"), [&](const Json& event) {
      return event.at("thread_number") == number;
    });
  }
  EXPECT_EQ(count(dot, "", "[label=po];"), events - threads);
}

TEST(Report, names_are_escaped) {
  const std::string name = "a \"b\" \\ \n c";
  const Found found([&] {
    atomic<int> x{0, name};
    x.store(1);
    check(false, name);
  });
  EXPECT_EQ(found.json().at("message"), name);
  EXPECT_EQ(found.location(name).at("name"), name);
  const std::string dot = found.json().at("dot");
  EXPECT_NE(dot.find("a \\\"b\\\" \\\\ "), std::string::npos) << dot;
}

/// In the second execution, only the joins are not repeated from the first; that the load takes
/// another value is no step.
TEST(Report, steps_that_are_repeated_are_not_counted) {
  const Report report = explore({}, [] {
    atomic<int> x{0};
    thread writer([&] { x.store(1, relaxed); });
    thread reader([&] { x.load(relaxed); });
    writer.join();
    reader.join();
  });
  EXPECT_EQ(report.executions, 2U);
  EXPECT_EQ(report.steps, 6U + 2U);
}

}  // namespace
}  // namespace pto2::model
