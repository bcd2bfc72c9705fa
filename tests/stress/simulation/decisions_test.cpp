#include "stress/simulation/decisions.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::simulations {
namespace {

TEST(Decisions, ComeAgainFromTheirText) {
  for (const std::vector<bool>& noted :
       {std::vector<bool>{}, {true}, {false}, {false, false, true}, {true, true, false, true}}) {
    Decisions decisions;
    for (const bool decision : noted) EXPECT_EQ(decisions.note(decision), decision);
    Decisions again(decisions.text());
    for (const bool decision : noted) EXPECT_EQ(again.next(), decision) << decisions.text();
    EXPECT_FALSE(again.next());
    EXPECT_EQ(Decisions(decisions.text()).text(), decisions.text());
  }
}

TEST(Decisions, AreLengthsOfRuns) {
  Decisions decisions;
  for (const bool decision : {false, false, true, false}) decisions.note(decision);
  EXPECT_EQ(decisions.text(), "2.1.1");
  decisions = Decisions();
  decisions.note(true);
  EXPECT_EQ(decisions.text(), "0.1");
}

TEST(Decisions, RefuseOtherTexts) {
  for (const char* text :
       {".", "1.", ".1", "x", "1..2", "-1", "1,2", " 1", "18446744073709551616", "1048576.1"}) {
    EXPECT_THROW(Decisions{text}, std::invalid_argument) << text;
  }
  EXPECT_NO_THROW(Decisions("1048575.1"));
}

}  // namespace
}  // namespace pto2::simulations
