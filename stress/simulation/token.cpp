#include "stress/simulation/token.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "runtime/output/numbers.hpp"
#include "stress/simulation/decisions.hpp"

namespace pto2::simulations {
namespace {

constexpr const char* random_graphs = "graphs";

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Options parse_what(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  Options options;
  const bool more = parts.size() == 3;
  if (parts.size() < 2 || parts.size() > 3) {
    throw std::invalid_argument(fmt::format("'{}' is no WORKLOAD:CASE and no graphs:KIND", text));
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

}  // namespace

std::string to_string(const Token& token) {
  const Options& options = token.options;
  const std::string what =
      options.workload.empty()
          ? fmt::format("{}:{}{}", random_graphs, options.clustered ? "clustered" : "plain",
                        options.mistakes ? ":mistaken" : "")
          : fmt::format("{}:{}{}", options.workload, options.case_name,
                        options.stub_kernels ? ":stub" : "");
  return fmt::format("{}{}/{}{}{}/{}{}{}", token_prefix, what, row_of(options.executor).strategy,
                     options.weaken.empty() ? "" : "+", options.weaken, token.seed,
                     token.shrunk.empty() ? "" : "/", token.shrunk);
}

Token parse_token(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  if (!text.starts_with(token_prefix) || parts.size() < 4 || parts.size() > 5) {
    throw std::invalid_argument("it is not simulate/WHAT/STRATEGY/SEED[/SHRUNK]");
  }
  Token token{.options = parse_what(parts[1]), .seed = cli::parse_number(parts[3]), .shrunk = {}};
  const std::vector<std::string> how = split(parts[2], '+');
  if (how.size() > 2) throw std::invalid_argument("more than one order to weaken");
  token.options.executor = executor_with_strategy(how[0]);
  if (how.size() == 2) token.options.weaken = how[1];
  if (parts.size() == 5) token.shrunk = parts[4];
  return token;
}

}  // namespace pto2::simulations
