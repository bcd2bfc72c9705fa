#include "models/mutants/mutant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::mutants {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(parse_mutant("models/mutants/core/lost.mutant", text));
  } catch (const MutantError& error) {
    return error.what();
  }
  return {};
}

const std::string head =
    "Mutant: lost\nPiece: ring\nWitness: ring_test --some\n\nA story: of one.\n";

TEST(ParseMutant, ReadsHeadAndEdits) {
  const Mutant mutant = parse_mutant("models/mutants/core/lost.mutant",
                                     head +
                                         "\nIn: core/a.hpp\n- f(1);\n- g();\n+ f(2);\n"
                                         "\nIn: core/b.hpp\n-   gone\n");
  EXPECT_EQ(mutant.name, "lost");
  EXPECT_EQ(mutant.witness, "ring_test --some");
  ASSERT_EQ(mutant.edits.size(), 2U);
  EXPECT_EQ(mutant.edits[0].file, "core/a.hpp");
  EXPECT_EQ(mutant.edits[0].needle, "f(1);\ng();\n");
  EXPECT_EQ(mutant.edits[0].replacement, "f(2);\n");
  EXPECT_EQ(mutant.edits[1].needle, "  gone\n");
  EXPECT_EQ(mutant.edits[1].replacement, "");
}

TEST(ParseMutant, TheKindFollowsFromTheWitnessUnlessItIsNamed) {
  const auto kind = [](const std::string& witness, const std::string& more = "") {
    const Mutant mutant = parse_mutant(
        "m.mutant", "Mutant: m\nWitness: " + witness + "\n" + more + "In: core/a.hpp\n- a\n");
    return mutant.kind + " " + program_of(mutant);
  };
  EXPECT_EQ(kind("watermark/two_advancers"), "checker pto2-check");
  EXPECT_EQ(kind("pto2-simulate simulate --random-graphs"), "random pto2-simulate");
  EXPECT_EQ(kind("executors_test"), "executor executors_test");
  EXPECT_EQ(kind("pto2-stress stress --executor threads"), "executor pto2-stress");
  EXPECT_EQ(kind("pto2-simulate simulate bgemm"), "seeded pto2-simulate");
  EXPECT_EQ(kind("graphs_test --gtest_filter=*seeded*"), "seeded graphs_test");
  EXPECT_EQ(kind("chip_test"), "unit chip_test");
  EXPECT_EQ(kind("chip_test", "Kind: seeded\n"), "seeded chip_test");
}

TEST(ParseMutant, SaysWhatIsMissingAndWhere) {
  const std::string edit = "In: core/a.hpp\n- a\n";
  EXPECT_EQ(refusal_of(head + edit), "");
  EXPECT_THAT(refusal_of("Mutant: other\nWitness: w\n" + edit),
              HasSubstr("no line `Mutant: lost`"));
  EXPECT_THAT(refusal_of("Mutant: lost\n" + edit), HasSubstr("no line `Witness: `"));
  EXPECT_THAT(refusal_of(head), HasSubstr("no line `In: FILE`"));
  EXPECT_THAT(refusal_of(head + "Witness: w\n" + edit), HasSubstr("lost.mutant:6: a second line"));
  EXPECT_THAT(refusal_of(head + "In: core/a.hpp\n+ b\n"), HasSubstr("without a line `-`"));
  EXPECT_THAT(refusal_of(head + "In: core/a.hpp\n" + edit), HasSubstr("without a line `-`"));
  EXPECT_THAT(refusal_of(head + edit + "+ b\n- c\n"), HasSubstr(":9: a line `-` behind `+`"));
  EXPECT_THAT(refusal_of(head + edit + "more\n"), HasSubstr("begin with `-` or `+`"));
  EXPECT_THAT(refusal_of(head + "Kind: executer\n" + edit), HasSubstr("no kind `executer`"));
}

}  // namespace
}  // namespace pto2::mutants
