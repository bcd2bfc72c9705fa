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

from ._ends import kept_ends
from ._folder_run import CaseReport
from ._lacks import lacks_told
from ._native import InputError, InternalError, LastWord
from ._streams import flush, tell
from ._whose import Running

_crashes = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP,
            signal.SIGABRT)

_damage = """a kernel or golden.py may have damaged its memory, or an array of golden.py has none
look with --guard on where the kernels write; if all is right, report it with the command line"""

_libc = ctypes.CDLL(None)
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
        """The first signal ends it as Ctrl-C does, once the kernels that run have returned. One may
        never return: a second signal ends it at once."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, _heard()[0] if len(self.heard) == 1 else signal.SIGKILL)


@contextlib.contextmanager
def _pipe(flags=0):
    """Both ends of a pipe as files, closed at the end. A read returns what there is."""
    reading, writing = os.pipe2(flags | os.O_CLOEXEC)
    with open(reading, "rb", buffering=0) as reader, open(writing, "wb") as writer:
        yield reader, writer


def _heard():
    """Of the signals that are passed on those that are not ignored, as SIGINT is for what a shell
    has in the background. The first of them interrupts the child."""
    return [number for number in _passed_on if signal.getsignal(number) != signal.SIG_IGN]


@contextlib.contextmanager
def _passing_on(child):
    """SIGINT and SIGTERM go to the child, unless they are ignored. Yields a file that can be read
    when one has come, or None on a thread whose business signals are none of."""
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    with _pipe(os.O_NONBLOCK) as (waking, woken):
        former_file = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        former = {number: signal.signal(number, child.hear) for number in _heard()}
        try:
            yield waking
        finally:
            # The handler of SIGINT last: it may raise from then on.
            signal.set_wakeup_fd(former_file)
            for number in reversed(former):
                signal.signal(number, former[number])


def _read_to_end(file, waking, process):
    """What the process writes to `file` until it has ended: what it has forked may live on, and
    have the other end open. A wait for that alone would begin behind a signal that came just
    before, and no handler would run."""
    ready = select.poll()
    ended = os.pidfd_open(process)
    try:
        for each in (file, waking, ended):
            if each is not None:
                ready.register(each, select.POLLIN)
        os.set_blocking(file.fileno(), False)
        parts = []
        while True:
            files = [number for number, _ in ready.poll()]
            if waking is not None and waking.fileno() in files:
                waking.read(select.PIPE_BUF)
            part = file.read(1 << 16)  # nothing: it is closed; None: there is none as yet
            if part:
                parts.append(part)
            elif part == b"" or ended in files:
                return b"".join(parts)
    finally:
        os.close(ended)


def _answer(work, parent):
    """What `work` returns or raises, in a form for the parent."""
    try:
        _begin_child(parent)
        with lacks_told():
            return (True, work())
    except (InputError, InternalError) as error:
        return (False, error)
    except KeyboardInterrupt:
        return (False, Interrupted(signal.SIGINT))
    except BaseException as error:  # ours: those of golden.py are InputErrors
        tell(traceback.format_exc())
        return (False, InternalError(f"{type(error).__name__}: {error}"))


class _Left:
    """What a process leaves that ends without an answer."""

    def __init__(self):
        self._last_word = LastWord()
        self._running = Running()

    def leave_here(self):
        """In that process."""
        self._last_word.leave_here()
        self._running.leave_here()

    def report(self, case, status):
        """The CaseReport, by the status of wait(2). Raises InputError if golden.py has ended it."""
        return CaseReport(case, "fault", *(self._last_word.read() or self._guess(status)))

    def _guess(self, status):
        running = self._running.read()
        code = os.waitstatus_to_exitcode(status)
        if running and code >= 0:
            raise InputError(f"{running} ended the process of the case with exit code {code}; "
                             "let it return instead")
        if running and -code in _crashes:
            raise InputError(f"{running} crashed: {signal.Signals(-code).name} ended the process "
                             "of the case; run it under a debugger, with --no-isolate")
        outcome, detail = self._last_word.guess(status)
        if running:
            return outcome, f"while {running} ran, {detail}"
        if outcome == "runtime_crashed" and self._running.has_run_ended():
            return "crashed", (f"{signal.Signals(-code).name} ended the process of the case behind "
                               f"a run: {_damage}")
        return outcome, detail


def _serve(work, file, parent, left):
    """In the child: the answer of `work`, to the parent. Of a crash the runtime tells, which knows
    the kernel, and not the interpreter."""
    faulthandler.disable()
    left.leave_here()
    answer = _answer(work, parent)
    for number in _heard()[:1]:
        signal.signal(number, signal.SIG_IGN)
    with file:
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
    """It ends with its parent, however that ends, and has the usual Ctrl-C from now on, unless that
    is ignored."""
    _libc.prctl(_set_signal_of_parents_death, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    signal.set_wakeup_fd(-1)
    for number, handler in zip(_heard(), (signal.default_int_handler, signal.SIG_DFL)):
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _passed_on)


def _run_child(work, file, parent, left):
    """Does not return."""
    try:
        _serve(work, file, parent, left)
        flush()
    finally:
        os._exit(0)


@contextlib.contextmanager
def _begun(child, work, left):
    """The child does its work. Yields the file with its answer."""
    parent = os.getpid()
    with contextlib.ExitStack() as files:
        reading, writing = files.enter_context(_pipe())
        child.process = _fork()
        if child.process == 0:
            reading.close()
            _run_child(work, writing, parent, left)
        writing.close()
        yield reading


def run_here(_, work):
    """As run_isolated, in this process."""
    with lacks_told():
        return work()


@lacks_told()
def run_isolated(case, work):
    """The CaseReport that `work` returns in a child; raises what it raises there. Raises
    Interrupted, too, for SIGTERM, also if the child has answered before; InputError if there can be
    no child."""
    flush()
    child = _Child()
    left = _Left()
    # Signals are heard from before fork(), which drops what a handler raises in its hooks.
    with kept_ends(), _passing_on(child) as waking, _begun(child, work, left) as reading:
        if child.heard:
            child.interrupt()
        try:
            data = _read_to_end(reading, waking, child.process)
            status = os.waitpid(child.process, 0)[1]
        except BaseException:  # of another handler
            os.kill(child.process, signal.SIGKILL)
            os.waitpid(child.process, 0)
            raise
    if child.heard:
        raise Interrupted(child.heard[0])
    if not data:
        return left.report(case, status)
    returned, value = pickle.loads(data)
    if returned:
        return value
    raise value
