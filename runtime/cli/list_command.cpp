#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/cli/chip_json.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/information_command.hpp"
#include "runtime/cli/setting_values.hpp"
#include "runtime/output/json_text.hpp"
#include "runtime/output/result_files.hpp"
#include "runtime/workloads/workload.hpp"

namespace pto2::cli {
namespace {

using Json = nlohmann::ordered_json;
using workloads::CaseInfo;
using workloads::OptionSpec;
using workloads::Workload;

Json case_json(const CaseInfo& info) {
  Json json = {{"name", info.name},
               {"description", info.description},
               {"tasks", info.tasks},
               {"tolerance", info.tolerance},
               {"rings",
                {{"window", info.rings.window},
                 {"heap", info.rings.heap_bytes},
                 {"dep_pool", info.rings.dep_pool},
                 {"tensormap_pool", info.rings.tensormap_pool}}},
               {"blocks", info.blocks == 0 ? Json() : Json(info.blocks)},
               {"outcome", info.outcome()},
               {"deadlocks", !info.fault.empty()}};
  if (!info.twin.empty()) json["twin"] = info.twin;
  return json;
}

Json option_json(const OptionSpec& option) {
  return {{"name", option.name},
          {"kind", workloads::kind_name(option.kind)},
          {"environment", option.environment == nullptr ? Json() : Json(option.environment)},
          {"help", option.help}};
}

/// The settings that are not the usual ones, under their names in `pto2 run`: "window=16 heap=1M".
std::string settings_text(const CaseInfo& info) {
  const workloads::RingSizes& rings = info.rings;
  const workloads::RingSizes usual;
  std::string text;
  const auto add = [&](const char* name, uint64_t own, uint64_t common) {
    if (own == common) return;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size_text(own));
  };
  add("window", rings.window, usual.window);
  add("heap", rings.heap_bytes, usual.heap_bytes);
  add("dep-pool", rings.dep_pool, usual.dep_pool);
  add("tensormap-pool", rings.tensormap_pool, usual.tensormap_pool);
  add("blocks", info.blocks, 0);
  return text.empty() ? "-" : text;
}

std::string platforms_as_text() {
  std::string text = "platforms (docs/CHIPS.md says how to describe another chip):\n";
  for (const Chip& chip : known_chips()) {
    text += fmt::format("  {:<18}{}\n", chip.name, shape_text(chip));
  }
  return text;
}

std::string all_as_json() {
  Json list = Json::array();
  for (const Workload* workload : workloads::all_workloads()) {
    Json cases = Json::array();
    for (const CaseInfo& info : workload->cases()) cases.push_back(case_json(info));
    Json options = Json::array();
    for (const OptionSpec& option : workload->options()) options.push_back(option_json(option));
    list.push_back({{"name", workload->name()},
                    {"description", workload->description()},
                    {"cases", cases},
                    {"options", options}});
  }
  Json platforms = Json::array();
  for (const Chip& chip : known_chips()) platforms.push_back(chip_json(chip));
  return text_of_json({{"schema", "pto2-list/1"}, {"workloads", list}, {"platforms", platforms}});
}

std::string workload_text(const Workload& workload) {
  std::string text = fmt::format("{}: {}\n", workload.name(), workload.description());
  text += fmt::format("  {:<18}{:>7}  {:<10}{:<25}{:<32}{}\n", "case", "tasks", "tolerance",
                      "outcome", "settings", "description");
  for (const CaseInfo& info : workload.cases()) {
    text += fmt::format("  {:<18}{:>7}  {:<10g}{:<25}{:<32}{}{}\n", info.name, info.tasks,
                        info.tolerance, info.outcome(), settings_text(info), info.description,
                        info.twin.empty() ? "" : "; " + info.twin + " passes");
  }
  if (!workload.options().empty()) text += "  option\n";
  for (const OptionSpec& option : workload.options()) {
    text +=
        fmt::format("  --{:<16}{}{}\n", option.name, option.help,
                    option.environment == nullptr ? "" : fmt::format(" ({})", option.environment));
  }
  return text;
}

std::string all_as_text() {
  std::string text;
  for (const Workload* workload : workloads::all_workloads()) {
    text += workload_text(*workload) + "\n";
  }
  return text + platforms_as_text();
}

ExitCode show_list(bool json) {
  ResultFiles results(ResultNames{.json = json ? "-" : ""});
  results.print(all_as_text());
  results.finish(all_as_json);
  return exit_pass;
}

}  // namespace

std::unique_ptr<Command> make_list_command(CLI::App& subcommand) {
  return std::make_unique<InformationCommand>(
      subcommand, "The first case of a workload is its default.", show_list);
}

}  // namespace pto2::cli
