// A few runs of the program, which are repeated under the sanitizers every night.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Executors : public testing::TestWithParam<const char*> {};

TEST_P(Executors, RunAndRecycle) {
  const TemporaryFolder folder;
  const Outcome outcome =
      pto2({"run", "paged_attention", "--case", "CaseBatch256", "--window", "16", "--heap", "1M",
            "--executor", GetParam(), "--repeat", "2", "--trace", folder.path("t"), "--json", "-"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(outcome.json()["tasks"], 208);
  EXPECT_FALSE(read_text(folder.path("t")).empty());
}

TEST_P(Executors, Deadlock) {
  const Outcome outcome = pto2({"run", "paged_attention", "--case", "CaseBatch256", "--window", "8",
                                "--heap", "1M", "--executor", GetParam()});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("FATAL: Flow Control Deadlock Detected!"));
}

INSTANTIATE_TEST_SUITE_P(Smoke, Executors, testing::Values("packed", "threads", "seeded"));

TEST(Smoke, ErrorsEndCleanly) {
  EXPECT_EQ(pto2({"run", "paged_attention", "--window", "7"}).code, 2);
  EXPECT_EQ(pto2({"run", "paged_attention", "--kernels", "/nonexistent"}).code, 3);
}

}  // namespace
}  // namespace pto2::test
