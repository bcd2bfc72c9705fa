/// Replay tokens of the model checker: each is refused with std::invalid_argument, or is an
/// execution of one of two scenarios, which hold. The texts are those of `pto2 replay`.
#include <stdexcept>

#include "core/fan_out_lock.hpp"
#include "core/task_word.hpp"
#include "models/doorbell/ring_against_idle.hpp"
#include "models/fatal_latch/first_wins.hpp"
#include "models/pto2_check/entry_of.hpp"
#include "models/pto2_check/named_token.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace pto2::scenarios {

std::vector<Entry> catalogue() {
  return {entry_of<RingAgainstIdle<Model>>("doorbell/ring_against_idle"),
          entry_of<FirstWins<Model>>("fatal_latch/first_wins")};
}

}  // namespace pto2::scenarios

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  static const std::vector<scenarios::Entry> entries = scenarios::catalogue();
  const std::string token(fuzz::Bytes(data, size).rest());
  try {
    const model::Report report = scenarios::replay_named(entries, token);
    const bool is_weakened = token.substr(0, token.find('@')).find('+') != std::string::npos;
    fuzz::expect(is_weakened || !report.violation, "a scenario that holds was broken");
    fuzz::expect(!report.to_text().empty(), "a report without a word");
  } catch (const std::invalid_argument& error) {
    fuzz::expect(error.what()[0] != '\0', "refused without a word");
  }
  return 0;
}
