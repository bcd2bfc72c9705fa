// The uses of memory orders in the text of headers, against those that were met.
#include "models/pto2_check/source_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace pto2::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

/// What a call throws.
std::string complaint(const std::vector<std::string>& in_source,
                      const std::vector<std::string>& met) {
  try {
    expect_same_uses(in_source, met);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(SourceUses, AreFoundByFileAndLine) {
  const fs::path folder =
      fs::temp_directory_path() / ("pto2-uses-" + std::to_string(getpid())) / "core";
  fs::create_directories(folder);
  std::ofstream(folder / "x.hpp") << "/// P::order(Orders::told) is told of.\n"
                                     "x.store(1, P::order(Orders::set));\n"
                                     "{ P::order(site) } -> same;\n"
                                     "x.cas(P::order(A::hold), P::order(A::look));\n";
  std::ofstream(folder / "notes.txt") << "P::order(Orders::set)\n";
  EXPECT_THAT(uses_in_source(folder), ElementsAre("core/x.hpp:2", "core/x.hpp:4", "core/x.hpp:4"));
  fs::remove_all(folder.parent_path());
}

TEST(SourceUses, ThatAreMetAreThoseOfEntriesThatTakeSeconds) {
  constexpr OrderSite site{"toy.site", Operation::load, std::memory_order_acquire};
  const auto here = std::source_location::current();
  const Entry quick{"toy/quick", {}, {1}, {}};
  const Entry deep{"toy/deep", {}, {1, Effort::many}, {}};
  const std::string place = place_text(here);
  const auto met_by = [&](std::vector<const Entry*> entries) {
    return uses_met({{&site, {here}, true, place, std::move(entries)}});
  };
  EXPECT_THAT(met_by({&quick, &deep}), ElementsAre(place));
  EXPECT_THAT(met_by({&deep}), ElementsAre());
  const WeakPoint together{&site, {here, here}, true, "everywhere", {&quick}};
  const WeakPoint alone{&site, {here}, false, place, {&quick}};
  EXPECT_THAT(uses_met({together, alone, alone}), ElementsAre(place, place));
}

TEST(SourceUses, ThatDifferAreNamed) {
  EXPECT_EQ(complaint({"core/x.hpp:2", "core/x.hpp:2"}, {"core/x.hpp:2", "core/x.hpp:2"}), "");
  EXPECT_THAT(complaint({"core/x.hpp:2", "core/x.hpp:2"}, {"core/x.hpp:2"}),
              HasSubstr("core/x.hpp:2 asks for a memory order that no scenario"));
  EXPECT_THAT(complaint({"core/x.hpp:2"}, {"core/x.hpp:2", "core/y.hpp:7"}),
              HasSubstr("core/y.hpp:7 asks for a memory order, but not"));
}

}  // namespace
}  // namespace pto2::scenarios
