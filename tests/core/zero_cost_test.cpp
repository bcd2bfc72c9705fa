/// The hardware policy costs nothing: each step through core compiles to the instructions of
/// hand-written std::atomic code, up to their order and the choice of registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pto2 {
namespace {

using Mnemonics = std::vector<std::string>;

/// The mnemonics of each function of the object, by its name, without padding.
std::map<std::string, Mnemonics> disassemble() {
  const std::string command = "objdump -d --no-show-raw-insn '" ZERO_COST_OBJECT "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::map<std::string, Mnemonics> functions;
  std::string current;
  std::array<char, 512> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    const std::string text = line.data();
    const auto open = text.find(" <");
    const auto close = text.find(">:");
    if (open != std::string::npos && close != std::string::npos) {
      current = text.substr(open + 2, close - open - 2);
      continue;
    }
    const auto tab = text.find('\t');
    if (tab == std::string::npos || current.empty()) continue;
    std::string instruction = text.substr(tab + 1);
    std::string mnemonic = instruction.substr(0, instruction.find_first_of(" \n"));
    if (mnemonic == "lock") {
      const auto rest = instruction.find_first_not_of(' ', 4);
      mnemonic += " " + instruction.substr(rest, instruction.find_first_of(" \n", rest) - rest);
    }
    if (mnemonic.starts_with("nop") || mnemonic == "xchg   %ax,%ax" || mnemonic == "cs" ||
        mnemonic == "data16") {
      continue;
    }
    functions[current].push_back(mnemonic);
  }
  for (auto& [name, mnemonics] : functions) std::sort(mnemonics.begin(), mnemonics.end());
  return functions;
}

class ZeroCost : public testing::TestWithParam<const char*> {};

TEST_P(ZeroCost, SameInstructionsAsByHand) {
  auto functions = disassemble();
  const Mnemonics& policy = functions[std::string("policy_") + GetParam()];
  const Mnemonics& hand = functions[std::string("hand_") + GetParam()];
  ASSERT_FALSE(hand.empty());
  EXPECT_EQ(policy, hand);
}

INSTANTIATE_TEST_SUITE_P(Steps, ZeroCost,
                         testing::Values("open", "drop", "close", "consumed", "claim", "advance",
                                         "observe"),
                         [](const auto& step) { return std::string(step.param); });

TEST(ZeroCostCanary, ADifferenceIsSeen) {
  auto functions = disassemble();
  ASSERT_FALSE(functions["policy_canary"].empty());
  EXPECT_NE(functions["policy_canary"], functions["hand_canary"]);
}

}  // namespace
}  // namespace pto2
