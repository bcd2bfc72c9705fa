"""Ctrl-C ends a run, in the interpreter and in the runner."""

import contextlib
import ctypes
import functools
import json
import operator
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pto2._isolated import Interrupted, run_isolated

images = Path(__file__).parent / "images"

_program = """
import sys, time
import numpy, pto2
print("ready", flush=True)
try:
    pto2.Runtime(log_level="error", deadline=0).run(
        sys.argv[1], {0: sys.argv[2]}, [numpy.zeros(1, numpy.uint8), 100_000, int(sys.argv[3])])
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
"""

# What the orchestration logs tells that the other thread has its turn, so that this one waits.
_two_threads = """
import os, select, sys, threading
import numpy, pto2
runtime = pto2.Runtime(log_level="info", deadline=0)
def run():
    runtime.run(
        sys.argv[1], {0: sys.argv[2]}, [numpy.zeros(1, numpy.uint8), 100_000, int(sys.argv[3])])
stderr, (log, end) = os.dup(2), os.pipe()
os.dup2(end, 2)
threading.Thread(target=run, daemon=True).start()
logged = b""
while b"a graph of waiting tasks" not in logged:
    assert select.select([log], [], [], 30)[0]
    logged += os.read(log, 1000)
os.dup2(stderr, 2)
print("ready", flush=True)
try:
    run()
    print("ended")
except KeyboardInterrupt:
    print("interrupted", flush=True)
os._exit(0)
"""

_golden = """
import ctypes, os, numpy
__outputs__ = ["flag"]
def generate_inputs(params):
    return [("flag", numpy.zeros(1, numpy.uint8)), ("tasks", ctypes.c_int64(100_000)),
            ("milliseconds", ctypes.c_int64(int(os.environ["PTO2_TEST_WAIT"])))]
def compute_golden(tensors, params):
    open(os.environ["PTO2_TEST_BEGUN"], "w").write(str(os.getpid()))
"""

_config = f"""
ORCHESTRATION = {{"source": "{images}/waiting_graph.cpp",
                 "function_name": "aicpu_orchestration_entry"}}
KERNELS = [{{"func_id": 0, "source": "{images}/waiting_kernel.cpp", "core_type": "aiv"}}]
RUNTIME_CONFIG = {{"runtime": "tensormap_and_ringbuffer"}}
"""


@contextlib.contextmanager
def program(waiting, milliseconds, before="", after="", text=_program):
    """One whose kernels take so long, and that runs; with these statements before it and after it
    was interrupted."""
    orchestration, kernels = waiting
    text = f"{before}{text}    {after}"
    line = [sys.executable, "-c", text, orchestration, kernels[0], str(milliseconds)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            yield child
        finally:
            child.kill()


def test_ctrl_c_gives_a_run_up(waiting):
    with program(waiting, 20) as child:
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=30) == ("interrupted\n", "")
        assert child.returncode == 0


def test_ctrl_c_is_heard_while_another_thread_runs(waiting):
    with program(waiting, 20, text=_two_threads) as child:
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=15) == ("interrupted\n", "")


_told = "pto2: interrupted; waiting for the kernels that run, Ctrl-C once more ends the process\n"


def test_a_second_ctrl_c_ends_the_process(waiting):
    with program(waiting, 600_000) as child:
        child.send_signal(signal.SIGINT)
        assert [child.stderr.readline() for _ in "12"] == ["\n", _told]
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=30)
        assert (output, child.returncode) == ("", -signal.SIGINT)


def test_a_second_ctrl_c_before_the_process_has_told_is_the_first(waiting):
    with program(waiting, 2000) as child:
        for _ in range(2):
            child.send_signal(signal.SIGINT)
            time.sleep(0.1)
        output, errors = child.communicate(timeout=30)
        assert (output, child.returncode) == ("interrupted\n", 0) and _told in errors


_unheard = """
import os
reading, writing = os.pipe2(os.O_NONBLOCK)
try:
    while os.write(writing, b"x"):
        pass
except BlockingIOError:
    os.set_blocking(writing, True)
os.dup2(writing, 2)
"""


def test_ctrl_c_needs_nobody_who_reads_stderr(waiting):
    with program(waiting, 2000, _unheard) as child:
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=15) == ("interrupted\n", "")


_exiting = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"


def test_another_handler_is_not_lost_while_kernels_run(waiting):
    with program(waiting, 2000, _exiting) as child:
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
        child.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)  # the same Ctrl-C
        output, errors = child.communicate(timeout=30)
        assert (output, child.returncode) == ("", 7) and _told in errors


_ringing = """
import signal
def ring(*_):
    raise TimeoutError("rings")
signal.signal(signal.SIGALRM, ring)
"""


def test_ctrl_c_is_not_lost_behind_another_handler(waiting):
    with program(waiting, 2000, _ringing, "raise") as child:
        child.send_signal(signal.SIGALRM)
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=30)
        assert (output, child.returncode) == ("interrupted\n", -signal.SIGINT)
        rings, interrupt = errors.find("TimeoutError: rings"), errors.find("\nKeyboardInterrupt")
        assert 0 <= rings < interrupt, errors


_in_turns = """
import signal, sys
def first(*_):
    raise errors[0]
def second(*_):
    try:
        raise ValueError("cause")
    except ValueError:
        raise errors[1]
def tell(_, error, trace):
    for _ in range(6):
        print(error)
        error = error and error.__context__
errors = [TimeoutError("first"), TimeoutError("second")]
signal.signal(signal.SIGALRM, first)
signal.signal(signal.SIGUSR1, second)
sys.excepthook = tell
"""


def test_handlers_that_raise_in_turns_make_no_circle(waiting):
    """Each keeps its own context, too."""
    with program(waiting, 2000, _in_turns) as child:
        for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGALRM):
            child.send_signal(number)
            time.sleep(0.1)
        output, _ = child.communicate(timeout=30)
        assert output.split() == ["first", "second", "cause", "None", "None", "None"]


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextlib.contextmanager
def running(*arguments):
    """A runner whose case is about to run, and the process of the case."""
    child, case = start_runner(*arguments)
    try:
        yield child, case
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


@pytest.fixture
def runner(waiting, tmp_path):
    with running(tmp_path) as both:
        yield both


def start_runner(folder, wait="20", flags=()):
    """wait: milliseconds that a kernel takes."""
    (folder / "kernels").mkdir()
    (folder / "golden.py").write_text(_golden)
    (folder / "kernels" / "kernel_config.py").write_text(_config)
    begun = folder / "begun"
    line = [sys.executable, "-m", "pto2.run", folder, "--json", folder / "report.json",
            "--log-level", "error", *flags]
    variables = {"PTO2_TEST_BEGUN": str(begun), "PTO2_TEST_WAIT": wait}
    child = subprocess.Popen(line, env={**os.environ, **variables},
                             stdout=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(lambda: begun.exists() and begun.read_text())
    return child, int(begun.read_text())


@pytest.mark.parametrize("number, group, outcome, code", [
    (signal.SIGINT, False, "interrupted", 130), (signal.SIGINT, True, "interrupted", 130),
    (signal.SIGTERM, False, "terminated", 143)])
def test_signals_end_the_runner(runner, tmp_path, number, group, outcome, code):
    child, _ = runner
    (os.killpg if group else os.kill)(child.pid, number)
    check_interrupted(child, tmp_path, outcome, code)


def check_interrupted(child, folder, outcome, code):
    output, _ = child.communicate(timeout=30)
    assert child.returncode == code and output.endswith("TEST INTERRUPTED\n")
    case, = json.loads((folder / "report.json").read_text())["cases"]
    assert (case["verdict"], case["outcome"]) == ("interrupted", outcome)


def test_a_runner_goes_on_at_a_signal_that_is_ignored(waiting, tmp_path):
    """As SIGINT is for what a shell has in the background."""
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with running(tmp_path) as (child, _):
            os.killpg(child.pid, signal.SIGINT)
            time.sleep(0.3)
            assert child.poll() is None
            child.send_signal(signal.SIGTERM)
            check_interrupted(child, tmp_path, "terminated", 143)
    finally:
        signal.signal(signal.SIGINT, former)


def test_a_second_signal_does_not_wait_for_kernels(waiting, tmp_path):
    with running(tmp_path, "600000", ["--deadline", "0"]) as (child, case):
        for _ in range(2):
            time.sleep(0.5)
            child.send_signal(signal.SIGTERM)
        check_interrupted(child, tmp_path, "terminated", 143)
        assert not Path(f"/proc/{case}").exists()


def test_only_the_second_signal_ends_a_case_at_once(tmp_path):
    def work():
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                os.kill(os.getppid(), number)
                for _ in range(2000):  # one long sleep might begin behind the signal
                    time.sleep(0.01)
            except KeyboardInterrupt:
                (tmp_path / str(int(number))).touch()
    begin = time.monotonic()
    with pytest.raises(Interrupted) as raised:
        run_isolated("a", work)
    assert raised.value.signal == signal.SIGINT
    assert os.listdir(tmp_path) == ["2"] and time.monotonic() - begin < 15


def test_the_process_of_a_case_ends_with_its_runner(runner):
    child, case = runner
    child.kill()
    child.communicate(timeout=30)
    wait_for(lambda: not Path(f"/proc/{case}").exists())


_forking = """
import os, signal, sys, time
from pto2._isolated import Interrupted, run_isolated
hook = {sys.argv[1]: lambda: os.kill(os.getpid(), signal.SIGINT)}
os.register_at_fork(**hook)
try:
    run_isolated("a", lambda: time.sleep(60))
except Interrupted as error:
    print("interrupted", int(error.signal))
"""


@pytest.mark.parametrize("where", ["before", "after_in_parent", "after_in_child"])
def test_signals_are_heard_while_the_process_is_made(where):
    done = subprocess.run([sys.executable, "-c", _forking, where], capture_output=True, text=True,
                          timeout=30)
    assert (done.stdout, done.stderr) == ("interrupted 2\n", "")


class _LatePoll:
    """A signal comes behind the last moment at which its handler could run before the wait."""

    def __init__(self):
        self._poll = _poll()
        self.register = self._poll.register
        self._before = [functools.partial(ctypes.PyDLL(None)["raise"], signal.SIGINT)]

    def poll(self):
        polls.append(self)
        calls, self._before = [*self._before, self._poll.poll], []
        return list(map(operator.call, calls))[-1]  # without a look at signals in between


_poll = select.poll
polls = []


def test_a_signal_ends_the_wait_that_it_came_before(monkeypatch):
    monkeypatch.setattr(select, "poll", _LatePoll)
    polls.clear()
    begin = time.monotonic()
    with pytest.raises(Interrupted):
        run_isolated("a", lambda: time.sleep(20))
    assert time.monotonic() - begin < 15
    assert len(polls) < 10, "what woke it is used up"


def test_signals_are_given_back():
    """Also the file that is written to when one comes, which event loops have; and no file stays
    open."""
    reading, writing = os.pipe2(os.O_NONBLOCK)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    files = os.listdir("/proc/self/fd")
    try:
        assert run_isolated("a", lambda: signal.set_wakeup_fd(-1)) == -1  # none in the child
        with pytest.raises(Interrupted):
            run_isolated("a", lambda: os.kill(os.getppid(), signal.SIGTERM) or time.sleep(20))
        assert os.listdir("/proc/self/fd") == files
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    finally:
        assert signal.set_wakeup_fd(-1) == writing
        os.close(reading)
        os.close(writing)


def test_a_signal_after_the_answer_counts(monkeypatch):
    def waitpid(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments)
    real = os.waitpid
    monkeypatch.setattr(os, "waitpid", waitpid)
    with pytest.raises(Interrupted):
        run_isolated("a", lambda: 7)


def test_a_child_that_is_interrupted_late_ends_nevertheless(monkeypatch):
    """The signal comes while it writes what is left in its files."""
    def flush():
        if os.getpid() != parent:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.kill(os.getpid(), signal.SIGINT)
    def waitpid(*arguments):
        ended.append(real(*arguments))
        return ended[-1]
    parent, ended, real = os.getpid(), [], os.waitpid
    monkeypatch.setattr("pto2._isolated.flush", flush)
    monkeypatch.setattr(os, "waitpid", waitpid)
    assert run_isolated("a", lambda: 7) == 7
    assert [status for _, status in ended] == [0], "it did not go on as a second runner"


def test_all_handlers_are_given_back_before_one_may_raise(monkeypatch):
    def give_back(number, handler):
        former = real(number, handler)
        if handler is signal.default_int_handler and os.getpid() == parent:
            os.kill(parent, signal.SIGINT)
        return former
    parent, real = os.getpid(), signal.signal
    of_terminate, files = signal.getsignal(signal.SIGTERM), os.listdir("/proc/self/fd")
    monkeypatch.setattr(signal, "signal", give_back)
    with pytest.raises(KeyboardInterrupt):
        run_isolated("a", lambda: 7)
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGTERM) is of_terminate
    assert os.listdir("/proc/self/fd") == files and signal.set_wakeup_fd(-1) == -1


def test_nothing_is_left_behind_by_other_handlers():
    def ring(*_):
        raise TimeoutError
    former = signal.signal(signal.SIGALRM, ring)
    files = os.listdir("/proc/self/fd")
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            run_isolated("a", lambda: time.sleep(20))
    finally:
        signal.signal(signal.SIGALRM, former)
    assert os.listdir("/proc/self/fd") == files
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
