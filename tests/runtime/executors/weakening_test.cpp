#include "runtime/executors/weakening.hpp"

#include <gtest/gtest.h>

#include "runtime/executors/seeded.hpp"
#include "runtime/executors/weak.hpp"

namespace pto2 {
namespace {

using executors::Weak;
using executors::WeakMemory;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

constexpr OrderSite look{"here.look", Operation::load, memory_order_acquire};
constexpr OrderSite set{"here.set", Operation::store, memory_order_release};

constexpr OrderUse use_of(const OrderSite& site,
                          std::source_location where = std::source_location::current()) {
  return {&site, where};
}

TEST(Weakening, IsOfTheSiteOfItsName) {
  constexpr Weakening weakening{"here.look", memory_order_relaxed};
  // A compiler must see a constant.
  static_assert(weakening.order_at(use_of(look)) == memory_order_relaxed);
  static_assert(weakening.order_at(use_of(set)) == memory_order_release);
}

TEST(Weakening, WithoutANameIsOfNone) {
  constexpr OrderSite unnamed{"", Operation::load, memory_order_acquire};
  EXPECT_EQ(Weakening().order_at(use_of(unnamed)), memory_order_acquire);
  EXPECT_EQ(Weakening().order_at(use_of(set)), memory_order_release);
}

TEST(Weakening, MayBeOfOneUseAlone) {
  const OrderUse one = use_of(look);
  const OrderUse other = use_of(look);
  const Weakening weakening{"here.look", memory_order_relaxed, one.where};
  EXPECT_EQ(weakening.order_at(one), memory_order_relaxed);
  EXPECT_EQ(weakening.order_at(other), memory_order_acquire);
  EXPECT_EQ(weakening.order_at({&set, one.where}), memory_order_release);
}

TEST(Weakening, IsSaidToBeUsedWhereItIs) {
  WeakMemory::weakening = {"here.look", memory_order_relaxed};
  EXPECT_EQ(Weak::order(set), memory_order_release);
  EXPECT_FALSE(WeakMemory::weakening_was_used);
  EXPECT_EQ(Weak::order(look), memory_order_relaxed);
  EXPECT_TRUE(WeakMemory::weakening_was_used);
  WeakMemory::weakening = {};
  WeakMemory::weakening_was_used = false;
  EXPECT_EQ(Weak::order(look), memory_order_acquire);
  EXPECT_FALSE(WeakMemory::weakening_was_used);
}

TEST(Weakening, HasNoEffectOnSequentiallyConsistentMemory) {
  WeakMemory::weakening = {"here.look", memory_order_relaxed};
  EXPECT_EQ(executors::Seeded::order(look), memory_order_acquire);
  WeakMemory::weakening = {};
}

}  // namespace
}  // namespace pto2
