#include "bench/openmp_graphs.hpp"

#include <vector>

namespace pto2::bench {

namespace {

/// Keeps the compiler from leaving out tasks that do nothing.
[[gnu::noinline]] void run_empty_task() {
  asm volatile("");
}

/// Addresses for depend clauses, used round robin like the buffers of a heap ring.
class Names {
 public:
  char* next() { return &bytes_[next_++ % bytes_.size()]; }

 private:
  std::vector<char> bytes_ = std::vector<char>(4096);
  std::size_t next_ = 0;
};

int64_t independent(int64_t tasks) {
  for (int64_t i = 0; i < tasks; ++i) {
#pragma omp task
    run_empty_task();
  }
#pragma omp taskwait
  return tasks;
}

int64_t chain(int64_t tasks) {
  [[maybe_unused]] char link = 0;
  for (int64_t i = 0; i < tasks; ++i) {
#pragma omp task depend(inout : link)
    run_empty_task();
  }
#pragma omp taskwait
  return tasks;
}

int64_t stencil(int64_t tasks) {
  constexpr int64_t n = stencil_points;
  std::vector<char> points(2 * n);
  int64_t count = 0;
  for (int64_t step = 0; step * n < tasks; ++step) {
    [[maybe_unused]] char* const from = &points[static_cast<std::size_t>(step % 2 * n)];
    [[maybe_unused]] char* const to = &points[static_cast<std::size_t>((step + 1) % 2 * n)];
    for (int64_t i = 0; i < n; ++i, ++count) {
      const int64_t left = (i + n - 1) % n;
      const int64_t right = (i + 1) % n;
#pragma omp task depend(in : from[left], from[i], from[right]) depend(out : to[i])
      run_empty_task();
    }
  }
#pragma omp taskwait
  return count;
}

int64_t attention(int64_t tasks) {
  Names names;
  int64_t count = 0;
  while (count < tasks) {
    [[maybe_unused]] char* const oi = names.next();
#pragma omp task depend(out : oi[0])
    run_empty_task();
    ++count;
    for (int b = 0; b < 3; ++b, count += 4) {
      [[maybe_unused]] char* const scores = names.next();
      [[maybe_unused]] char* const weights = names.next();
      [[maybe_unused]] char* const update = names.next();
#pragma omp task depend(out : scores[0])
      run_empty_task();
#pragma omp task depend(in : scores[0]) depend(out : weights[0])
      run_empty_task();
#pragma omp task depend(in : weights[0]) depend(out : update[0])
      run_empty_task();
#pragma omp task depend(in : weights[0], update[0]) depend(inout : oi[0])
      run_empty_task();
    }
  }
#pragma omp taskwait
  return count;
}

}  // namespace

int64_t run_openmp(Graph graph, int64_t tasks, int threads) {
  int64_t count = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  switch (graph) {
    case Graph::independent:
      count = independent(tasks);
      break;
    case Graph::chain:
      count = chain(tasks);
      break;
    case Graph::stencil:
      count = stencil(tasks);
      break;
    case Graph::paged_attention:
      count = attention(tasks);
      break;
  }
  return count;
}

}  // namespace pto2::bench
