#include <gtest/gtest.h>

#include "runtime/workloads/vector_example/vector_example_case.hpp"
#include "tests/runtime/workloads/run_case.hpp"

namespace pto2::workloads {
namespace {

const float* result_of(const CaseData& data) {
  return reinterpret_cast<const float*>(data.arguments()[2].value);
}

TEST(VectorExample, two_and_three_give_forty_seven) {
  const auto data = vector_example().make_case("Case1");
  EXPECT_EQ(data->expected_tasks(), 5u);
  EXPECT_EQ(data->expected_edges(), 6u);
  expect_correct("vector_example", *data);
  EXPECT_EQ(result_of(*data)[0], 47.0f);
  EXPECT_EQ(result_of(*data)[128 * 128 - 1], 47.0f);
}

TEST(VectorExample, random_inputs) {
  expect_correct("vector_example", *vector_example().make_case("CaseRandom"));
}

TEST(VectorExample, a_wrong_element_fails) {
  const auto data = vector_example().make_case("Case1");
  expect_correct("vector_example", *data);
  const_cast<float*>(result_of(*data))[100] += 0.25f;
  const Verification result = data->verify();
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.mismatches, 1u);
  EXPECT_NE(result.detail.find("element 100 is 47.25"), std::string::npos) << result.detail;
}

TEST(VectorExample, refuses_options_and_cases_it_does_not_have) {
  CaseOptions options;
  options.values["seq-lens"] = std::vector<int64_t>{3};
  EXPECT_THROW(vector_example().make_case("Case1", options), OptionError);
  EXPECT_THROW(vector_example().make_case("Case9"), std::invalid_argument);
}

}  // namespace
}  // namespace pto2::workloads
