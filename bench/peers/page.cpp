#include "bench/peers/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace pto2::bench {
namespace {

constexpr const char* begin_mark = "<!-- generated: ./dev bench peers --update -->\n";
constexpr const char* end_mark = "<!-- end of what is generated -->\n";

/// The cell of a peer that does not take the graph, or has failed.
const std::string none = "–";

/// The lines of a table with a column per peer: one row has a name, and a cell for each.
class Table {
 public:
  Table(const std::string& first, const std::vector<PeerName>& peers) : peers_(peers) {
    text_ = "| " + first + " |";
    for (const PeerName& peer : peers) text_ += " " + peer.title + " |";
    text_ += "\n|---|";
    for (std::size_t i = 0; i < peers.size(); ++i) text_ += "--:|";
    text_ += "\n";
  }

  template <class CellOf>
  void add(const std::string& name, const CellOf& cell_of) {
    text_ += "| " + name + " |";
    for (const PeerName& peer : peers_) text_ += " " + cell_of(peer.name) + " |";
    text_ += "\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const std::vector<PeerName>& peers_;
  std::string text_;
};

/// A row per graph, of the loads with so many threads and this kernel.
std::string loads_table(const Results& results, uint32_t threads, double kernel_ns,
                        const std::function<std::string(const Load&, const Cost&)>& text_of) {
  Table table("graph", results.peers);
  for (const auto& [load, costs] : results.loads) {
    if (load.threads != threads || load.kernel_ns != kernel_ns) continue;
    table.add(name_of(load.pattern), [&](const std::string& peer) {
      const auto cost = costs.find(peer);
      return cost == costs.end() ? none : text_of(load, cost->second);
    });
  }
  return table.text();
}

std::string efficiency_text(const Load& load, const Cost& cost) {
  return fmt::format("{:.0f} %", 100 * efficiency(load, cost.ns));
}

std::string time_text(const Load&, const Cost& cost) {
  return fmt::format("{:.0f} / {:.0f}", cost.ns, cost.cpu_ns);
}

/// In microseconds, with three digits from the first that is not 0.
std::string granularity_text(const std::optional<Granularity>& metg) {
  if (!metg) return "not reached";
  const double us = metg->ns / 1000;
  // Of the rounded number: 9.996 has the first of three digits where 10.0 has it.
  const std::string rounded = fmt::format("{:.2e}", us);
  const int decimals = std::max(0, 2 - std::stoi(rounded.substr(rounded.find('e') + 1)));
  return fmt::format("{}{:.{}f}", metg->at_most ? "≤ " : "", us, decimals);
}

std::string granularity_table(const Results& results) {
  Table table("efficiency, threads", results.peers);
  // By threads and percent, then by peer.
  std::map<std::pair<uint32_t, int>, std::map<std::string, std::string>> lines;
  for (const GranularityResult& result : results.granularities) {
    for (const auto& [percent, metg] : result.metg) {
      lines[{result.threads, percent}][result.peer] = granularity_text(metg);
    }
  }
  for (const auto& [line, cells] : lines) {
    table.add(fmt::format("{} %, {}", line.second, line.first), [&](const std::string& peer) {
      const auto cell = cells.find(peer);
      return cell == cells.end() ? none : cell->second;
    });
  }
  return table.text();
}

std::string memory_table(const Results& results) {
  Table table("tasks", results.peers);
  std::map<uint32_t, std::map<std::string, std::optional<uint64_t>>> lines;
  for (const MemoryResult& result : results.memories) {
    lines[result.tasks][result.peer] = result.peak_bytes;
  }
  for (const auto& [tasks, cells] : lines) {
    table.add(std::to_string(tasks), [&](const std::string& peer) {
      const auto cell = cells.find(peer);
      if (cell == cells.end()) return none;
      return cell->second ? fmt::format("{:.1f}", static_cast<double>(*cell->second) / (1 << 20))
                          : std::string("too much");
    });
  }
  return table.text();
}

std::string plot(bool wanted, const char* name, const char* caption) {
  return wanted ? fmt::format("\n![{}](performance/{})\n", caption, name) : std::string();
}

}  // namespace

std::string tables_of(const Results& results, bool plots) {
  std::string text = results.machine + "\n\n";
  for (const PeerName& peer : results.left_out) {
    text += fmt::format("Without {}, which needs {}.\n\n", peer.title, peer.needs);
  }
  text += "### Empty kernels: nanoseconds per task, of the clock / of all CPUs\n";
  for (const uint32_t threads : {2, 1}) {
    text += fmt::format("\nThreads: {}\n\n", threads) + loads_table(results, threads, 0, time_text);
  }
  text += plot(plots, tasks_plot, "nanoseconds per task with empty kernels, two threads");
  text += "\n### Efficiency with kernels of 1 and 10 µs\n";
  for (const uint32_t threads : {2, 1}) {
    for (const double kernel_ns : {1'000, 10'000}) {
      text += fmt::format("\nThreads: {}; kernels of {} µs\n\n", threads, kernel_ns / 1000);
      text += loads_table(results, threads, kernel_ns, efficiency_text);
    }
  }
  text += "\n### METG of independent tasks, in µs\n\n" + granularity_table(results);
  text += plot(plots, granularity_plot, "efficiency by kernel duration, two threads");
  text += "\n### Peak memory of the process, in MiB\n\n" + memory_table(results);
  text += plot(plots, memory_plot, "peak memory by tasks");
  return text;
}

std::string with_generated(std::string page, const std::string& text) {
  const std::size_t begin = page.find(begin_mark);
  const std::size_t end = page.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error(
        fmt::format("the page has no part between the lines\n{}{}", begin_mark, end_mark));
  }
  const std::size_t from = begin + std::string(begin_mark).size();
  page.replace(from, end - from, "\n" + text + "\n");
  return page;
}

}  // namespace pto2::bench
