// The chips that --platform names.
#include "runtime/cli/platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/output/exit_codes.hpp"
#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using cli::chip_of_platform;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* five_blocks = "docs/chips/five_blocks.toml";

/// What is said of a platform, or nothing.
std::string refusal_of(const std::string& platform) {
  try {
    static_cast<void>(chip_of_platform(platform));
  } catch (const cli::CliError& error) {
    EXPECT_EQ(error.code(), cli::exit_bad_input);
    return error.what();
  }
  return {};
}

/// The example with one text replaced by another.
std::string example_with(const std::string& from, const std::string& to) {
  std::string text = read_text(five_blocks);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal_with(const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  return refusal_of(folder.file("c.toml", example_with(from, to)));
}

TEST(Platform, NamesOfKnownChipsAndFiles) {
  for (const char* name : {"a2a3sim", "a5sim", "mine.toml", five_blocks}) {
    EXPECT_TRUE(cli::is_platform(name)) << name;
  }
  for (const char* name : {"", "a2a3", "a5sim ", "mine.yaml", "toml"}) {
    EXPECT_FALSE(cli::is_platform(name)) << name;
  }
  EXPECT_EQ(cli::platforms_text(), "a2a3sim or a5sim or a chip file NAME.toml");
  EXPECT_EQ(chip_of_platform("a2a3sim"), (Chip{"a2a3sim", 24, 1, 2, 3}));
  EXPECT_EQ(chip_of_platform("a5sim"), (Chip{"a5sim", 36, 1, 2, 4}));
}

TEST(Platform, TheExampleIsRead) {
  EXPECT_EQ(chip_of_platform(five_blocks), (Chip{"five_blocks", 5, 2, 3, 2}));
  EXPECT_THAT(read_text("docs/CHIPS.md"), HasSubstr("```toml\n" + read_text(five_blocks) + "```"));
}

TEST(Platform, AcceleratorsMayBeLeftOut) {
  const TemporaryFolder folder;
  const std::string text = example_with("schedulers = 2", "schedulers = 2\naccelerators = 4");
  EXPECT_EQ(chip_of_platform(folder.file("c.toml", text)), (Chip{"five_blocks", 5, 2, 3, 2, 4}));
}

TEST(Platform, BuffersAreThoseOfTheChip) {
  EXPECT_EQ(cli::buffers_of_platform("a2a3sim"), cli::CoreBuffers());
  EXPECT_EQ(cli::buffers_of_platform("a5sim").ub, 256U << 10);
  EXPECT_EQ(cli::buffers_of_platform("a5sim").l0c, 256U << 10);
  EXPECT_EQ(cli::buffers_of_platform(five_blocks), cli::CoreBuffers()) << "it does not say";
  const TemporaryFolder folder;
  const std::string text =
      example_with("schedulers = 2", "schedulers = 2\nub_bytes = 1024\nl0a_bytes = 0x40000000");
  const std::string file = folder.file("c.toml", text);
  EXPECT_EQ(cli::buffers_of_platform(file), (cli::CoreBuffers{.ub = 1024, .l0a = 1U << 30}));
  EXPECT_EQ(chip_of_platform(file), chip_of_platform(five_blocks));
  for (const char* wrong : {"0", "1000", "-1024", "1073742848", "4294968320"}) {
    EXPECT_THAT(refusal_with("schedulers = 2", std::string("schedulers = 2\nl1_bytes = ") + wrong),
                HasSubstr(std::string("line 7: l1_bytes is ") + wrong +
                          "; it must be a multiple of 1024, up to 1073741824"));
  }
  EXPECT_THAT(refusal_with("schedulers = 2", "schedulers = 2\nl0b_bytes = '64K'"),
              HasSubstr("l0b_bytes is no whole number"));
}

TEST(Platform, LimitsAreAllowed) {
  EXPECT_THAT(refusal_with("blocks = 5", "blocks = 2"), IsEmpty());
  EXPECT_THAT(refusal_with("blocks = 5", "blocks = 819"), IsEmpty());
  EXPECT_THAT(refusal_with("cubes_per_block = 2", "cubes_per_block = 0x40"), IsEmpty());
}

struct Mistake {
  const char* from;
  const char* to;
  std::vector<const char*> said;
};

TEST(Platform, EachMistakeIsNamedWithFileLineKeyAndRemedy) {
  const Mistake all[] = {
      {"blocks = 5", "blocks = 0", {"line 3: blocks is 0; it must be a whole number in 1..1024"}},
      {"blocks = 5", "blocks = 1025", {"line 3: blocks is 1025", "1..1024"}},
      {"blocks = 5", "blocks = -1", {"line 3: blocks is -1"}},
      {"blocks = 5", "blocks = 4294967297", {"line 3: blocks is 4294967297"}},
      {"blocks = 5", "blocks = 5.0", {"line 3: blocks is no whole number", "1..1024"}},
      {"blocks = 5", "blocks = \"5\"", {"line 3: blocks is no whole number"}},
      {"blocks = 5", "blocks = true", {"line 3: blocks is no whole number"}},
      {"blocks = 5", "blocks = [5]", {"line 3: blocks is no whole number"}},
      {"blocks = 5", "blocks = 99999999999999999999", {"line 3: no TOML"}},
      {"blocks = 5", "", {": blocks is missing; add a line such as blocks = 24"}},
      {"cubes_per_block = 2", "cubes_per_block = 65", {"line 4: cubes_per_block is 65", "1..64"}},
      {"vectors_per_block = 3", "vectors_per_block = 0", {"line 5: vectors_per_block is 0"}},
      {"vectors_per_block = 3",
       "vectors = 3",
       {"line 5: a chip has no key vectors",
        "one of name, blocks, cubes_per_block, vectors_per_block, schedulers, accelerators, "
        "ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes"}},
      {"schedulers = 2", "[schedulers]\nn = 2", {"schedulers is no whole number"}},
      {"schedulers = 2", "schedulers = 65", {"line 6: schedulers is 65", "1..64"}},
      {"schedulers = 2",
       "schedulers = 2\naccelerators = 65",
       {"line 7: accelerators is 65; it must be a whole number in 0..64"}},
      {"schedulers = 2",
       "schedulers = 6",
       {"c.toml: schedulers is 6", "fewer schedulers or more blocks"}},
      {"schedulers = 2", "schedulers = 2\nblocks = 6", {"line 7: no TOML"}},
      {"schedulers = 2",
       "schedulers = 2\nhost-threads = 1",
       {"line 7: a chip has no key host-threads"}},
      {"blocks = 5", "blocks = 1000", {"5000 cores", "at most 4096", "use fewer blocks"}},
      {"name = \"five_blocks\"", "", {": name is missing; add a line such as name = \"my_chip\""}},
      {"\"five_blocks\"", "5", {"line 2: name is no string; write it in quotes"}},
      {"\"five_blocks\"", "\"five blocks\"", {"line 2: name is 'five blocks'", "letters"}},
      {"\"five_blocks\"", "five", {"line 2: no TOML"}},
  };
  for (const Mistake& mistake : all) {
    const std::string text = refusal_with(mistake.from, mistake.to);
    EXPECT_THAT(text, HasSubstr("c.toml")) << mistake.to;
    for (const char* said : mistake.said) EXPECT_THAT(text, HasSubstr(said)) << mistake.to;
  }
}

TEST(Platform, UnreadableFilesAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of(folder.path("none.toml")),
              AllOf(HasSubstr("none.toml: cannot be opened: No such file"),
                    HasSubstr("name a TOML file that can be read")));
  EXPECT_THAT(refusal_of(folder.file("empty.toml", "")), HasSubstr("empty.toml: name is missing"));
  EXPECT_THAT(refusal_of(folder.file("text.toml", "\n\n{")), HasSubstr("text.toml, line 3"));
  std::string parts;
  for (int i = 0; i < 100000; ++i) parts += "a.";
  for (const std::string& deep : {"\n[" + parts + "b]\n", "\n" + parts + "b = 1\n"}) {
    EXPECT_THAT(refusal_of(folder.file("deep.toml", deep)),
                HasSubstr("deep.toml, line 2: more than 1000 dots"));
  }
}

}  // namespace
}  // namespace pto2::test
