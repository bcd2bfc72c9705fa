#include "runtime/record/whole_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/record/trace_reader.hpp"

namespace pto2 {
namespace {

/// No byte is like those before it for long.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

/// Stdin is a pipe while this lives, into which `pieces` are written one after the other.
class PipedStdin {
 public:
  explicit PipedStdin(std::vector<std::string> pieces) : kept_(dup(STDIN_FILENO)) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = std::jthread([pieces = std::move(pieces), end = ends[1]] {
      for (const std::string& piece : pieces) {
        for (std::size_t done = 0; done < piece.size();) {
          const ssize_t wrote = write(end, piece.data() + done, piece.size() - done);
          if (wrote <= 0) break;
          done += static_cast<std::size_t>(wrote);
        }
      }
      close(end);
    });
  }
  /// What was not read is not waited for.
  ~PipedStdin() {
    dup2(kept_, STDIN_FILENO);
    writer_.join();
    close(kept_);
  }
  PipedStdin(const PipedStdin&) = delete;
  PipedStdin& operator=(const PipedStdin&) = delete;

 private:
  int kept_;
  std::jthread writer_;
};

/// A descriptor that is free.
int next_descriptor() {
  const int descriptor = open("/dev/null", O_RDONLY);
  close(descriptor);
  return descriptor;
}

TEST(WholeFile, HasEveryByteOfAFile) {
  const std::string path = testing::TempDir() + "whole_file_test";
  const int descriptor = next_descriptor();
  for (const std::size_t bytes : {0, 1, 65'535, 65'536, 65'537, 200'000}) {
    const std::string text = text_of(bytes);
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_TRUE(read_whole(path) == text) << bytes;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(next_descriptor(), descriptor) << "a file stays open";
}

TEST(WholeFile, HasEveryPieceOfStdin) {
  const std::string text = text_of(300'000);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += 1'000) pieces.push_back(text.substr(at, 1'000));
  const PipedStdin piped(pieces);
  EXPECT_TRUE(read_whole("-") == text);
  EXPECT_NE(fcntl(STDIN_FILENO, F_GETFD), -1) << "stdin was closed";
}

TEST(WholeFile, SaysWhyItCannotRead) {
  EXPECT_THROW(static_cast<void>(read_whole("/nowhere/at/all")), TraceError);
  EXPECT_THROW(static_cast<void>(read_whole(testing::TempDir())), TraceError);
}

/// It has a size, and no bytes.
TEST(WholeFile, RefusesWhatIsTooLarge) {
  const int file = memfd_create("large", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, std::numeric_limits<off_t>::max()), 0);
  try {
    static_cast<void>(read_whole("/proc/self/fd/" + std::to_string(file)));
    ADD_FAILURE() << "it was read";
  } catch (const TraceError& error) {
    EXPECT_STREQ(error.what(), "has 9223372036854775807 bytes, more than a program can hold");
    EXPECT_EQ(error.remedy(), "validate a shorter run");
  }
  close(file);
}

}  // namespace
}  // namespace pto2
