#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "bench/peers/page.hpp"

namespace pto2::bench {
namespace {

/// A point per line, and the name of the data for `plot`.
struct Series {
  std::string title;
  std::string points;
};

void run_gnuplot(const std::filesystem::path& file, const std::string& settings,
                 const std::vector<Series>& series, const std::string& style) {
  std::string script = fmt::format(
      "set terminal svg size 800,400 font 'sans-serif,12' background 'white'\n"
      "set output '{}'\nset key outside right noenhanced\nset grid y\n{}\n",
      file.string(), settings);
  std::string plots;
  for (std::size_t i = 0; i < series.size(); ++i) {
    script += fmt::format("$series{} << END\n{}END\n", i, series[i].points);
    plots += fmt::format("{}$series{} {} title '{}'", i == 0 ? "plot " : ", ", i, style,
                         series[i].title);
  }
  FILE* const gnuplot = popen("gnuplot", "w");
  if (gnuplot == nullptr) throw std::runtime_error("cannot start a process");
  std::fputs((script + plots + "\n").c_str(), gnuplot);
  if (pclose(gnuplot) != 0) throw std::runtime_error("gnuplot failed; is gnuplot-nox installed?");
}

std::vector<Series> task_series(const Results& results) {
  std::vector<Series> series;
  for (const PeerName& peer : results.peers) {
    Series bars{peer.title, {}};
    for (const auto& [load, costs] : results.loads) {
      if (load.threads != 2 || load.kernel_ns != 0) continue;
      const auto cost = costs.find(peer.name);
      bars.points += fmt::format("\"{}\" {}\n", name_of(load.pattern),
                                 cost == costs.end() ? "?" : fmt::format("{}", cost->second.ns));
    }
    series.push_back(std::move(bars));
  }
  return series;
}

std::vector<Series> granularity_series(const Results& results) {
  std::vector<Series> series;
  for (const PeerName& peer : results.peers) {
    for (const GranularityResult& result : results.granularities) {
      if (result.peer != peer.name || result.threads != 2) continue;
      Series line{peer.title, {}};
      for (const auto& [kernel_ns, part] : result.curve) {
        line.points += fmt::format("{} {}\n", kernel_ns / 1000, 100 * part);
      }
      series.push_back(std::move(line));
    }
  }
  return series;
}

std::vector<Series> memory_series(const Results& results) {
  std::vector<Series> series;
  for (const PeerName& peer : results.peers) {
    Series line{peer.title, {}};
    for (const MemoryResult& result : results.memories) {
      if (result.peer != peer.name || !result.peak_bytes) continue;
      line.points +=
          fmt::format("{} {}\n", result.tasks, static_cast<double>(*result.peak_bytes) / (1 << 20));
    }
    if (!line.points.empty()) series.push_back(std::move(line));
  }
  return series;
}

}  // namespace

void write_plots(const std::filesystem::path& folder, const Results& results) {
  std::filesystem::create_directories(folder);
  run_gnuplot(folder / tasks_plot,
              "set style data histograms\nset style fill solid\nset logscale y\n"
              "set datafile missing '?'\nset xtics rotate by -20 noenhanced\n"
              "set ylabel 'ns per task'",
              task_series(results), "using 2:xtic(1)");
  run_gnuplot(folder / granularity_plot,
              "set logscale x\nset yrange [0:110]\nset xlabel 'kernel duration, µs'\n"
              "set ylabel 'efficiency, %'",
              granularity_series(results), "with linespoints");
  run_gnuplot(folder / memory_plot,
              "set logscale xy\nset xlabel 'tasks'\nset ylabel 'peak memory, MiB'",
              memory_series(results), "with linespoints");
}

}  // namespace pto2::bench
