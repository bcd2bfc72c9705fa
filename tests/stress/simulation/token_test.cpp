#include "stress/simulation/token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/output/replay_token.hpp"

namespace pto2::simulations {
namespace {

TEST(Token, SaysWhatIsRun) {
  const std::string tokens[] = {"simulate/bgemm:Case1@sc:7",
                                "simulate/paged_attention:CaseBatch256:stub@random:0:12-1-1",
                                "simulate/graphs:plain@pct:18446744073709551615",
                                "simulate/graphs:clustered:mistaken@bursts:3:4-2.1.5",
                                "simulate/graphs:plain+core_mailbox.take@random:1",
                                "simulate/graphs:clustered:mistaken:faults=all@sc:2",
                                "simulate/bgemm:Case1:stub:faults=slow_core,answers_twice@sc:2"};
  for (const std::string& text : tokens) EXPECT_EQ(to_string(parse_token(text)), text);
  const Token token = parse_token(tokens[1]);
  EXPECT_EQ(token.options.workload, "paged_attention");
  EXPECT_EQ(token.options.case_name, "CaseBatch256");
  EXPECT_TRUE(token.options.stub_kernels);
  EXPECT_EQ(token.options.executor, ExecutorKind::random);
  EXPECT_EQ(token.shrunk, "12-1-1");
  EXPECT_TRUE(parse_token(tokens[3]).options.mistakes);
  EXPECT_TRUE(parse_token(tokens[3]).options.clustered);
  EXPECT_FALSE(parse_token(tokens[2]).options.clustered);
  EXPECT_EQ(parse_token(tokens[4]).options.weaken, "core_mailbox.take");
  EXPECT_TRUE(parse_token(tokens[0]).options.faults.none());
  EXPECT_EQ(parse_token(tokens[5]).options.faults, all_faults());
  EXPECT_TRUE(parse_token(tokens[5]).options.mistakes);
  EXPECT_TRUE(has(parse_token(tokens[6]).options.faults, Fault::answers_twice));
}

TEST(Token, RefusesOtherTextsAndSaysWhere) {
  const std::pair<const char*, const char*> refusals[] = {
      {"", "the kind"},
      {"check/fan_in/hold_against_notify@pto2.2:0:0:", "the kind"},
      {"simulate/", "the subject"},
      {"simulate/graphs@sc:1", "the subject"},
      {"simulate/:Case1@sc:1", "the subject"},
      {"simulate/bgemm:@sc:1", "the subject"},
      {"simulate/a:b:c:d@sc:1", "the subject"},
      {"simulate/graphs:odd@sc:1", "the subject"},
      {"simulate/graphs:plain:odd@sc:1", "the subject"},
      {"simulate/graphs:plain:stub@sc:1", "the subject"},
      {"simulate/graphs:plain:faults=@sc:1", "the subject"},
      {"simulate/graphs:plain:faults=odd@sc:1", "the subject"},
      {"simulate/graphs:plain:faults=all:mistaken@sc:1", "the subject"},
      {"simulate/bgemm:Case1:mistaken@sc:1", "the subject"},
      {"simulate/graphs:plain+a+b@pct:1", "the weakening"},
      {"simulate/graphs:plain", "the payload"},
      {"simulate/graphs:plain@sc", "the payload"},
      {"simulate/graphs:plain@sc:", "the payload"},
      {"simulate/graphs:plain@sc:1:", "the payload"},
      {"simulate/graphs:plain@sc:1:2:3", "the payload"},
      {"simulate/graphs:plain@threads:1", "the payload"}};
  for (const auto& [text, part] : refusals) {
    try {
      static_cast<void>(parse_token(text));
      ADD_FAILURE() << text;
    } catch (const cli::TokenError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(std::string(part) + " of the token " + text));
    }
  }
}

}  // namespace
}  // namespace pto2::simulations
