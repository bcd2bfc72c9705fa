#include "runtime/output/numbers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {
namespace {

TEST(ParseNumber, TakesWholeNumbersAlone) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number("18446744073709551615"), ~uint64_t{0});
  for (const char* text : {"", "-1", "+1", "1 ", "0x1", "1.0", "18446744073709551616"}) {
    EXPECT_THROW(static_cast<void>(parse_number(text)), std::invalid_argument) << text;
  }
}

TEST(ParseRange, HoldsBothEnds) {
  const NumberRange range = parse_range("--seeds", "3..7");
  EXPECT_EQ(range.first, 3u);
  EXPECT_EQ(range.last, 7u);
  EXPECT_EQ(range.size(), 5u);
  EXPECT_EQ(parse_range("--seeds", "4").size(), 1u);
  EXPECT_EQ(parse_range("--seeds", "5..5").first, 5u);
  EXPECT_EQ(parse_range("--seeds", "1..18446744073709551615").size(), ~uint64_t{0});
}

TEST(ParseRange, RefusesOtherTexts) {
  for (const char* text :
       {"", "..", "1..", "..1", "2..1", "1...2", "1..2..3", "a..b", "0..18446744073709551615"}) {
    try {
      static_cast<void>(parse_range("--runs", text));
      ADD_FAILURE() << text;
    } catch (const CliError& error) {
      EXPECT_EQ(error.code(), exit_usage);
      EXPECT_EQ(std::string(error.what()).find("--runs is A..B with A <= B"), 0u) << error.what();
    }
  }
}

}  // namespace
}  // namespace pto2::cli
