/// Replay tokens: each is refused with cli::TokenError, or is an execution of one of two scenarios,
/// which hold, or a run of a simulation, which is printed as it was parsed and is not run.
#include <algorithm>

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

void parse_of_a_simulation(const std::string& text) {
  using namespace pto2::simulations;
  const std::string printed = to_string(parse_token(text));
  const auto before_payload = [](const std::string& token) {
    return token.substr(0, token.find('@'));
  };
  expect(before_payload(printed) == before_payload(text), "something else would run");
  // A seed may have been given with zeros before it.
  expect(to_string(parse_token(printed)) == printed, "what was printed means something else");
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
