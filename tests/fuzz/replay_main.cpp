/// Stands for libFuzzer where there is none: calls the target with each file of a corpus, and with
/// changes of it that follow from its number.
///
///   TARGET_replay FOLDER [CHANGES]     CHANGES of each file, none unless said
///
/// Exit: 0, 2 when the folder has no files; a finding aborts, after naming the input.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/executors/random.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using Input = std::vector<uint8_t>;
using pto2::executors::Random;

std::vector<Input> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
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

/// The input that the target has.
std::string& running() {
  static std::string name;
  return name;
}

/// When the target aborts. The process has a bug; what matters is the name.
extern "C" void name_input(int) {
  std::fprintf(stderr, "input: %s\n", running().c_str());
}

void run(const Input& input, const std::string& name) {
  const Input exact(input);  // with nothing behind it
  running() = name;
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [CHANGES]\n", argv[0]);
    return 2;
  }
  const std::vector<Input> corpus = read_corpus(argv[1]);
  const long changes = argc > 2 ? std::atol(argv[2]) : 0;
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: there is no input in %s\n", argv[0], argv[1]);
    return 2;
  }
  std::signal(SIGABRT, name_input);
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    run(corpus[i], "file " + std::to_string(i));
    Random random(i);
    for (long number = 0; number < changes; ++number) {
      Input input = corpus[i];
      for (uint64_t n = 1 + random.below(4); n != 0; --n) change(input, corpus, random);
      run(input, "file " + std::to_string(i) + ", change " + std::to_string(number));
    }
  }
  std::printf("%zu inputs, %ld changes of each\n", corpus.size(), changes);
  return 0;
}
