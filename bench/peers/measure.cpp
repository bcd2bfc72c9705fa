#include "bench/peers/measure.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bench/median.hpp"
#include "bench/peers/granularity.hpp"

namespace pto2::bench {
namespace {

constexpr uint32_t thread_counts[] = {1, 2};
constexpr double kernel_durations[] = {0, 1'000, 10'000};
constexpr int metg_percents[] = {50, 75};
constexpr uint32_t memory_sizes[] = {10'000, 100'000, 1'000'000};
constexpr uint64_t most_bytes = 1'500'000'000;

/// So few that kernels of a run take no longer together, on one thread.
uint32_t tasks_for(double kernel_ns, double run_ns, double most) {
  return static_cast<uint32_t>(std::clamp(run_ns / std::max(kernel_ns, 1.0), 100.0, most));
}
/// What takes some ten milliseconds.
uint32_t tasks_for_cost(double kernel_ns) {
  return tasks_for(kernel_ns, 2e7, 20'000);
}
/// So many that the launch does not count, which METG is not about.
uint32_t tasks_for_granularity(double kernel_ns) {
  return tasks_for(kernel_ns, 1e8, 40'000);
}

/// Executes it for a peer that has not failed before. If it fails now, that is noted.
template <class Execute>
void attempt(Results& results, const PeerName& peer, const Execute& execute) {
  const auto is_peer = [&](const Failure& failure) { return failure.peer.name == peer.name; };
  if (std::ranges::any_of(results.failures, is_peer)) return;
  try {
    execute();
  } catch (const std::exception& problem) {
    std::cerr << "peers: " << peer.title << " fails; what is left is measured without it\n";
    results.failures.push_back({peer, problem.what()});
  }
}

/// All peers in turn, round after round: what the host does meanwhile meets each.
void measure_loads(const Programs& programs, Pattern pattern, uint32_t threads, std::size_t rounds,
                   Results& results) {
  std::vector<Load> loads;
  for (const double kernel_ns : kernel_durations) {
    loads.push_back({pattern, tasks_for_cost(kernel_ns), threads, kernel_ns});
  }
  std::vector<std::map<std::string, std::vector<Sample>>> samples(loads.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const PeerName& peer : results.peers) {
      if (!takes(peer, pattern)) continue;
      attempt(results, peer, [&] {
        const std::vector<Measured> measured = programs.measure(peer.name, loads, 1);
        for (std::size_t i = 0; i < loads.size(); ++i) {
          samples[i][peer.name].push_back(measured.at(i).samples.at(0));
        }
      });
    }
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    // Who failed in between has no medians of the same rounds.
    std::erase_if(samples[i], [=](const auto& entry) { return entry.second.size() < rounds; });
    results.loads.push_back({loads[i], costs_of(samples[i], loads[i].tasks)});
  }
}

GranularityResult measure_granularity(const Programs& programs, const std::string& peer,
                                      uint32_t threads, std::size_t rounds) {
  GranularitySearch search([&](double wanted_ns) -> GranularitySearch::Point {
    Load load{Pattern::independent, tasks_for_granularity(wanted_ns), threads, wanted_ns};
    const Measured measured = programs.measure(peer, {&load, 1}, rounds).at(0);
    load.kernel_ns = measured.kernel_ns;
    std::vector<double> walls;
    for (const Sample& sample : measured.samples) walls.push_back(sample.wall);
    return {load.kernel_ns, efficiency(load, median(walls) / load.tasks * 1e9)};
  });
  GranularityResult result{peer, threads, {}, {}};
  for (const int percent : metg_percents) {
    result.metg[percent] = search.smallest(percent / 100.0);
  }
  result.curve = search.curve();
  return result;
}

/// Growing graphs, until the next, ten times as large, may need more than there should be used.
void measure_memory(const Programs& programs, const PeerName& peer, Results& results) {
  constexpr Pattern pattern = Pattern::paged_attention;
  if (!takes(peer, pattern)) return;
  uint64_t peak = 0;
  for (const uint32_t tasks : memory_sizes) {
    std::optional<uint64_t> measured;
    if (peak * 10 <= most_bytes) {
      measured = programs.peak_bytes(peer.name, {pattern, tasks, 2, 0});
      peak = *measured;
    }
    results.memories.push_back({peer.name, tasks, measured});
  }
}

/// The processor, and the compiler of this program, which is that of all of them.
std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string model = "an unknown processor";
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  }
  return fmt::format("Measured on {} with {} CPUs; compiled by {}.", model,
                     std::thread::hardware_concurrency(), PTO2_COMPILER);
}

void check(const Programs& programs, const PeerName& peer) {
  for (const Pattern pattern : patterns) {
    for (const uint32_t threads : thread_counts) {
      if (takes(peer, pattern)) programs.check(peer.name, pattern, threads);
    }
  }
  std::cerr << "peers: " << peer.title << ": each task ran once, after its predecessors\n";
}

/// What a command of the shell was that did not end with 0.
std::string ending(int status) {
  constexpr int timed_out = 124;  // of `timeout`
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code == timed_out ? "no end within two minutes" : fmt::format("exit code {}", code);
}

}  // namespace

nlohmann::json Programs::answer(const std::string& peer, const std::string& arguments) const {
  const std::filesystem::path errors = folder_ / ("peer_" + peer + ".errors");
  const std::string call = fmt::format("peer_{} {}", peer, arguments);
  const std::string command =
      fmt::format("timeout 120 '{}'/{} 2>'{}'", folder_.string(), call, errors.string());
  FILE* const child = popen(command.c_str(), "r");
  if (child == nullptr) throw std::runtime_error("cannot start a process");
  std::string text;
  for (char part[4096]; std::fgets(part, sizeof part, child) != nullptr;) text += part;
  const int status = pclose(child);
  std::ostringstream told;
  told << std::ifstream(errors).rdbuf();
  std::filesystem::remove(errors);
  if (status != 0) {
    throw std::runtime_error(fmt::format("{}: {}\n{}", call, ending(status), told.str()));
  }
  std::cerr << told.str();
  return nlohmann::json::parse(text);
}

void Programs::check(const std::string& peer, Pattern pattern, uint32_t threads) const {
  constexpr uint32_t tasks = 20'000;  // in each of two runs, as are measured
  const nlohmann::json told =
      answer(peer, fmt::format("--check {} {} {}", name_of(pattern), threads, tasks));
  if (told.at("runs") == 2 * tasks && told.at("correct") == true) return;
  throw std::runtime_error(fmt::format("{}: {} kernels of {} tasks, {} threads: {}", peer,
                                       told.at("runs").dump(), 2 * tasks, threads,
                                       "not once each after their predecessors"));
}

std::vector<Measured> Programs::measure(const std::string& peer, std::span<const Load> loads,
                                        std::size_t runs) const {
  std::string arguments =
      fmt::format("{} {} {}", name_of(loads[0].pattern), loads[0].threads, runs + 1);
  for (const Load& load : loads) arguments += fmt::format(" {} {}", load.tasks, load.kernel_ns);
  std::vector<Measured> result;
  const nlohmann::json all = answer(peer, arguments);
  for (const nlohmann::json& told : all.at("loads")) {
    Measured measured{told.at("kernel_ns"), {}};
    for (std::size_t i = 1; i < told.at("wall").size(); ++i) {
      measured.samples.push_back({told["wall"][i], told.at("cpu").at(i)});
    }
    result.push_back(std::move(measured));
  }
  return result;
}

uint64_t Programs::peak_bytes(const std::string& peer, const Load& load) const {
  return answer(peer, fmt::format("{} {} 1 {} {}", name_of(load.pattern), load.threads, load.tasks,
                                  load.kernel_ns))
      .at("peak_bytes");
}

bool takes(const PeerName& peer, Pattern pattern) {
  return peer.name != "tbb_group" || pattern == Pattern::independent || pattern == Pattern::tree;
}

Results choose(const std::vector<PeerName>& peers, const std::string& built) {
  std::istringstream names(built);
  const std::set<std::string> here{std::istream_iterator<std::string>(names), {}};
  Results results;
  for (const PeerName& peer : peers) {
    (here.contains(peer.name) ? results.peers : results.left_out).push_back(peer);
  }
  return results;
}

void measure_all(const Programs& programs, std::size_t rounds, Results& results) {
  results.machine = machine();
  for (const PeerName& peer : results.peers) {
    attempt(results, peer, [&] { check(programs, peer); });
  }
  for (const Pattern pattern : patterns) {
    std::cerr << "peers: " << name_of(pattern) << '\n';
    for (const uint32_t threads : thread_counts) {
      measure_loads(programs, pattern, threads, rounds, results);
    }
  }
  for (const PeerName& peer : results.peers) {
    attempt(results, peer, [&] {
      std::cerr << "peers: METG and memory of " << peer.title << '\n';
      for (const uint32_t threads : thread_counts) {
        results.granularities.push_back(measure_granularity(programs, peer.name, threads, rounds));
      }
      measure_memory(programs, peer, results);
    });
  }
}

}  // namespace pto2::bench
