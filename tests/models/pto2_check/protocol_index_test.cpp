#include "models/pto2_check/protocol_index.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

namespace fs = std::filesystem;

const std::string begin = "<!-- generated: pto2 check --index docs/PROTOCOLS.md --update -->\n";
const std::string end = "<!-- end of what is generated -->\n";

class Index : public testing::Test {
 protected:
  Index() : file_(fs::temp_directory_path() / ("index_test." + std::to_string(getpid()))) {}
  ~Index() override { fs::remove(file_); }

  void write(const std::string& text) const { std::ofstream(file_) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool current(const std::string& index, bool update = false) const {
    return index_is_current(file_, index, update);
  }

  fs::path file_;
};

TEST_F(Index, IsComparedWithThePartBetweenTheMarks) {
  write("before\n" + begin + "\ntables\n\n" + end + "after\n");
  EXPECT_TRUE(current("tables\n"));
  EXPECT_FALSE(current("tables"));
  EXPECT_FALSE(current("tables\nmore\n"));
  EXPECT_EQ(text(), "before\n" + begin + "\ntables\n\n" + end + "after\n");
}

TEST_F(Index, IsUpdatedInItsPlace) {
  write("before\n" + begin + "old" + end + "after\n");
  EXPECT_TRUE(current("tables\n", true));
  EXPECT_EQ(text(), "before\n" + begin + "\ntables\n\n" + end + "after\n");
  EXPECT_TRUE(current("tables\n"));
}

TEST_F(Index, NeedsBothMarksInTheirOrder) {
  for (const std::string& wrong : {std::string("nothing\n"), begin, end, end + begin}) {
    write(wrong);
    EXPECT_THROW(static_cast<void>(current("", true)), std::runtime_error) << wrong;
    EXPECT_EQ(text(), wrong);
  }
  EXPECT_THROW(static_cast<void>(index_is_current("/nonexistent/file", "", false)),
               std::runtime_error);
}

/// Lets no file become larger than `bytes`, as on a full disk, for its own lifetime.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit limit{bytes, former_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &former_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit former_{};
};

TEST_F(Index, ThatCannotBeWrittenLeavesTheFormerOne) {
  const std::string former = "before\n" + begin + "old" + end + "after\n";
  write(former);
  {
    const FullDisk disk(16);
    EXPECT_THROW(static_cast<void>(current("tables\n", true)), std::runtime_error);
  }
  EXPECT_EQ(text(), former);
}

}  // namespace
}  // namespace pto2::scenarios
