/// The trace reader and the rules: any bytes are refused with a TraceError or judged, and judged
/// the same with and without the search for races but for what that finds.
#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

#include "runtime/judge/judge.hpp"
#include "runtime/record/trace_reader.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using pto2::judging::Verdict;
using pto2::judging::Violation;

bool is_race(const Violation& violation) {
  return violation.rule == std::string_view("VR-I23");
}

bool is_same(const Violation& a, const Violation& b) {
  return a.rule == b.rule && a.text == b.text && a.line == b.line && a.other_line == b.other_line;
}

void expect_to_differ_by_races(const Verdict& plain, Verdict races) {
  pto2::fuzz::expect(std::ranges::none_of(plain.violations, is_race), "races that nobody wanted");
  std::erase_if(races.violations, is_race);
  pto2::fuzz::expect(
      std::ranges::equal(plain.violations, races.violations, is_same) && plain.more <= races.more,
      "the search for races changes what else is found");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  static fuzz::MemoryFile file;
  file.write(fuzz::Bytes(data, size).rest());
  try {
    const Record trace = read_trace(file.path());
    const Verdict plain = judging::judge(trace);
    expect_to_differ_by_races(plain, judging::judge(trace, {.races = true}));
  } catch (const TraceError& error) {
    fuzz::expect(!error.remedy().empty(), "refused without a remedy");
  }
  return 0;
}
