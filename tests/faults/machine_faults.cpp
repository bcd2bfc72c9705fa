#include "tests/faults/machine_faults.hpp"

#include <dirent.h>
#include <fmt/core.h>

#include <array>
#include <atomic>

namespace pto2::test {

namespace {

constexpr uint8_t none = 0xff;

std::atomic<uint8_t> armed_for{none};
std::atomic<uint64_t> counted_so_far{0};
uint64_t first_to_fail = 0;  // these three are written while nothing is armed
bool rest_fails = false;
bool (*counts_here)() = nullptr;

std::array<std::atomic<int64_t>, 3> held{};  // allocations, mappings, threads

/// Descriptors of the process; -1: it may have no more.
int64_t open_files() {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return -1;
  int64_t entries = 0;
  while (readdir(directory) != nullptr) ++entries;
  closedir(directory);
  return entries - 3;  // ".", ".." and the folder's own
}

}  // namespace

const char* name_of(Operation operation) {
  constexpr const char* names[] = {"allocation", "mapping", "thread", "file operation", "closing"};
  return names[static_cast<std::size_t>(operation)];
}

FailingMachine::FailingMachine(const Failing& failing) {
  counted_so_far = 0;
  first_to_fail = failing.first;
  rest_fails = failing.rest;
  counts_here = failing.here;
  armed_for = static_cast<uint8_t>(failing.operation);
}

FailingMachine::~FailingMachine() {
  armed_for = none;
}

uint64_t FailingMachine::counted() const {
  return counted_so_far;
}

bool is_to_fail(Operation operation) noexcept {
  if (armed_for != static_cast<uint8_t>(operation)) return false;
  if (counts_here != nullptr && !counts_here()) return false;
  const uint64_t number = ++counted_so_far;
  if (first_to_fail == 0 || number < first_to_fail) return false;
  return number == first_to_fail || rest_fails;
}

void hold(Operation operation, int64_t change) noexcept {
  held[static_cast<std::size_t>(operation)] += change;
}

Holdings holdings() {
  return {.allocations = held[0], .mappings = held[1], .threads = held[2], .files = open_files()};
}

std::string to_string(const Holdings& h) {
  return fmt::format("{} allocations, {} mappings, {} threads, {} descriptors", h.allocations,
                     h.mappings, h.threads, h.files);
}

}  // namespace pto2::test
