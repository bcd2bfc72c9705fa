/// Replay tokens: each is refused with cli::TokenError, or is an execution of one of two scenarios,
/// which hold, or a run of a simulation, which is printed as it was parsed and is not run.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "models/checker/engine/script.hpp"
#include "models/doorbell/ring_against_idle.hpp"
#include "models/fatal_latch/first_wins.hpp"
#include "models/pto2_check/entry_of.hpp"
#include "models/pto2_check/named_token.hpp"
#include "runtime/output/replay_token.hpp"
#include "stress/simulation/token.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace pto2::scenarios {

std::vector<Entry> catalogue() {
  return {entry_of<RingAgainstIdle<Model>>("doorbell/ring_against_idle"),
          entry_of<FirstWins<Model>>("fatal_latch/first_wins")};
}

}  // namespace pto2::scenarios

namespace {

using pto2::fuzz::expect;

/// Scenarios, whose threads main starts, have no room for threads with numbers that are made up.
bool numbers_threads(const std::string& text) {
  using namespace pto2;
  const std::string payload = cli::parse_replay_token(text, cli::TokenKind::check).payload;
  const auto& starts = model::engine::Script::from_token(payload).starts;
  return !std::ranges::all_of(starts, &model::engine::Script::Start::by_main_in_order);
}

void replay_on_the_checker(const std::string& text) {
  using namespace pto2;
  static const std::vector<scenarios::Entry> entries = scenarios::catalogue();
  const model::Report report = scenarios::replay_named(entries, text);
  const bool is_weakened = text.substr(0, text.find('@')).find('+') != std::string::npos;
  expect(is_weakened || numbers_threads(text) || !report.violation,
         "a scenario that holds was broken");
  expect(!report.to_text().empty(), "a report without a word");
}

/// What a token of a simulation asks for, however it is written.
struct Asked {
  std::string subject;  ///< but for the faults
  std::set<std::string> faults;
  std::string weakening;
  std::string payload;

  bool operator==(const Asked&) const = default;
};

/// In any order. All that there are have a name of their own.
std::set<std::string> faults_in(const std::string& list) {
  using namespace pto2::simulations;
  const std::vector<std::string> names = pto2::fuzz::split(list, ',');
  std::set<std::string> faults(names.begin(), names.end());
  if (faults != std::set<std::string>{"all"}) return faults;
  faults.clear();
  for (std::size_t i = 1; i < fault_kinds; ++i) faults.emplace(name_of(static_cast<Fault>(i)));
  return faults;
}

/// Of STRATEGY:SEED[:SMALLER], whose seed may have zeros in front.
std::string without_zeros(std::string payload) {
  const std::size_t seed = payload.find(':') + 1;
  const std::size_t end = std::min(payload.find(':', seed), payload.size());
  const std::size_t zeros = std::min(payload.find_first_not_of('0', seed), end - 1) - seed;
  return payload.erase(seed, zeros);
}

/// Of a token that is not refused.
Asked asked_by(const std::string& text) {
  constexpr std::string_view faults = ":faults=";
  const auto [kind, subject, weakening, payload] =
      pto2::cli::parse_replay_token(text, pto2::cli::TokenKind::simulate);
  Asked asked{subject, {}, weakening, without_zeros(payload)};
  const std::size_t last = subject.rfind(':');
  if (subject.compare(last, faults.size(), faults) != 0) return asked;
  asked.subject.erase(last);
  asked.faults = faults_in(subject.substr(last + faults.size()));
  return asked;
}

void parse_of_a_simulation(const std::string& text) {
  using namespace pto2::simulations;
  const std::string printed = to_string(parse_token(text));
  const std::string again =
      pto2::fuzz::accepted<pto2::cli::TokenError>([&] { return to_string(parse_token(printed)); });
  expect(again == printed, "what was printed is printed in another way");
  expect(asked_by(printed) == asked_by(text), "something else would run");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  const std::string text(fuzz::Bytes(data, size).rest());
  try {
    if (cli::token_kind_of(text) == cli::TokenKind::simulate) {
      parse_of_a_simulation(text);
    } else {
      replay_on_the_checker(text);
    }
  } catch (const cli::TokenError& error) {
    expect(error.what()[0] != '\0', "refused without a word");
  }
  return 0;
}
