#include "models/mutants/planted_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "tests/support/full_disk.hpp"

namespace pto2::mutants {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Ne;

class PlantedTree : public testing::Test {
 protected:
  PlantedTree() {
    std::string name = fs::temp_directory_path() / "planted_tree_test.XXXXXX";
    folder_ = mkdtemp(name.data());
    for (const char* folder :
         {"bench", "docs", "runtime", "sanitizers", "stress", "tests/support"}) {
      fs::create_directories(root() / folder);
    }
    file("CMakeLists.txt", "project(P)\n");
    file("CMakePresets.json", "{}\n");
    file("core/a.hpp", "int f() { return 1; }\n");
    file("core/b.hpp", "int g() { return 2; }\n");
    mutant("zero", "chip_test", "core/a.hpp", "return 1;", "return 0;");
    mutant("alpha", "piece/scenario", "core/a.hpp", "return 1;", "return 2;");
  }
  ~PlantedTree() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path root() const { return folder_ / "root"; }
  [[nodiscard]] fs::path out() const { return folder_ / "out"; }

  void file(const std::string& path, const std::string& text) const {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
  }
  void mutant(const std::string& name, const std::string& witness, const std::string& in,
              const std::string& needle, const std::string& replacement) const {
    file("models/mutants/core/" + name + ".mutant", "Mutant: " + name + "\nWitness: " + witness +
                                                        "\n\nIn: " + in + "\n- " + needle + "\n+ " +
                                                        replacement + "\n");
  }
  [[nodiscard]] std::string text(const std::string& path) const {
    std::ifstream in(out() / path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Of a mutant, as the catalogue has it.
  [[nodiscard]] std::string number(const std::string& name) const {
    std::istringstream words(text("catalogue"));
    for (std::string word; words >> word;) {
      if (word == name && words >> word) return word;
    }
    return "none";
  }
  [[nodiscard]] Planting write() const {
    return write_planted_tree(root(), out(), read_mutants(root()));
  }

  fs::path folder_;
};

TEST_F(PlantedTree, HasTheMutantsAndTheirCatalogue) {
  const Planting planting = write();
  EXPECT_THAT(planting.problems, IsEmpty());
  EXPECT_THAT(planting.changed, IsEmpty());
  const std::string alpha = number("alpha");
  const std::string zero = number("zero");
  EXPECT_EQ(text("catalogue"), "alpha " + alpha + " long checker piece/scenario\nzero " + zero +
                                   " quick unit chip_test\n");
  EXPECT_EQ(text("witnesses.cmake"),
            "set(pto2_witnesses\n  chip_test\n  pto2-check)\n"
            "set(pto2_quick_witnesses\n  chip_test)\n");
  EXPECT_THAT(text("core/a.hpp"),
              AllOf(HasSubstr("chosen(" + alpha + ")"), HasSubstr("chosen(" + zero + ")")));
  EXPECT_EQ(text("core/b.hpp"), "int g() { return 2; }\n");
  EXPECT_EQ(text("CMakeLists.txt"), "project(P)\n");
  EXPECT_FALSE(fs::exists(out() / "models/mutants/core/zero.mutant"));
}

/// A witness that was not built again has no bug of the number of another one.
TEST_F(PlantedTree, NumbersDoNotDependOnOtherMutants) {
  static_cast<void>(write());
  const std::string alpha = number("alpha");
  const std::string zero = number("zero");
  EXPECT_NE(alpha, zero);
  fs::remove(root() / "models/mutants/core/alpha.mutant");
  mutant("first", "chip_test", "core/a.hpp", "return 1;", "return 3;");
  mutant("zz", "chip_test", "core/a.hpp", "return 1;", "return 0;");
  static_cast<void>(write());
  EXPECT_EQ(number("zero"), zero);
  EXPECT_THAT((std::vector{number("first"), number("zz")}), Each(AllOf(Ne(alpha), Ne(zero))));
  mutant("zero", "other_test", "core/a.hpp", "return 1;", "return 0;");
  static_cast<void>(write());
  EXPECT_EQ(number("zero"), zero) << "the witness is no part of the program";
  mutant("zero", "other_test", "core/a.hpp", "return 1;", "return 4;");
  static_cast<void>(write());
  EXPECT_NE(number("zero"), zero) << "another bug";
}

TEST_F(PlantedTree, LeavesAloneWhatIsRightAndRemovesWhatIsGone) {
  file("core/old.hpp", "int old();\n");
  static_cast<void>(write());
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"core/a.hpp", "core/b.hpp"}) fs::last_write_time(out() / name, long_ago);
  fs::create_directories(out() / "build");
  std::ofstream(out() / "build/kept") << "kept";
  fs::remove(root() / "core/old.hpp");
  file("core/b.hpp", "int g() { return 3; }\n");
  static_cast<void>(write());
  EXPECT_EQ(fs::last_write_time(out() / "core/a.hpp"), long_ago);
  EXPECT_GT(fs::last_write_time(out() / "core/b.hpp"), long_ago);
  EXPECT_FALSE(fs::exists(out() / "core/old.hpp"));
  EXPECT_TRUE(fs::exists(out() / "build/kept"));
}

/// It would lose all that the copy does not have: of its own tree, too.
TEST_F(PlantedTree, IsNotWrittenOverWhatIsNoCopy) {
  const std::vector<Mutant> mutants = read_mutants(root());
  const fs::path other = folder_ / "other";
  fs::create_directories(other / "core");
  std::ofstream(other / "core/own.hpp") << "own";
  std::ofstream(other / "catalogue") << "own";
  for (const fs::path& path : {root(), folder_, root() / "core", other}) {
    try {
      static_cast<void>(write_planted_tree(root(), path, mutants));
      ADD_FAILURE() << path;
    } catch (const MutantError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string() + " has other files"));
    }
  }
  EXPECT_TRUE(fs::exists(other / "core/own.hpp"));
  EXPECT_EQ(read_mutants(root()).size(), 2U);
  fs::create_directories(out());
  EXPECT_THAT(write().problems, IsEmpty()) << "an empty folder";
}

/// A copy that was not finished is one all the same.
TEST_F(PlantedTree, IsWrittenAgainAfterAnError) {
  file("core/c.hpp", "int h = f() + 1;\n");
  mutant("overlap-a", "chip_test", "core/c.hpp", "f() + 1", "f() + 2");
  mutant("overlap-b", "chip_test", "core/c.hpp", "f() + 1", "f() + 3");
  EXPECT_THROW(static_cast<void>(write()), MutantError);
  fs::remove(root() / "models/mutants/core/overlap-b.mutant");
  EXPECT_THAT(write().problems, IsEmpty());
  EXPECT_THAT(text("core/c.hpp"), HasSubstr("f() + 2"));
}

TEST_F(PlantedTree, TellsOfEachMutantThatHasNoPlace) {
  mutant("lost", "chip_test", "core/a.hpp", "return 9;", "return 0;");
  mutant("moved", "chip_test", "core/a.hpp", "return 2;", "return 0;");
  const std::vector<Mutant> mutants = read_mutants(root());
  const Planting planting = check_mutants(root(), mutants);
  EXPECT_THAT(planting.problems, ElementsAre(HasSubstr("mutant lost")));
  ASSERT_EQ(planting.changed.size(), 1U);
  EXPECT_EQ(planting.changed[0].mutant->name, "moved");
  EXPECT_EQ(planting.changed[0].file, "core/b.hpp");
}

TEST_F(PlantedTree, UpdatesMutantsWhoseFilesOrNamesHaveChanged) {
  file("models/mutants/core/both.mutant",
       "Mutant: both\nWitness: chip_test\n\nOf f and old.\n\nIn: core/a.hpp\n- return 1;\n\n"
       "In: core/b.hpp\n- old() + 2;\n+ old() + old();\n");
  file("core/b.hpp", "int g() { return now() + 2; }\n");
  fs::rename(root() / "core/a.hpp", root() / "core/c.hpp");
  std::vector<Mutant> mutants = read_mutants(root());
  update_mutants(root(), check_mutants(root(), mutants).changed);
  std::ifstream in(root() / "models/mutants/core/both.mutant");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "Mutant: both\nWitness: chip_test\n\nOf f and old.\n\nIn: core/c.hpp\n- return 1;\n\n"
            "In: core/b.hpp\n- now() + 2;\n+ now() + now();\n");
  mutants = read_mutants(root());
  const Planting again = check_mutants(root(), mutants);
  EXPECT_THAT(again.changed, IsEmpty());
  EXPECT_THAT(again.problems, IsEmpty());
}

TEST_F(PlantedTree, AMutantThatCannotBeUpdatedStaysAsItWas) {
  const fs::path path = root() / "models/mutants/core/alpha.mutant";
  const auto size = fs::file_size(path);
  fs::rename(root() / "core/a.hpp", root() / "core/c.hpp");
  const std::vector<Mutant> mutants = read_mutants(root());
  const Planting planting = check_mutants(root(), mutants);
  {
    const test::FullDisk disk(16);
    EXPECT_THROW(update_mutants(root(), planting.changed), std::runtime_error);
  }
  EXPECT_EQ(fs::file_size(path), size);
}

TEST_F(PlantedTree, TwoMutantsOfOneNameAreAnError) {
  file("models/mutants/chip/zero.mutant", "Mutant: zero\nWitness: w\nIn: core/a.hpp\n- f\n");
  EXPECT_THROW(static_cast<void>(read_mutants(root())), MutantError);
}

}  // namespace
}  // namespace pto2::mutants
