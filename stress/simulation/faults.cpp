#include "stress/simulation/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "runtime/device/thread_names.hpp"
#include "runtime/executors/random.hpp"

namespace pto2::simulations {
namespace {

using executors::ChipFault;
using executors::ChipFaultKind;

struct FaultRow {
  const char* name;
  ChipFaultKind kind;  ///< none: it is not the chip that fails
};

/// In the order of Fault.
constexpr std::array<FaultRow, fault_kinds> table{{
    {"none", ChipFaultKind::none},
    {"slow_core", ChipFaultKind::slow_core},
    {"lost_before_ack", ChipFaultKind::lost_before_ack},
    {"lost_after_ack", ChipFaultKind::lost_after_ack},
    {"lost_before_fin", ChipFaultKind::lost_before_fin},
    {"answers_twice", ChipFaultKind::answers_twice},
    {"slow_scheduler", ChipFaultKind::slow_scheduler},
    {"kept_group", ChipFaultKind::none},
}};

const FaultRow& row_of(Fault fault) {
  return table[static_cast<std::size_t>(fault)];
}

std::string names_of(const FaultSet& set, const char* between) {
  std::string names;
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (set.test(i)) names += fmt::format("{}{}", names.empty() ? "" : between, table[i].name);
  }
  return names;
}

std::invalid_argument refused(const std::string& why) {
  return std::invalid_argument(
      fmt::format("{}; there are {}, or 'all' alone", why, names_of(all_faults(), ", ")));
}

/// Of a name in a list. Throws std::invalid_argument.
std::size_t number_of(const std::string& name) {
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (table[i].name == name) return i;
  }
  const std::string why = name == "all" ? "'all' stands alone, and is every one of them"
                                        : fmt::format("no fault is called '{}'", name);
  throw refused(why);
}

bool is_possible(Fault fault, const FaultScene& scene) {
  if (fault == Fault::kept_group) return scene.frees != 0;
  return scene.may_lose_cores || !executors::loses_core(row_of(fault).kind);
}

/// A thread of the chip, and one of the tasks that it may well have.
ChipFault draw_place(ChipFaultKind kind, executors::Random& random, const FaultScene& scene) {
  const bool is_of_scheduler = kind == ChipFaultKind::slow_scheduler;
  const uint32_t threads = is_of_scheduler ? scene.chip.schedulers : scene.chip.cores();
  const auto thread = static_cast<uint32_t>(random.below(threads));
  return {kind, is_of_scheduler ? scheduler_name(thread) : scene.chip.name_of(CoreId(thread)),
          1 + random.below(1 + scene.tasks / threads)};
}

}  // namespace

const char* name_of(Fault fault) {
  return row_of(fault).name;
}

FaultSet all_faults() {
  return FaultSet().set().reset(static_cast<std::size_t>(Fault::none));
}

FaultSet parse_faults(const std::string& list) {
  if (list == "all") return all_faults();
  if (list.empty()) throw refused("the list is empty");
  FaultSet set;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::size_t number = number_of(list.substr(begin, end - begin));
    if (set.test(number)) {
      throw std::invalid_argument(fmt::format("{} comes twice", table[number].name));
    }
    set.set(number);
    begin = end + 1;
  }
  return set;
}

std::string to_string(const FaultSet& set) {
  if (set == all_faults()) return "all";
  return names_of(set, ",");
}

DrawnFault draw_fault(uint64_t seed, const FaultSet& set, const FaultScene& scene) {
  std::vector<Fault> possible{Fault::none};
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto fault = static_cast<Fault>(i);
    if (set.test(i) && is_possible(fault, scene)) possible.push_back(fault);
  }
  executors::Random random(seed ^ 0xfa17);
  DrawnFault drawn{.fault = possible[random.below(possible.size())]};
  if (drawn.fault == Fault::kept_group) drawn.which = random.below(scene.frees);
  const ChipFaultKind kind = row_of(drawn.fault).kind;
  if (kind != ChipFaultKind::none) drawn.chip = draw_place(kind, random, scene);
  return drawn;
}

std::string text_of(const DrawnFault& drawn) {
  if (drawn.fault == Fault::none) return {};
  if (drawn.fault == Fault::kept_group) {
    return fmt::format("fault: kept_group, free_cluster number {}\n", drawn.which + 1);
  }
  return fmt::format("fault: {} of {}, at its task {}\n", name_of(drawn.fault), drawn.chip.thread,
                     drawn.chip.task);
}

}  // namespace pto2::simulations
