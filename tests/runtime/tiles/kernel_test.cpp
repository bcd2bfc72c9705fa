/// Kernels with tile instructions as users build them: what the runtime hands to them they
/// understand, and those that are wrong say so.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "runtime/chip/task_arguments.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The arguments of a task, as the runtime lays them out.
class Call {
 public:
  Call() {
    arguments_.call() = {.run = nullptr, .pipes = 0, .kernel = 0, .params = 0, .misuse = 0};
  }
  Call& scalar(int64_t value) {
    arguments_.values()[arguments_.call().params++] = value;
    return *this;
  }
  Call& tensor(float* data, uint32_t rows, uint32_t cols, uint32_t stride) {
    PTOTensor& tensor = arguments_.tensor(arguments_.call().params);
    tensor = {reinterpret_cast<uint64_t>(data),
              {rows, cols, 1, 1, 1},
              {stride, 1, 0, 0, 0},
              DataType::FLOAT32,
              2};
    return scalar(reinterpret_cast<int64_t>(&tensor));
  }
  /// Several matrices, one behind the other.
  Call& matrices(float* data, uint32_t count, uint32_t rows, uint32_t cols) {
    PTOTensor& tensor = arguments_.tensor(arguments_.call().params);
    tensor = {reinterpret_cast<uint64_t>(data),
              {count, rows, cols, 1, 1},
              {rows * cols, cols, 1, 0, 0},
              DataType::FLOAT32,
              3};
    return scalar(reinterpret_cast<int64_t>(&tensor));
  }
  int64_t* values() { return arguments_.values(); }
  /// The same for a part of a block task.
  int64_t* values_of_part(int64_t part, int64_t parts) {
    PTOCall& call = arguments_.call();
    part_.task = &call;
    part_.call = call;
    part_.call.params |= pto_part;
    std::copy_n(arguments_.values(), call.params, part_.args.begin());
    part_.args[call.params] = parts;
    part_.args[call.params + 1] = part;
    return part_.for_kernel();
  }

 private:
  alignas(64) std::array<std::byte, 1024> memory_{};
  TaskArguments arguments_{memory_.data() + 512};
  PartArguments part_{};
};

/// A kernel of the folder TEST_IMAGES.
class Kernel {
 public:
  explicit Kernel(const std::string& name)
      : image_(dlopen((std::string(TEST_IMAGES) + "/" + name + ".so").c_str(), RTLD_NOW)) {
    if (image_ == nullptr) throw std::runtime_error(dlerror());
    entry_ = reinterpret_cast<void (*)(int64_t*)>(dlsym(image_, "kernel_entry"));
  }
  /// Where it was loaded.
  [[nodiscard]] float* base() const {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(entry_), &info);
    return static_cast<float*>(info.dli_fbase);
  }
  /// What its exception says; empty if there is none.
  std::string run(Call& call) const { return run(call.values()); }
  std::string run(int64_t* args) const {
    try {
      entry_(args);
    } catch (const std::exception& exception) {
      return exception.what();
    }
    return "";
  }

 private:
  void* image_;
  void (*entry_)(int64_t*);
};

/// With each level of checks.
class Softmax : public testing::TestWithParam<const char*> {};

TEST_P(Softmax, IsComputed) {
  constexpr uint32_t rows = 16, cols = 64, valid = 50;
  const float scale = 0.25F;
  std::vector<float> in(rows * cols), out(rows * cols);
  for (std::size_t k = 0; k < in.size(); ++k)
    in[k] = k % cols < valid ? static_cast<float>(k * 7919 % 97) / 8 : NAN;
  Call call;
  call.tensor(in.data(), rows, valid, cols).scalar(std::bit_cast<int32_t>(scale));
  call.tensor(out.data(), rows, cols, cols);
  EXPECT_EQ(Kernel(GetParam()).run(call), "");
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < valid; ++j) sum += std::exp(double{scale} * in[row * cols + j]);
    for (std::size_t j = 0; j < cols; ++j) {
      const double value = std::exp(double{scale} * in[row * cols + j]) / sum;
      EXPECT_NEAR(out[row * cols + j], j < valid ? value : 0, 1e-7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TileKernel, Softmax, testing::Values("softmax", "softmax_all"));

/// Parts know which they are, and where their tensors end.
TEST(TileKernel, RunsInParts) {
  std::vector<float> data(16 * 16, 1);
  Call call;
  call.tensor(data.data(), 16, 16, 16).scalar(std::bit_cast<int32_t>(3.0F));
  const Kernel kernel("block_scale");
  EXPECT_EQ(kernel.run(call.values_of_part(1, 2)), "");
  EXPECT_EQ(data[127], 1);
  EXPECT_EQ(data[128], 3);
  EXPECT_EQ(kernel.run(call), "");
  EXPECT_EQ(data[0], 3);
  EXPECT_EQ(data[128], 3);
  Call smaller;
  smaller.tensor(data.data(), 12, 16, 16).scalar(0);
  EXPECT_THAT(kernel.run(smaller.values_of_part(1, 2)),
              HasSubstr("src reaches 256 bytes beyond the tensor of argument 0"));
  EXPECT_THAT(kernel.run(call.values_of_part(2, 3)),
              HasSubstr("src begins 0 bytes behind the tensor of argument 0, which has 1024"));
  EXPECT_THAT(kernel.run(call.values_of_part(-1, 3)),
              HasSubstr("src begins 512 bytes before the tensor of argument 0"));
  // That may be the memory which the scalar is the address of.
  data.resize(data.size() + 128, 1);
  Call other;
  other.tensor(data.data(), 16, 16, 16).scalar(reinterpret_cast<int64_t>(&data[256]));
  EXPECT_EQ(kernel.run(other.values_of_part(2, 3)), "");
}

/// Images lie where the caller's memory does, and so does what is static in them.
TEST(TileKernel, HasItsOwnDataBesideATensor) {
  const Kernel kernel("own_data");
  constexpr uint32_t row = 1U << 20;
  std::vector<float> out(8 * 16);
  Call call;
  call.tensor(kernel.base() - 2 * row, 2, row, row).tensor(out.data(), 8, 16, 16);
  EXPECT_EQ(kernel.run(call), "");
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[127], 128);
}

/// Also beside one that is static data itself, of another image: the loader stands for it, above
/// which nothing is loaded.
TEST(TileKernel, HasItsOwnDataBesideThatOfAnotherImage) {
  const Kernel kernel("own_data");
  auto* const other = reinterpret_cast<float*>(getauxval(AT_BASE));
  if (other < kernel.base()) GTEST_SKIP() << "here memory is given from the lowest address on";
  const auto distance = static_cast<uint32_t>(other - kernel.base());
  std::vector<float> out(8 * 16);
  Call call;
  call.tensor(other, 2, distance, distance).tensor(out.data(), 8, 16, 16);
  EXPECT_EQ(kernel.run(call), "");
  EXPECT_EQ(out[127], 128);
}

/// What is far away from a tensor is no mistake in its offsets, however long it is.
TEST(TileKernel, TakesNothingFarAwayForAMistake) {
  const Kernel kernel("block_scale");
  std::vector<float> data(3 * 1024, 1);
  const auto told_of = [&](Call& call, int64_t part) {
    return kernel.run(call.scalar(0).values_of_part(part, 64));
  };
  const auto told = [&](uint32_t rows, uint32_t cols, int64_t part) {
    Call call;
    return told_of(call.tensor(data.data() + 1024, rows, cols, cols), part);
  };
  const auto told_of_matrices = [&](int64_t part) {
    Call call;
    return told_of(call.matrices(data.data() + 1024, 2, 2, 256), part);
  };
  EXPECT_THAT(told(1, 1024, 8), HasSubstr("src begins 0 bytes behind the tensor of argument 0"));
  EXPECT_THAT(told(1, 1024, 9), HasSubstr("src begins 512 bytes behind"));
  EXPECT_EQ(told(1, 1024, 10), "");
  EXPECT_THAT(told(1, 1024, -2), HasSubstr("src begins 1024 bytes before"));
  EXPECT_EQ(told(1, 1024, -3), "");
  // A row is 1024 bytes.
  EXPECT_THAT(told(4, 256, 11), HasSubstr("src begins 1536 bytes behind"));
  EXPECT_EQ(told(4, 256, 12), "");
  EXPECT_THAT(told(4, 256, -4), HasSubstr("src begins 2048 bytes before"));
  EXPECT_EQ(told(4, 256, -5), "");
  // And no matrix.
  EXPECT_THAT(told_of_matrices(11), HasSubstr("src begins 1536 bytes behind"));
  EXPECT_EQ(told_of_matrices(12), "");
}

/// Tiles of different elements may be the same bytes, also where nothing stands between their
/// instructions: from the second run on the kernel has its memory.
TEST(TileKernel, SharesBytes) {
  const Kernel kernel("shared_bytes");
  float value = 0;
  Call call;
  call.tensor(&value, 1, 1, 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(kernel.run(call), "");
    EXPECT_EQ(value, 3);
  }
}

/// What kernel `number` of the image says, if it is wrong or right.
std::string finding(const Kernel& kernel, int number, bool wrong) {
  std::array<float, 256> memory{};
  Call call;
  call.scalar(number).tensor(memory.data(), 16, 16, 16).scalar(wrong);
  return kernel.run(call);
}

struct Wrong {
  const char* instruction;
  const char* says;
};

constexpr Wrong wrong_kernels[] = {
    {"TLOAD", "dst (Vec float 16x16 valid 16x16 at no address) has no address: TASSIGN it first"},
    {"TASSIGN", "at UB 0x2fc20) takes 1024 bytes and leaves UB, which has 196608: assign a lower"},
    {"TASSIGN", "at UB 0x10) is not aligned: assign a multiple of 32"},
    {"TLOAD", "valid 16x0 at UB 0x0) has no valid element: give it a valid region"},
    {"TEXPANDS", "valid 17x16 at UB 0x0) is valid beyond its shape"},
    {"TLOAD", "is valid beyond src, which is 8x16: make the valid region smaller"},
    {"TLOAD", "src reaches 64 bytes beyond the tensor of argument 1, which has 1024"},
    {"TSTORE", "dst reaches 64 bytes beyond the tensor of argument 1, which has 1024"},
    {"TMATMUL", "b (Right float 16x16 valid 16x16 at L0B 0x0) must be valid 8x16"},
    {"TADD", "src1 (Vec float 8x16 valid 8x16 at UB 0x400)"},
    {"SetValue", "has no element 256: it has 256"},
    {"TEXTRACT", "has no 16x16 elements from row 0 and column 17 on"},
    {"TGATHER", "has no element 256, which an index asks for: it has 256"},
    {"TADD", "src1 (Vec float 16x16 valid 16x8 at UB 0x400) must be valid 16x16"},
    {"TROWEXPANDMUL", "src1 (Vec float 16x1 ColMajor valid 15x1 at UB 0x400) must be valid 16x1"},
    {"TMOV", "src (Vec float 16x16 valid 15x16 at UB 0x400) has not all elements of dst"},
    {"TEXP", "PIPE_V reads 0x0..0x3ff of UB, which TLOAD in line "},
    {"TSTORE", "PIPE_MTE3 reads 0x0..0x3ff of UB, which TEXPANDS in line "},
    {"TLOAD", "of GM, which TSTORE in line "},
    {"SetValue", "PIPE_S writes 0x14..0x17 of UB, which TEXPANDS in line "},
    {"wait_flag", "PIPE_MTE3 waits for ever: no set_flag(PIPE_V, PIPE_MTE3, 2) comes before it"},
    {"TEXP", "reads 0x20..0x3f of UB, which nobody has written in this kernel"},
    {"TEXP", "reads 0x3e0..0x3ff of UB of the tile at 0x0 (1024 bytes), which TEXPANDS in line "},
    {"TEXP", "PIPE_V reads 0x0..0x3 of UB, which SetValue in line "},
};
/// Those before it are found by the checks of bounds.
constexpr int first_of_all_checks = 13;

TEST(TileKernel, SaysWhatIsWrong) {
  const Kernel bounds("wrong"), all("wrong_all");
  int number = 0;
  for (const Wrong& wrong : wrong_kernels) {
    const Kernel& kernel = number < first_of_all_checks ? bounds : all;
    EXPECT_EQ(finding(bounds, number, false), "") << number;
    EXPECT_EQ(finding(all, number, false), "") << number;
    if (number >= first_of_all_checks) {
      EXPECT_EQ(finding(bounds, number, true), "") << number;
    }
    EXPECT_THAT(finding(kernel, number, true),
                AllOf(HasSubstr(std::string(wrong.instruction) + " at wrong.cpp:"),
                      HasSubstr(wrong.says), SizeIs(testing::Lt(240))))
        << number;
    ++number;
  }
}

/// Without checks the same kernels run to their end.
TEST(TileKernel, SaysNothingWithoutChecks) {
  const Kernel kernel("unchecked");
  for (const int number : {3, 4, 5, 13, 14, 15}) EXPECT_EQ(finding(kernel, number, true), "");
}

}  // namespace
}  // namespace pto2::test
