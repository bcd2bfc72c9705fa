"""How a case ends is heard where SIGCHLD is ignored."""

import concurrent.futures
import os
import signal
import threading
from pathlib import Path

import pytest

from pto2 import _isolated
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


def test_the_end_of_a_child_does_not_wait_for_that_of_another(monkeypatch):
    """One is forked while the pipe of the other is made, unless it waits for that."""
    def pipe(flags):
        ends = real_pipe(flags)
        if not made.is_set():
            made.set()
            forked.wait(1)
        return ends

    def fork():
        process = real_fork()
        forked.set()
        return process
    real_pipe, real_fork = os.pipe2, os.fork
    made, forked, ended = threading.Event(), threading.Event(), os.pipe()
    monkeypatch.setattr(os, "pipe2", pipe)
    monkeypatch.setattr(os, "fork", fork)
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        soon = threads.submit(run_isolated, "soon", lambda: 7)
        assert made.wait(30)
        late = threads.submit(run_isolated, "late", lambda: os.read(ended[0], 1))
        try:
            assert soon.result(15) == 7
        finally:
            os.write(ended[1], b"x")
        assert late.result() == b"x"
    for file in ended:
        os.close(file)


def test_a_child_may_have_children_on_its_threads():
    def work():
        signal.alarm(15)  # ends it, if a lock is held that nobody gives back
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            return thread.submit(run_isolated, "b", lambda: 7).result()
    assert run_isolated("a", work) == 7


def test_a_handler_of_sigchld_that_is_set_meanwhile_stays(sigchld_ignored, monkeypatch):
    def waitpid(*arguments):
        signal.signal(signal.SIGCHLD, lambda *_: None)
        return real(*arguments)
    real = os.waitpid
    monkeypatch.setattr(os, "waitpid", waitpid)
    assert run_isolated("a", lambda: 7) == 7
    assert not is_sigchld_ignored()


def test_an_interrupted_begin_leaves_nobody_waiting(sigchld_ignored, monkeypatch):
    def interrupt(action):
        monkeypatch.undo()
        real(action)
        raise KeyboardInterrupt
    real = _isolated._handle_ends
    monkeypatch.setattr(_isolated, "_handle_ends", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_isolated("a", lambda: 7)
    assert is_sigchld_ignored()
    assert run_isolated("a", lambda: 7) == 7
    assert is_sigchld_ignored()
