#include "bench/peers/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::bench {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Our runtime and one peer, which knows no dependences.
Results two_peers() {
  Results results;
  results.machine = "Measured on paper.";
  results.peers = {{ours, "PTO2", ""}, {"other", "Other", "libother-dev"}};
  results.left_out = {{"absent", "Absent", "libabsent-dev"}};
  const Costs both{{ours, {2'000, 3'000, 1}}, {"other", {1'000, 1'500, 2}}};
  results.loads.push_back({{Pattern::independent, 10, 2, 0}, both});
  results.loads.push_back({{Pattern::independent, 10, 2, 1'000}, both});
  results.loads.push_back({{Pattern::chain, 10, 2, 0}, {{ours, {2'500, 3'500, 1}}}});
  results.granularities.push_back({ours, 2, {}, {{50, {{1'500, false}}}, {75, {{4'500, false}}}}});
  results.granularities.push_back({"other", 2, {}, {{50, {{6.4, true}}}, {75, std::nullopt}}});
  results.memories.push_back({ours, 10'000, 3 << 20});
  results.memories.push_back({"other", 10'000, std::nullopt});
  return results;
}

TEST(PeersResults, TakeMediansAndRatiosOfRounds) {
  const std::map<std::string, std::vector<Sample>> samples{{ours, {{1, 2}, {30, 40}, {2, 4}}},
                                                           {"other", {{2, 3}, {10, 10}, {2, 3}}}};
  const Costs costs = costs_of(samples, 10);
  EXPECT_DOUBLE_EQ(costs.at(ours).ns, 2e8);
  EXPECT_DOUBLE_EQ(costs.at(ours).cpu_ns, 4e8);
  EXPECT_DOUBLE_EQ(costs.at("other").ns, 2e8);
  EXPECT_DOUBLE_EQ(costs.at("other").ratio, 1);  // of 0.5, 3 and 1
}

TEST(PeersResults, EfficiencyIsThePartOfKernelsInTheTimeOfAllThreads) {
  EXPECT_DOUBLE_EQ(efficiency({Pattern::chain, 10, 2, 1'000}, 1'000), 0.5);
  EXPECT_DOUBLE_EQ(efficiency({Pattern::chain, 10, 1, 1'000}, 4'000), 0.25);
}

TEST(PeersResults, ARowIsAPeerBesideOurs) {
  const std::vector<nlohmann::json> rows = rows_of(two_peers());
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1], nlohmann::json::parse(R"({"subject": "peers", "work": "independent/2/1000",
      "peer": "other", "tasks": 10, "threads": 2, "kernel_ns": 1000.0, "ns": 2000.0,
      "cpu_ns": 3000.0, "efficiency": 0.25, "peer_ns": 1000.0, "peer_cpu_ns": 1500.0,
      "peer_efficiency": 0.5, "ratio": 2.0})"));
  EXPECT_FALSE(rows[0].contains("efficiency"));
  EXPECT_EQ(rows[2], nlohmann::json::parse(R"({"subject": "peers", "work": "metg/50/2",
      "peer": "other", "metg_ns": 1500.0, "peer_metg_ns": 6.4,
      "peer_metg_at_most": true})"));
  EXPECT_EQ(rows[3].at("peer_metg_ns"), nullptr);
  EXPECT_EQ(rows[4], nlohmann::json::parse(R"({"subject": "peers", "work": "memory/10000",
      "peer": "other", "peak_rss_bytes": 3145728, "peer_peak_rss_bytes": null})"));
}

TEST(PeersPage, HasAColumnPerPeerAndSaysWhatIsMissing) {
  const std::string text = tables_of(two_peers(), false);
  EXPECT_THAT(text, StartsWith("Measured on paper.\n\n"));
  EXPECT_THAT(text, HasSubstr("Without Absent, which needs libabsent-dev.\n"));
  EXPECT_THAT(text, HasSubstr("| graph | PTO2 | Other |\n|---|--:|--:|\n"
                              "| independent | 2000 / 3000 | 1000 / 1500 |\n"
                              "| chain | 2500 / 3500 | – |\n"));
  EXPECT_THAT(text, HasSubstr("| independent | 25 % | 50 % |\n"));
  EXPECT_THAT(text,
              HasSubstr("| 50 %, 2 | 1.50 | ≤ 0.00640 |\n| 75 %, 2 | 4.50 | not reached |\n"));
  EXPECT_THAT(text, HasSubstr("| 10000 | 3.0 | too much |\n"));
  Results without = two_peers();
  without.memories.pop_back();
  EXPECT_THAT(tables_of(without, false), HasSubstr("| 10000 | 3.0 | – |\n"));
  EXPECT_THAT(text, Not(HasSubstr(".svg")));
  EXPECT_THAT(tables_of(two_peers(), true), HasSubstr("(performance/memory.svg)"));
}

TEST(PeersPage, HasThreeDigitsOfAGranularity) {
  for (const auto& [ns, text] : {std::pair(14.9, "0.0149"),
                                 {123.4, "0.123"},
                                 {12'634, "12.6"},
                                 {1'048'576, "1049"},
                                 // Three digits of what is told: rounding carries.
                                 {9.996, "0.0100"},
                                 {999.6, "1.00"},
                                 {9'996, "10.0"},
                                 {999'600, "1000"}}) {
    Results results = two_peers();
    results.granularities[0].metg[50]->ns = ns;
    EXPECT_THAT(tables_of(results, false), HasSubstr("| 50 %, 2 | " + std::string(text) + " |"));
  }
}

TEST(PeersPage, ReplacesOnlyWhatIsGenerated) {
  const std::string begin = "<!-- generated: ./dev bench peers --update -->\n";
  const std::string end = "<!-- end of what is generated -->\n";
  EXPECT_EQ(with_generated("before\n" + begin + "old\n" + end + "after\n", "new\n"),
            "before\n" + begin + "\nnew\n\n" + end + "after\n");
  for (const std::string& page : {"before\n" + begin, "before\n" + end, end + begin}) {
    EXPECT_THROW((void)with_generated(page, "new"), std::runtime_error);
  }
}

}  // namespace
}  // namespace pto2::bench
