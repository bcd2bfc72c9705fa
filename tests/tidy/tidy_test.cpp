// Each rule twice: the tree keeps it, and a made-up file that breaks it is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/mutants/source_text.hpp"
#include "tests/tidy/rules.hpp"
#include "tests/tidy/source_tree.hpp"

namespace pto2::tidy {
namespace {

using testing::HasSubstr;
using Check = Findings (*)(const SourceTree&);

const SourceTree& project() {
  static const SourceTree tree = read_source_tree(PTO2_SOURCE_DIR);
  return tree;
}

/// The rule finds `expected` and nothing else in a tree of one file.
void expect_found(Check check, const std::string& path, const std::string& text,
                  const std::string& expected) {
  const std::string found = to_string(check({{path, text}}));
  EXPECT_THAT(found, HasSubstr(path + ":1: ")) << text;
  EXPECT_THAT(found, HasSubstr(expected)) << text;
}

void expect_clean(Check check, const SourceTree& tree) {
  EXPECT_EQ(to_string(check(tree)), "");
}

TEST(SourceTree, HoldsTheSourcesOfThisTest) {
  const auto has = [](const std::string& path) {
    return std::ranges::any_of(project(), [&](const SourceFile& f) { return f.path == path; });
  };
  for (const char* path : {"tests/tidy/tidy_test.cpp", "core/CMakeLists.txt", "CMakeLists.txt",
                           "dev", "sanitizers/tsan.supp"}) {
    EXPECT_TRUE(has(path)) << path;
  }
}

TEST(SourceTree, TheWalkFindsAllThatGitLists) {
  const std::vector<std::string> walked = list_by_walk(PTO2_SOURCE_DIR);
  for (const std::string& path : list_by_git(PTO2_SOURCE_DIR)) {
    const bool hidden = path.starts_with(".") && !path.starts_with(".ci/");
    if (hidden || !std::filesystem::exists(std::filesystem::path(PTO2_SOURCE_DIR) / path)) continue;
    EXPECT_THAT(walked, testing::Contains(path));
  }
  EXPECT_TRUE(list_by_git("/").empty());
}

TEST(Tables, AreOne) {
  expect_clean(check_tables, project());
}

TEST(Tables, FindsASecondList) {
  const SourceFile header{"runtime/device/executor_table.hpp",
                          "enum class ExecutorKind : uint8_t { packed, threads = 4, seeded };"};
  const auto found = [&](const std::string& path, const std::string& text) {
    return to_string(check_tables({header, {path, text}}));
  };
  const std::string two = "ExecutorKind::packed ExecutorKind::threads ExecutorKind::packed";
  EXPECT_EQ(found("stress/a.cpp", two), "");
  EXPECT_THAT(found("stress/a.cpp", two + " ExecutorKind::seeded"), HasSubstr("stress/a.cpp:1: "));
  EXPECT_EQ(found("tests/a.cpp", two + " ExecutorKind::seeded"), "");
  EXPECT_EQ(found("runtime/device/executor_table.cpp", two + " ExecutorKind::seeded"), "");
  for (const std::string alias :
       {"using K = ExecutorKind;", "using enum ExecutorKind;", "using K = pto2::ExecutorKind;",
        "using enum pto2::ExecutorKind;", "using K =\n    ::pto2::ExecutorKind;"}) {
    EXPECT_THAT(found("runtime/a.cpp", alias), HasSubstr("ask it")) << alias;
  }
  EXPECT_EQ(found("runtime/a.cpp", "using K = pto2::ExecutorKinds;"), "");
}

TEST(Seam, IsKept) {
  expect_clean(check_seam, project());
}

TEST(Seam, FindsNamesThatBypassThePolicy) {
  for (const std::string name :
       {"std::atomic<int> a;", "std::thread t;", "std::jthread t;", "std::mutex m;",
        "std::condition_variable c;", "volatile int v;", "std::this_thread::yield();",
        "x::sleep_for(1);", "std::atomic_thread_fence(o);", "__atomic_load_n(p, 0);"}) {
    expect_found(check_seam, "core/a.hpp", name, "names ");
    expect_found(check_seam, "runtime/scheduler/a.hpp", name, "names ");
  }
}

TEST(Seam, FindsConditionalCodeAndIncludes) {
  for (const std::string line : {"#ifdef X", "#if X", "# ifndef X", "#else"}) {
    expect_found(check_seam, "runtime/chip/a.hpp", line, "conditional");
  }
  for (const std::string name : {"atomic", "thread", "mutex", "condition_variable"}) {
    expect_found(check_seam, "core/a.hpp", "#include <" + name + ">", "includes <" + name);
  }
}

TEST(Seam, LeavesCommentsLiteralsAndOtherFoldersAlone) {
  expect_clean(check_seam, {{"core/a.hpp", "#pragma once\n// std::atomic\nf(\"volatile\");"},
                            {"core/policy.hpp", "#include <atomic>"},
                            {"runtime/host/a.cpp", "std::thread t;"}});
}

TEST(NamedOrders, AreUsed) {
  expect_clean(check_named_orders, project());
}

TEST(NamedOrders, AnOrderInPlaceIsFound) {
  expect_found(check_named_orders, "core/a.hpp", "w.load(std::memory_order_acquire);",
               "memory_order_acquire in place");
  for (const std::string text :
       {"w.fetch_add(1, std::memory_order::relaxed);",
        "w.store(SlotId{3}, std::memory_order_release);",
        "state_.wait(old, std::memory_order_acquire);", "subtract(1, std::memory_order_acq_rel);",
        "P::order(OrderSite{\"a.load\", Operation::load, std::memory_order_acquire});",
        "using enum std::memory_order;"}) {
    expect_found(check_named_orders, "core/a.hpp", text, "in place");
  }
  expect_clean(check_named_orders,
               {{"core/a.hpp",
                 "OrderSite look{\"a.load\", Operation::load,\n  std::memory_order_acquire};\n"
                 "w.load(P::order(look));\nbool subtract(uint32_t n, std::memory_order order) {"},
                {"runtime/host/a.cpp", "w.load(std::memory_order_acquire);"}});
}

TEST(Dependencies, PointOneWay) {
  expect_clean(check_dependencies, project());
}

TEST(Dependencies, WrongOnesAreFound) {
  const auto expect_forbidden = [](const std::string& path, const std::string& include) {
    expect_found(check_dependencies, "stress/a.cpp", "#include \"tests/support/a.hpp\"",
                 "stress may not depend on");
    for (const char* before : {"#include ", "# include ", "  #include "}) {
      expect_found(check_dependencies, path, before + include, "");
    }
  };
  expect_forbidden("core/a.hpp", "\"runtime/a.hpp\"");
  expect_forbidden("core/a.hpp", "<cds/init.h>");
  expect_forbidden("core/a.hpp", "<unistd.h>");
  expect_forbidden("core/a.hpp", "\"../runtime/a.hpp\"");
  expect_forbidden("models/checker/a.hpp", "\"core/a.hpp\"");
  expect_forbidden("models/checker/a.hpp", "\"models/litmus/a.hpp\"");
  expect_forbidden("models/task_word/a.hpp", "\"tests/a.hpp\"");
  expect_forbidden("runtime/a.cpp", "\"models/checker/a.hpp\"");
  expect_forbidden("runtime/a.cpp", "<tests/a.hpp>");
  expect_forbidden("runtime/workloads/folders/a/kernels/aiv/a.cpp", "\"../../../../a.hpp\"");
}

TEST(Layers, DoNotLookUp) {
  expect_clean(check_layers, project());
}

TEST(Layers, WrongOnesAreFound) {
  const SourceFile table{"docs/ARCHITECTURE.md",
                         "| layer | where | what |\n| core | `core/` | words |\n"
                         "| chip | `runtime/chip` | cores |\n| run | `runtime/run` | `state` |\n"};
  const auto findings = [&](const std::string& path, const std::string& include) {
    return to_string(check_layers({{path, "\n#include \"" + include + "\"\n"}, table}));
  };
  EXPECT_EQ(findings("runtime/run/a.hpp", "runtime/chip/a.hpp"), "");
  EXPECT_EQ(findings("runtime/run/a.hpp", "runtime/run/b.hpp"), "");
  EXPECT_EQ(findings("runtime/chip/a.hpp", "core/a.hpp"), "");
  EXPECT_EQ(findings("runtime/chip/a.hpp", "runtime/run/a.hpp"),
            "runtime/chip/a.hpp:2: runtime/chip may not use runtime/run, which comes later in the "
            "layers of docs/ARCHITECTURE.md\n");
  EXPECT_EQ(findings("runtime/other/a.hpp", "core/a.hpp"),
            "runtime/other/a.hpp:1: in no layer of docs/ARCHITECTURE.md\n");
}

TEST(Dependencies, RightOnesAreNot) {
  expect_clean(check_dependencies,
               {{"core/a.hpp", "#include <span>\n#include \"core/b.hpp\""},
                {"models/checker/a.cpp", "#include <boost/context/fiber.hpp>"},
                {"models/task_word/a.hpp", "#include \"core/task_word.hpp\""},
                {"runtime/a.cpp", "// #include \"tests/a.hpp\""},
                {"runtime/workloads/folders/a/kernels/aiv/a.cpp", "#include \"../shapes.hpp\""},
                {"tests/a.cpp", "#include \"runtime/a.hpp\""}});
}

TEST(Sizes, AreKept) {
  expect_clean(check_sizes, project());
}

std::string function_of(std::size_t lines) {
  return "void f() {\n" + std::string(lines - 2, '\n') + "}\n";
}

TEST(Sizes, BeyondTheLimitIsFound) {
  expect_found(check_sizes, "core/a.hpp", function_of(51), "function of 51 lines");
  expect_found(check_sizes, "a/CMakeLists.txt", std::string(101, 'x'), "100 columns");
  const Findings findings = check_sizes({{"core/a.hpp", std::string(501, '\n')}});
  EXPECT_THAT(to_string(findings), HasSubstr("500 lines"));
}

TEST(Sizes, AtTheLimitIsNot) {
  expect_clean(check_sizes, {{"core/a.hpp", function_of(50)},
                             {"core/b.hpp", std::string(500, '\n')},
                             {"core/c.hpp", "// " + std::string(96, 'x') + "\u00e9"},
                             {"README.md", std::string(200, 'x')}});
}

TEST(Classes, AreKept) {
  expect_clean(check_classes, project());
}

/// With so many functions and members.
std::string class_of(std::size_t functions, std::size_t members) {
  std::string text =
      "template <template <class> class F> class A final : public B<F> {\n public:\n";
  for (std::size_t i = 0; i < functions; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += i % 2 == 0 ? "  [[nodiscard]] int " + name + "(int a, int b = 2) const;\n"
                       : "  A& " + name + "() { return {1}; }\n";
  }
  text += " private:\n  using C = int;\n  static constexpr int c = f(1);\n  enum class D { x };\n";
  for (std::size_t i = 0; i < members; ++i) {
    const std::string name = "m" + std::to_string(i);
    text += i % 2 == 0 ? "  std::function<int(int, int)> " + name + ";  // f(\n"
                       : "  alignas(64) P<T>::x " + name + "{f(0)};\n";
  }
  return text + "};\n";
}

TEST(Classes, BeyondTheLimitAreFound) {
  expect_found(check_classes, "core/a.hpp", class_of(41, 1), "class A has 41 functions and 1 mem");
  expect_found(check_classes, "core/a.hpp", class_of(1, 21), "class A has 1 functions and 21 mem");
  expect_clean(check_classes, {{"core/a.hpp", class_of(40, 20)}});
}

TEST(Classes, WhatIsNestedCountsForItself) {
  const std::string nested = "struct Outer {\n" + class_of(30, 15) + class_of(30, 15) + "};\n";
  expect_clean(check_classes, {{"core/a.hpp", nested}});
}

TEST(Classes, TheTableOfLargeOnesFollows) {
  expect_found(check_classes, "models/checker/engine/execution.hpp",
               "class Execution {\n  int a;\n};\n", "take it from classes_beyond_the_limits");
  std::string larger = class_of(200, 50);
  larger.replace(larger.find("class A"), 7, "class Execution");
  expect_found(check_classes, "models/checker/engine/execution.hpp", larger,
               "these may become fewer, not more");
}

TEST(OrderReasons, StandAboveEachOrder) {
  expect_clean(check_order_reasons, project());
  const std::string order = "  static constexpr OrderSite look{\"a.look\", Operation::load,\n";
  expect_found(check_order_reasons, "core/a.hpp", order, "no reason above the order look");
  EXPECT_EQ(to_string(check_order_reasons({{"core/a.hpp", "  int x;  ///< of another\n" + order}})),
            "core/a.hpp:2: no reason above the order look\n");
  expect_clean(check_order_reasons, {{"core/a.hpp", "  /// Partner of set.\n" + order}});
}

TEST(InvariantIds, Resolve) {
  expect_clean(check_invariant_ids, project());
}

TEST(InvariantIds, UndefinedAndTwiceDefinedAreFound) {
  expect_found(check_invariant_ids, "core/a.hpp", "f(\"AB-I1\");", "AB-I1 is not defined");
  expect_found(check_invariant_ids, "models/a/b.hpp", "// AB-I1", "AB-I1 is not defined");
  expect_found(check_invariant_ids, "tests/core/a.cpp", "// ABC-I12", "ABC-I12 is not defined");
  const Findings twice =
      check_invariant_ids({{"core/a.hpp", "///   AB-I1: one"}, {"core/b.hpp", "///   AB-I1: two"}});
  EXPECT_EQ(to_string(twice), "core/b.hpp:1: AB-I1 is already defined in core/a.hpp\n");
  const Findings elsewhere = check_invariant_ids({{"models/a.hpp", "///   AB-I1: not in core"}});
  EXPECT_EQ(elsewhere.size(), 1U);
}

TEST(InvariantIds, DefinedOnceMayBeCitedAnywhere) {
  expect_clean(check_invariant_ids, {{"core/a.hpp", "/// Text.\n///   AB-I1: always\nf(AB-I1);"},
                                     {"tests/a.cpp", "// AB-I1"}});
  expect_clean(check_invariant_ids,
               {{"runtime/a.hpp", "///   AB-I1: always"}, {"models/a.hpp", "// AB-I1"}});
  expect_clean(check_invariant_ids, {{"runtime/judge/rule_table.cpp",
                                      "    {\"AB-I1\", Strength::always,\n     \"Always.\"},"},
                                     {"models/a.hpp", "// AB-I1"}});
}

TEST(Mirrors, AreThere) {
  expect_clean(check_mirrors, project());
}

TEST(Mirrors, AMissingOneIsFound) {
  const SourceFile source{"core/fan.hpp", ""};
  EXPECT_EQ(to_string(check_mirrors({source, {"tests/core/fans_test.cpp", ""}})),
            "core/fan.hpp:1: has no tests/core/fan_test.cpp\n");
  expect_clean(check_mirrors, {source, {"tests/core/fan_test.cpp", ""}});
  expect_clean(check_mirrors, {{"runtime/run/config.hpp", ""}});
}

TEST(Tests, AreBuilt) {
  expect_clean(check_tests_are_built, project());
}

TEST(Tests, ThatNobodyBuildsAreFound) {
  const SourceFile test{"tests/run/state_test.cpp", ""};
  const auto beside = [](const char* text) { return SourceFile{"tests/run/CMakeLists.txt", text}; };
  const std::string lost =
      "tests/run/state_test.cpp:1: is in no test program: tests/run/CMakeLists.txt\n";
  for (const char* text :
       {"pto2_test(run a_state_test.cpp)", "pto2_test(run states.cpp)",
        "# run state\npto2_test(run states.cpp)", "# state_test.cpp\npto2_test(run states.cpp)",
        "pto2_test(run other_test.cpp LIBRARIES state LABELS state)", "pto2_test(state a_test.cpp)",
        "foreach(image state core)\nadd_library(${image} images/${image}.cpp)",
        "foreach(name core)\npto2_test(state_test ${name}_test.cpp)",
        "pto2_test(run other/state_test.cpp)",
        "file(GLOB tests *_test.cpp)\nlist(REMOVE_ITEM tests state_test.cpp)"}) {
    EXPECT_EQ(to_string(check_tests_are_built({test, beside(text)})), lost) << text;
  }
  for (const char* text :
       {"pto2_test(run\n  state_test.cpp)", "pto2_test(run state_test.cpp LIBRARIES a)",
        "foreach(name core\n    state)\npto2_test(${name}_test ${name}_test.cpp)",
        "foreach(image a)\nendforeach()\nforeach(n state)\npto2_test(t_${n} ${n}_test.cpp)",
        "file(GLOB tests *_test.cpp)\nlist(REMOVE_ITEM tests a_state_test.cpp)",
        "list(REMOVE_ITEM tests state_test.cpp)\npto2_test(run state_test.cpp)"}) {
    expect_clean(check_tests_are_built, {test, beside(text)});
  }
  expect_clean(check_tests_are_built,
               {test, {"tests/CMakeLists.txt", "pto2_test(a run/state_test.cpp)"}});
  // A glob does not look into folders.
  EXPECT_EQ(to_string(check_tests_are_built(
                {test, {"tests/CMakeLists.txt", "file(GLOB tests *_test.cpp)"}})),
            "tests/run/state_test.cpp:1: is in no test program: tests/CMakeLists.txt\n");
}

TEST(Asserts, StayInEveryBuild) {
  expect_clean(check_asserts, project());
}

TEST(Asserts, ThatReleaseBuildsDropAreFound) {
  expect_found(check_asserts, "core/a.hpp", "void f() { assert(x); }", "use PTO2_INVARIANT");
  expect_found(check_asserts, "runtime/a/a.cpp", "#include <cassert>", "use PTO2_INVARIANT");
  expect_clean(check_asserts, {{"core/a.hpp", "static_assert(true);"}});
}

TEST(Stderr, IsPrintedToWithoutExceptions) {
  expect_clean(check_stderr, project());
}

TEST(Stderr, PrintsThatThrowAreFound) {
  for (const std::string text : {"fmt::print(stderr, \"a\");", "fmt::print(\n  stderr, \"a\");"}) {
    expect_found(check_stderr, "runtime/a/a.cpp", text, "use print_to_stderr()");
  }
  expect_clean(check_stderr, {{"runtime/a.cpp", "// fmt::print(stderr, x)\nfmt::print(\"{}\", 1);"},
                              {"tests/a.cpp", "fmt::print(stderr, \"a\");"}});
}

TEST(LooseEnds, AreNone) {
  expect_clean(check_loose_ends, project());
}

TEST(LooseEnds, AreFound) {
  for (const std::string text : {"// TODO: later", "// FIXME", "f();  // NOLINT(x)",
                                 "// NOLINTNEXTLINE", "TEST(A, DISABLED_B) {}"}) {
    expect_found(check_loose_ends, "tests/a_test.cpp", text, "finish it");
  }
  expect_found(check_loose_ends, "CMakeLists.txt", "# TODO", "finish it");
}

TEST(Suppressions, AreNone) {
  expect_clean(check_suppressions, project());
}

TEST(Suppressions, AreFound) {
  expect_found(check_suppressions, "sanitizers/tsan.supp", "race:f", "a suppression");
  expect_clean(check_suppressions, {{"sanitizers/tsan.supp", "# comment\n\n"}});
}

}  // namespace
}  // namespace pto2::tidy
