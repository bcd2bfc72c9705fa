#include "runtime/cli/trace_file.hpp"

#include "runtime/trace/trace_writer.hpp"

namespace pto2::cli {

uint64_t write_trace(OutputFile& file, const RunReport& report) {
  const Settings& settings = *report.settings;
  const executors::SeededOptions* const seeded = simulation(report.team);
  TraceSource source{.config = report.config,
                     .result = report.result,
                     .labels = {},
                     .kernel_names = report.kernel_names,
                     .points = seeded != nullptr,
                     .seed = {}};
  for (const auto& [name, setting] :
       {std::pair{"workload", Setting::workload}, std::pair{"case", Setting::case_name},
        std::pair{"runtime", Setting::runtime}, std::pair{"executor", Setting::executor}}) {
    source.labels.emplace_back(name, settings.text(setting));
  }
  if (seeded != nullptr) source.seed = seeded->seed;
  return pto2::write_trace(source, [&](std::string_view text) { file.write(text); });
}

}  // namespace pto2::cli
