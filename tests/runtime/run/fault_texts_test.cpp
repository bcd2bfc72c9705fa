/// What the user is told of the fault of a kernel.
#include <gtest/gtest.h>

#include "runtime/run/config.hpp"
#include "runtime/run/guard_report.hpp"
#include "runtime/run/kernel_fault.hpp"

namespace pto2 {
namespace {

using Kind = GuardFinding::Kind;
using When = GuardFinding::When;

Chip chip() {
  return DeviceConfig().chip;
}

/// Of parameter 2 of kernel 3, which is task 5 of ring 1, on the second vector core.
GuardFinding finding(Kind kind, When when, uint64_t count = 2) {
  GuardFinding found{};
  found.kind = kind;
  found.when = when;
  found.kernel = 3;
  found.worker = chip().core_at({CoreType::vector, ClusterId(0), 1}).value;
  found.param = 2;
  found.task = make_id(1, 5);
  found.tensor = {.address = 0x1000, .shape = {2, 3}, .strides = {3, 1}, .dtype = {}, .ndims = 2};
  found.tensor.dtype = DataType::FLOAT32;
  found.first = 0x1018;
  found.count = count;
  found.distance = 7;
  return found;
}

struct Told {
  GuardFinding found;
  ErrorCode code;
  const char* where;
  const char* what;
  const char* hint;
};

constexpr const char* compare = "compare the indices";
constexpr const char* look = "look for a kernel that writes past a buffer which lies near";

TEST(FaultTexts, SayWhatAGuardHasFound) {
  const Told all[] = {
      {finding(Kind::in_front, When::during), ErrorCode::kernel_overran, "on aiv1",
       "wrote 2 bytes in front of its buffer, the first of them 7 before it", compare},
      {finding(Kind::behind, When::during, 1), ErrorCode::kernel_overran, "on aiv1",
       "wrote 1 byte behind its buffer, the first of them 7 past its end", compare},
      {finding(Kind::beside, When::during), ErrorCode::kernel_overran, "on aiv1",
       "wrote 2 bytes of its buffer that the view does not show", compare},
      {finding(Kind::input, When::during), ErrorCode::kernel_overran, "on aiv1",
       "wrote 2 bytes of it although it is INPUT, the first of them 7 bytes into it",
       "make_inout_param"},
      {finding(Kind::behind, When::together), ErrorCode::kernel_overran, "on aiv1",
       "this kernel or one that ran at the same time wrote 2 bytes behind its buffer, the first of "
       "them 7 past its end",
       "--executor seeded"},
      {finding(Kind::behind, When::before), ErrorCode::kernel_overran, "before it began on aiv1",
       "somebody else had written 2 bytes behind its buffer, the first of them 7 past its end",
       look},
      {finding(Kind::in_front, When::after), ErrorCode::kernel_overran,
       "after the last kernel that was given it",
       "somebody else had written 2 bytes in front of its buffer, the first of them 7 before it",
       look},
      {finding(Kind::unwritten, When::during), ErrorCode::bad_output, "on aiv1",
       "left 2 elements unwritten (uninitialised output)", "write every element"},
      {finding(Kind::unwritten, When::after, 1), ErrorCode::bad_output, "on aiv1",
       "left 1 element unwritten (uninitialised output)", "write every element"},
      {finding(Kind::nan, When::during), ErrorCode::bad_output, "on aiv1",
       "made 2 elements NaN, of inputs without any", "divides"},
  };
  for (const Told& told : all) {
    const RunError error = describe_kernel_fault(KernelFault(told.found), chip());
    EXPECT_EQ(error.code, told.code) << error.message;
    EXPECT_EQ(error.message, std::string("kernel 3, task 5 of ring 1, ") + told.where +
                                 ": parameter 2 (float32 [2, 3] at 0x1000): " + told.what +
                                 ", at 0x1018");
    EXPECT_NE(error.hint.find(told.hint), std::string::npos) << error.message << '\n' << error.hint;
  }
  EXPECT_EQ(guard_code(finding(Kind::starved, When::before)), no_memory);
}

TEST(FaultTexts, SayHowAKernelHasFailed) {
  const auto told = [](KernelFault fault) {
    if (fault.kind != KernelFault::Kind::lost) fault.task = make_id(2, 9);
    fault.call.kernel = 4;
    const RunError error = describe_kernel_fault(fault, chip());
    EXPECT_EQ(error.code, kernel_fault_code(fault));
    EXPECT_FALSE(error.hint.empty());
    return std::string(row_of(error.code).name) + ": " + error.message;
  };
  KernelFault fault;
  fault.set_threw("no tile");
  EXPECT_EQ(told(fault),
            "kernel_threw: kernel 4, task 9 of ring 2: an exception left the kernel: no tile");
  fault.set_threw("");
  EXPECT_EQ(told(fault),
            "kernel_threw: kernel 4, task 9 of ring 2: an exception that does not say what it is "
            "left the kernel");
  fault = KernelFault();
  fault.set_lost("aiv7", make_id(1, 3));
  EXPECT_EQ(told(fault),
            "core_lost: core aiv7 does not answer: it was given task 3 of ring 1, and has not "
            "reported its end");
  fault = KernelFault();
  fault.set(KernelFault::Kind::stuck, "on aic2, has not returned for 60 s");
  EXPECT_EQ(told(fault),
            "scheduler_timeout: kernel 4, task 9 of ring 2, on aic2, has not returned for 60 s");
}

/// The verb is in the upper bits, the argument in the lower six.
TEST(FaultTexts, SayWhichVerbHadWhichArgument) {
  const auto told = [](PTOPipeVerb verb, unsigned argument, uint8_t params) {
    KernelFault fault;
    PTOCall call{};
    call.kernel = 1;
    call.params = params;
    call.misuse = static_cast<uint8_t>(static_cast<unsigned>(verb) << 6 | argument);
    fault.complete(make_id(0, 2), call);
    return describe_kernel_fault(fault, chip()).message;
  };
  const std::string who = "kernel 1, task 2 of ring 0: ";
  EXPECT_EQ(told(PTOPipeVerb::PUSH, 0, 1), who + "TPUSH of argument 0, which is no pipe");
  EXPECT_EQ(told(PTOPipeVerb::POP, 1, 1),
            who + "TPOP of argument 1, but the task has 1 parameters");
  EXPECT_EQ(told(PTOPipeVerb::FREE, 31, 32), who + "TFREE of argument 31, which is no pipe");
  EXPECT_EQ(told(PTOPipeVerb::FREE, 32, 32),
            who + "TFREE of an argument that is none of 0 to 31, but the task has 32 parameters");
}

}  // namespace
}  // namespace pto2
