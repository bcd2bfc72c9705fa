/// Stands for libFuzzer where there is none: calls the target with each file of a corpus, and with
/// changes of it that follow from its number.
///
///   TARGET_replay FOLDER [CHANGES [INPUT]]     CHANGES of each file, none unless said; INPUT alone
///
/// Exit: 0, 2 when there is no such input, one cannot be read, or an argument is another. Whatever
/// else ends the target, by a signal or by a sanitizer, the input is named first, as INPUT has it:
/// "file NAME, change 7".
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/executors/random.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// The sanitizers ask for these. They would end the process by _exit() after a report.
extern "C" {
const char* __asan_default_options();
const char* __asan_default_options() {
  return "abort_on_error=1";
}
const char* __msan_default_options();
const char* __msan_default_options() {
  return "abort_on_error=1";
}
const char* __tsan_default_options();
const char* __tsan_default_options() {
  return "abort_on_error=1";
}
const char* __ubsan_default_options();
const char* __ubsan_default_options() {
  return "abort_on_error=1";
}
}

namespace {

using Input = std::vector<uint8_t>;
using pto2::executors::Random;

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Throws std::system_error, as files_of() does.
Input content_of(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  try {
    if (file) return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  } catch (const std::ios_base::failure&) {
    // It knows no name.
  }
  throw std::system_error(errno, std::generic_category(), path.string());
}

/// One change: another byte, one more, some fewer, the rest of another input.
void change(Input& input, const std::vector<Input>& all, Random& random) {
  const auto place = [&] {
    return input.begin() + static_cast<std::ptrdiff_t>(random.below(input.size() + 1));
  };
  const auto at = place();
  switch (random.below(4)) {
    case 0:
      if (at != input.end()) *at = static_cast<uint8_t>(random.next());
      return;
    case 1:
      input.insert(at, static_cast<uint8_t>(random.next()));
      return;
    case 2:
      input.erase(at,
                  at + static_cast<std::ptrdiff_t>(random.below(
                           std::min<uint64_t>(8, static_cast<uint64_t>(input.end() - at)) + 1)));
      return;
    default: {
      const Input& other = all[random.below(all.size())];
      input.erase(at, input.end());
      input.insert(
          input.end(),
          other.begin() + static_cast<std::ptrdiff_t>(std::min(input.size(), other.size())),
          other.end());
    }
  }
}

/// "input: NAME", of the one that the target has.
std::string& running() {
  static std::string line;
  return line;
}

/// The second time the signal does what it would have done. One that a bug does not repeat, as
/// raise() does not, would leave the target running.
extern "C" void name_input(int signal) {
  const std::string& line = running();
  // The process may be anywhere, so that nothing but a write is safe.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
  raise(signal);
}

void name_inputs_that_end_the_process() {
  // A stack that is used up has no room for a handler.
  static std::array<char, 1 << 16> stack;
  const stack_t other = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = name_input;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction former {};
    sigaction(signal, nullptr, &former);
    // A sanitizer has handlers that tell more of a crash, and abort.
    if (former.sa_handler == SIG_DFL) sigaction(signal, &action, nullptr);
  }
}

/// Calls the target with an input, unless another is asked for.
class Target {
 public:
  explicit Target(std::string only) : only_(std::move(only)) {}

  void run(const Input& input, const std::string& name) {
    if (!only_.empty() && name != only_) return;
    const Input exact(input);  // with nothing behind it
    running() = "input: " + name + "\n";
    ++runs_;
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }

  [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
  std::string only_;
  std::size_t runs_ = 0;
};

void run_changes(Target& target, const std::vector<Input>& corpus, std::size_t file,
                 const std::string& name, uint64_t changes) {
  Random random(file);
  for (uint64_t number = 0; number < changes; ++number) {
    Input input = corpus[file];
    for (uint64_t n = 1 + random.below(4); n != 0; --n) change(input, corpus, random);
    target.run(input, name + ", change " + std::to_string(number));
  }
}

/// CHANGES; nothing: it is no number.
std::optional<uint64_t> changes_of(std::string_view text) {
  uint64_t changes = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, changes);
  if (error != std::errc{} || last != end) return std::nullopt;
  return changes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<uint64_t> changes = changes_of(argc > 2 ? argv[2] : "0");
  if (argc < 2 || argc > 4 || !changes) {
    std::fprintf(stderr, "usage: %s FOLDER [CHANGES [INPUT]]\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  std::vector<Input> corpus;
  try {
    files = files_of(argv[1]);
    for (const auto& file : files) corpus.push_back(content_of(file));
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
  name_inputs_that_end_the_process();
  Target target(argc > 3 ? argv[3] : "");
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const std::string name = "file " + files[i].filename().string();
    target.run(corpus[i], name);
    run_changes(target, corpus, i, name, *changes);
  }
  if (target.runs() == 0) {
    std::fprintf(stderr, "%s: there is no such input in %s\n", argv[0], argv[1]);
    return 2;
  }
  std::printf("%zu inputs\n", target.runs());
  return 0;
}
