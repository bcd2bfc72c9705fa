#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/information_command.hpp"
#include "runtime/cli/setting_values.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/trace/chip_json.hpp"
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
                 {"dep_pool", info.rings.dep_pool}}},
               {"deadlocks", info.deadlocks}};
  if (info.deadlocks) json["twin"] = info.twin;
  return json;
}

Json option_json(const OptionSpec& option) {
  return {{"name", option.name},
          {"kind", workloads::kind_name(option.kind)},
          {"environment", option.environment == nullptr ? Json() : Json(option.environment)},
          {"help", option.help}};
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
  return Json{{"schema", "pto2-list/1"}, {"workloads", list}, {"platforms", platforms}}.dump(2) +
         "\n";
}

std::string workload_text(const Workload& workload) {
  std::string text = fmt::format("{}: {}\n", workload.name(), workload.description());
  text += fmt::format("  {:<18}{:>7}  {:<10}{:<20}{}\n", "case", "tasks", "tolerance",
                      "window/heap/pool", "description");
  for (const CaseInfo& info : workload.cases()) {
    const std::string rings =
        fmt::format("{}/{}/{}", size_text(info.rings.window), size_text(info.rings.heap_bytes),
                    size_text(info.rings.dep_pool));
    text +=
        fmt::format("  {:<18}{:>7}  {:<10g}{:<20}{}{}\n", info.name, info.tasks, info.tolerance,
                    rings, info.description, info.deadlocks ? "; " + info.twin + " passes" : "");
  }
  if (!workload.options().empty()) text += "  option\n";
  for (const OptionSpec& option : workload.options()) {
    text +=
        fmt::format("  --{:<16}{}{}\n", option.name, option.help,
                    option.environment == nullptr ? "" : fmt::format(" ({})", option.environment));
  }
  return text;
}

ExitCode show_list(bool json) {
  OutputFile out("-");
  if (json) {
    out.write(all_as_json());
  } else {
    const char* separator = "";
    for (const Workload* workload : workloads::all_workloads()) {
      out.write(separator + workload_text(*workload));
      separator = "\n";
    }
    out.write(separator + platforms_as_text());
  }
  out.finish();
  return exit_pass;
}

}  // namespace

std::unique_ptr<Command> make_list_command(CLI::App& subcommand) {
  return std::make_unique<InformationCommand>(
      subcommand, "The first case of a workload is its default.", show_list);
}

}  // namespace pto2::cli
