"""A case in a process of its own, so that a kernel that ends it ends that case alone."""

import contextlib
import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import threading
import traceback

from ._folder_run import CaseReport, exit_fault
from ._native import InputError, InternalError
from ._streams import flush

_exited = "the process of the case ended with exit code {}; what it said is above"


_set_signal_of_parents_death = 1  # PR_SET_PDEATHSIG of prctl(2)


class Interrupted(KeyboardInterrupt):
    """A case that a signal has ended."""

    def __init__(self, number):
        super().__init__(number)
        self.signal = number


def _serve(work, pipe):
    """In the child: what `work` returns or raises, to the parent. Of a crash the runtime tells,
    which knows the kernel, and not the interpreter."""
    faulthandler.disable()
    try:
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


def _begin_child(parent):
    """It ends with its parent, however that ends, and has the usual Ctrl-C."""
    ctypes.CDLL(None).prctl(_set_signal_of_parents_death, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def _passing_on(child, heard):
    """SIGINT and SIGTERM end the child, as Ctrl-C does; `heard` gets their numbers."""
    def pass_on(number, _):
        heard.append(number)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are none of its business
        return
    former = {number: signal.signal(number, pass_on)
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def run_isolated(case, work):
    """The CaseReport that `work` returns in a child; raises what it raises there. Raises
    Interrupted, too, for SIGTERM."""
    flush()
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _begin_child(parent)
            _serve(work, writing)
        finally:
            flush()
            os._exit(0)
    os.close(writing)
    heard = []
    with _passing_on(child, heard):
        with os.fdopen(reading, "rb") as file:
            data = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if heard and not (data and pickle.loads(data)[0]):
        raise Interrupted(heard[0])
    if not data:
        outcome = "exited" if status >= 0 and status != exit_fault else "crashed"
        return CaseReport(case, "fault", outcome, _exited.format(status))
    returned, value = pickle.loads(data)
    if returned:
        return value
    raise value
