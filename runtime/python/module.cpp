/// The native part of the package pto2: settings, and runs with arguments in the memory of the
/// caller. What a run comes to is the text of `pto2 run --json`.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/cli/executor_settings.hpp"
#include "runtime/cli/isolation.hpp"
#include "runtime/cli/measured_run.hpp"
#include "runtime/cli/platform.hpp"
#include "runtime/cli/repetitions.hpp"
#include "runtime/cli/run_errors.hpp"
#include "runtime/cli/settings.hpp"
#include "runtime/cli/trace_file.hpp"
#include "runtime/device/crash_guard.hpp"
#include "runtime/device/exit_guard.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/output/guarded.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/output_file.hpp"
#include "runtime/output/shared_with_forks.hpp"
#include "runtime/output/stderr_text.hpp"
#include "runtime/python/launch_thread.hpp"

namespace py = pybind11;

namespace pto2::python {
namespace {

using cli::SettingSpec;

const char* environment(const char* name) {
  return std::getenv(name);
}

struct Request {
  std::map<std::string, std::string> settings;
  cli::OwnImages images;
  std::optional<std::string> trace;
};

cli::Settings checked(const std::map<std::string, std::string>& given) {
  cli::Settings settings({given, {}, environment, ""});
  cli::check_executor_flags(settings);
  cli::check_replay(settings);
  static_cast<void>(settings.device_config());  // says what does not fit together
  return settings;
}

struct Told {
  std::string report;
  std::string lost;  ///< why the trace could not be written; empty: it was, or none is wanted
};

/// As `pto2 run` does it, without an Interruption: signals are the interpreter's. A trace that
/// cannot be written, or not even opened, keeps nothing from being run.
Told run(const Request& request, std::stop_token stop) {
  const cli::Settings settings = checked(request.settings);
  Told told;
  std::optional<cli::OutputFile> trace;
  const auto unless_lost = [&](const auto& work) {
    try {
      work();
    } catch (const cli::OutputError& error) {
      told.lost = error.what();
      trace.reset();
    }
  };
  unless_lost([&] {
    if (request.trace) trace.emplace(*request.trace, "the trace");
  });
  cli::Progress progress(false);
  const cli::Measurement wanted{.log_level = settings.text(cli::Setting::log_level),
                                .traced = request.trace.has_value(),
                                .begins =
                                    [&] {
                                      unless_lost([&] {
                                        if (trace) trace->remove_former();
                                      });
                                    },
                                .stop = std::move(stop)};
  cli::RunReport report = cli::measure(settings, request.images, wanted, progress);
  unless_lost([&] {
    if (trace && report.repetitions != 0) {
      cli::write_trace(*trace, report);
      trace->finish();
    }
  });
  told.report = cli::to_json(report);
  return told;
}

/// Hears of a signal of the process while a run goes on elsewhere. A handler of the interpreter's
/// that raises, as that of SIGINT does, gives the run up. If that has to wait for a kernel it says
/// so, and from then on one more Ctrl-C ends the process, as it does `pto2 run`: nobody loses an
/// interpreter, or a notebook, without having been told.
class SignalWatch {
 public:
  explicit SignalWatch(std::stop_source& stop) : stop_(stop) {}

  /// Without the interpreter's lock. Only its main thread is told of signals; another one must not
  /// ask for the lock, since an interpreter that is ending ends who does. False: a handler has
  /// raised.
  bool look() {
    if (!is_main_thread_) return true;
    if (raised_ && !has_told_ && Clock::now() - since_ > cli::Interruption::same) tell();
    const py::gil_scoped_acquire lock;
    if (!handler_raises()) return !raised_;
    auto raised = std::make_unique<py::error_already_set>();
    if (!raised_) {
      since_ = Clock::now();
      stop_.request_stop();
    }
    if (raised->matches(PyExc_KeyboardInterrupt)) {
      if (has_told_) end();
      if (std::exchange(is_interrupted_, true)) return false;  // the same Ctrl-C
    }
    raised_ = std::move(raised);
    return false;
  }
  /// With the lock: what the last handler has raised.
  void rethrow() const {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static bool on_main_thread() {
    const py::module_ threading = py::module_::import("threading");
    return threading.attr("current_thread")().is(threading.attr("main_thread")());
  }

  /// What a handler raises is raised while what the last one has raised is handled: so Python keeps
  /// the contexts of both, also of one exception that is raised in turns with others.
  [[nodiscard]] bool handler_raises() const {
    if (!raised_) return PyErr_CheckSignals() != 0;
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_GetExcInfo(&type, &value, &trace);
    PyErr_SetExcInfo(raised_->type().inc_ref().ptr(), raised_->value().inc_ref().ptr(),
                     raised_->trace().inc_ref().ptr());
    const bool raises = PyErr_CheckSignals() != 0;
    PyErr_SetExcInfo(type, value, trace);
    return raises;
  }
  void tell() {
    cli::print_to_stderr_at_once(
        "\npto2: interrupted; waiting for the kernels that run, Ctrl-C once more ends the "
        "process\n");
    has_told_ = true;
  }
  [[noreturn]] static void end() {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
    std::_Exit(cli::exit_interrupted);  // where it is blocked
  }

  std::stop_source& stop_;
  const bool is_main_thread_ = on_main_thread();
  Clock::time_point since_;
  bool has_told_ = false;
  bool is_interrupted_ = false;  // by Ctrl-C
  std::unique_ptr<py::error_already_set> raised_;
};

/// Id, name, path; aic, aiv or nothing; where that is said.
using KernelList =
    std::vector<std::tuple<int32_t, std::string, std::string, std::string, std::string>>;
using ArrayList = std::vector<std::tuple<std::string, uint64_t, uint64_t>>;

/// A path in it may be no UTF-8.
py::object text_of(const char* message) {
  return py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(message));
}

/// The report, and why the trace could not be written.
py::tuple run_on(LaunchThread& thread, std::map<std::string, std::string> settings,
                 const std::string& orchestration, const std::string& entry,
                 const std::string& folder, const KernelList& kernels, std::vector<uint64_t> values,
                 const ArrayList& arrays, std::optional<std::string> trace) {
  Request request{std::move(settings), {}, std::move(trace)};
  request.images.orchestration = orchestration;
  request.images.entry = entry;
  request.images.kernels = folder;
  for (const auto& [id, name, path, core_type, where] : kernels) {
    std::optional<CoreType> type;
    if (!core_type.empty()) type = core_type == "aic" ? CoreType::cube : CoreType::vector;
    request.images.kernel_files.push_back({id, {name, type, where}, path});
  }
  request.images.values = std::move(values);
  for (const auto& [name, address, bytes] : arrays) {
    request.images.arrays.push_back({name, address, bytes});
  }
  std::stop_source stop;
  SignalWatch watch(stop);
  Told told;
  std::exception_ptr failure;
  thread.start_in_child();
  PyThreadState* const state = PyEval_SaveThread();
  try {
    thread.run([&] { told = run(request, stop.get_token()); }, [&] { return watch.look(); });
  } catch (...) {
    failure = std::current_exception();
  }
  // Not in a destructor: while the interpreter is ending, this ends the thread by unwinding it.
  PyEval_RestoreThread(state);
  if (failure) std::rethrow_exception(failure);
  watch.rethrow();
  return py::make_tuple(told.report, text_of(told.lost.c_str()));
}

/// With the exit code that a program has after it.
void raise_input_error(PyObject* type, const char* message, cli::ExitCode code) {
  const py::object error = py::reinterpret_borrow<py::object>(type)(text_of(message));
  error.attr("exit_code") = static_cast<int>(code);
  PyErr_SetObject(type, error.ptr());
}

py::list settings() {
  py::list list;
  for (const SettingSpec& spec : cli::setting_specs()) {
    if (!spec.id) continue;
    py::dict setting;
    setting["name"] = spec.name;
    setting["environment"] = spec.environment == nullptr ? "" : spec.environment;
    setting["default"] = spec.built_in;
    setting["allowed"] = cli::allowed_values(spec);
    setting["help"] = spec.help;
    list.append(setting);
  }
  return list;
}

/// Of the chip, as these settings have it.
uint64_t blocks(const std::map<std::string, std::string>& given) {
  return checked(given).number(cli::Setting::blocks);
}

/// Of outcomes: those that are bugs of ours.
std::vector<std::string> own_faults() {
  std::vector<std::string> names;
  for (const OutcomeRow& row : outcome_table()) {
    if (row.cause == Cause::runtime) names.emplace_back(row.name);
  }
  return names;
}

/// As macros of the headers of tile instructions.
std::map<std::string, uint32_t> buffer_macros(const std::map<std::string, std::string>& given) {
  const std::string platform = checked(given).text(cli::Setting::platform);
  const cli::CoreBuffers buffers = cli::buffers_of_platform(platform);
  std::map<std::string, uint32_t> macros;
  for (const cli::BufferSize& size : cli::buffer_sizes()) {
    macros[size.macro] = buffers.*size.member;
  }
  return macros;
}

/// Of code that ends the process of a case, for the one that has forked it.
class LastWord {
 public:
  /// In that process.
  void leave_here() const {
    CrashGuard::leave_text_in(word_.get());
    ExitGuard::leave_text_in(word_.get());
  }
  /// The outcome, and what happened and what to do. Nothing: it was not the code of a run.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> read() const {
    const ErrorCode code = word_->code.load(std::memory_order_acquire);
    if (code == ErrorCode::ok) return std::nullopt;
    return text_of({code, word_->text, row_of(code).hint});
  }
  /// The same without one, as a status of wait(2) says it.
  [[nodiscard]] std::pair<std::string, std::string> guess(int status) const {
    return text_of(cli::error_of_status(status, *word_));
  }

 private:
  static std::pair<std::string, std::string> text_of(const RunError& error) {
    return {row_of(error.code).name, error.message + "\n" + error.hint};
  }

  cli::SharedWithForks<CrashText> word_;
};

}  // namespace
}  // namespace pto2::python

PYBIND11_MODULE(_native, module) {
  using namespace pto2::python;
  static py::exception<pto2::cli::CliError> bad_input(module, "InputError", PyExc_ValueError);
  static py::exception<pto2::executors::SeededFailure> bug(module, "InternalError",
                                                           PyExc_RuntimeError);
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const pto2::cli::CliError& wrong) {
      raise_input_error(bad_input.ptr(), wrong.what(), wrong.code());
    } catch (const pto2::LoadError& wrong) {
      raise_input_error(bad_input.ptr(), wrong.what(), pto2::cli::exit_bad_input);
    } catch (const std::system_error& refused) {
      const pto2::cli::CliError told = pto2::cli::told_of(refused, pto2::cli::run_remedies(), {});
      raise_input_error(bad_input.ptr(), told.what(), told.code());
    } catch (const pto2::executors::SeededFailure& found) {
      bug(found.what());
    }
  });
  module.def("settings", &settings, "The settings of a run, as `pto2 run --help` has them.");
  module.def(
      "check_settings",
      [](const std::map<std::string, std::string>& given) { static_cast<void>(checked(given)); },
      "Raises InputError for settings that are wrong, or do not fit each other.");
  module.def("blocks", &blocks, "How many blocks the chip has with these settings.");
  module.def("buffer_macros", &buffer_macros,
             "Bytes of the buffers of the chip's cores, by the macro that says so to kernels.");
  module.def("own_faults", &own_faults, "The outcomes of a run that are bugs of pto2.");
  py::class_<LastWord>(module, "LastWord")
      .def(py::init<>())
      .def("leave_here", &LastWord::leave_here)
      .def("read", &LastWord::read)
      .def("guess", &LastWord::guess);
  py::class_<LaunchThread>(module, "LaunchThread")
      .def(py::init<>())
      .def("run", &run_on, py::arg("settings"), py::arg("orchestration"), py::arg("entry"),
           py::arg("folder"), py::arg("kernels"), py::arg("values"), py::arg("arrays"),
           py::arg("trace"));
}
