// ASan, LeakSanitizer and UBSan each end a program that has a defect of their kind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>

namespace {

/// Hides a value from the optimiser, so that the defect survives until run time.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

class AsanCanary : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(AsanCanary, UseAfterFreeIsReported) {
  const auto use_after_free = [] {
    auto owner = std::make_unique<int>(1);
    const int* const freed = opaque(owner.get());
    owner.reset();
    std::exit(*freed);
  };
  EXPECT_DEATH(use_after_free(), "heap-use-after-free");
}

TEST_F(AsanCanary, ALeakIsReported) {
  const auto leak = [] {
    opaque(new int(1));
    std::exit(0);
  };
  EXPECT_DEATH(leak(), "detected memory leaks");
}

TEST_F(AsanCanary, SignedOverflowIsReported) {
  const auto overflow = [] { std::exit(opaque(std::numeric_limits<int>::max()) + opaque(1)); };
  EXPECT_DEATH(overflow(), "signed integer overflow");
}

}  // namespace
