#include "runtime/output/result_files.hpp"

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

ResultFiles::ResultFiles(const std::string& json, const std::string& junit)
    : text_(json != "-" && junit != "-") {
  if (!json.empty() && !junit.empty() && is_same_file(json, junit)) {
    throw CliError(exit_usage, json == "-" ? "--json and --junit cannot both be stdout"
                                           : "--json and --junit name the same file");
  }
  if (!json.empty()) json_.emplace(json);
  if (!junit.empty()) junit_.emplace(junit);
}

void ResultFiles::print(const std::string& text) const {
  if (!text_ || text.empty()) return;
  OutputFile out("-");
  out.write(text);
  out.finish();
}

void ResultFiles::finish(const std::function<std::string()>& json_text, const std::string& suite,
                         const std::vector<JunitCase>& cases, bool interrupted) {
  if (json_) {
    json_->write(json_text());
    json_->finish();
  }
  if (junit_) {
    junit_->write(junit_text(suite, cases, interrupted));
    junit_->finish();
  }
}

}  // namespace pto2::cli
