/// Texts of --arg: each is refused, or is a scalar or a buffer whose canonical text means the same.
#include "runtime/cli/program_argument.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  for (const std::string& text : fuzz::split(fuzz::Bytes(data, size).rest(), '\n')) {
    try {
      const cli::ProgramArgument argument = cli::parse_program_argument(text);
      fuzz::expect(!argument.is_buffer || argument.number != 0, "a buffer without bytes");
      fuzz::expect(!argument.is_buffer || argument.number <= cli::max_buffer_bytes,
                   "a buffer that is too large");
      const auto again = fuzz::accepted<cli::CliError>(
          [&] { return cli::parse_program_argument(to_string(argument)); });
      fuzz::expect(again == argument, "the canonical text means something else");
    } catch (const cli::CliError& error) {
      fuzz::expect(error.code() == cli::exit_usage, "refused with another code than usage");
    }
  }
  return 0;
}
