#include "runtime/output/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace pto2::cli {
namespace {

using testing::HasSubstr;

/// A program with two commands, of which the second has two options.
class CommandLine : public testing::Test {
 protected:
  CommandLine() : app_("", "pto2") {
    app_.require_subcommand(1);
    app_.add_subcommand("list", "show");
    CLI::App& run = *app_.add_subcommand("run", "run");
    run.add_option("--jobs", jobs_)->transform(whole_number_in(1, 64));
    run.add_option("--seconds", seconds_)
        ->check(seconds_in(0.5, std::numeric_limits<double>::infinity()));
    run.add_option("--share", seconds_)->check(seconds_in(0.5, 2));
    run.add_option("--colour", colour_)->check(one_of({"red", "blue"}));
  }

  std::optional<ExitCode> parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "pto2");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return parse_command_line(app_, static_cast<int>(pointers.size()), pointers.data());
  }
  /// The message, which is one about the usage.
  std::string refusal_of(const std::vector<std::string>& arguments) {
    try {
      static_cast<void>(parse(arguments));
    } catch (const CliError& error) {
      EXPECT_EQ(error.code(), exit_usage);
      return error.what();
    }
    ADD_FAILURE() << "parsed";
    return {};
  }

  CLI::App app_;
  uint64_t jobs_ = 0;
  double seconds_ = 0;
  std::string colour_;
};

TEST_F(CommandLine, GoesOnWithWhatWasParsed) {
  EXPECT_FALSE(parse({"run", "--jobs", "64", "--seconds", "1e300"}));
  EXPECT_EQ(jobs_, 64u);
  EXPECT_EQ(seconds_, 1e300);
  EXPECT_FALSE(parse({"run", "--jobs", "1", "--share", "2"}));
  EXPECT_EQ(jobs_, 1u);
}

/// Zeros in front are no sign of another base.
TEST_F(CommandLine, ReadsWholeNumbersAsDecimalDigits) {
  for (const auto& [text, number] :
       {std::pair("010", 10u), std::pair("08", 8u), std::pair("0000000000000000000064", 64u)}) {
    EXPECT_FALSE(parse({"run", "--jobs", text})) << text;
    EXPECT_EQ(jobs_, number) << text;
  }
  for (const std::string text :
       {"0x2", "0b1", "1e1", " 2", "2 ", "+2", " -18446744073709551614", "1'0", "1_0"}) {
    EXPECT_THAT(refusal_of({"run", "--jobs", text}),
                HasSubstr("'" + text + "' is no whole number from 1 to 64"));
  }
}

TEST_F(CommandLine, EndsWithTheHelp) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(parse({"run", "--help"}), exit_pass);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("1..64"));
}

TEST_F(CommandLine, NamesTheHelpOfTheCommandThatWasCalled) {
  EXPECT_THAT(refusal_of({"run", "--jops", "1"}), HasSubstr("; pto2 run --help lists"));
  EXPECT_THAT(refusal_of({"list", "--jobs", "1"}), HasSubstr("; pto2 list --help lists"));
  EXPECT_THAT(refusal_of({}), HasSubstr("; pto2 list --help lists")) << "the first there is";
}

TEST_F(CommandLine, SaysWhichWordThereIsNot) {
  EXPECT_FALSE(parse({"run", "--colour", "blue"}));
  EXPECT_EQ(colour_, "blue");
  for (const char* text : {"", "re", "red,blue"}) {
    EXPECT_THAT(refusal_of({"run", "--colour", text}),
                HasSubstr(std::string("--colour: '") + text + "' is none of red, blue;"));
  }
}

TEST_F(CommandLine, SaysWhichNumberIsOutOfItsRange) {
  for (const char* text : {"", "0", "65", "-1", "1.5", "x", "99999999999999999999"}) {
    EXPECT_THAT(refusal_of({"run", "--jobs", text}),
                HasSubstr(std::string("--jobs: '") + text + "' is no whole number from 1 to 64"));
  }
  for (const char* text : {"", "0.4", "nan", "inf", "-1", "soon", "1e400"}) {
    EXPECT_THAT(
        refusal_of({"run", "--seconds", text}),
        HasSubstr(std::string("--seconds: '") + text + "' is no number of seconds, 0.5 or more"));
  }
  for (const char* text : {"0.4", "2.1", "nan"}) {
    EXPECT_THAT(refusal_of({"run", "--share", text}),
                HasSubstr(std::string("--share: '") + text + "' is no number of seconds, 0.5..2"));
  }
}

}  // namespace
}  // namespace pto2::cli
