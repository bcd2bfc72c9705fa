/// What all fuzz targets share: reading numbers from an input, files that have it as their content,
/// and the end of a run that found something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pto2::fuzz {

/// An input, read from its start. Behind its end are zeros.
class Bytes {
 public:
  Bytes(const uint8_t* data, std::size_t size)
      : text_(size == 0 ? "" : reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return text_.empty(); }
  uint8_t byte() {
    if (text_.empty()) return 0;
    const auto first = static_cast<uint8_t>(text_.front());
    text_.remove_prefix(1);
    return first;
  }
  /// A number in 0..bound - 1, of one byte; of two if there are more than 256. `bound` > 0.
  uint64_t below(uint64_t bound) {
    uint64_t number = byte();
    if (bound > 256) number = number << 8 | byte();
    return number % bound;
  }
  /// Eight bytes.
  uint64_t word() {
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8 | byte();
    return number;
  }
  /// What is left.
  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

/// The parts of an input between its NUL bytes, or between other separators.
std::vector<std::string> split(std::string_view text, char separator);

/// A file in memory whose content is what was written last.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Throws std::system_error.
  void write(std::string_view content);
  /// A path by which this process opens it.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

/// Ends the process: the input has shown a bug.
[[noreturn]] void report(const std::string& finding);

/// Reports `finding` unless it holds.
inline void expect(bool holds, const char* finding) {
  if (!holds) report(finding);
}

/// What is made of something that follows from an accepted input. Reports a Refusal of it, which
/// would look like one of the input.
template <class Refusal, class Make>
auto accepted(Make&& make) {
  try {
    return make();
  } catch (const Refusal& refusal) {
    report(std::string("accepted, and then refused: ") + refusal.what());
  }
}

}  // namespace pto2::fuzz

/// The entry point of a target, which libFuzzer calls, and replay_main.cpp. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
