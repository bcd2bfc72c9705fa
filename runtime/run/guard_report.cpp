#include "runtime/run/guard_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "runtime/chip/argument_text.hpp"

namespace pto2 {
namespace {

using Kind = GuardFinding::Kind;
using When = GuardFinding::When;

std::string count_of(const GuardFinding& found, const char* unit) {
  return fmt::format("{} {}{}", found.count, unit, found.count == 1 ? "" : "s");
}

/// Where the bytes are.
std::string place_of(const GuardFinding& found) {
  switch (found.kind) {
    case Kind::in_front:
      return fmt::format("in front of its buffer, the first of them {} before it", found.distance);
    case Kind::behind:
      return fmt::format("behind its buffer, the first of them {} past its end", found.distance);
    case Kind::beside:
      return "of its buffer that the view does not show";
    case Kind::input:
      return fmt::format("of it although it is INPUT, the first of them {} bytes into it",
                         found.distance);
    default:
      return "";
  }
}

const char* who_wrote(GuardFinding::When when) {
  switch (when) {
    case When::during:
      return "wrote";
    case When::together:
      return "this kernel or one that ran at the same time wrote";
    default:
      return "somebody else had written";
  }
}

/// What the kernel did, or what was found in its buffers.
std::string what_happened(const GuardFinding& found) {
  switch (found.kind) {
    case Kind::unwritten:
      return fmt::format("left {} unwritten (uninitialised output)", count_of(found, "element"));
    case Kind::nan:
      return fmt::format("made {} NaN, of inputs without any", count_of(found, "element"));
    default:
      return fmt::format("{} {} {}", who_wrote(found.when), count_of(found, "byte"),
                         place_of(found));
  }
}

std::string where_run(const GuardFinding& found, const Chip& chip) {
  const bool is_value = guard_code(found) == ErrorCode::bad_output;
  if (found.when == When::after && !is_value) return "after the last kernel that was given it";
  const std::string worker = chip.name_of(WorkerId(found.worker));
  return (found.when == When::before ? "before it began on " : "on ") + worker;
}

const char* what_to_do(const GuardFinding& found) {
  if (found.when == When::together) {
    return "compare the indices of all kernels that may run then with their parameters; --executor "
           "seeded runs them one after another and tells which it is";
  }
  if (found.when != When::during && found.kind != Kind::unwritten) {
    return "look for a kernel that writes past a buffer which lies near that address: it was not "
           "given this one, or ran at the same time";
  }
  switch (found.kind) {
    case Kind::input:
      return "submit the tensor with make_inout_param, or let the kernel write a tensor of its own";
    case Kind::unwritten:
      return "let the kernel write every element, or submit a smaller view";
    case Kind::nan:
      return "look for what the kernel divides, subtracts or reads in vain";
    default:
      return "compare the indices of the kernel with the shape and the strides of the parameter";
  }
}

}  // namespace

ErrorCode guard_code(const GuardFinding& found) {
  if (found.kind == Kind::starved) return no_memory;
  const bool is_value = found.kind == Kind::unwritten || found.kind == Kind::nan;
  return is_value ? ErrorCode::bad_output : ErrorCode::kernel_overran;
}

RunError describe_finding(const GuardFinding& found, const Chip& chip) {
  const PTOTensor& tensor = found.tensor;
  return {guard_code(found),
          fmt::format("kernel {}, task {} of ring {}, {}: parameter {} ({} [{}] at {:#x}): {}, at "
                      "{:#x}",
                      found.kernel, local_of(found.task), ring_of(found.task).value,
                      where_run(found, chip), found.param, data_type_name(tensor.dtype),
                      fmt::join(std::span(tensor.shape, tensor.ndims), ", "), tensor.address,
                      what_happened(found), found.first),
          what_to_do(found)};
}

}  // namespace pto2
