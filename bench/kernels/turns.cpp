#include "bench/kernels/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "bench/median.hpp"

namespace pto2::bench {
namespace {

constexpr double slice_ns = 40e3;
constexpr size_t round_count = 151;

double ns_of(const Contender& contender, size_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < calls; ++i) contender.call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Calls that fill a slice: also at their fastest, for a few, with the clock between them, would be
/// measured as slower in all rounds.
size_t calls_of(const Contender& contender) {
  const auto fastest = [&](size_t calls) {
    return std::min({ns_of(contender, calls), ns_of(contender, calls), ns_of(contender, calls)});
  };
  size_t calls = 1;
  while (fastest(calls) < slice_ns) calls *= 2;
  return calls;
}

}  // namespace

std::vector<Timing> timings_of(const std::vector<Contender>& contenders,
                               const std::vector<std::vector<double>>& ns) {
  std::vector<Timing> timings;
  for (size_t c = 0; c < contenders.size(); ++c) {
    std::vector<double> own, ratios;
    for (const std::vector<double>& round : ns) {
      own.push_back(round[c]);
      ratios.push_back(round[c] / round[0]);
    }
    timings.push_back({contenders[c].name, median(std::move(own)), median(std::move(ratios))});
  }
  return timings;
}

std::vector<Timing> measure_in_turns(const std::vector<Contender>& contenders) {
  std::vector<size_t> calls;
  for (const Contender& contender : contenders) calls.push_back(calls_of(contender));
  std::vector<std::vector<double>> ns(round_count);
  for (std::vector<double>& round : ns) {
    for (size_t c = 0; c < contenders.size(); ++c) {
      contenders[c].call();
      const double elapsed = ns_of(contenders[c], calls[c]);
      round.push_back(elapsed / static_cast<double>(calls[c]) / contenders[c].units);
    }
  }
  return timings_of(contenders, ns);
}

}  // namespace pto2::bench
