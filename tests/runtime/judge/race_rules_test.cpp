// VR-I23.
#include <algorithm>

#include "tests/runtime/judge/edited_trace.hpp"

namespace pto2::test {
namespace {

/// The third task of each scope reads a buffer that the fourth reads: now it writes it, and holds
/// the owner for whom it waited.
bool write_what_is_read(Json& task) {
  if (task["holds"].empty() || task["params"][0]["dir"] != "in") return false;
  task["params"][0]["dir"] = "out";
  for (const Json& producer : task["producers"]) {
    task["holds"].push_back({producer[0], producer[1]});
  }
  task["producers"] = Json::array();
  return true;
}

/// A task without edges. Those after it in its ring have their nodes in its place.
void drop_edges(EditedTrace& trace, Json& task) {
  const uint64_t dropped = task["producers"].size();
  task["producers"] = Json::array();
  task["nodes"][1] = task["nodes"][1].get<uint64_t>() - dropped;
  for (Json* later : trace.events("submit")) {
    if ((*later)["ring"] != task["ring"] || (*later)["task"] <= task["task"]) continue;
    (*later)["nodes"][0] = (*later)["nodes"][0].get<uint64_t>() - dropped;
  }
}

TEST(RaceRules, I23AWriteInPlaceOfARead) {
  expect_refused(
      "VR-I23", Kit::roomy, [](EditedTrace&, Json& task) { return write_what_is_read(task); },
      true);
}

TEST(RaceRules, I23ALostEdge) {
  expect_refused(
      "VR-I23", Kit::roomy,
      [](EditedTrace& trace, Json& task) {
        // The first task of a scope reads what the last of the one before has added up.
        if (task["producers"].size() != 1 || !task["params"][0].contains("external")) return false;
        drop_edges(trace, task);
        return true;
      },
      true);
}

TEST(RaceRules, I23ARegionThatReachesTooFar) {
  EditedTrace trace(Kit::roomy);
  uint64_t place = 0;
  for (Json* task : trace.events("submit")) {
    (*task)["producers"] = Json::array();
    (*task)["nodes"] = {1, 0};
    (*task)["params"] = {{{"dir", "out"},
                          {"external", 0},
                          {"base", 0},
                          {"element", 8},
                          {"origin", 0},
                          {"strides", {1}},
                          {"start", {8 * place++}},
                          {"extent", {8}}}};
    (*task)["holds"] = Json::array();
  }
  EXPECT_EQ(trace.broken(true), std::set<std::string>());
  (*trace.events("submit")[3])["params"][0]["extent"] = {9};
  EXPECT_EQ(trace.broken(true), std::set<std::string>{"VR-I23"});
  const auto violations = trace.verdict(true).violations;
  EXPECT_EQ(std::ranges::count(violations, "VR-I23", &judging::Violation::rule), 1);
}

TEST(RaceRules, AreJudgedOnDemand) {
  EditedTrace trace(Kit::roomy);
  for (Json* task : trace.events("submit")) write_what_is_read(*task);
  EXPECT_EQ(trace.broken(false), std::set<std::string>());
  EXPECT_EQ(trace.broken(true), std::set<std::string>{"VR-I23"});
}

}  // namespace
}  // namespace pto2::test
