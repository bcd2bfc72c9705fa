#include "runtime/loader/orchestration_library.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/loader/test_images.hpp"

namespace pto2 {
namespace {

using test::image_path;
using test::load_error;

TEST(OrchestrationLibrary, each_image_is_bound_to_its_own_runtime) {
  const auto one = OrchestrationLibrary::from_file(image_path("orchestration"));
  const auto two = OrchestrationLibrary::from_file(image_path("orchestration"));
  PTO2Runtime first{nullptr};
  PTO2Runtime second{nullptr};
  one.bind(&first);
  two.bind(&second);
  uint64_t bound[2] = {};
  EXPECT_EQ(one.config(bound, 6).expected_arg_count, 7);
  one.entry(&first, &bound[0], 1);
  two.entry(&second, &bound[1], 1);
  EXPECT_EQ(bound[0], reinterpret_cast<uint64_t>(&first));
  EXPECT_EQ(bound[1], reinterpret_cast<uint64_t>(&second));
}

TEST(OrchestrationLibrary, refuses_versions_of_the_interface_that_it_does_not_know) {
  for (const auto& [name, version] : {std::pair("version_0", "0"), {"later_version", "4"}}) {
    const auto library = OrchestrationLibrary::from_file(image_path(name));
    const std::string message = load_error([&] { library.bind(nullptr); });
    const std::string problem =
        std::string("version ") + version + " of the orchestration interface, not for 1 to 3";
    EXPECT_NE(message.find(problem), std::string::npos) << message;
  }
}

/// What a library has that an image needs is not the image's.
TEST(OrchestrationLibrary, takes_no_function_of_a_library) {
  EXPECT_NE(load_error([] {
              OrchestrationLibrary::from_file(image_path("orchestration"), "getpid");
            }).find("does not export getpid"),
            std::string::npos);
}

TEST(OrchestrationLibrary, names_the_function_that_is_missing) {
  EXPECT_NE(load_error([] { OrchestrationLibrary::from_file(image_path("kernel_one")); })
                .find("does not export pto2_bind_runtime; an orchestration has it from "
                      "pto_orchestration_api.h"),
            std::string::npos);
  EXPECT_NE(load_error([] {
              OrchestrationLibrary::from_file(image_path("orchestration"), "other_entry");
            }).find("does not export other_entry"),
            std::string::npos);
}

}  // namespace
}  // namespace pto2
