#include "runtime/output/replay_token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ReplayToken, HasFourParts) {
  const ReplayToken token = parse_replay_token(
      "check/fan_in/hold+fan_in.look:core/fan_in.hpp:12:3=relaxed@pto2.2:0:1:0.0x1,",
      TokenKind::check);
  EXPECT_EQ(token.kind, TokenKind::check);
  EXPECT_EQ(token.subject, "fan_in/hold");
  EXPECT_EQ(token.weakening, "fan_in.look:core/fan_in.hpp:12:3=relaxed");
  EXPECT_EQ(token.payload, "pto2.2:0:1:0.0x1,");
  const ReplayToken other = parse_replay_token("simulate/a@b@c+d/e", TokenKind::simulate);
  EXPECT_EQ(other.subject, "a");
  EXPECT_EQ(other.weakening, "");
  EXPECT_EQ(other.payload, "b@c+d/e");
  EXPECT_EQ(parse_replay_token("simulate/graphs:plain@sc:7", TokenKind::simulate).weakening, "");
}

TEST(ReplayToken, IsPrintedAsItIsParsed) {
  for (const char* text : {"simulate/graphs:plain@sc:7", "simulate/bgemm:Case1+a.b@pct:0:3-1-1",
                           "simulate/a@b@c+d/e"}) {
    EXPECT_EQ(to_string(parse_replay_token(text, TokenKind::simulate)), text);
  }
  EXPECT_EQ(to_string(ReplayToken{TokenKind::check, "a/b", "", "p"}), "check/a/b@p");
}

TEST(ReplayToken, BeginsWithItsKind) {
  EXPECT_EQ(token_kind_of("check/x"), TokenKind::check);
  EXPECT_EQ(token_kind_of("simulate/"), TokenKind::simulate);
  for (const char* text : {"", "check", "checks/x", "/check/x", "fan_in/hold@pto2.2:0:0:"}) {
    EXPECT_FALSE(token_kind_of(text)) << text;
  }
}

/// What is said of a text that is no token of simulate.
std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_replay_token(text, TokenKind::simulate));
  } catch (const TokenError& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was parsed";
  return {};
}

TEST(ReplayToken, ARefusalSaysWhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> refusals[] = {
      {"", "the kind of the token , '' at character 1: neither check/ nor simulate/;"},
      {"nosuch", "the kind of the token nosuch, 'nosuch' at character 1: neither check/ nor"},
      {"a/b@p", "the kind of the token a/b@p, 'a' at character 1: neither check/ nor simulate/;"},
      {"check/a@p", "the kind of the token check/a@p, 'check' at character 1: not simulate;"},
      {"simulate/@p", "the subject of the token simulate/@p, '' at character 10: nothing;"},
      {"simulate/+w@p", "the subject of the token simulate/+w@p, '' at character 10: nothing;"},
      {"simulate/a+@p", "the weakening of the token simulate/a+@p, '' at character 12: nothing "},
      {"simulate/a+b+c@p", "the weakening of the token simulate/a+b+c@p, 'b+c' at character 12: "},
      {"simulate/a", "the payload of the token simulate/a, '' at character 11: nothing behind"},
      {"simulate/a+b@", "the payload of the token simulate/a+b@, '' at character 14: nothing"}};
  for (const auto& [text, refusal] : refusals) {
    EXPECT_THAT(refusal_of(text), StartsWith(refusal));
    EXPECT_THAT(refusal_of(text), HasSubstr("; tokens are\n  check/SCENARIO"));
    EXPECT_THAT(refusal_of(text), HasSubstr("\n  simulate/graphs:KIND"));
  }
}

TEST(ReplayToken, WhoKnowsThePartsRefusesThemInTheSameWay) {
  EXPECT_THAT(TokenError("check/a+b@c", TokenPart::payload, "no c").what(),
              StartsWith("the payload of the token check/a+b@c, 'c' at character 11: no c;"));
  EXPECT_THAT(TokenError("check/a+b@c", TokenPart::weakening, "no b").what(),
              StartsWith("the weakening of the token check/a+b@c, 'b' at character 9: no b;"));
}

}  // namespace
}  // namespace pto2::cli
