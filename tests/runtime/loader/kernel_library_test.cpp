#include "runtime/loader/kernel_library.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/loader/test_images.hpp"

namespace pto2 {
namespace {

using test::image;
using test::load_error;

int64_t answer(const Kernel& kernel) {
  int64_t value = 0;
  kernel.entry(&value);
  return value;
}

TEST(KernelLibrary, finds_kernels_by_their_id) {
  const test::TemporaryFolder folder;
  folder.add("0_first.so", image("kernel_one"));
  folder.add("12_second_kernel.so", image("kernel_two"));
  folder.add("README.md", image("kernel_one"));
  const KernelLibrary library = KernelLibrary::from_folder(folder.path());
  EXPECT_EQ(library.size(), 2u);
  EXPECT_EQ(library.id_limit(), 13);
  ASSERT_NE(library.find(0), nullptr);
  ASSERT_NE(library.find(12), nullptr);
  EXPECT_EQ(library.find(0)->name, "first");
  EXPECT_EQ(library.find(12)->name, "second_kernel");
  EXPECT_EQ(answer(*library.find(0)), 1);
  EXPECT_EQ(answer(*library.find(12)), 2);
  for (const int32_t id : {-1, 1, 11, 13, max_kernel_count}) EXPECT_EQ(library.find(id), nullptr);
}

TEST(KernelLibrary, names_kernels_for_messages) {
  KernelLibrary library;
  library.add(3, "sum", image("kernel_one"));
  library.add(4, "product", image("kernel_two"));
  EXPECT_EQ(kernel_text(3, library.find(3)->entry), "kernel 3 (sum)");
  EXPECT_EQ(kernel_text(4, library.find(4)->entry), "kernel 4 (product)");
  EXPECT_EQ(kernel_text(5, nullptr), "kernel 5");
  EXPECT_EQ(kernel_text(5, [](int64_t*) {}), "kernel 5");
}

TEST(KernelLibrary, refuses_malformed_names) {
  for (const std::string name : {"qk.so", "_qk.so", "0_.so", "x0_qk.so", "0x_qk.so", "-1_qk.so",
                                 "-0_qk.so", "99999999999_qk.so", "0qk.so", " 0_qk.so"}) {
    const test::TemporaryFolder folder;
    folder.add(name, image("kernel_one"));
    const std::string message = load_error([&] { KernelLibrary::from_folder(folder.path()); });
    EXPECT_NE(message.find("is not named FUNCID_NAME.so"), std::string::npos) << message;
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

TEST(KernelLibrary, refuses_an_id_given_twice_or_out_of_range) {
  const test::TemporaryFolder folder;
  folder.add("3_a.so", image("kernel_one"));
  folder.add("03_b.so", image("kernel_two"));
  const std::string twice = load_error([&] { KernelLibrary::from_folder(folder.path()); });
  EXPECT_NE(twice.find("has kernel id 3, as has b"), std::string::npos) << twice;
  KernelLibrary library;
  library.add(max_kernel_count - 1, "last", image("kernel_one"));
  EXPECT_NE(load_error([&] {
              library.add(max_kernel_count, "past", image("kernel_one"));
            }).find("use ids from 0 to 4095"),
            std::string::npos);
  EXPECT_EQ(library.size(), 1u);
}

TEST(KernelLibrary, refuses_folders_without_kernels) {
  const test::TemporaryFolder folder;
  EXPECT_NE(load_error([&] { KernelLibrary::from_folder(folder.path()); }).find("holds no kernel"),
            std::string::npos);
  EXPECT_NE(load_error([&] {
              KernelLibrary::from_folder(folder.path() + "/none");
            }).find("cannot be listed"),
            std::string::npos);
}

TEST(KernelLibrary, refuses_a_kernel_without_its_entry) {
  const test::TemporaryFolder folder;
  const std::string path = folder.add("0_none.so", image("no_symbols"));
  const std::string message = load_error([&] { KernelLibrary::from_folder(folder.path()); });
  EXPECT_TRUE(message.starts_with(path + ": does not export kernel_entry")) << message;
}

}  // namespace
}  // namespace pto2
