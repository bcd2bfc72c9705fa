/// The machine fails while images are loaded: each failure is told, and the next image is itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <new>

#include "runtime/loader/file_descriptor.hpp"
#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/loader/shared_object.hpp"
#include "tests/faults/machine_faults.hpp"

namespace pto2::test {
namespace {

namespace fs = std::filesystem;

int64_t answer_of(const char* path) {
  int64_t value = 0;
  SharedObject::from_file(path).function<void(int64_t*)>("kernel_entry")(&value);
  return value;
}

/// What keeps descriptors of one digit, whose names are short enough to need no memory, from files
/// that are opened meanwhile.
class OneDigitTaken {
 public:
  OneDigitTaken() {
    for (FileDescriptor& file : files_) file = FileDescriptor(::dup(STDERR_FILENO));
  }

 private:
  std::array<FileDescriptor, 10> files_;
};

/// An image that nobody unloads would be taken for the next one, whose copy has the same name to
/// the dynamic loader.
TEST(LoadingFaults, AnImageThatLackedMemoryIsNotMistakenForTheNext) {
  const OneDigitTaken taken;
  ASSERT_EQ(answer_of(KERNEL_ONE), 1);
  uint64_t failed = 0;
  for (bool lacked = true; lacked; failed += lacked ? 1 : 0) {
    try {
      const FailingMachine machine({Operation::allocation, failed + 1, false});
      static_cast<void>(SharedObject::from_file(KERNEL_ONE));
      lacked = false;
    } catch (const std::bad_alloc&) {
    }
    ASSERT_EQ(answer_of(KERNEL_TWO), 2) << "after allocation " << failed + 1;
  }
  EXPECT_GT(failed, 3U);
}

/// Else kernels would be missing, and the folder would seem to be all there is.
TEST(LoadingFaults, AFolderThatIsNotListedToItsEndIsAnError) {
  const fs::path folder = fs::path(testing::TempDir()) / "pto2_listed_in_part";
  fs::create_directories(folder);
  fs::copy_file(KERNEL_ONE, folder / "0_one.so", fs::copy_options::overwrite_existing);
  fs::copy_file(KERNEL_TWO, folder / "1_two.so", fs::copy_options::overwrite_existing);
  uint64_t errors = 0;
  for (bool failed = true; failed; errors += failed ? 1 : 0) {
    const FailingMachine machine({Operation::file, errors + 1, false});
    try {
      const KernelLibrary library = KernelLibrary::from_folder(folder);
      failed = false;
      EXPECT_NE(library.find(0), nullptr);
      EXPECT_NE(library.find(1), nullptr);
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(folder.string()));
    }
  }
  EXPECT_GT(errors, 3U) << "two files, the entries of the folder and its end";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace pto2::test
