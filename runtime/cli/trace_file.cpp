#include "runtime/cli/trace_file.hpp"

#include "runtime/record/trace_writer.hpp"

namespace pto2::cli {

void write_trace(OutputFile& file, RunReport& report) {
  const Settings& settings = *report.settings;
  Record& record = report.result.record;
  const Setting labels[] = {Setting::workload, Setting::case_name, Setting::runtime,
                            Setting::executor};
  static_assert(std::size(labels) == label_names.size());
  for (std::size_t i = 0; i < label_names.size(); ++i) {
    record.labels.emplace_back(label_names[i], settings.text(labels[i]));
  }
  record.kernels = report.kernel_names;
  if (const auto* seeded = simulation(report.team)) record.seed = seeded->seed;
  pto2::write_trace(record, [&](std::string_view text) { file.write(text); });
}

}  // namespace pto2::cli
