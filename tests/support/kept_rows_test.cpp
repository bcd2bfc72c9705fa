// That a row which is not as it was kept is told.
#include "tests/support/kept_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <unistd.h>

#include <filesystem>

namespace pto2::test {
namespace {

namespace fs = std::filesystem;

class KeptRows : public testing::Test {
 protected:
  KeptRows() : file_(fs::temp_directory_path() / ("kept_rows." + std::to_string(getpid()))) {
    std::ofstream(file_) << "a: 1\nb: 2\n";
  }
  ~KeptRows() override { fs::remove(file_); }

  /// What is told of these rows.
  [[nodiscard]] std::string told(std::vector<std::string> rows) const {
    testing::TestPartResultArray results;
    {
      const testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
      expect_kept(file_, std::move(rows));
    }
    std::string text;
    for (int i = 0; i < results.size(); ++i) text += results.GetTestPartResult(i).message();
    return text;
  }

  fs::path file_;
};

TEST_F(KeptRows, MayComeInAnyOrder) {
  EXPECT_EQ(told({"b: 2", "a: 1"}), "");
}

TEST_F(KeptRows, ThatChangeComeOrGoAreTold) {
  EXPECT_THAT(told({"a: 1", "b: 3"}), testing::AllOf(testing::HasSubstr("no more: b: 2"),
                                                     testing::HasSubstr("but now: b: 3")));
  EXPECT_THAT(told({"a: 1"}), testing::HasSubstr("no more: b: 2"));
  EXPECT_THAT(told({"a: 1", "b: 2", "c: 3"}), testing::HasSubstr("but now: c: 3"));
}

TEST_F(KeptRows, OfAFileThatIsMissingAreAllNew) {
  fs::remove(file_);
  EXPECT_THAT(told({"a: 1"}), testing::HasSubstr("but now: a: 1"));
}

TEST(Digest, TellsOrderAndEnds) {
  const auto of = [](const std::vector<std::string>& texts) {
    Digest digest;
    for (const std::string& text : texts) digest.add(text);
    return digest.value();
  };
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"a", "b"}), of({"b", "a"}));
  EXPECT_NE(of({"a"}), of({"a", ""}));
}

}  // namespace
}  // namespace pto2::test
