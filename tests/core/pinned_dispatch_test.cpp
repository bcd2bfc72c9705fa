#include "core/pinned_dispatch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An inbox and the slots of one ring.
struct Slots {
  PinnedInbox<TestPolicy> inbox;
  std::array<PinnedInbox<TestPolicy>::Link, 4> links;

  void push(uint32_t slot) { inbox.push(make_slot(0, slot), links[slot]); }
  std::vector<uint32_t> take_all() {
    std::vector<uint32_t> taken;
    inbox.take_all(
        [this](SlotId task) -> auto& { return links[index_of(task)]; },
        [&](SlotId task) { taken.push_back(index_of(task)); });
    return taken;
  }
};

TEST(PinnedInbox, IsEmptyAtFirst) {
  Slots slots;
  EXPECT_TRUE(slots.inbox.empty());
  EXPECT_THAT(slots.take_all(), IsEmpty());
}

TEST(PinnedInbox, HandsOutWhatWasPushedInOrder) {
  Slots slots;
  for (const uint32_t slot : {0u, 3u, 1u}) slots.push(slot);
  EXPECT_FALSE(slots.inbox.empty());
  EXPECT_THAT(slots.take_all(), ElementsAre(0, 3, 1));
  EXPECT_TRUE(slots.inbox.empty());
  EXPECT_THAT(slots.take_all(), IsEmpty());
}

TEST(PinnedInbox, TakesTheNextLifeOfASlot) {
  Slots slots;
  slots.push(2);
  slots.push(0);
  EXPECT_THAT(slots.take_all(), ElementsAre(2, 0));
  slots.push(0);
  slots.push(2);
  slots.push(1);
  EXPECT_THAT(slots.take_all(), ElementsAre(0, 2, 1));
}

/// A task may be pushed to another inbox, or again to this one, by whoever is told of it.
TEST(PinnedInbox, ATaskThatIsHandedOutCanBePushedAgain) {
  Slots slots;
  slots.push(1);
  slots.push(2);
  std::vector<uint32_t> taken;
  slots.inbox.take_all(
      [&](SlotId task) -> auto& { return slots.links[index_of(task)]; },
      [&](SlotId task) {
        taken.push_back(index_of(task));
        slots.push(index_of(task));
      });
  EXPECT_THAT(taken, ElementsAre(1, 2));
  EXPECT_THAT(slots.take_all(), ElementsAre(1, 2));
}

TEST(PinnedInboxDeath, ATaskIsInTheInboxOnce) {
  Slots slots;
  slots.push(1);
  EXPECT_DEATH(slots.push(1), "PD-I1");
}

}  // namespace
}  // namespace pto2
