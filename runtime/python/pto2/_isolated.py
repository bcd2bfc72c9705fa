"""A case in a process of its own, so that a kernel that ends it ends that case alone."""

import contextlib
import ctypes
import faulthandler
import os
import pickle
import select
import signal
import sys
import threading
import traceback

from ._folder_run import CaseReport, exit_fault
from ._native import InputError, InternalError
from ._streams import flush

_exited = "the process of the case ended with exit code {}; what it said is above"


_set_signal_of_parents_death = 1  # PR_SET_PDEATHSIG of prctl(2)
_passed_on = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A case that a signal has ended."""

    def __init__(self, number):
        super().__init__(number)
        self.signal = number


class _Child:
    """The process of a case, and the signals that are meant for it."""

    def __init__(self):
        self.process = 0  # until it is known
        self.heard = []

    def hear(self, number, _):
        self.heard.append(number)
        self.interrupt()

    def interrupt(self):
        """Ends it, as Ctrl-C does."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGINT)


@contextlib.contextmanager
def _passing_on(child):
    """SIGINT and SIGTERM go to the child. Yields a file that can be read when one has come, or
    None on a thread whose business signals are none of."""
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    waking, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    former_file = signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    former = {number: signal.signal(number, child.hear) for number in _passed_on}
    try:
        yield waking
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_file)
        os.close(waking)
        os.close(woken)


def _read_to_end(file, waking):
    """What there is to read in `file` until all who write there have closed it. A wait for that
    alone would begin behind a signal that came just before, and no handler would run."""
    ready = select.poll()
    for each in (file, waking):
        if each is not None:
            ready.register(each, select.POLLIN)
    parts = []
    while True:
        files = [each for each, _ in ready.poll()]
        if waking in files:
            os.read(waking, select.PIPE_BUF)
        if file in files:
            part = os.read(file, 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)


def _serve(work, pipe, parent):
    """In the child: what `work` returns or raises, to the parent. Of a crash the runtime tells,
    which knows the kernel, and not the interpreter."""
    faulthandler.disable()
    try:
        _begin_child(parent)
        answer = (True, work())
    except (InputError, InternalError) as error:
        answer = (False, error)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        answer = (False, Interrupted(signal.SIGINT))
    except BaseException as error:  # of golden.py, whose exceptions need not be picklable
        traceback.print_exc()
        answer = (False, InputError(f"{type(error).__name__}: {error}"))
    with os.fdopen(pipe, "wb") as file:
        pickle.dump(answer, file)


def _fork():
    """As os.fork(), with the signals that are passed on blocked in the child: there Python drops
    those that come before its own hooks have run."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, _passed_on)
    process = None
    try:
        process = os.fork()
    finally:
        if process != 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
    return process


def _begin_child(parent):
    """It ends with its parent, however that ends, and has the usual Ctrl-C from now on."""
    ctypes.CDLL(None).prctl(_set_signal_of_parents_death, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _passed_on)


def run_isolated(case, work):
    """The CaseReport that `work` returns in a child; raises what it raises there. Raises
    Interrupted, too, for SIGTERM."""
    flush()
    reading, writing = os.pipe()
    parent = os.getpid()
    child = _Child()
    # From before fork(), which drops what a handler raises in its hooks.
    with _passing_on(child) as waking:
        child.process = _fork()
        if child.process == 0:
            os.close(reading)
            try:
                _serve(work, writing, parent)
            finally:
                flush()
                os._exit(0)
        if child.heard:
            child.interrupt()
        os.close(writing)
        data = _read_to_end(reading, waking)
        os.close(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(child.process, 0)[1])
    if child.heard and not (data and pickle.loads(data)[0]):
        raise Interrupted(child.heard[0])
    if not data:
        outcome = "exited" if status >= 0 and status != exit_fault else "crashed"
        return CaseReport(case, "fault", outcome, _exited.format(status))
    returned, value = pickle.loads(data)
    if returned:
        return value
    raise value
