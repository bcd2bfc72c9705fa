#include "runtime/workloads/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "runtime/workloads/checked_size.hpp"
#include "runtime/workloads/digest.hpp"
#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {
namespace {

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Workload, names_are_found_and_unique) {
  std::set<std::string> names;
  for (const Workload* workload : all_workloads()) {
    EXPECT_EQ(&find_workload(workload->name()), workload);
    EXPECT_TRUE(names.insert(workload->name()).second);
    std::set<std::string> cases;
    for (const CaseInfo& info : workload->cases()) cases.insert(info.name);
    EXPECT_EQ(cases.size(), workload->cases().size());
    for (const CaseInfo& info : workload->cases()) {
      EXPECT_EQ(!info.fault.empty(), cases.contains(info.twin)) << info.name;
    }
  }
  EXPECT_EQ(names.size(), 9u);
}

TEST(Workload, unknown_names_are_answered_with_the_known_ones) {
  EXPECT_EQ(refusal([] { find_workload("attention"); }),
            "no workload is called 'attention'; there are alternating, bgemm, block_incore, "
            "clusters, deadlock, matmul, paged_attention, paged_attention_seq, vector_example");
  const std::string message =
      refusal([] { find_workload("paged_attention_seq").make_case("Case7"); });
  EXPECT_NE(message.find("no case 'Case7'; there are Case1, Case2, ProdCase1"), std::string::npos);
}

/// The reference would be computed from what no task was given, or from no valid input at all.
TEST(Workload, an_input_that_was_changed_fails) {
  for (const Workload* workload : all_workloads()) {
    const auto data = workload->make_case(workload->cases().front().name);
    for (const Argument& argument : data->arguments()) {
      if (argument.kind != ArgumentKind::input) continue;
      const std::span memory(reinterpret_cast<std::byte*>(argument.value), argument.bytes);
      const std::vector<std::byte> before(memory.begin(), memory.end());
      std::ranges::fill(memory, std::byte{0x7f});
      const Verification result = data->verify();
      EXPECT_FALSE(result.pass);
      EXPECT_EQ(result.detail, "input " + argument.name + " was changed; tasks may only read it")
          << workload->name();
      std::ranges::copy(before, memory.begin());
    }
    const Verification unrun = data->verify();
    EXPECT_GT(unrun.mismatches, 0u) << workload->name() << ": " << unrun.detail;
  }
}

TEST(Digest, tells_each_bit) {
  for (size_t length = 0; length < 100; ++length) {
    std::vector<std::byte> bytes(length);
    std::set<uint64_t> seen = {digest(bytes)};
    for (std::byte& byte : bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        byte ^= std::byte{1} << bit;
        EXPECT_TRUE(seen.insert(digest(bytes)).second) << length << " bytes, bit " << bit;
        byte ^= std::byte{1} << bit;
      }
    }
  }
}

TEST(Digest, tells_words_that_change_places) {
  std::vector<uint64_t> words(12);
  for (size_t i = 0; i < words.size(); ++i) words[i] = i;
  const uint64_t before = digest(std::as_bytes(std::span(words)));
  for (size_t i = 1; i < words.size(); ++i) {
    std::swap(words[0], words[i]);
    EXPECT_NE(digest(std::as_bytes(std::span(words))), before) << i;
    std::swap(words[0], words[i]);
  }
}

TEST(Options, are_parsed_by_their_kind) {
  EXPECT_EQ(parse_option(OptionKind::lengths, "8193,4096,1"),
            OptionValue(std::vector<int64_t>{8193, 4096, 1}));
  EXPECT_EQ(parse_option(OptionKind::real, "-2.5e-1"), OptionValue(-0.25f));
  for (const char* text :
       {"", ",", "1,", ",1", "1 2", "0", "-3", "1;2", "x", "1,2x", "99999999999999999999"}) {
    EXPECT_FALSE(parse_option(OptionKind::lengths, text)) << text;
  }
  for (const char* text : {"", "inf", "nan", "1e99", "1,2", "0.5x", " 1", "x"}) {
    EXPECT_FALSE(parse_option(OptionKind::real, text)) << text;
  }
}

TEST(Options, have_the_type_of_their_kind) {
  for (const auto& [kind, text] :
       {std::pair(OptionKind::real, "1"), std::pair(OptionKind::lengths, "1")}) {
    EXPECT_EQ(parse_option(kind, text)->index(), static_cast<size_t>(kind)) << kind_name(kind);
  }
}

/// The command line has one flag for all options of a name.
TEST(Options, of_one_name_are_of_one_kind) {
  std::set<std::string> names;
  for (const OptionSpec* option : all_options()) {
    EXPECT_TRUE(names.insert(option->name).second) << option->name;
    for (const Workload* workload : all_workloads()) {
      const OptionSpec* const own = workload->find_option(option->name);
      if (own != nullptr) {
        EXPECT_EQ(own->kind, option->kind) << workload->name();
      }
    }
  }
  size_t owned = 0;
  for (const Workload* workload : all_workloads()) {
    for (const OptionSpec& option : workload->options()) {
      EXPECT_TRUE(names.contains(option.name));
      EXPECT_EQ(workload->find_option(option.name), &option);
      ++owned;
    }
  }
  EXPECT_GT(owned, names.size()) << "both forms of paged attention have the same ones";
}

TEST(Options, that_a_workload_lacks_are_refused_with_those_that_have_them) {
  CaseOptions options;
  options.values["scale"] = 2.0f;
  EXPECT_EQ(refusal([&] { find_workload("vector_example").make_case("Case1", options); }),
            "workload vector_example has no option scale; it is one of paged_attention, "
            "paged_attention_seq");
  EXPECT_STREQ(missing_option(nullptr, "scale").what(),
               "a run without a workload has no option scale; it is one of paged_attention, "
               "paged_attention_seq");
  options.values = {{"colour", 2.0f}};
  EXPECT_EQ(refusal([&] { find_workload("paged_attention").make_case("Case1", options); }),
            "workload paged_attention has no option colour");
}

TEST(Options, of_another_kind_are_refused) {
  CaseOptions options;
  options.values["seq-lens"] = 2.0f;
  EXPECT_EQ(refusal([&] { find_workload("paged_attention").make_case("Case1", options); }),
            "option seq-lens must be positive numbers separated by commas, e.g. 33,17");
}

TEST(Workload, compare_is_allclose) {
  const std::vector<double> reference = {0, 100, -100};
  const auto passes = [&](float a, float b, float c) {
    return compare(std::vector<float>{a, b, c}, reference, 0.01).pass;
  };
  EXPECT_TRUE(passes(0.0099f, 101.0f, -101.0f));
  EXPECT_FALSE(passes(0.0101f, 100, -100));
  EXPECT_FALSE(passes(0, 101.02f, -100));
  EXPECT_FALSE(passes(0, 100, -98.9f));
  EXPECT_FALSE(passes(0, std::numeric_limits<float>::infinity(), -100));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Verification result = compare(std::vector<float>{0, nan, -100.5f}, reference, 0.01);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.mismatches, 1u);
  EXPECT_TRUE(std::isinf(result.max_abs_error));
}

TEST(Workload, what_is_infinite_equals_itself_alone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto passes = [](float a, double b) {
    return compare(std::vector<float>{a}, std::vector<double>{b}, 0.01).pass;
  };
  EXPECT_TRUE(passes(infinity, infinity));
  EXPECT_TRUE(passes(-infinity, -infinity));
  EXPECT_FALSE(passes(0, infinity));
  EXPECT_FALSE(passes(-infinity, infinity));
  EXPECT_FALSE(passes(std::numeric_limits<float>::max(), infinity));
  EXPECT_FALSE(passes(infinity, 1));
}

TEST(Workload, images_are_looked_for_where_the_variable_says) {
  const char* before = std::getenv("PTO2_WORKLOADS");
  const std::string saved = before == nullptr ? "" : before;
  // The name of the other one is longer than the system looks for.
  for (const std::string& folder : {std::string("/nowhere"), "/" + std::string(300, 'x')}) {
    ::setenv("PTO2_WORKLOADS", folder.c_str(), 1);
    const std::string message = refusal([] { find_workload_images("vector_example"); });
    EXPECT_NE(message.find(folder + "/vector_example; let PTO2_WORKLOADS"), std::string::npos)
        << message;
  }
  before == nullptr ? ::unsetenv("PTO2_WORKLOADS") : ::setenv("PTO2_WORKLOADS", saved.c_str(), 1);
  EXPECT_TRUE(find_workload_images("vector_example").kernels.ends_with("vector_example/kernels"));
}

TEST(CheckedProduct, notices_overflow) {
  EXPECT_EQ(checked_product({3, 5, 7}, "x"), 105u);
  EXPECT_EQ(checked_product({uint64_t{1} << 32, (uint64_t{1} << 32) - 1}, "x"),
            0xffffffff00000000u);
  EXPECT_THROW(checked_product({uint64_t{1} << 32, uint64_t{1} << 32}, "x"), std::overflow_error);
}

TEST(RandomFill, splitmix64_matches_its_published_sequence) {
  // The first outputs for seed 1234567 in common use as test vectors of SplitMix64.
  EXPECT_EQ(splitmix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(splitmix64(1234567, 1), 3203168211198807973u);
}

TEST(RandomFill, stays_in_range_and_fills_it) {
  std::vector<float> floats(10001);
  fill_uniform_float(floats, -2, 3, 1);
  std::vector<int32_t> indices(10001);
  fill_uniform_index(indices, 7, 1);
  double sum = 0;
  std::set<int32_t> seen(indices.begin(), indices.end());
  for (const float f : floats) {
    ASSERT_TRUE(f >= -2 && f <= 3);
    sum += f;
  }
  EXPECT_NEAR(sum / 10001, 0.5, 0.06);
  EXPECT_EQ(seen, (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(RandomFill, a_length_that_is_no_multiple_of_four_is_filled_alike) {
  std::vector<uint16_t> longer(16);
  fill_uniform_half(longer, HalfFormat::bfloat16, -1, 1, 9);
  for (size_t length = 0; length < 16; ++length) {
    std::vector<uint16_t> values(length);
    fill_uniform_half(values, HalfFormat::bfloat16, -1, 1, 9);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), longer.begin()));
  }
}

}  // namespace
}  // namespace pto2::workloads
