"""Runs a folder with golden.py and kernels/kernel_config.py.

    python3 -m pto2.run FOLDER

The module can be called, too:

    report = pto2.run("my_folder", executor="seeded", seed=7)
    assert report.verdict == "pass"
"""

import argparse
import contextlib
import functools
import os
import signal
import sys
import traceback
import types
from pathlib import Path

from ._compiler import read_by_flags
from ._folder import Folder, environment, find_folder
from ._folder_run import (CaseReport, FolderRunner, checks_of, error_report, exit_bad_input,
                          exit_bug, exit_interrupted, settings_of)
from ._isolated import run_here, run_isolated
from ._junit import to_junit
from ._lacks import lacks_told
from ._native import InputError, InternalError
from ._outputs import (LostTrace, check_apart, check_inputs_stay, check_sources_stay, chip_file,
                       exit_usage, open_output, prepare_file, unwritable)
from ._runtime import path_of, settings
from ._streams import open_missing, put, say, settle, stdout_on_stderr, tell

# Of the original's runner; they choose what a simulator does not have.
_without_meaning = ("device", "pto_isa_commit", "build", "enable_profiling")
_as_json, _as_junit = "the result as JSON", "the result as JUnit"


@lacks_told()
def _call(folder, *, case=None, kernels=None, golden=None, rounds=None, compare=True, trace=None,
          jobs=None, kernel_checks="bounds", **chosen):
    """Runs a case of a folder, the default one, or all with case="all", in this process.

    folder: has golden.py and kernels/, unless `golden` and `kernels` name them. Other keywords are
    settings of pto2.Runtime; instead of repeat and replay_graph there is `rounds`. Returns a report
    with verdict, cases and text(). Raises InputError for what cannot be run; that for a trace that
    cannot be written in the end has the report as `report`.
    """
    for name, value in (("rounds", rounds), ("jobs", jobs)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise InputError(f"{name} is {value!r}; it must be a whole number above 0")
    if trace is not None and case == "all":
        raise InputError("trace is of one case; name it with case")
    if kernel_checks not in checks_of:
        raise InputError(f"kernel_checks is {kernel_checks!r}; it must be {', '.join(checks_of)}")
    chosen = settings_of(chosen)
    usual_kernels, usual_golden = find_folder(folder)
    loaded = Folder(kernels or usual_kernels, golden or usual_golden)
    trace = None if trace is None else path_of("trace", trace)
    _prepare_files([("trace", "the trace", trace)], loaded,
                   chip_file({**loaded.settings, **chosen}, "platform"))
    runner = FolderRunner(loaded, chosen, jobs or os.cpu_count(), kernel_checks,
                          progress=lambda text: None)
    cases = loaded.cases if case == "all" else [loaded.default_case if case is None else case]
    report = runner.report(runner.run(name, rounds, compare, trace) for name in cases)
    for error in _lost_traces(report):
        error.report = report
        raise error
    return report


def _lost_traces(report):
    return [LostTrace(case.lost) for case in report.cases if case.lost]


class _CallableModule(types.ModuleType):
    """pto2.run is a module, for python3 -m, and a function."""

    def __call__(self, folder, **options):
        return _call(folder, **options)


sys.modules[__name__].__class__ = _CallableModule


def _name(of):
    """The type of an option that names one. A script whose variable is not set passes nothing."""
    def check(text):
        if text:
            return text
        raise argparse.ArgumentTypeError(f"an empty name; name a {of}, or leave the option out")
    return check


class _Parser(argparse.ArgumentParser):
    def print_help(self, file=None):
        put(self.format_help(), "the help")

    def error(self, message):
        tell(f"{self.format_usage()}{self.prog}: error: {message}\n")
        sys.exit(exit_usage)


def _parser():
    parser = _Parser(
        prog="pto2 run-folder", description="Runs a folder with golden.py and "
        "kernels/kernel_config.py on simulated AI cores, and compares its outputs.",
        epilog="Exit codes: 0 pass, 1 an output is wrong, 2 usage, 3 bad input, 4 nothing was "
        "compared, 5 a fault of the run, 70 a bug of pto2 (or a crash during a run, on a thread "
        "that an image has started or in memory that a kernel has damaged), 130 interrupted, 143 "
        "terminated. "
        "SIGINT (Ctrl-C) and SIGTERM end a run once the kernels that run have returned, a second "
        "signal at once. What was compiled is kept in PTO2_CACHE, or ~/.cache/pto2.")
    add = parser.add_argument
    file = functools.partial(add, metavar="FILE", type=_name("file"))
    add("folder", nargs="?", type=_name("folder"), help="the folder, instead of -k and -g")
    add("-k", "--kernels", metavar="DIR", type=_name("folder"),
        help="the folder with kernel_config.py")
    file("-g", "--golden", help="golden.py")
    add("-p", "--platform", metavar="CHIP", help="a2a3sim, a5sim or a chip file NAME.toml")
    add("--case", metavar="NAME", type=_name("case"),
        help="which case; else golden.py's DEFAULT_CASE")
    add("--all", action="store_true", help="all cases")
    add("-n", "--rounds", type=int, metavar="N", help="run and compare each case so often, "
        "until an output is wrong; times are medians")
    add("--skip-golden", action="store_true", help="compare nothing; the exit code is 4")
    file("--trace", help="what happened in the last round, for pto2 validate; - as with --json")
    file("--json", help="the report as JSON; - is stdout, which has nothing else then, and what "
         "kernels print there goes to stderr")
    file("--junit", help="the report as JUnit's XML; - as with --json")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilations at a time")
    add("--kernel-checks", choices=list(checks_of), default="bounds",
        help="what tile instructions look at [bounds]")
    add("--no-isolate", action="store_true", help="run the cases in this process, for a debugger")
    add("-v", "--verbose", action="store_true", help="--log-level debug")
    add("--silent", action="store_true", help="--log-level error, and no progress")
    for name, spec in settings().items():
        if name in ("platform", "repeat", "replay_graph"):
            continue
        add("--" + name.replace("_", "-"), metavar="VALUE", default=None,
            help=f"{spec['help']}: {spec['allowed']}".replace("%", "%%"))
    # Accepted, so that command lines of the original's runner work as they are.
    add("-d", "--device", help=argparse.SUPPRESS)
    add("-c", "--pto-isa-commit", help=argparse.SUPPRESS)
    add("--build", action="store_true", help=argparse.SUPPRESS)
    add("--enable-profiling", action="store_true", help=argparse.SUPPRESS)
    return parser


def _settings_of(options):
    chosen = {name: getattr(options, name) for name in settings()
              if getattr(options, name, None) is not None}
    if options.verbose:
        chosen["log_level"] = "debug"
    if options.silent:
        chosen["log_level"] = "error"
    return chosen


def _write(path, content, text):
    if path == "-":
        put(text, content)
        return
    try:
        with open_output(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise unwritable(path, content, error.strerror, was_open=True) from None


def _write_all(results, lost):
    """results: (path or None, what it is called, its text by a function). What cannot be written
    keeps nothing else from being written. Raises the first InputError, those that are `lost`
    before."""
    errors = [*lost]
    for path, content, text in results:
        try:
            if path is not None:
                _write(path, content, text())
        except InputError as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _prepare_files(outputs, folder, chip, stdout=1):
    """outputs: (option, what it is called, path or None), "-" for the descriptor `stdout`; chip: as
    of chip_file. Raises InputError."""
    named = [output for output in outputs if output[2] is not None]
    paths = {option: path for option, _, path in named}
    with environment(folder.variables):
        files, folders = read_by_flags()
    inputs = {path: "is a source of the folder" for path in folder.sources()}
    inputs.update((path, "the compiler reads") for path in files)
    check_inputs_stay(paths, {**inputs, **chip}, stdout)
    check_sources_stay(paths, [*folder.folders(), *folders])
    for _, content, path in named:
        prepare_file(path, content)


def _paths(parser, options):
    if options.folder is not None:
        kernels, golden = find_folder(options.folder)
        return options.kernels or kernels, options.golden or golden
    if options.kernels is None or options.golden is None:
        parser.error("name the folder, or both -k and -g")
    return options.kernels, options.golden


def _check(parser, options):
    if options.all and options.case:
        parser.error("--all and --case exclude each other")
    if options.all and options.trace:
        parser.error("--trace is of one case; name it with --case")
    if options.trace_events is not None and options.trace is None:
        parser.error("--trace-events needs --trace: without it no events are kept")
    for name in ("rounds", "jobs"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} must be 1 or more")
    if options.platform in ("a2a3", "a5"):
        parser.error(f"-p {options.platform} is the chip itself; {options.platform}sim simulates "
                     "it")


def _reports(runner, cases, options, trace):
    run_case = run_here if options.no_isolate else run_isolated
    for case in cases:
        work = functools.partial(runner.run, case, options.rounds, not options.skip_golden, trace)
        try:
            yield run_case(case, work)
        except KeyboardInterrupt as error:
            terminated = getattr(error, "signal", signal.SIGINT) == signal.SIGTERM
            yield CaseReport(case, "interrupted", "terminated" if terminated else "interrupted")
            return
        except (InputError, InternalError) as error:
            yield error_report(case, error)


def _report_of(parser, options, outputs, trace, stdout):
    """outputs: as of _prepare_files, which `stdout` is of, too; trace: where the runtime writes
    it."""
    kernels, golden = _paths(parser, options)
    for name in _without_meaning:
        if getattr(options, name):
            say(f"--{name.replace('_', '-')} has no meaning on a simulator, and is ignored")
    folder = Folder(kernels, golden)
    if options.platform is not None:
        folder.settings["platform"] = options.platform
    cases = folder.cases if options.all else [options.case or folder.default_case]
    for case in cases:
        folder.params_of(case)
    chosen = _settings_of(options)
    _prepare_files(outputs, folder, chip_file({**folder.settings, **chosen}, "--platform"), stdout)
    runner = FolderRunner(folder, chosen, options.jobs, options.kernel_checks,
                          progress=(lambda text: None) if options.silent else say)
    return runner.report(_reports(runner, cases, options, trace))


def _run(parser, options):
    outputs = [("--trace", "the trace", options.trace), ("--json", _as_json, options.json),
               ("--junit", _as_junit, options.junit)]
    check_apart({option: path for option, _, path in outputs if path is not None})
    is_for_report = "-" in (options.json, options.junit, options.trace)
    with contextlib.ExitStack() as files:
        trace = options.trace
        if trace == "-":  # what kernels print while it is written is not to be in between
            memory = os.memfd_create("pto2-trace")
            kept = files.enter_context(open(memory, "r", encoding="utf-8"))
            trace = f"/proc/self/fd/{memory}"
        with stdout_on_stderr() if is_for_report else contextlib.nullcontext(1) as stdout:
            report = _report_of(parser, options, outputs, trace, stdout)
        _write_all([
            ("-" if options.trace == "-" else None, "the trace", lambda: kept.read()),
            (options.json, _as_json, report.to_json),
            (options.junit, _as_junit, lambda: to_junit(report)),
            (None if is_for_report else "-", "the result", report.text)], _lost_traces(report))
    return report.exit_code()


def _guarded(arguments):
    try:
        parser = _parser()
        options = parser.parse_args(arguments)
        _check(parser, options)
        with lacks_told():
            return _run(parser, options)
    except InputError as error:
        say(str(error))
        return getattr(error, "exit_code", exit_bad_input)
    except InternalError as error:
        say(str(error))
        return exit_bug
    except KeyboardInterrupt:
        return exit_interrupted
    except SystemExit:  # of the parser
        raise
    except BaseException:  # or it would look like a wrong output
        tell(traceback.format_exc())
        return exit_bug


def main(arguments=None):
    """Runs a command line; returns the exit code."""
    open_missing()
    try:
        return _guarded(arguments)
    finally:
        settle()


if __name__ == "__main__":
    sys.exit(main())
