#include "core/core_mailbox.hpp"

#include <gtest/gtest.h>

#include "tests/core/policy.hpp"

namespace pto2 {
namespace {

using Mailbox = CoreMailbox<TestPolicy, int>;

/// The core reports ready, and the scheduler sees it.
void make_ready(Mailbox& mailbox) {
  mailbox.report_ready();
  EXPECT_TRUE(mailbox.is_ready());
}

TEST(CoreMailbox, AZeroedRegisterIsNeitherReadyNorATask) {
  Mailbox mailbox;
  EXPECT_FALSE(mailbox.is_ready());
  EXPECT_FALSE(mailbox.has_exited());
  EXPECT_EQ(mailbox.peek(), CoreCommand::none);
}

TEST(CoreMailbox, ADispatchIsTakenAcknowledgedAndFinishedOnce) {
  Mailbox mailbox;
  make_ready(mailbox);
  EXPECT_EQ(mailbox.peek(), CoreCommand::none);
  for (int payload = 1; payload <= 5; ++payload) {
    mailbox.dispatch(payload);
    EXPECT_FALSE(mailbox.take_end());
    EXPECT_EQ(mailbox.peek(), CoreCommand::run);
    EXPECT_EQ(*mailbox.take(), payload);
    EXPECT_EQ(mailbox.peek(), CoreCommand::none) << "it is taken";
    EXPECT_FALSE(mailbox.take_end()) << "it is acknowledged";
    mailbox.finish();
    EXPECT_TRUE(mailbox.take_end());
  }
}

/// After every verb of a life with two dispatches.
TEST(CoreMailbox, IsWholeBetweenAllVerbs) {
  Mailbox mailbox;
  const auto whole = [&](const char* after) {
    EXPECT_TRUE(mailbox.invariant_holds()) << "after " << after;
  };
  whole("nothing");
  mailbox.report_ready();
  whole("report_ready");
  EXPECT_TRUE(mailbox.is_ready());
  whole("is_ready");
  for (int payload = 1; payload <= 2; ++payload) {
    mailbox.dispatch(payload);
    whole("dispatch");
    EXPECT_EQ(mailbox.peek(), CoreCommand::run);
    (void)mailbox.take();
    whole("take");
    mailbox.finish();
    whole("finish");
    EXPECT_TRUE(mailbox.take_end());
    whole("take_end");
  }
  mailbox.send_exit();
  whole("send_exit");
  mailbox.acknowledge_exit();
  whole("acknowledge_exit");
}

TEST(CoreMailbox, SaysWhenTheRegistersDisagree) {
  {
    Mailbox mailbox;
    mailbox.finish();
    EXPECT_FALSE(mailbox.invariant_holds()) << "a core that has not cleared its register";
  }
  {
    Mailbox mailbox;
    mailbox.report_ready();
    mailbox.finish();
    EXPECT_FALSE(mailbox.invariant_holds()) << "an end of what was never dispatched";
  }
  {
    Mailbox mailbox;
    mailbox.report_ready();
    mailbox.acknowledge_exit();
    EXPECT_FALSE(mailbox.invariant_holds()) << "an exit that nobody asked for";
  }
  {
    Mailbox mailbox;
    make_ready(mailbox);
    mailbox.dispatch(1);
    mailbox.report_ready();
    EXPECT_FALSE(mailbox.invariant_holds()) << "the dispatch was wiped";
  }
}

TEST(CoreMailbox, ExitIsSeenAndAcknowledged) {
  Mailbox mailbox;
  mailbox.report_ready();
  mailbox.send_exit();
  EXPECT_EQ(mailbox.peek(), CoreCommand::exit);
  EXPECT_FALSE(mailbox.has_exited());
  mailbox.acknowledge_exit();
  EXPECT_TRUE(mailbox.has_exited());
  EXPECT_FALSE(mailbox.is_ready());
}

TEST(CoreMailbox, ExitAfterAGivenUpDispatchIsSeen) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(1);
  EXPECT_EQ(mailbox.peek(), CoreCommand::run);
  (void)mailbox.take();
  mailbox.send_exit();
  mailbox.finish();
  EXPECT_EQ(mailbox.peek(), CoreCommand::exit);
}

TEST(CoreMailbox, ExitBetweenTheLookAndTheTakeLosesNothing) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(7);
  EXPECT_EQ(mailbox.peek(), CoreCommand::run);
  mailbox.send_exit();
  EXPECT_EQ(*mailbox.take(), 7);
  mailbox.finish();
  EXPECT_TRUE(mailbox.take_end());
  EXPECT_EQ(mailbox.peek(), CoreCommand::exit);
}

TEST(CoreMailbox, ExitOvertakesADispatchThatNobodySaw) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(7);
  mailbox.send_exit();
  EXPECT_EQ(mailbox.peek(), CoreCommand::exit);
  EXPECT_FALSE(mailbox.take_end());
}

TEST(CoreMailboxDeathTest, ASecondDispatchBeforeTheFirstHasFinished) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(1);
  EXPECT_DEATH(mailbox.dispatch(2), "MB-I4");
}

TEST(CoreMailboxDeathTest, ADispatchToACoreThatNobodySawReady) {
  Mailbox mailbox;
  EXPECT_DEATH(mailbox.dispatch(1), "MB-I4");
  EXPECT_FALSE(mailbox.is_ready());
  EXPECT_DEATH(mailbox.dispatch(1), "MB-I4");
  mailbox.report_ready();
  EXPECT_DEATH(mailbox.dispatch(1), "MB-I4") << "it may not have happened before";
}

/// The core has not seen its first dispatch yet.
TEST(CoreMailboxDeathTest, AReadinessThatIsSeenAgainEndsNothing) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(1);
  EXPECT_TRUE(mailbox.is_ready());
  EXPECT_DEATH(mailbox.dispatch(2), "MB-I4");
}

TEST(CoreMailboxDeathTest, WhatRunsHasNotEnded) {
  Mailbox mailbox;
  EXPECT_DEATH((void)mailbox.take_end(), "MB-I2");
  make_ready(mailbox);
  EXPECT_DEATH((void)mailbox.take_end(), "MB-I2");
  mailbox.dispatch(1);
  EXPECT_EQ(mailbox.peek(), CoreCommand::run);
  (void)mailbox.take();
  EXPECT_FALSE(mailbox.take_end());
  EXPECT_DEATH(mailbox.dispatch(2), "MB-I4");
}

TEST(CoreMailboxDeathTest, OneCompletionIsReportedOnce) {
  Mailbox mailbox;
  make_ready(mailbox);
  mailbox.dispatch(1);
  EXPECT_EQ(mailbox.peek(), CoreCommand::run);
  (void)mailbox.take();
  mailbox.finish();
  EXPECT_TRUE(mailbox.take_end());
  EXPECT_DEATH((void)mailbox.take_end(), "MB-I2");
}

TEST(CoreMailboxDeathTest, TakingWhatIsNotThere) {
  Mailbox mailbox;
  mailbox.report_ready();
  EXPECT_DEATH((void)mailbox.take(), "MB-I2");
  EXPECT_EQ(mailbox.peek(), CoreCommand::none);
  EXPECT_DEATH((void)mailbox.take(), "MB-I2");
  mailbox.send_exit();
  EXPECT_EQ(mailbox.peek(), CoreCommand::exit);
  EXPECT_DEATH((void)mailbox.take(), "MB-I2");
}

}  // namespace
}  // namespace pto2
