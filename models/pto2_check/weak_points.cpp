#include "models/pto2_check/weak_points.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace pto2::scenarios {
namespace {

using EntriesByUse = std::map<OrderUse, std::vector<const Entry*>>;

/// Rank of an entry among those to try for a site of `piece`: the piece's own scenarios, then those
/// of the core; the smaller ones first.
std::tuple<bool, bool, uint64_t> rank(const Entry& entry, const std::string& piece) {
  return {!entry.name.starts_with(piece + "/"), entry.name.starts_with("runtime/"),
          entry.expected.executions};
}

void sort_entries(WeakPoint& point) {
  const std::string name = point.site->name;
  const std::string piece = name.substr(0, name.find('.'));
  std::ranges::stable_sort(point.entries, {},
                           [&](const Entry* entry) { return rank(*entry, piece); });
}

/// Each use of one site, alone.
std::vector<WeakPoint> each_alone(EntriesByUse::const_iterator begin,
                                  EntriesByUse::const_iterator end) {
  std::map<std::string, int> on_line;
  for (auto use = begin; use != end; ++use) ++on_line[place_text(use->first.where)];
  std::vector<WeakPoint> points;
  for (auto use = begin; use != end; ++use) {
    const auto& [site, where] = use->first;
    std::string place = place_text(where);
    if (on_line[place] > 1) place += ":" + std::to_string(where.column());
    points.push_back({site, {where}, false, place, use->second});
  }
  return points;
}

/// All of them at once.
WeakPoint together(const std::vector<WeakPoint>& alone) {
  WeakPoint point{alone[0].site, {}, true, alone.size() == 1 ? alone[0].place : "everywhere", {}};
  for (const WeakPoint& use : alone) {
    point.uses.push_back(use.uses[0]);
    for (const Entry* entry : use.entries) {
      if (std::ranges::find(point.entries, entry) == point.entries.end()) {
        point.entries.push_back(entry);
      }
    }
  }
  return point;
}

/// Of an entry that are looked at, with either strategy. An execution of the whole runtime takes as
/// long as dozens of those of a piece, and passes most of core.
uint64_t samples_of(const Entry& entry) {
  return entry.name.starts_with("runtime/") ? 30 : 200;
}

}  // namespace

std::set<OrderUse> uses_met_by(const Entry& entry, const std::stop_token& stop) {
  std::set<OrderUse> uses;
  Model::uses_met = &uses;
  for (const auto strategy : {model::Strategy::random_walk, model::Strategy::bursts}) {
    model::Options options;
    options.name = entry.name;
    options.strategy = strategy;
    options.samples = samples_of(entry);
    options.stop = stop;
    model::explore(options, entry.body);
  }
  Model::uses_met = nullptr;
  return uses;
}

std::vector<WeakPoint> weak_points(const std::vector<Entry>& entries, const std::stop_token& stop) {
  EntriesByUse by_use;
  for (const Entry& entry : entries) {
    for (const OrderUse& use : uses_met_by(entry, stop)) by_use[use].push_back(&entry);
  }
  std::vector<WeakPoint> points;
  for (auto begin = by_use.cbegin(); begin != by_use.cend();) {
    const auto end = std::find_if(
        begin, by_use.cend(), [&](const auto& use) { return use.first.site != begin->first.site; });
    std::vector<WeakPoint> alone = each_alone(begin, end);
    points.push_back(together(alone));
    if (alone.size() > 1) std::ranges::move(alone, std::back_inserter(points));
    begin = end;
  }
  std::ranges::for_each(points, sort_entries);
  return points;
}

std::string place_text(const std::source_location& where) {
  const std::filesystem::path file = where.file_name();
  return (file.parent_path().filename() / file.filename()).string() + ":" +
         std::to_string(where.line());
}

}  // namespace pto2::scenarios
