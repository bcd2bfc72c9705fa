#include "runtime/orchestrator/orchestration_ops.hpp"

#include <cstdio>
#include <new>
#include <string>

namespace pto2 {
namespace {

template <class R, class... A>
using Function = R (*)(A...);

/// Any function: it does nothing and returns zero.
struct Nothing {
  template <class R, class... A>
  constexpr operator Function<R, A...>() const {
    return [](A...) { return R(); };
  }
};
constexpr Nothing nothing;

[[gnu::format(printf, 3, 4)]] void log_last_line(PTO2Runtime* rt, int32_t level, const char* format,
                                                 ...) {
  auto& handle = static_cast<executors::RuntimeHandle&>(*rt);
  if (!handle.enter("log")) return;
  const executors::RuntimeHandle::Call call(&handle);
  va_list arguments;
  va_start(arguments, format);
  try {
    log_line(handle, level, format, arguments);
  } catch (const std::bad_alloc&) {
    // The line is lost: the run has its reason to end by now.
  }
  va_end(arguments);
}

/// Any handle and any cluster will do: the calls that they are passed to do nothing.
constexpr PTO2RuntimeOps stopped_table{
    .abi = PTO2_ORCHESTRATION_ABI,
    .submit_task = nothing,
    .scope_begin = nothing,
    .scope_end = nothing,
    .orchestration_done = nothing,
    .make_tensor = nothing,
    .view = nothing,
    .reshape = nothing,
    .transpose = nothing,
    .ndims = nothing,
    .numel = nothing,
    .is_contiguous = nothing,
    .dump = nothing,
    .log = &log_last_line,
    .describe = [](PTO2Runtime*, uint64_t, char* text,
                   uint64_t capacity) { return copy_text({}, text, capacity); },
    .allocate_cluster = nothing,
    .free_cluster = nothing,
    .submit_task_clustered = nothing,
    .submit_block_task = nothing,
    .fail = nothing,
};

/// Once the last lines are logged. Whatever is done would be a call in between, and who logs for
/// ever would never be cut off.
[[gnu::format(printf, 3, 4)]] void log_nothing(PTO2Runtime*, int32_t, const char*, ...) {}
constexpr PTO2RuntimeOps silent_table = [] {
  PTO2RuntimeOps table = stopped_table;
  table.log = &log_nothing;
  return table;
}();

void count_last_line(executors::RuntimeHandle& handle) {
  if (handle.ops != &stopped_table) return;
  if (--handle.target()->last_lines == 0) handle.ops = &silent_table;
}

}  // namespace

void log_line(executors::RuntimeHandle& handle, int32_t level, const char* format,
              va_list arguments) {
  count_last_line(handle);
  const LogSink& sink = handle.target()->log_sink;
  if (!sink) return;
  char line[1024];
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(line, sizeof line, format, again);
  va_end(again);
  if (length < static_cast<int>(sizeof line)) return sink(level, line);
  std::string all(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(all.data(), all.size() + 1, format, arguments);
  sink(level, all.c_str());
}

uint64_t copy_text(const std::string& line, char* text, uint64_t capacity) {
  if (capacity != 0) text[line.copy(text, capacity - 1)] = 0;
  return line.size();
}

RunError error_of_giving_up(int32_t code, const char* text) {
  const std::string why = text == nullptr || *text == '\0' ? "" : fmt::format(": {}", text);
  return {ErrorCode::orchestration_failed,
          fmt::format("the orchestration gave up with code {}{}", code, why),
          "the code is the orchestration's own: see where it calls pto2_rt_fail"};
}

RunError error_of_misplaced(const char* call) {
  return {ErrorCode::wrong_thread,
          fmt::format("{}() was called on a thread that does not run the orchestration, and did "
                      "nothing",
                      call),
          row_of(ErrorCode::wrong_thread).hint};
}

RunError error_of_early(const char* call) {
  return {ErrorCode::wrong_thread,
          fmt::format("{}() was called in aicpu_orchestration_config, before the run, and did "
                      "nothing",
                      call),
          row_of(ErrorCode::wrong_thread).hint};
}

RunError error_of_timeout(const char* what, const executors::LeftBehind& left) {
  return {ErrorCode::orchestration_timeout,
          fmt::format("{} for {}{}", what, executors::seconds_text(left.milliseconds),
                      executors::place_text(left.place)),
          row_of(ErrorCode::orchestration_timeout).hint};
}

RunError error_of_exception(const char* function) {
  const std::string hint = fmt::format("catch it in {}", function);
  try {
    throw;
  } catch (const executors::LeftBehind& left) {
    return error_of_timeout("the orchestration has neither returned nor called the runtime", left);
  } catch (const std::exception& exception) {
    return {ErrorCode::orchestration_threw,
            fmt::format("an exception left the orchestration: {}", exception.what()), hint};
  } catch (...) {
    return {ErrorCode::orchestration_threw, "an exception of unknown type left the orchestration",
            hint};
  }
}

void stop_calls(executors::RuntimeHandle& handle) {
  if (handle.target()->last_lines != 0) handle.ops = &stopped_table;
}

void stop_calls_from_elsewhere(executors::RuntimeHandle& handle) {
  const PTO2RuntimeOps* const serving = handle.table();
  if (serving != &stopped_table && serving != &silent_table) {
    handle.exchange_table(serving, stopped_table);
  }
}

bool are_calls_stopped(const executors::RuntimeHandle& handle) {
  return handle.ops == &stopped_table || handle.ops == &silent_table;
}

}  // namespace pto2
