#include "runtime/output/guarded.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <exception>
#include <new>
#include <system_error>

#include "runtime/output/chosen_end.hpp"
#include "runtime/output/standard_descriptors.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/output/whose_lack.hpp"

namespace pto2::cli {

int complain(ExitCode code, const std::string& message) {
  print_to_stderr("pto2: {}\n", message);
  return code;
}

void end_without_memory(const Remedies& remedies) {
  for (const std::string_view part : {std::string_view("pto2: out of memory; "),
                                      std::string_view(remedies.memory), std::string_view("\n")}) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, part.data(), part.size());
  }
  end_at_once(exit_bad_input);
}

namespace {

// Of the program, for the handler.
const Remedies* remedies_in_force = nullptr;
std::terminate_handler former_handler = nullptr;

/// On the thread that has met it.
bool is_lack_of_program(const std::bad_alloc& lack) {
  const auto of_users = is_lack_of_users.load(std::memory_order_acquire);
  return of_users == nullptr || (is_own_thread && !of_users(lack));
}

/// Some destructors need memory, those of a document of nlohmann's among them.
void end_terminated() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc& lack) {
    if (is_lack_of_program(lack)) end_without_memory(*remedies_in_force);
  } catch (...) {
  }
  former_handler();
}

/// What the system would end the process for becomes an error: a file that grows beyond the limit
/// (ulimit -f) cannot be written then, as on a full disk. No file is open yet.
void take_over(const Remedies& remedies) {
  occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  remedies_in_force = &remedies;
  is_own_thread = true;
  if (former_handler == nullptr) former_handler = std::set_terminate(end_terminated);
}

}  // namespace

CliError told_of(const std::exception& error, const Remedies& remedies, const KnownErrors& other) {
  if (const auto* known = dynamic_cast<const CliError*>(&error)) return *known;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return {exit_bad_input, "out of memory; " + remedies.memory};
  }
  if (const auto* refused = dynamic_cast<const std::system_error*>(&error)) {
    const bool no_thread = refused->code() == std::errc::resource_unavailable_try_again;
    return {
        exit_bad_input,
        fmt::format("the system refused: {}; {}", error.what(),
                    no_thread ? remedies.thread : "check the limits of this process (ulimit -a)")};
  }
  const std::optional<CliError> known = other ? other(error) : std::nullopt;
  if (known) return *known;
  return {
      exit_our_bug,
      fmt::format("unexpected: {}; this is a bug, report it with the command line", error.what())};
}

int complain_of(const std::exception& error, const Remedies& remedies, const KnownErrors& other) {
  const CliError told = told_of(error, remedies, other);
  return complain(told.code(), told.what());
}

int guarded(const std::function<int()>& execute, const Remedies& remedies,
            const KnownErrors& other) {
  take_over(remedies);
  try {
    return execute();
  } catch (const std::bad_alloc&) {
    end_without_memory(remedies);
  } catch (const std::exception& error) {
    return complain_of(error, remedies, other);
  }
}

}  // namespace pto2::cli
