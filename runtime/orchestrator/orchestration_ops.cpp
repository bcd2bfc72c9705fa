#include "runtime/orchestrator/orchestration_ops.hpp"

#include <cstdio>
#include <new>
#include <string>

namespace pto2 {

void log_last_line(executors::RuntimeHandle& handle, int32_t level, const char* format,
                   va_list arguments) {
  if (!handle.is_from_orchestration("log")) return;
  // Whatever is done would be a call in between, and who logs for ever would never be cut off.
  uint32_t& lines_left = handle.target()->last_lines;
  if (lines_left == 0 || !handle.code().enter_all_the_same()) return;
  const executors::RuntimeHandle::Call call(&handle);
  --lines_left;
  try {
    log_line(handle.target()->log_sink, level, format, arguments);
  } catch (const std::bad_alloc&) {
    // The line is lost: the run has its reason to end by now.
  }
}

void log_line(const LogSink& sink, int32_t level, const char* format, va_list arguments) {
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

}  // namespace pto2
