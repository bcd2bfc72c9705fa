// Headers that are those of no run.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/runtime/judge/edited_trace.hpp"
#include "tests/runtime/record/refused_trace.hpp"

namespace pto2::test {
namespace {

TEST(HeaderReader, RefusesAHeaderThatContradicts) {
  const auto expect = [](const std::function<void(Json&)>& edit, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    edit(trace.header());
    expect_error(trace.text(), 1, message);
  };
  expect([](Json& header) { header["threads"][1] = header["threads"][0]; }, "two threads");
  expect([](Json& header) { header["cores"][0]["name"] = "x"; }, "core x has no thread");
  expect([](Json& header) { header["cores"][1] = header["cores"][0]; }, "two cores are called");
  expect([](Json& header) { header["cores"][1]["thread"] = "aic0"; },
         "two cores are of thread aic0");
  for (const char* thread : {"orchestrator", "aic0"}) {
    expect([thread](Json& header) { header["cores"][0]["scheduler"] = thread; },
           "core aic0 has no scheduler");
  }
  expect([](Json& header) { header["cores"].back()["scheduler"] = "scheduler0"; },
         "core cpu1 is scheduler1 itself, but scheduler0 serves it");
  expect([](Json& header) { header["threads"].push_back("orchestrator1"); },
         "there are 2 orchestrators, orchestrator, orchestrator1: each thread that is of no core");
  expect([](Json& header) { header["cores"][0]["cluster"] = -2; }, "of cluster -2");
  const auto in_cluster = [](uint64_t cluster) {
    return [cluster](Json& header) { header["cores"][0]["cluster"] = cluster; };
  };
  expect(in_cluster(8), "core aic0 of 8 is of cluster 8");
  expect(in_cluster(4'000'000'000), "of cluster 4000000000");
  expect(in_cluster(uint64_t{1} << 62), "of cluster 4611686018427387904");
  expect([](Json& header) { header["cores"][0]["cluster"] = "0"; }, "\"cluster\" is no whole");
  expect([](Json& header) { header["clock"] = "points "; },
         "\"clock\" is points , neither \"ns\" nor \"points\"");
  expect([](Json& header) { header["rings"][0]["window"] = 1; }, "no room");
  expect([](Json& header) { header["rings"][1]["window"] = 1; }, "no room");
  expect([](Json& header) { header["rings"] = Json::array(); }, "no rings");
  expect([](Json& header) { header["cores"][0].erase("scheduler"); }, "aic0 has no scheduler");
  for (const char* size : {"window", "dep_pool"}) {
    for (const uint64_t large : {(uint64_t{1} << 32) - 1, uint64_t{1} << 32}) {
      expect([&](Json& header) { header["rings"][0][size] = large; }, "too large");
    }
  }
  expect([](Json& header) { header["threads"][0] = 1; },
         "\"threads\" has something else than texts");
  for (const char* id : {"", "x", "1x", "01", "00", "100000"}) {
    expect([id](Json& header) { header["kernels"] = {{id, "name"}}; }, "else than names by id");
  }
  expect([](Json& header) { header["kernels"] = {{"0", 1}}; }, "else than names by id");
  expect([](Json& header) { header["tensormap_pool"] = uint64_t{1} << 32; }, "too large");
  expect([](Json& header) { header["tensormap_pool"] = -1; }, "\"tensormap_pool\" is no number");
  expect([](Json& header) { header.erase("cores"); }, "\"cores\" is missing");
}

/// A rule that such a field switches off would say nothing.
TEST(HeaderReader, RefusesAClockThatTheRestOfTheHeaderContradicts) {
  const auto expect = [](const std::function<void(Json&)>& edit, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    edit(trace.header());
    expect_error(trace.text(), 1, message);
  };
  expect([](Json& header) { header["counts"]["points"] = 0; },
         "\"clock\" is points, but \"counts\" has 0 points");
  expect([](Json& header) { header["clock"] = "ns"; }, "\"clock\" is ns, but \"counts\" has ");
  for (const char* manner : {"weak_memory", "kernels_last"}) {
    const std::string told =
        std::string("\"clock\" is ns, but \"") + manner + "\" is of simulations";
    const auto measured = [manner](Json& header) {
      header["clock"] = "ns";
      header["counts"]["points"] = 0;
      header[manner] = true;
    };
    expect(measured, told);
    expect(
        [&](Json& header) {
          measured(header);
          header["schema"] = "pto2-trace/2";
        },
        told);
  }
  expect([](Json& header) { header["counts"]["host_threads"] = 0; },
         "\"counts\" has no host_threads: nobody has run");
}

TEST(HeaderReader, RefusesAMachineThatCannotRun) {
  const auto expect = [](const std::function<void(Json&)>& edit, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    edit(trace.header());
    expect_error(trace.text(), 1, message);
  };
  const std::pair<const char*, const char*> parts[] = {
      {"cubes_per_block", "cube"}, {"vectors_per_block", "vector"}, {"schedulers", "ai_cpu"}};
  for (const auto& [part, type] : parts) {
    const auto without = [=](Json& header) {
      header["chip"][part] = 0;
      Json rest = Json::array();
      for (const Json& core : header["cores"]) {
        if (core["type"] != type) rest.push_back(core);
      }
      header["cores"] = rest;
    };
    expect(without, fmt::format("\"{}\" of \"chip\" is 0", part));
  }
  expect(
      [](Json& header) {
        header["chip"] = {{"blocks", 0},     {"cubes_per_block", 0}, {"vectors_per_block", 0},
                          {"schedulers", 0}, {"accelerators", 0},    {"name", "none"}};
        header["cores"] = Json::array();
      },
      "\"blocks\" of \"chip\" is 0");
  expect(
      [](Json& header) {
        Json& threads = header["threads"];
        threads.erase(std::find(threads.begin(), threads.end(), "orchestrator"));
      },
      "there is no orchestrator");
  expect([](Json& header) { header["shards"] = 0; }, "there are no shards");
}

TEST(HeaderReader, RefusesRingsThatNoRunHas) {
  for (const char* size : {"window", "heap", "dep_pool"}) {
    EditedTrace trace(Kit::roomy);
    trace.header()["rings"][1][size] = 0;
    expect_error(trace.text(), 1, "no room");
  }
  EditedTrace many(Kit::roomy);
  const Json ring = many.header()["rings"][0];
  while (many.header()["rings"].size() <= max_rings) many.header()["rings"].push_back(ring);
  expect_error(many.text(), 1, "rings, more than");
}

/// The chip of these traces has two blocks of a cube and two vector cores, and two schedulers.
TEST(HeaderReader, RefusesCoresThatAreNotTheChips) {
  const auto expect = [](const char* key, const Json& value, const std::string& message) {
    EditedTrace trace(Kit::roomy);
    trace.header()["chip"][key] = value;
    expect_error(trace.text(), 1, message);
  };
  expect("blocks", 3, "\"chip\" has 3 blocks, but \"cores\" are of 2 clusters");
  expect("cubes_per_block", 2,
         "\"cubes_per_block\" of \"chip\" is 2, but \"cores\" has 1 of type cube of cluster 0");
  expect("vectors_per_block", 1,
         "\"vectors_per_block\" of \"chip\" is 1, but \"cores\" has 2 of type vector of cluster 0");
  expect("schedulers", 1, "\"cores\" has 2 of type ai_cpu of no cluster");
  expect("accelerators", 1, "\"cores\" has 0 of type accelerator of no cluster");
  expect("blocks", "two", "\"blocks\" is no number");

  EditedTrace moved(Kit::roomy);
  moved.header()["cores"][2]["cluster"] = 1;
  expect_error(moved.text(), 1, "\"cores\" has 1 of type vector of cluster 0");
  EditedTrace outside(Kit::roomy);
  outside.header()["cores"].back()["cluster"] = 0;
  expect_error(outside.text(), 1, "\"cores\" has 1 of type ai_cpu of no cluster");
  EditedTrace strange(Kit::roomy);
  strange.header()["threads"].push_back("odd");
  strange.header()["cores"].push_back({{"name", "odd"}, {"type", "oddity"}, {"cluster", 0}});
  expect_error(strange.text(), 1, "has 1 of type oddity of cluster 0, but \"chip\" has no such");
  EditedTrace none(Kit::roomy);
  none.header().erase("chip");
  expect_error(none.text(), 1, "\"chip\" is missing");
}

}  // namespace
}  // namespace pto2::test
