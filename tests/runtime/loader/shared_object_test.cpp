#include "runtime/loader/shared_object.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cfenv>
#include <limits>
#include <optional>

#include "tests/runtime/loader/test_images.hpp"

namespace pto2 {
namespace {

using test::image;
using test::image_path;
using test::load_error;

int64_t answer(const SharedObject& object) {
  int64_t value = 0;
  object.function<void(int64_t*)>("kernel_entry")(&value);
  return value;
}

TEST(SharedObject, calls_what_it_loaded) {
  const SharedObject one = SharedObject::from_file(image_path("kernel_one"));
  const SharedObject two = SharedObject::from_bytes(image("kernel_two"), "two");
  EXPECT_EQ(answer(one), 1);
  EXPECT_EQ(answer(two), 2);
  EXPECT_EQ(two.path(), "two");
}

TEST(SharedObject, moves) {
  SharedObject object = SharedObject::from_file(image_path("kernel_one"));
  SharedObject moved = std::move(object);
  EXPECT_EQ(answer(moved), 1);
  moved = SharedObject::from_file(image_path("kernel_two"));
  EXPECT_EQ(answer(moved), 2);
}

/// The dynamic loader knows the copy alone.
TEST(SharedObject, is_known_by_its_path_while_it_is_loaded) {
  SharedObject one = SharedObject::from_file(image_path("kernel_one"));
  const SharedObject two = SharedObject::from_bytes(image("kernel_two"), "two");
  const void* const begin_of_one = image_of(one.symbol("kernel_entry"));
  const void* const begin_of_two = image_of(two.symbol("kernel_entry"));
  std::optional<SharedObject> moved = std::move(one);
  EXPECT_EQ(ImageName::path_of(begin_of_one), image_path("kernel_one"));
  EXPECT_EQ(ImageName::path_of(begin_of_two), "two");
  moved.reset();
  EXPECT_EQ(ImageName::path_of(begin_of_one), "");
  EXPECT_EQ(ImageName::path_of(begin_of_two), "two");
  EXPECT_EQ(ImageName::path_of(nullptr), "");
  EXPECT_EQ(ImageName::path_of(image_of(reinterpret_cast<const void*>(&answer))), "");
}

TEST(SharedObject, an_image_that_stays_resident_is_not_mistaken_for_the_next) {
  std::optional<SharedObject> resident = SharedObject::from_file(image_path("resident"));
  EXPECT_EQ(answer(*resident), 4);
  resident.reset();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(answer(SharedObject::from_file(image_path("kernel_one"))), 1);
  }
}

/// Less than the smallest normal number.
float subnormal() {
  volatile float number = std::numeric_limits<float>::min();
  number = number / 16;
  return number;
}

TEST(SharedObject, the_floating_point_environment_stays_as_it_was) {
  std::optional<SharedObject> image = SharedObject::from_file(image_path("flushing"));
  EXPECT_EQ(answer(*image), 5);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "after its start";
  EXPECT_GT(subnormal(), 0);
  image.reset();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "after its end";
  EXPECT_GT(subnormal(), 0);
}

TEST(SharedObject, the_file_may_change_once_it_is_loaded) {
  const test::TemporaryFolder folder;
  const std::string path = folder.add("kernel.so", image("kernel_one"));
  const SharedObject object = SharedObject::from_file(path);
  folder.add("kernel.so", std::vector<std::byte>(16));
  EXPECT_EQ(answer(object), 1);
}

TEST(SharedObject, says_which_symbol_is_missing) {
  const SharedObject object = SharedObject::from_file(image_path("no_symbols"));
  EXPECT_NE(load_error([&] { object.symbol("kernel_entry"); }).find("does not export kernel_entry"),
            std::string::npos);
}

TEST(SharedObject, calls_functions_alone) {
  const SharedObject variable = SharedObject::from_file(image_path("variable"));
  EXPECT_NE(
      load_error([&] { variable.symbol("kernel_entry"); }).find("does not export kernel_entry"),
      std::string::npos);
  EXPECT_EQ(answer(SharedObject::from_file(image_path("indirect"))), 6);
  EXPECT_EQ(answer(SharedObject::from_file(image_path("untyped"))), 8);
}

TEST(SharedObject, says_which_symbol_is_undefined) {
  const std::string message =
      load_error([] { SharedObject::from_file(image_path("undefined_symbol")); });
  EXPECT_NE(message.find("defined_nowhere"), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with(image_path("undefined_symbol") + ": ")) << message;
  EXPECT_EQ(message.find("/proc/self/fd"), std::string::npos) << message;
}

/// What is loaded is a copy, which has no libraries beside it.
TEST(SharedObject, says_where_libraries_beside_an_image_are_not_found) {
  const auto hint = [](const char* name) {
    return load_error([&] { SharedObject::from_file(image_path(name)); });
  };
  EXPECT_NE(hint("beside_others_new").find("$ORIGIN"), std::string::npos);
  EXPECT_NE(hint("beside_others_old").find("$ORIGIN"), std::string::npos);
  EXPECT_EQ(hint("beside_nobody").find("$ORIGIN"), std::string::npos);
  EXPECT_EQ(hint("beside_lacks_symbol").find("$ORIGIN"), std::string::npos);
}

TEST(SharedObject, refuses_what_is_no_regular_file) {
  const test::TemporaryFolder folder;
  const auto refusal = [](const std::string& path) {
    return load_error([&] { SharedObject::from_file(path); });
  };
  EXPECT_NE(refusal(folder.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal(folder.path() + "/none.so").find("No such file"), std::string::npos);
  EXPECT_NE(refusal(folder.add("empty.so", {})).find("is empty"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("is not a regular file"), std::string::npos);
  const std::string pipe = folder.path() + "/pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe).find("is not a regular file"), std::string::npos);
  const std::string huge = folder.add("huge.so", {});
  std::filesystem::resize_file(huge, max_image_bytes + 1);
  EXPECT_NE(refusal(huge).find("more than 1 GiB"), std::string::npos);
}

TEST(SharedObject, loads_a_whole_file_and_no_cut_one) {
  const auto whole = image("kernel_one");
  for (size_t length = 0; length < whole.size(); length += length < 1024 ? 1 : 17) {
    EXPECT_THROW(SharedObject::from_bytes(std::span(whole).first(length), "cut.so"), LoadError)
        << length;
  }
  EXPECT_EQ(answer(SharedObject::from_bytes(whole, "whole.so")), 1);
}

}  // namespace
}  // namespace pto2
