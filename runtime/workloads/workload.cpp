#include "runtime/workloads/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "runtime/workloads/digest.hpp"

namespace pto2::workloads {
namespace {

uint64_t digest_of(const Argument& argument) {
  return digest({reinterpret_cast<const std::byte*>(argument.value), argument.bytes});
}

}  // namespace

std::vector<uint64_t> CaseData::args() const {
  std::vector<uint64_t> values;
  for (const Argument& argument : arguments_) values.push_back(argument.value);
  return values;
}

std::vector<CallerArray> CaseData::arrays() const {
  std::vector<CallerArray> arrays;
  for (const Argument& argument : arguments_) {
    if (argument.kind == ArgumentKind::scalar) continue;
    arrays.push_back({argument.name, argument.value, argument.bytes});
  }
  return arrays;
}

void CaseData::keep_digests() {
  for (const Argument& argument : arguments_) {
    if (argument.kind == ArgumentKind::input) digests_.push_back(digest_of(argument));
  }
}

std::string CaseData::changed_input() const {
  size_t place = 0;
  for (const Argument& argument : arguments_) {
    if (argument.kind != ArgumentKind::input) continue;
    if (digest_of(argument) != digests_.at(place++)) return argument.name;
  }
  return {};
}

void CaseData::copy_inputs(const CaseData& other) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& to = arguments_[i];
    const Argument& from = other.arguments_.at(i);
    if (to.kind != ArgumentKind::input) continue;
    std::memcpy(reinterpret_cast<std::byte*>(to.value),
                reinterpret_cast<const std::byte*>(from.value), to.bytes);
  }
}

Verification CaseData::verify() {
  const std::string changed = changed_input();
  if (changed.empty()) return compare_outputs();
  Verification result;
  result.max_abs_error = std::numeric_limits<double>::infinity();
  result.detail = "input " + changed + " was changed; tasks may only read it";
  return result;
}

Verification compare(std::span<const float> out, std::span<const double> reference,
                     double tolerance) {
  if (out.size() != reference.size()) throw std::invalid_argument("outputs of different sizes");
  Verification result;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == reference[i]) continue;  // what is infinite, too
    const double error = std::abs(out[i] - reference[i]);
    result.max_abs_error = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                             : std::max(result.max_abs_error, error);
    // Written so that NaN is a mismatch.
    if (std::isfinite(error) && error <= tolerance + tolerance * std::abs(reference[i])) continue;
    if (result.mismatches++ == 0) {
      result.detail = "element " + std::to_string(i) + " is " + std::to_string(out[i]) +
                      ", expected " + std::to_string(reference[i]);
    }
  }
  result.pass = result.mismatches == 0;
  return result;
}

const Workload& find_workload(const std::string& name) {
  std::string known;
  for (const Workload* workload : all_workloads()) {
    if (workload->name() == name) return *workload;
    known += (known.empty() ? "" : ", ") + workload->name();
  }
  std::string folder;
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) {
    folder = "; it is a folder: pto2 run-folder " + name + " runs one with a golden.py";
  }
  throw std::invalid_argument("no workload is called '" + name + "'; there are " + known + folder);
}

CaseInfo find_case(const Workload& workload, const std::string& name) {
  std::string known;
  for (const CaseInfo& info : workload.cases()) {
    if (info.name == name) return info;
    known += (known.empty() ? "" : ", ") + info.name;
  }
  throw std::invalid_argument("workload " + workload.name() + " has no case '" + name +
                              "'; there are " + known);
}

const OptionSpec* Workload::find_option(const std::string& option) const {
  for (const OptionSpec& spec : options()) {
    if (spec.name == option) return &spec;
  }
  return nullptr;
}

std::unique_ptr<CaseData> Workload::make_case(const std::string& case_name,
                                              const CaseOptions& options) const {
  for (const auto& [option, value] : options.values) {
    const OptionSpec* const spec = find_option(option);
    if (spec == nullptr) throw missing_option(this, option);
    if (value.index() != static_cast<std::size_t>(spec->kind)) {
      throw OptionError(option, "option " + option + " must be " + allowed_values(spec->kind));
    }
  }
  return make(case_name, options);
}

std::vector<const OptionSpec*> all_options() {
  std::vector<const OptionSpec*> all;
  for (const Workload* workload : all_workloads()) {
    for (const OptionSpec& spec : workload->options()) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const OptionSpec* other) {
        return std::string_view(other->name) == spec.name;
      });
      if (!known) all.push_back(&spec);
    }
  }
  return all;
}

OptionError missing_option(const Workload* workload, const std::string& option) {
  std::string owners;
  for (const Workload* other : all_workloads()) {
    if (other->find_option(option) == nullptr) continue;
    owners += (owners.empty() ? "" : ", ") + other->name();
  }
  const std::string who =
      workload == nullptr ? "a run without a workload" : "workload " + workload->name();
  return {option,
          who + " has no option " + option + (owners.empty() ? "" : "; it is one of " + owners)};
}

namespace {

namespace fs = std::filesystem;

/// Null: the user has named none.
const char* given_folder() {
  const char* const given = std::getenv("PTO2_WORKLOADS");
  return given != nullptr && *given != 0 ? given : nullptr;
}

/// Where the images of all workloads may be: in a build tree, and where they are installed.
std::vector<fs::path> image_folders() {
  if (const char* const given = given_folder()) return {given};
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  return {prefix / "workloads", prefix / "lib/pto2/workloads"};
}

}  // namespace

WorkloadImages find_workload_images(const std::string& workload) {
  std::string tried;
  for (const fs::path& all : image_folders()) {
    const fs::path folder = all / workload;
    std::error_code none;  // a folder that may not be searched has none
    if (fs::exists(folder / "orchestration.so", none) &&
        fs::is_directory(folder / "kernels", none)) {
      return {(folder / "orchestration.so").string(), (folder / "kernels").string()};
    }
    tried += (tried.empty() ? "" : " or ") + folder.string();
  }
  const char* const remedy = given_folder() != nullptr
                                 ? "; let PTO2_WORKLOADS name the folder that has them, or unset it"
                                 : "; build the target pto2_workload_images or set PTO2_WORKLOADS";
  throw std::runtime_error("the images of workload " + workload + " are not in " + tried + remedy);
}

}  // namespace pto2::workloads
