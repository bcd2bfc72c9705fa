#include "runtime/workloads/workload.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "runtime/workloads/attention/attention_case.hpp"
#include "runtime/workloads/vector_example/vector_example_case.hpp"

namespace pto2::workloads {

std::vector<uint64_t> CaseData::args() const {
  std::vector<uint64_t> values;
  for (const Argument& argument : arguments_) values.push_back(argument.value);
  return values;
}

Verification compare(std::span<const float> out, std::span<const double> reference,
                     double tolerance) {
  if (out.size() != reference.size()) throw std::invalid_argument("outputs of different sizes");
  Verification result;
  for (size_t i = 0; i < out.size(); ++i) {
    const double error = std::abs(out[i] - reference[i]);
    result.max_abs_error = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                             : std::max(result.max_abs_error, error);
    // Written so that NaN is a mismatch.
    if (error <= tolerance + tolerance * std::abs(reference[i])) continue;
    if (result.mismatches++ == 0) {
      result.detail = "element " + std::to_string(i) + " is " + std::to_string(out[i]) +
                      ", expected " + std::to_string(reference[i]);
    }
  }
  result.pass = result.mismatches == 0;
  return result;
}

std::span<const Workload* const> all_workloads() {
  static const Workload* const workloads[] = {&paged_attention(), &paged_attention_seq(),
                                              &vector_example()};
  return workloads;
}

const Workload& find_workload(const std::string& name) {
  std::string known;
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == name) return *workload;
    known += (known.empty() ? "" : ", ") + workload->name();
  }
  throw std::invalid_argument("no workload is called '" + name + "'; there are " + known);
}

std::vector<int64_t> parse_sequence_lengths(const std::string& text) {
  std::vector<int64_t> lengths;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    int64_t length = 0;
    const auto [stop, error] = std::from_chars(at, end, length);
    if (error != std::errc() || length <= 0 || (stop != end && *stop != ',')) {
      throw std::invalid_argument("sequence lengths '" + text +
                                  "' are not positive numbers separated by commas");
    }
    lengths.push_back(length);
    if (stop == end) return lengths;
    at = stop + 1;
  }
}

WorkloadImages find_workload_images(const std::string& workload) {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots;
  const char* const given = std::getenv("PTO2_WORKLOADS");
  if (given != nullptr && *given != 0) {
    roots.emplace_back(given);
  } else {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
    roots = {folder / "workloads", folder / "lib" / "pto2" / "workloads"};
  }
  std::string tried;
  for (const fs::path& root : roots) {
    const fs::path folder = root / workload;
    if (fs::exists(folder / "orchestration.so") && fs::is_directory(folder / "kernels")) {
      return {(folder / "orchestration.so").string(), (folder / "kernels").string()};
    }
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw std::runtime_error("the images of workload " + workload + " are not in " + tried +
                           "; build the target pto2_workload_images or set PTO2_WORKLOADS");
}

}  // namespace pto2::workloads
