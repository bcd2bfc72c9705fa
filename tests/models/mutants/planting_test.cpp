#include "models/mutants/planting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::mutants {
namespace {

using testing::HasSubstr;

/// Sources and mutants that a test writes down.
class Plant {
 public:
  explicit Plant(const std::string& text) { file("core/a.hpp", text); }

  void file(const std::string& path, const std::string& text) {
    sources_.insert_or_assign(path, Source{text, LooseText(text)});
  }

  /// Mutant 1, 2, ..
  void mutant(std::vector<Edit> edits) {
    mutants_.push_back(
        {"", "mutant" + std::to_string(mutants_.size() + 1), "witness", "unit", std::move(edits)});
  }
  void mutant(const std::string& needle, const std::string& replacement) {
    mutant({{"core/a.hpp", needle, replacement}});
  }

  [[nodiscard]] std::vector<Place> places() const {
    std::vector<Place> all;
    for (std::size_t i = 0; i < mutants_.size(); ++i) {
      for (Place& place : places_of(mutants_[i], static_cast<uint32_t>(i + 1), sources_)) {
        all.push_back(std::move(place));
      }
    }
    return all;
  }
  /// core/a.hpp, without the lines that say where one is.
  [[nodiscard]] std::string text() const {
    const std::string text = planted("core/a.hpp", sources_.at("core/a.hpp").text, places());
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      if (!line.starts_with("#")) result += line + " ";
      at = end == std::string::npos ? end : end + 1;
    }
    return result;
  }
  [[nodiscard]] std::string refusal() const {
    try {
      static_cast<void>(text());
    } catch (const MutantError& error) {
      return error.what();
    }
    return {};
  }

 private:
  Sources sources_;
  std::vector<Mutant> mutants_;
};

bool same(const std::string& a, const std::string& b) {
  const auto whole = [](const std::string& text, const std::string& needle) {
    const auto spans = LooseText(text).find(needle);
    return spans.size() == 1 && text.find_first_not_of(" \n") == spans[0].begin &&
           text.find_last_not_of(" \n") + 1 == spans[0].end;
  };
  return whole(a, b);
}

TEST(Planted, AFunctionHasABodyForEachMutantBesideItsOwn) {
  Plant plant("int f(int x) {\n  return x + 1;\n}\nint g() { return 7; }\n");
  plant.mutant("x + 1", "x");
  plant.mutant("x + 1", "x + 2");
  plant.mutant("return 7;", "");
  EXPECT_TRUE(same(plant.text(),
                   "int f(int x) {"
                   "  if (::pto2::mutants::chosen(1)) { return x; } else"
                   "  if (::pto2::mutants::chosen(2)) { return x + 2; } else"
                   "  { return x + 1; } }"
                   "int g() {"
                   "  if (::pto2::mutants::chosen(3)) { } else { return 7; } }"))
      << plant.text();
}

TEST(Planted, AMutantMayHaveSeveralEdits) {
  Plant plant("void f() { a(); b(); }\nvoid g() { c(); }\n");
  plant.mutant({{"core/a.hpp", "a();", "a2();"},
                {"core/a.hpp", "b();", ""},
                {"core/a.hpp", "c();", "c2();"}});
  EXPECT_TRUE(same(plant.text(),
                   "void f() { if (::pto2::mutants::chosen(1)) { a2(); } else { a(); b(); } }"
                   "void g() { if (::pto2::mutants::chosen(1)) { c2(); } else { c(); } }"))
      << plant.text();
}

TEST(Planted, ANeedleMayBeginInTheHeadOfTheFunction) {
  Plant plant("void f() {\n  a();\n}\n");
  plant.mutant("void f() {", "void f() {\n  first();");
  EXPECT_TRUE(same(plant.text(),
                   "void f() { if (::pto2::mutants::chosen(1)) { first(); a(); } else { a(); } }"))
      << plant.text();
}

TEST(Planted, AFunctionMayHaveBeenEmpty) {
  Plant plant("struct A {\n  void f() {}\n};\n");
  plant.mutant("void f() {}", "void f() { g(); }");
  EXPECT_TRUE(same(plant.text(),
                   "struct A { void f() { if (::pto2::mutants::chosen(1)) { g(); } else {} } };"))
      << plant.text();
}

TEST(Planted, TheOneStatementOfAConditionLeavesAnEmptyOne) {
  Plant plant(
      "void f(int x) { if (x != 0)\n  g();\n  h(x); }\nint i() { if (k) j(); else l(); }\n"
      "void m() { do n(); while (o()); }\n");
  plant.mutant("g();", "");
  plant.mutant("h(x);", "");
  plant.mutant("l();", "");
  plant.mutant("n();", "");
  EXPECT_TRUE(same(plant.text(),
                   "void f(int x) {"
                   "  if (::pto2::mutants::chosen(1)) { if (x != 0) {} h(x); } else"
                   "  if (::pto2::mutants::chosen(2)) { if (x != 0) g(); } else"
                   "  { if (x != 0) g(); h(x); }}"
                   "int i() {"
                   "  if (::pto2::mutants::chosen(3)) { if (k) j(); else {} } else"
                   "  { if (k) j(); else l(); }}"
                   "void m() {"
                   "  if (::pto2::mutants::chosen(4)) { do {} while (o()); } else"
                   "  { do n(); while (o()); }}"))
      << plant.text();
}

TEST(Planted, WhatIsAddedOutsideOfFunctionsIsThereForAll) {
  Plant plant("struct A {\n  int a = 0;\n};\n");
  plant.mutant("int a = 0;", "int a = 0;\nint more = 0;");
  plant.mutant("int a = 0;", "int less = 0;\nint a = 0;");
  EXPECT_TRUE(same(plant.text(), "struct A { int less = 0; int a = 0; int more = 0; };"))
      << plant.text();
}

TEST(Planted, AnExpressionOutsideOfFunctionsIsChosen) {
  Plant plant("struct A {\n  A() : a_(f() + 1) {}\n  int a_;\n};\n");
  plant.mutant("f() + 1", "f()");
  EXPECT_TRUE(same(plant.text(),
                   "struct A {"
                   "  A() : a_((::pto2::mutants::chosen(1) ? (f()) : (f() + 1))) {} int a_; };"))
      << plant.text();
}

/// A statement there is one of a function that is not recognised: a lambda of a table, say.
TEST(Planted, AStatementOutsideOfFunctionsIsRefused) {
  for (const auto& [needle, instead] : {std::pair{"g();", "h();"},
                                        {"g();", "h()"},
                                        {"g()", "h();"},
                                        {"g()", "return h()"},
                                        {"g(", "h("},
                                        {"g()", "h(i()"}}) {
    Plant plant("A a{\n    [] { g(); },\n};\n");
    plant.mutant(needle, instead);
    EXPECT_THAT(plant.refusal(), HasSubstr("in no function that is recognised; replace a whole"))
        << instead;
  }
  Plant plant("A a{\n    [] { g(); },\n};\n");
  plant.mutant("g()", "h()");
  EXPECT_TRUE(same(plant.text(), "A a{ [] { (::pto2::mutants::chosen(1) ? (h()) : (g())); }, };"))
      << plant.text();
}

TEST(Planted, MessagesNameLinesOfTheSource) {
  const std::string text = "int a;\nint f() {\n  return 1;\n}\nint b;\n";
  Plant plant(text);
  plant.mutant("return 1;", "return 2;");
  EXPECT_THAT(planted("core/a.hpp", text, plant.places()),
              HasSubstr("#include \"../models/mutants/chosen.hpp\"\n#line 1 \"core/a.hpp\"\n"));
  EXPECT_THAT(planted("core/a.hpp", text, plant.places()),
              HasSubstr("{\n#line 2 \"core/a.hpp\"\n\n  return 2;"));
}

/// Behind what was added the source goes on where it was left, which may be before the needle ends.
TEST(Planted, MessagesNameLinesBehindWhatWasAdded) {
  const std::string text = "struct A {\n  int a;\n  int b;\n};\n";
  Plant plant(text);
  plant.mutant("int a;\nint b;", "int a;\nlong more;\nint b;");
  EXPECT_THAT(planted("core/a.hpp", text, plant.places()),
              HasSubstr("long more;\n\n#line 2 \"core/a.hpp\"\n\n  int b;\n};"));
}

TEST(PlacesOf, ANeedleThatMovedIsFoundInItsNewFile) {
  Plant plant("int f() { return 1; }\n");
  plant.file("core/b.hpp", "int g() { return 2; }\n");
  plant.mutant("return 2;", "return 3;");
  ASSERT_EQ(plant.places().size(), 1U);
  EXPECT_EQ(plant.places()[0].file, "core/b.hpp");
  Plant gone("int f() { return 1; }\n");
  gone.mutant({{"core/gone.hpp", "return 1;", ""}});
  EXPECT_EQ(gone.places()[0].file, "core/a.hpp");
}

TEST(PlacesOf, ANeedleThatIsInTwoOtherFilesIsLost) {
  Plant plant("int f() { return 1; }\n");
  plant.file("core/b.hpp", "int g() { return 2; }\n");
  plant.file("core/c.hpp", "int g() { return 2; }\n");
  plant.mutant("return 2;", "return 3;");
  EXPECT_THAT(plant.refusal(), HasSubstr("neither in core/a.hpp nor in another file"));
}

TEST(PlacesOf, ANameMayHaveChanged) {
  Plant plant("int f() { return step_of(size) + 1; }\n");
  plant.mutant("return step(size) + 1;", "return step(size + step(0));");
  ASSERT_EQ(plant.places().size(), 1U);
  EXPECT_EQ(plant.places()[0].from, "step");
  EXPECT_EQ(plant.places()[0].to, "step_of");
  EXPECT_THAT(plant.text(), HasSubstr("return step_of(size + step_of(0));"));
  Plant moved("int f() { return 1; }\n");
  moved.file("core/b.hpp", "int g() { return step_of(size) + 1; }\n");
  moved.mutant({{"core/gone.hpp", "return step(size) + 1;", ""}});
  EXPECT_EQ(moved.places().at(0).file, "core/b.hpp");
}

TEST(PlacesOf, ANameThatIsStillThereHasNotChanged) {
  Plant plant("int step();\nint f() { return step_of(size) + 1; }\n");
  plant.mutant("return step(size) + 1;", "");
  EXPECT_THAT(plant.refusal(), HasSubstr("stands neither"));
  Plant two("int f() { return step_of(size) + 1; }\nint g() { return step_at(size) + 1; }\n");
  two.mutant("return step(size) + 1;", "");
  EXPECT_THAT(two.refusal(), HasSubstr("stands neither"));
}

TEST(PlacesOf, TheErrorNamesTheMutantAndWhatIsNearest) {
  Plant plant("int f() {\n  return count + 1;\n}\n");
  plant.mutant("return counter + 2;", "");
  EXPECT_THAT(plant.refusal(), HasSubstr("mutant mutant1: `return counter + 2;` stands neither"));
  EXPECT_THAT(plant.refusal(), HasSubstr("nearest is core/a.hpp:2: `return count + 1; }`"));
}

TEST(PlacesOf, ANeedleMustBeUnique) {
  Plant plant("void f() {\n  a();\n  a();\n}\n");
  plant.mutant("a();", "");
  EXPECT_THAT(plant.refusal(), HasSubstr("`a();` stands 2 times in core/a.hpp (lines 2, 3)"));
}

TEST(Planted, WhatStandsThereIsNoBug) {
  Plant plant("int f(int x) {\n  return x + 1;\n}\n");
  plant.mutant("x + 1", "x  +  1");
  EXPECT_THAT(plant.refusal(), HasSubstr("what it writes into core/a.hpp is what stands there"));
}

TEST(Planted, WhatIsChangedTwiceIsAnError) {
  Plant twice("void f() { a(); b(); }\n");
  twice.mutant({{"core/a.hpp", "a(); b();", "c();"}, {"core/a.hpp", "b();", ""}});
  EXPECT_THAT(twice.refusal(), HasSubstr("core/a.hpp: `a();` is changed twice"));
  Plant outside("int a = b + c;\n");
  outside.mutant("b + c", "d");
  outside.mutant("c", "e");
  EXPECT_THAT(outside.refusal(), HasSubstr("is changed twice"));
  Plant added("int a = b;\n");
  added.mutant("b;", "b + c;");
  EXPECT_THAT(added.refusal(), HasSubstr("`+ c` would be added for all mutants"));
}

}  // namespace
}  // namespace pto2::mutants
