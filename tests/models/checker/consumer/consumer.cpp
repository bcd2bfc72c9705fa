#include <cstdio>
#include <pto2/checker.hpp>

int main() {
  const pto2::model::Report report = pto2::model::explore({}, [] {
    pto2::model::atomic<int> x{0};
    pto2::model::thread writer([&] { x.store(1, std::memory_order_relaxed); });
    x.load(std::memory_order_relaxed);
    writer.join();
  });
  std::puts(report.to_json().c_str());
  return report.ok() && report.executions == 2 ? 0 : 1;
}
