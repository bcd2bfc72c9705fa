#include "stress/simulation/token.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pto2::simulations {
namespace {

TEST(Token, SaysWhatIsRun) {
  const std::string tokens[] = {"simulate/bgemm:Case1/sc/7",
                                "simulate/paged_attention:CaseBatch256:stub/random/0/12-1-1",
                                "simulate/graphs:plain/pct/18446744073709551615",
                                "simulate/graphs:clustered:mistaken/bursts/3/4-2.1.5",
                                "simulate/graphs:plain/random+core_mailbox.take/1"};
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
}

TEST(Token, RefusesOtherTexts) {
  for (const char* text :
       {"", "simulate/", "simulate/graphs:plain/sc", "simulate/graphs:plain/sc/1/2/3",
        "simulate/graphs/sc/1", "simulate/graphs:plain:odd/sc/1", "simulate/graphs:plain:stub/sc/1",
        "simulate/bgemm:Case1:mistaken/sc/1", "simulate/a:b:c:d/sc/1", "simulate/graphs:plain/sc/",
        "simulate/graphs:plain/threads/1", "simulate/graphs:plain/pct+a+b/1", "check/x:y/sc/1"}) {
    EXPECT_THROW(static_cast<void>(parse_token(text)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace pto2::simulations
