"""A case in a process of its own, so that a kernel that ends it ends that case alone."""

import faulthandler
import os
import pickle
import signal
import sys
import traceback

from ._folder_run import CaseReport, exit_fault
from ._native import InputError, InternalError

_exited = "the process of the case ended with exit code {}; what it said is above"


def _serve(work, pipe):
    """In the child: what `work` returns or raises, to the parent. Of a crash the runtime tells,
    which knows the kernel, and not the interpreter."""
    faulthandler.disable()
    try:
        answer = (True, work())
    except (InputError, InternalError, KeyboardInterrupt) as error:
        answer = (False, error)
    except BaseException as error:  # of golden.py, whose exceptions need not be picklable
        traceback.print_exc()
        answer = (False, InputError(f"{type(error).__name__}: {error}"))
    with os.fdopen(pipe, "wb") as file:
        pickle.dump(answer, file)


def run_isolated(case, work):
    """The CaseReport that `work` returns in a child; raises what it raises there."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _serve(work, writing)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    os.close(writing)
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child has it, too, and ends first
    try:
        with os.fdopen(reading, "rb") as file:
            data = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        signal.signal(signal.SIGINT, former)
    if not data:
        outcome = "exited" if status >= 0 and status != exit_fault else "crashed"
        return CaseReport(case, "fault", outcome, _exited.format(status))
    returned, value = pickle.loads(data)
    if returned:
        return value
    raise value
