/// The trace reader and the rules: any bytes are refused with a TraceError or judged, and judged
/// the same with and without the search for races but for what that finds.
#include <new>

#include "runtime/judge/judge.hpp"
#include "runtime/record/trace_reader.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  static fuzz::MemoryFile file;
  file.write(fuzz::Bytes(data, size).rest());
  try {
    const Record trace = read_trace(file.path());
    const judging::Verdict plain = judging::judge(trace);
    const judging::Verdict races = judging::judge(trace, {.races = true});
    fuzz::expect(plain.violations.size() + plain.more <= races.violations.size() + races.more,
                 "the search for races hides violations");
    fuzz::expect(plain.figures.events == trace.events.size(), "events that nobody counted");
  } catch (const TraceError& error) {
    fuzz::expect(!error.remedy().empty(), "refused without a remedy");
  }
  return 0;
}
