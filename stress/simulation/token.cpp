#include "stress/simulation/token.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "runtime/output/numbers.hpp"
#include "runtime/output/replay_token.hpp"

namespace pto2::simulations {
namespace {

constexpr const char* random_graphs = "graphs";
constexpr std::string_view faults_begin = "faults=";

/// At each ':'; one part at least.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Takes faults=LIST off the end of `parts`, if it is there. Throws std::invalid_argument.
FaultSet take_faults(std::vector<std::string>& parts) {
  if (!parts.back().starts_with(faults_begin)) return {};
  const std::string list = parts.back().substr(faults_begin.size());
  parts.pop_back();
  return parse_faults(list);
}

/// WORKLOAD:CASE[:stub] or graphs:KIND[:mistaken], and [:faults=LIST]. Throws
/// std::invalid_argument.
Options parse_subject(const std::string& text) {
  std::vector<std::string> parts = split(text);
  Options options;
  options.faults = take_faults(parts);
  const bool more = parts.size() == 3;
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty() || parts[1].empty()) {
    throw std::invalid_argument("neither WORKLOAD:CASE nor graphs:KIND");
  }
  if (parts[0] == random_graphs) {
    if (parts[1] != "plain" && parts[1] != "clustered") {
      throw std::invalid_argument(fmt::format("graphs are plain or clustered, not {}", parts[1]));
    }
    options.clustered = parts[1] == "clustered";
    options.mistakes = more && parts[2] == "mistaken";
    if (more && !options.mistakes) throw std::invalid_argument("unknown: " + parts[2]);
    return options;
  }
  options.workload = parts[0];
  options.case_name = parts[1];
  options.stub_kernels = more && parts[2] == "stub";
  if (more && !options.stub_kernels) throw std::invalid_argument("unknown: " + parts[2]);
  return options;
}

/// STRATEGY:SEED[:SMALLER], into `token`. Throws std::invalid_argument.
void parse_payload(const std::string& text, Token& token) {
  const std::vector<std::string> parts = split(text);
  if (parts.size() < 2 || parts.size() > 3) {
    throw std::invalid_argument("not STRATEGY:SEED[:SMALLER]");
  }
  token.options.executor = executor_with_strategy(parts[0]);
  token.seed = cli::parse_number(parts[1]);
  if (parts.size() == 2) return;
  token.shrunk = parts[2];
  if (token.shrunk.empty()) throw std::invalid_argument("nothing behind the seed's ':'");
}

std::string subject_of(const Options& options) {
  const std::string faults =
      options.faults.any() ? fmt::format(":{}{}", faults_begin, to_string(options.faults)) : "";
  if (options.workload.empty()) {
    return fmt::format("{}:{}{}{}", random_graphs, options.clustered ? "clustered" : "plain",
                       options.mistakes ? ":mistaken" : "", faults);
  }
  return fmt::format("{}:{}{}{}", options.workload, options.case_name,
                     options.stub_kernels ? ":stub" : "", faults);
}

}  // namespace

std::string to_string(const Token& token) {
  const Options& options = token.options;
  return to_string(
      cli::ReplayToken{cli::TokenKind::simulate, subject_of(options), options.weaken,
                       fmt::format("{}:{}{}{}", row_of(options.executor).strategy, token.seed,
                                   token.shrunk.empty() ? "" : ":", token.shrunk)});
}

std::string replay_command(const Token& token) {
  const uint64_t deadline = token.options.deadline_ms;
  const std::string option =
      deadline == DeviceConfig{}.deadline_ms ? "" : fmt::format(" --deadline {}", deadline / 1000);
  return fmt::format("pto2 replay {}{}", to_string(token), option);
}

Token parse_token(const std::string& text) {
  const cli::ReplayToken parts = cli::parse_replay_token(text, cli::TokenKind::simulate);
  Token token;
  const auto parse = [&](cli::TokenPart part, auto&& parse_part) {
    try {
      parse_part();
    } catch (const std::invalid_argument& error) {
      throw cli::TokenError(text, part, error.what());
    }
  };
  parse(cli::TokenPart::subject, [&] { token.options = parse_subject(parts.subject); });
  parse(cli::TokenPart::payload, [&] { parse_payload(parts.payload, token); });
  token.options.weaken = parts.weakening;
  return token;
}

}  // namespace pto2::simulations
