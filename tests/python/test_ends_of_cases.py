"""How a case, a program or a compiler ends is heard where SIGCHLD is ignored."""

import concurrent.futures
import contextlib
import ctypes
import os
import signal
import threading
from pathlib import Path

import numpy
import pytest

import pto2
from pto2 import _folder_run, _runtime
from pto2._case import CaseArguments, _called
from pto2._compiler import Compiler, kernel_source, orchestration_source
from pto2._ends import kept_ends
from pto2._folder import Folder, _staying, find_folder
from pto2._folder_test import FolderCases
from pto2._isolated import run_isolated


@pytest.fixture
def sigchld_ignored():
    former = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, former)


def is_sigchld_ignored():
    """By the system, whatever Python remembers."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    ignored = next(line for line in status.splitlines() if line.startswith("SigIgn:"))
    return int(ignored.split()[1], 16) >> (signal.SIGCHLD - 1) & 1 == 1


def test_a_child_is_waited_for_where_sigchld_is_ignored(sigchld_ignored):
    assert run_isolated("a", lambda: 7) == 7
    assert is_sigchld_ignored() and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        assert thread.submit(run_isolated, "a", lambda: os._exit(9)).result().detail.count("code 9")
    assert is_sigchld_ignored()


def test_a_child_is_waited_for_when_another_has_ended(sigchld_ignored):
    begun, ended = os.pipe(), os.pipe()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        late = thread.submit(run_isolated, "late",
                             lambda: os.write(begun[1], b"x") and os.read(ended[0], 1))
        assert os.read(begun[0], 1) == b"x"
        try:
            assert run_isolated("a", lambda: 7) == 7
        finally:
            os.write(ended[1], b"y")
        assert late.result() == b"y"
    assert is_sigchld_ignored()
    for file in (*begun, *ended):
        os.close(file)


def fork_who_waits(for_end_of):
    """Of golden.py or of a kernel: it has all the files that the process of the case has."""
    if os.fork() == 0:
        os.read(for_end_of, 1)
        os._exit(0)


@pytest.mark.parametrize("answer", [7, "x" * 1000000])
def test_an_answer_does_not_wait_for_what_the_child_has_forked(answer):
    """Also a long one, which does not fit into the pipe."""
    reading, writing = os.pipe()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        result = thread.submit(run_isolated, "a", lambda: fork_who_waits(reading) or answer)
        try:
            assert result.result(30) == answer
        finally:
            os.write(writing, b"x")
    os.close(reading)
    os.close(writing)


def test_who_ends_without_an_answer_is_told_though_it_has_forked():
    reading, writing = os.pipe()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        result = thread.submit(run_isolated, "a", lambda: fork_who_waits(reading) or os._exit(9))
        try:
            assert result.result(30).detail.count("code 9")
        finally:
            os.write(writing, b"x")
    os.close(reading)
    os.close(writing)


def test_programs_that_fail_are_heard_where_sigchld_is_ignored(sigchld_ignored, vector, tmp_path):
    orchestration, kernels = vector
    trace = tmp_path / "trace.jsonl"
    arrays = [numpy.zeros(8, numpy.float32) for _ in "abc"]
    pto2.Runtime().run(orchestration, kernels, [*arrays, 8, ctypes.c_float(1)],
                       entry="build_graph", trace=trace)
    assert pto2.validate(trace)["exit_code"] == 0
    trace.write_text(trace.read_text().replace('"event":"fin"', '"event":"ack"', 1))
    result = pto2.validate(trace)
    assert (result["verdict"], result["exit_code"]) == ("broken", 1)
    trace.write_text("nothing\n")
    with pytest.raises(pto2.InputError, match="trace.jsonl"):
        pto2.validate(trace)
    assert is_sigchld_ignored()


def test_compilers_that_fail_are_heard_where_sigchld_is_ignored(sigchld_ignored, tmp_path):
    source = tmp_path / "graph.cpp"
    source.write_text("this is no C++")
    with pytest.raises(pto2.InputError, match="the orchestration does not compile:\n.*this"):
        Compiler(tmp_path / "cache").compile([orchestration_source(source)], 1, print)
    assert is_sigchld_ignored()


def test_a_child_of_fork_can_wait_whatever_other_threads_did():
    """One may have been in the middle of its beginning or end, and does not go on in the child."""
    ended = threading.Event()

    def begin_and_end():
        while not ended.is_set():
            with kept_ends():
                pass
    thread = threading.Thread(target=begin_and_end)
    thread.start()
    try:
        for _ in range(30):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                with kept_ends():
                    os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("function, what, told", [
    ("compute_golden", "__import__('ctypes').string_at(0)",
     "compute_golden crashed: SIGSEGV ended the process of the case"),
    ("generate_inputs", "os.abort()",
     "generate_inputs crashed: SIGABRT ended the process of the case"),
    ("generate_inputs", "return [('out', __import__('numpy').ctypeslib.as_array("
     "(__import__('ctypes').c_float * 8).from_address(8)))]",
     "generate_inputs: out: what reads it crashed: SIGSEGV ended the process of the case"),
    ("generate_inputs", "os._exit(0)",
     "generate_inputs ended the process of the case with exit code 0; ")])
def test_what_golden_does_to_its_process_is_its_fault(vector_copy, capfd, change, function, what,
                                                      told):
    """As an exception there is."""
    golden = vector_copy / "golden.py"
    change(golden, "", "\n\nimport os\n_%s = %s\ndef %s(*values):\n    _%s(*values)\n    %s\n"
           % (*[function] * 4, what))
    assert pto2.run.main([str(vector_copy)]) == 3
    out = capfd.readouterr().out
    assert f"case Small  bad_input\n{golden}: {told}" in out
    with pytest.raises(pto2.InputError, match=told):
        FolderCases(vector_copy, {}).run("Small")


def test_only_the_code_that_runs_is_at_fault(vector_copy):
    """What golden.py has returned from, or has raised, does not end the process later."""
    folder = Folder(*find_folder(vector_copy))

    def end(function):
        with contextlib.suppress(pto2.InputError):
            _called(folder, "generate_inputs", function)
        os.abort()
    for function in (dict, lambda: 1 / 0):
        assert run_isolated("a", lambda: end(function)).outcome == "runtime_crashed"
    with pytest.raises(pto2.InputError, match="generate_inputs crashed"):
        run_isolated("a", lambda: _called(folder, "generate_inputs", os.abort))
    long = Folder(*find_folder(vector_copy))
    long.golden_path = "x" * 10000
    with pytest.raises(pto2.InputError, match="x: generate_inputs crashed: SIGABRT"):
        run_isolated("a", lambda: _called(long, "generate_inputs", os.abort))


def test_what_golden_crashes_by_is_any_signal_of_a_crash(vector_copy):
    folder = Folder(*find_folder(vector_copy))

    def end_by(number):
        return run_isolated("a", lambda: _called(folder, "compute_golden",
                                                 lambda: os.kill(os.getpid(), number)))
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE,
                   signal.SIGILL):
        with pytest.raises(pto2.InputError, match=f"compute_golden crashed: {number.name} ended"):
            end_by(number)
    for number in (signal.SIGKILL, signal.SIGALRM):
        killed = end_by(number)
        assert (killed.outcome, killed.exit_code()) == ("killed", 5)
        assert killed.detail.startswith(f"while {folder.golden_path}: compute_golden ran, "
                                        f"{number.name} ended the process of the run")


def test_a_kernel_that_golden_runs_keeps_its_name(vector_copy, vector, tmp_path):
    """Also where golden.py runs a folder, whose golden.py has come to its end."""
    orchestration, kernels = vector
    source = tmp_path / "add.cpp"
    source.write_text("#include <cstdint>\n#include <cstdlib>\n"
                      "extern \"C\" void kernel_entry(int64_t*) { std::abort(); }\n")
    wanted = kernel_source("add", source, "aiv", 1)
    kernels = {**kernels, 0: Compiler().compile([wanted], 1, print).images[wanted]}
    arrays = [numpy.zeros(8, numpy.float32) for _ in "abc"]
    folder = Folder(*find_folder(vector_copy))
    crash = run_isolated("a", lambda: _called(
        folder, "compute_golden", lambda: pto2.Runtime().run(
            orchestration, kernels, [*arrays, 8, ctypes.c_float(1)], entry="build_graph")))
    assert (crash.verdict, crash.outcome) == ("fault", "crashed")
    assert "SIGABRT" in crash.detail and "kernel 0" in crash.detail
    with pytest.raises(pto2.InputError, match="compute_golden crashed"):
        run_isolated("a", lambda: _called(
            folder, "compute_golden", lambda: _called(folder, "generate_inputs", dict) or
            os.abort()))


@pytest.mark.parametrize("owner, name, rounds, outcome, code", [
    (_folder_run, "Runtime", 1, "runtime_crashed", 70),
    (_runtime, "bytes_of", 1, "runtime_crashed", 70), (_runtime, "RunResult", 1, "crashed", 5),
    (CaseArguments, "compare", 1, "crashed", 5), (CaseArguments, "restore", 2, "crashed", 5),
    (_folder_run.statistics, "median", 1, "crashed", 5)])
def test_behind_a_run_a_crash_may_be_of_memory_that_a_kernel_has_damaged(
        vector_copy, capfd, monkeypatch, owner, name, rounds, outcome, code):
    """Which is then ours to crash by."""
    monkeypatch.setattr(owner, name, lambda *_, **__: os.abort())
    assert pto2.run.main([str(vector_copy), "-n", str(rounds)]) == code
    out = capfd.readouterr().out
    assert f"case Small  {outcome}\nSIGABRT ended the process of the " in out
    assert ("behind a run: a kernel or golden.py may have" in out) == (outcome == "crashed")


def test_the_next_run_knows_what_runs(vector_copy, capfd, monkeypatch):
    """A crash in it is not behind the one before."""
    launches = []

    class Thread:
        def __init__(self):
            self._real = real()

        def run(self, **arguments):
            launches.append(self)
            return self._real.run(**arguments) if len(launches) == 1 else os.abort()
    real = _runtime.LaunchThread
    monkeypatch.setattr(_runtime, "LaunchThread", Thread)
    assert pto2.run.main([str(vector_copy), "-n", "2"]) == 70
    assert "case Small  runtime_crashed" in capfd.readouterr().out


def test_other_threads_end_the_process_of_golden_py_as_ever():
    child = os.fork()
    if child == 0:
        with _staying():
            thread = threading.Thread(target=lambda: os._exit(7))
            thread.start()
            thread.join()
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize("name", ["golden.py", "kernels/kernel_config.py"])
def test_a_file_that_is_executed_cannot_end_the_process(vector_copy, capfd, change, name):
    """With 0 it would pass for a result. What it forks ends as it says."""
    file = vector_copy / name
    change(file, "", "\nimport os\nif os.fork() == 0:\n    os._exit(7)\n"
           "assert os.waitstatus_to_exitcode(os.wait()[1]) == 7\nkept = os._exit\n")
    real = os._exit
    folder = Folder(*find_folder(vector_copy))
    assert os._exit is real
    if name == "golden.py":
        assert run_isolated("a", lambda: folder.golden.kept(9)).detail.count("code 9")
    change(file, "", "os._exit(0)\n")
    told = f"{file}: SystemExit: os._exit\\(0\\) would end pto2; "
    with pytest.raises(pto2.InputError, match=told):
        FolderCases(vector_copy, {})
    assert os._exit is real
    assert pto2.run.main([str(vector_copy)]) == 3
    assert "os._exit(0) would end" in capfd.readouterr().err


@pytest.mark.parametrize("what, code, outcome, told", [
    ("std::thread([] { std::abort(); }).join()", 70, "runtime_crashed",
     "SIGABRT ended the process of the run, and no kernel or orchestration was known"),
    ("std::signal(SIGABRT, SIG_DFL), std::abort()", 5, "crashed",
     "SIGABRT ended the process of the run past its handler: a kernel or the orchestration has"),
    ("_exit(0)", 5, "exited",
     "the process of the run ended with exit code 0 before the run had ended, by _exit() or")])
def test_whose_fault_an_end_is_that_nobody_tells(vector_copy, capfd, change, what, code, outcome,
                                                 told):
    """As of `pto2 run --isolate`."""
    kernel = vector_copy / "kernels" / "aiv" / "add.cpp"
    change(kernel, "const float* const a", f"{what};\n  const float* const a")
    change(kernel, '#include "pto_kernel_api.h"', '#include "pto_kernel_api.h"\n#include <csignal>'
           "\n#include <cstdlib>\n#include <thread>\n#include <unistd.h>")
    assert pto2.run.main([str(vector_copy)]) == code
    out = capfd.readouterr().out
    assert f"case Small  {outcome}\n{told}" in out and "above" not in out
