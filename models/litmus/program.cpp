#include "models/litmus/program.hpp"

#include <memory>
#include <mutex>
#include <pto2/checker.hpp>

namespace pto2::model::litmus {

namespace {

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "rlx";
    case std::memory_order_release:
      return "rel";
    case std::memory_order_seq_cst:
      return "sc";
    case std::memory_order_acq_rel:
      return "acqrel";
    default:
      return "acq";
  }
}

std::string text_of(const Instruction& i) {
  const std::string at = std::string("x").append(std::to_string(i.location));
  const std::string order = name_of(i.order);
  const std::string operand = std::to_string(i.operand);
  switch (i.operation) {
    case Operation::load:
      return "load(" + at + "," + order + ")";
    case Operation::store:
      return "store(" + at + "," + operand + "," + order + ")";
    case Operation::add:
      return "add(" + at + "," + operand + "," + order + ")";
    case Operation::exchange:
      return "exchange(" + at + "," + operand + "," + order + ")";
    case Operation::compare_exchange:
      return (i.weak ? "weak_cas(" : "cas(") + at + "," + std::to_string(i.expected) + "->" +
             operand + "," + order + "/" + name_of(i.failure) + ")";
    case Operation::fence:
      return "fence(" + order + ")";
    case Operation::wait:
      return "wait(" + at + "==" + std::to_string(i.expected) + "," + order + ")" +
             (i.joined ? " &&" : "");
    case Operation::wait_exchange:
      return (i.weak ? "weak_wait_exchange(" : "wait_exchange(") + at + "," +
             std::to_string(i.expected) + "->" + operand + "," + order + ")";
  }
  return {};
}

using Locations = std::vector<std::unique_ptr<atomic<int>>>;

int perform(const Instruction& i, Locations& locations) {
  if (i.operation == Operation::fence) {
    fence(i.order);
    return 0;
  }
  atomic<int>& location = *locations[static_cast<std::size_t>(i.location)];
  switch (i.operation) {
    case Operation::load:
      return location.load(i.order);
    case Operation::add:
      return location.fetch_add(i.operand, i.order);
    case Operation::exchange:
      return location.exchange(i.operand, i.order);
    case Operation::compare_exchange: {
      // On success the expected value is the one that was read.
      int expected = i.expected;
      const bool stored =
          i.weak ? location.compare_exchange_weak(expected, i.operand, i.order, i.failure)
                 : location.compare_exchange_strong(expected, i.operand, i.order, i.failure);
      return !stored && expected == i.expected ? expected + spurious : expected;
    }
    default:
      location.store(i.operand, i.order);
      return 0;
  }
}

bool waits(const Instruction& i) {
  return i.operation == Operation::wait || i.operation == Operation::wait_exchange;
}

bool holds(const Instruction& i, Locations& locations) {
  atomic<int>& location = *locations[static_cast<std::size_t>(i.location)];
  if (i.operation == Operation::wait) return location.load(i.order) == i.expected;
  int expected = i.expected;
  constexpr std::memory_order failure = std::memory_order_relaxed;
  return i.weak ? location.compare_exchange_weak(expected, i.operand, i.order, failure)
                : location.compare_exchange_strong(expected, i.operand, i.order, failure);
}

/// Runs one thread, and hands what its instructions read to `read`.
template <class Read>
void run_thread(const std::vector<Instruction>& instructions, Locations& locations, Read&& read) {
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!waits(instructions[i])) {
      const int value = perform(instructions[i], locations);
      if (instructions[i].reads()) read(value);
      continue;
    }
    std::size_t end = i + 1;
    while (instructions[end - 1].joined) ++end;
    await([&] {
      for (std::size_t part = i; part < end; ++part) {
        if (!holds(instructions[part], locations)) return false;
      }
      return true;
    });
    for (; i < end; ++i) read(instructions[i].expected);
    --i;
  }
}

}  // namespace

std::string Program::to_string() const {
  std::string text;
  for (const auto& thread : threads) {
    if (!text.empty()) text += "  ||  ";
    for (const Instruction& instruction : thread) text += text_of(instruction) + "; ";
  }
  return text;
}

Executions by_checker(const Program& program, const Options& options) {
  Executions result;
  std::mutex mutex;  // several jobs call the body at once
  Options lenient = options;
  lenient.allow_deadlocks = true;
  const Report report = explore(lenient, [&] {
    Locations locations;
    for (int l = 0; l < program.locations; ++l) {
      locations.push_back(std::make_unique<atomic<int>>(0));
    }
    std::vector<std::vector<int>> values(program.threads.size());
    std::vector<thread> threads;
    for (std::size_t t = 0; t < program.threads.size(); ++t) {
      threads.emplace_back([&, t] {
        run_thread(program.threads[t], locations, [&](int value) {
          if (!options.isolated_threads) values[t].push_back(value);
        });
      });
    }
    for (thread& t : threads) t.join();
    if (options.isolated_threads) return;
    Outcome outcome;
    for (const auto& own : values) outcome.insert(outcome.end(), own.begin(), own.end());
    for (const auto& location : locations) {
      outcome.push_back(location->load(std::memory_order_relaxed));
    }
    const std::lock_guard guard(mutex);
    result.outcomes.insert(outcome);
  });
  result.count = report.executions;
  if (!report.complete) result.count = UINT64_MAX;
  return result;
}

}  // namespace pto2::model::litmus
