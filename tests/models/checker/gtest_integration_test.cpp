#include <pto2/checker/gtest.hpp>

namespace pto2::model {
namespace {

TEST(GtestIntegration, success_and_failure) {
  EXPECT_TRUE(holds([] {
    atomic<int> x{0};
    check(x.load() == 0, "nobody writes");
  }));
  const testing::AssertionResult failed = holds([] {
    atomic<int> x{0};
    check(x.load() == 1, "somebody writes");
  });
  EXPECT_FALSE(failed);
  const std::string message = failed.message();
  EXPECT_NE(message.find("GtestIntegration.success_and_failure: check failed: somebody writes"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("replay: pto2.2:"), std::string::npos) << message;
}

}  // namespace
}  // namespace pto2::model
