// Programs under the checker as another project has them. Exits with the number of those that do
// not come out as they should, and prints their reports.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <string>

namespace model = pto2::model;

namespace {

/// Returns 1 for a report that is not as expected, and prints it.
int judge(bool as_expected, const model::Report& report) {
  if (!as_expected) std::puts(report.to_json().c_str());
  return as_expected ? 0 : 1;
}

/// `executions` is 0 where their number may differ.
int passes(std::uint64_t executions, const std::function<void()>& body) {
  const model::Report report = model::explore({}, body);
  return judge(report.ok() && (executions == 0 || report.executions == executions), report);
}

void reads_while_one_is_stored() {
  model::atomic<int> x{0};
  model::thread writer([&] { x.store(1, std::memory_order_relaxed); });
  x.load(std::memory_order_relaxed);
  writer.join();
}

/// Fails with this kind, with a story, and again from its token.
int fails(model::ViolationKind kind, const std::function<void()>& body) {
  const model::Report report = model::explore({}, body);
  if (!report.violation) return judge(false, report);
  const bool told = report.violation->kind == kind && !report.violation->events.empty() &&
                    report.to_text().find("consumer.cpp:") != std::string::npos;
  model::Options options;
  options.strategy = model::Strategy::replay;
  options.token = report.violation->token;
  const model::Report again = model::explore(options, body);
  return judge(told, report) + judge(again.violation && again.violation->kind == kind, again);
}

/// What the thread owns where it is cut must neither end the program nor count as its leak.
void fails_inside_noexcept() {
  model::atomic<int> x{0, "x"};
  const auto claim = [&]() noexcept {
    const auto owned = std::make_unique<std::string>(100, '-');
    const int seen = x.load(std::memory_order_relaxed);
    x.store(seen + static_cast<int>(owned->size()), std::memory_order_relaxed);
    model::check(seen == 0, "claimed once");
  };
  model::thread other(claim);
  claim();
  other.join();
}

void dereferences_null() {
  model::atomic<int*> shared{nullptr, "shared"};
  int value = 1;
  model::thread reader([&] { *shared.load(std::memory_order_acquire) = 2; });
  shared.store(&value, std::memory_order_release);
  reader.join();
}

void spins() {
  model::atomic<int> flag{0};
  model::thread setter([&] { flag.store(1, std::memory_order_release); });
  while (flag.load(std::memory_order_acquire) == 0) {
  }
  setter.join();
}

}  // namespace

int main() {
  return passes(2, reads_while_one_is_stored) + passes(0, spins) +
         fails(model::ViolationKind::check_failed, fails_inside_noexcept) +
         fails(model::ViolationKind::crash, dereferences_null);
}
