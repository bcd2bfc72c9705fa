/// Leaving kernels, without signals: leave() is called by the kernel itself.
#include "runtime/executors/user_code.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "runtime/executors/image_names.hpp"

namespace pto2::executors {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

Turn turn{7};
NotLeft answer{};

/// An instruction of this program's.
const void* here() {
  return reinterpret_cast<const void*>(&here);
}

const void* in_libraries() {
  return reinterpret_cast<const void*>(&std::malloc);
}

/// One of a library that is not the system's.
const void* in_another_image() {
  return reinterpret_cast<const void*>(&boost::context::detail::jump_fcontext);
}

void leave_now(int64_t*) {
  answer = leave(7, here(), 1500);
}

class UserCode : public testing::Test {
 protected:
  void SetUp() override {
    if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no kernel is left in this build";
    turn = 7;
  }
};

TEST_F(UserCode, IsLeft) {
  try {
    call_leavable(leave_now, nullptr, turn);
    FAIL() << "it was not left";
  } catch (const LeftBehind& left) {
    EXPECT_EQ(left.place, here());
    EXPECT_THAT(left.text(), HasSubstr("has not returned for 1.5 s, in "));
  }
}

/// Which may hold a lock.
TEST_F(UserCode, IsLeftBehindACallOfOurs) {
  static bool has_gone_on;
  has_gone_on = false;
  const auto call_ours = [](int64_t*) {
    leave_if_late(here());
    {
      const OurCall call;
      answer = leave(7, reinterpret_cast<const void*>(&leave_now), 1500);
    }
    leave_if_late(here());
    has_gone_on = true;
  };
  try {
    call_leavable(call_ours, nullptr, turn);
    FAIL() << "it was not left";
  } catch (const LeftBehind& left) {
    EXPECT_EQ(left.place, here());
    EXPECT_EQ(left.milliseconds, 1500u);
  }
  EXPECT_EQ(answer, NotLeft::in_library);
  EXPECT_FALSE(has_gone_on);
}

TEST_F(UserCode, IsLeftAnywhereElseBehindACallOfOurs) {
  static bool has_gone_on;
  has_gone_on = false;
  const auto call_and_stay = [](int64_t*) {
    { const OurCall call; }
    leave_now(nullptr);
    has_gone_on = true;
  };
  EXPECT_THROW(call_leavable(call_and_stay, nullptr, turn), LeftBehind);
  EXPECT_FALSE(has_gone_on);
}

TEST(UserCodeTexts, SecondsHaveAllDigitsAndNoPowerOfTen) {
  EXPECT_EQ(seconds_text(1), "0.001 s");
  EXPECT_EQ(seconds_text(300), "0.3 s");
  EXPECT_EQ(seconds_text(1250), "1.25 s");
  EXPECT_EQ(seconds_text(3'600'000), "3600 s");
  EXPECT_EQ(seconds_text(123'456'789'012), "123456789.012 s");
}

TEST_F(UserCode, IsNotLeftInAnotherTurn) {
  turn = 8;
  call_leavable(leave_now, nullptr, turn);
  EXPECT_EQ(answer, NotLeft::returned);
}

/// Of which a signal has room for the lower half.
TEST_F(UserCode, IsLeftHoweverManyTurnsThereWere) {
  turn = (uint64_t{5} << 32) + 7;
  EXPECT_THROW(call_leavable(leave_now, nullptr, turn), LeftBehind);
}

/// Calls `kernel`, which is not left, but was late: what was told of it.
LeftBehind late(void (*kernel)(int64_t*)) {
  LeftBehind told{};
  answer = NotLeft::returned;
  try {
    call_leavable(kernel, nullptr, turn);
  } catch (const LeftBehind& left) {
    told = left;
  }
  EXPECT_EQ(answer, NotLeft::in_library);
  return told;
}

/// Where a call may have been interrupted: what it does then is too late.
TEST_F(UserCode, IsNotLeftInLibrariesButLate) {
  const LeftBehind left = late([](int64_t*) { answer = leave(7, in_libraries(), 1500); });
  EXPECT_EQ(left.place, in_libraries());
  EXPECT_EQ(left.milliseconds, 1500U);
  const auto nowhere = [](int64_t*) { answer = leave(7, nullptr, 1); };
  EXPECT_EQ(late(nowhere).milliseconds, 1U);
  const auto interrupted = [](int64_t*) {
    answer = leave(7, in_libraries(), 2);
    throw std::runtime_error("interrupted");
  };
  EXPECT_EQ(late(interrupted).milliseconds, 2U);
  EXPECT_FALSE(is_inside_any());
  EXPECT_NO_THROW(call_leavable([](int64_t*) {}, nullptr, turn)) << "the next one is not";
}

/// The place that it stays at in the end.
TEST_F(UserCode, IsLeftWhenItIsLate) {
  try {
    call_leavable(
        [](int64_t*) {
          EXPECT_EQ(leave(7, in_libraries(), 1), NotLeft::in_library);
          static_cast<void>(leave(7, here(), 1));
        },
        nullptr, turn);
    FAIL() << "it was not left";
  } catch (const LeftBehind& left) {
    EXPECT_EQ(left.place, here());
  }
}

/// Whose locks nobody knows. An orchestration may be spread over several images, see below.
TEST_F(UserCode, KernelsAreNotLeftInOtherImages) {
  const auto elsewhere = [](int64_t*) { answer = leave(7, in_another_image(), 1); };
  EXPECT_EQ(late(elsewhere).place, in_another_image());
}

TEST_F(UserCode, IsNotLeftWhenItIsOver) {
  EXPECT_EQ(leave(7, here(), 1), NotLeft::returned);
  call_leavable([](int64_t*) {}, nullptr, turn);
  EXPECT_EQ(leave(7, here(), 1), NotLeft::returned);
  EXPECT_THROW(call_leavable([](int64_t*) { throw std::runtime_error("over"); }, nullptr, turn),
               std::runtime_error);
  EXPECT_EQ(leave(7, here(), 1), NotLeft::returned);
}

TEST_F(UserCode, IsNotLeftAgain) {
  Exit exit{{}, leave_now, &turn, {}};
  EXPECT_FALSE(returns(leave_now, nullptr, exit));
  // Where it would not be left anyhow: a jump into what is over may end anywhere.
  EXPECT_EQ(leave(7, in_libraries(), 1), NotLeft::returned);
}

/// Its frame is no more, and not even to be looked at.
TEST_F(UserCode, IsOverOnceItWasLeft) {
  EXPECT_THROW(call_leavable(leave_now, nullptr, turn), LeftBehind);
  EXPECT_FALSE(is_inside_any());
}

/// It may hold a lock, and the kernel that it calls does not. That has returned when this is late.
TEST_F(UserCode, OursIsHeldButNotItsKernel) {
  const auto guard = [](int64_t*) {
    OurCode ours;
    EXPECT_EQ(leave(7, here(), 1), NotLeft::in_library);
    EXPECT_THROW(ours.call(leave_now, nullptr), LeftBehind);
    EXPECT_EQ(leave(7, here(), 1), NotLeft::in_library);
    const auto elsewhere = [](int64_t*) { answer = leave(7, in_another_image(), 1); };
    EXPECT_THROW(ours.call(elsewhere, nullptr), LeftBehind);
    EXPECT_EQ(answer, NotLeft::in_library);
    ours.call([](int64_t*) { answer = leave(8, here(), 1); }, nullptr);
    EXPECT_EQ(answer, NotLeft::returned);
  };
  call_leavable(guard, nullptr, turn);
  EXPECT_EQ(leave(7, here(), 1), NotLeft::returned);
}

TEST_F(UserCode, OursMayBeAlone) {
  OurCode ours;
  EXPECT_THROW(ours.call([](int64_t*) { throw std::runtime_error("over"); }, nullptr),
               std::runtime_error);
  EXPECT_EQ(leave(7, here(), 1), NotLeft::returned);
}

/// The offset is what addr2line and objdump are given.
TEST(Place, IsAnOffsetInAFile) {
  const ImageName name(here(), "k/0_own.so");
  const auto offset = static_cast<const char*>(here()) - static_cast<const char*>(image_of(here()));
  char number[24];
  std::snprintf(number, sizeof number, "+0x%tx", offset);
  EXPECT_THAT(place_text(here()), EndsWith(std::string("k/0_own.so") + number));
  EXPECT_THAT(place_text(in_libraries()), MatchesRegex(", in .*malloc.* of /.*[+]0x[0-9a-f]+"));
  EXPECT_EQ(place_text(nullptr), "");
}

class Calling : public testing::Test {
 protected:
  CallingCode code_;
};

TEST_F(Calling, CodeCalls) {
  EXPECT_FALSE(code_.enter());
  EXPECT_EQ(code_.turn() % 2, 0U);
  code_.call([&] {
    for (int i = 0; i < 3; ++i) {
      const uint64_t before = code_.turn();
      EXPECT_EQ(before % 2, 1U);
      ASSERT_TRUE(code_.enter());
      EXPECT_EQ(code_.turn() % 2, 0U);
      code_.leave();
      EXPECT_EQ(code_.turn() % 2, 1U);
      EXPECT_NE(code_.turn(), before);
    }
  });
  EXPECT_EQ(code_.turn() % 2, 0U);
  EXPECT_FALSE(code_.enter());
}

/// From any thread, even within a call, which is left as others are.
TEST_F(Calling, CodeIsShutOut) {
  EXPECT_FALSE(code_.shuts_out_calls());
  code_.call([&] {
    ASSERT_TRUE(code_.enter());
    std::thread([&] { code_.shut_out_calls(); }).join();
    EXPECT_TRUE(code_.shuts_out_calls());
    EXPECT_FALSE(code_.enter_all_the_same()) << "it is in a call";
    code_.leave();
    const uint64_t before = code_.turn();
    EXPECT_FALSE(code_.enter());
    EXPECT_TRUE(code_.is_inside());
    EXPECT_EQ(code_.turn(), before) << "no turn of its own begins";
    std::thread([&] { EXPECT_FALSE(code_.enter_all_the_same()); }).join();
    ASSERT_TRUE(code_.enter_all_the_same());
    EXPECT_FALSE(code_.is_inside());
    code_.leave();
    EXPECT_EQ(code_.turn(), before + 2);
    code_.let_calls_in();
    EXPECT_FALSE(code_.shuts_out_calls());
    EXPECT_TRUE(code_.enter());
    code_.leave();
  });
  code_.shut_out_calls();
  EXPECT_FALSE(code_.enter()) << "that nobody is inside is no way in";
}

TEST_F(Calling, CodeIsNoOtherThread) {
  code_.call([&] {
    std::thread([&] { EXPECT_FALSE(code_.enter()); }).join();
    ASSERT_TRUE(code_.enter());
    std::thread([&] { EXPECT_FALSE(code_.enter()); }).join();
    code_.leave();
  });
}

TEST_F(Calling, CodeDoesNotCallWithinACall) {
  code_.call([&] {
    ASSERT_TRUE(code_.enter());
    EXPECT_FALSE(code_.enter());
    code_.leave();
  });
}

/// A fiber may go on on another OS thread.
TEST_F(Calling, CodeLeavesOnAnotherThread) {
  code_.call([&] {
    ASSERT_TRUE(code_.enter());
    std::thread([&] {
      code_.leave();
      EXPECT_TRUE(code_.enter());
    }).join();
    EXPECT_FALSE(code_.enter());
    code_.leave();
  });
}

/// It is the other's that the OS thread is inside of meanwhile.
TEST_F(Calling, CodeGivesWayToAnotherFiber) {
  code_.call([&] {
    {
      const OtherFiber other;
      EXPECT_FALSE(is_inside(code_.turn()));
      EXPECT_FALSE(code_.enter());
      CallingCode others;
      others.call([&] { EXPECT_TRUE(others.enter()); });
    }
    EXPECT_TRUE(code_.enter());
    code_.leave();
  });
}

TEST_F(Calling, CodeThrows) {
  EXPECT_THROW(code_.call([] { throw std::runtime_error("over"); }), std::runtime_error);
  EXPECT_EQ(code_.turn() % 2, 0U);
  EXPECT_FALSE(code_.enter());
}

/// Of the C and the C++ library, of the loader, and of what throws.
TEST_F(Calling, CodeIsNotLeftInTheSystem) {
  if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no code is left in this build";
  for (const char* name : {"malloc", "calloc", "_ZdlPv", "__tls_get_addr", "_Unwind_Backtrace"}) {
    const void* const place = dlsym(RTLD_DEFAULT, name);
    ASSERT_NE(place, nullptr) << name;
    bool goes_on = false;
    const auto interrupted = [&] {
      EXPECT_EQ(leave(code_.turn(), place, 1), NotLeft::in_library) << name;
      goes_on = code_.enter();
      code_.leave();
    };
    EXPECT_THROW(code_.call(interrupted), LeftBehind) << "it was late, whatever it did then";
    EXPECT_TRUE(goes_on) << name;
    EXPECT_NO_THROW(code_.call([] {})) << "the next one is not";
  }
}

TEST_F(Calling, CodeIsLeftInAnyOtherImage) {
  if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no code is left in this build";
  const auto elsewhere = [&] { static_cast<void>(leave(code_.turn(), in_another_image(), 1)); };
  EXPECT_THROW(code_.call(elsewhere), LeftBehind);
}

TEST_F(Calling, CodeIsLeft) {
  if (PTO2_CAN_LEAVE == 0) GTEST_SKIP() << "no code is left in this build";
  const auto stay = [&] {
    const uint64_t former = code_.turn();
    ASSERT_TRUE(code_.enter());
    EXPECT_EQ(leave(former, here(), 1), NotLeft::returned);
    code_.leave();
    EXPECT_EQ(leave(former, here(), 1), NotLeft::returned);
    EXPECT_EQ(leave(code_.turn(), reinterpret_cast<const void*>(&std::malloc), 1),
              NotLeft::in_library);
    static_cast<void>(leave(code_.turn(), here(), 1));
    FAIL() << "it was not left";
  };
  EXPECT_THROW(code_.call(stay), LeftBehind);
  EXPECT_EQ(code_.turn() % 2, 0U);
  EXPECT_FALSE(code_.enter());
}

}  // namespace
}  // namespace pto2::executors
