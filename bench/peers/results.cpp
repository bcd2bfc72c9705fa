#include "bench/peers/results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/median.hpp"

namespace pto2::bench {
namespace {

using nlohmann::json;

/// Adds rows of `figures` of each peer beside ours; our names are theirs without "peer_".
void add_pairs(std::vector<json>& rows, const std::string& work,
               const std::map<std::string, json>& figures, const json& common) {
  if (!figures.contains(ours)) return;
  for (const auto& [peer, theirs] : figures) {
    if (peer == ours) continue;
    json row = common;
    row.update({{"subject", "peers"}, {"work", work}, {"peer", peer}});
    row.update(figures.at(ours));
    for (const auto& [name, figure] : theirs.items()) {
      row[name == "ratio" ? name : "peer_" + name] = figure;
    }
    rows.push_back(std::move(row));
  }
}

void add_rows(std::vector<json>& rows, const LoadResult& result) {
  const Load& load = result.load;
  std::map<std::string, json> figures;
  for (const auto& [peer, cost] : result.costs) {
    json& row = figures[peer] = {{"ns", cost.ns}, {"cpu_ns", cost.cpu_ns}, {"ratio", cost.ratio}};
    if (load.kernel_ns > 0) row["efficiency"] = efficiency(load, cost.ns);
  }
  add_pairs(rows, fmt::format("{}/{}/{}", name_of(load.pattern), load.threads, load.kernel_ns),
            figures,
            {{"tasks", load.tasks}, {"threads", load.threads}, {"kernel_ns", load.kernel_ns}});
}

json figures_of(const std::optional<Granularity>& metg) {
  if (!metg) return {{"metg_ns", json()}};
  json figures = {{"metg_ns", metg->ns}};
  if (metg->at_most) figures["metg_at_most"] = true;
  return figures;
}

}  // namespace

Costs costs_of(const std::map<std::string, std::vector<Sample>>& samples, uint32_t tasks) {
  const auto own = samples.find(ours);
  Costs costs;
  for (const auto& [peer, rounds] : samples) {
    std::vector<double> ns, cpu_ns, ratios;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      ns.push_back(rounds[round].wall / tasks * 1e9);
      cpu_ns.push_back(rounds[round].cpu / tasks * 1e9);
      if (own != samples.end()) ratios.push_back(own->second[round].wall / rounds[round].wall);
    }
    costs[peer] = {median(ns), median(cpu_ns), median(ratios)};
  }
  return costs;
}

double efficiency(const Load& load, double ns) {
  return load.kernel_ns / (load.threads * ns);
}

std::vector<json> rows_of(const Results& results) {
  std::vector<json> rows;
  for (const LoadResult& result : results.loads) add_rows(rows, result);
  // By work, then by peer.
  std::map<std::string, std::map<std::string, json>> metg, memory;
  for (const GranularityResult& result : results.granularities) {
    for (const auto& [percent, found] : result.metg) {
      metg[fmt::format("metg/{}/{}", percent, result.threads)][result.peer] = figures_of(found);
    }
  }
  for (const MemoryResult& result : results.memories) {
    json& row = memory[fmt::format("memory/{}", result.tasks)][result.peer];
    row = {{"peak_rss_bytes", result.peak_bytes ? json(*result.peak_bytes) : json()}};
  }
  for (const auto& [work, figures] : metg) add_pairs(rows, work, figures, json::object());
  for (const auto& [work, figures] : memory) add_pairs(rows, work, figures, json::object());
  return rows;
}

}  // namespace pto2::bench
