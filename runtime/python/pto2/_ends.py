"""How processes end that were started."""

import contextlib
import ctypes
import os
import signal
import subprocess
import threading

_libc = ctypes.CDLL(None)
_ends = threading.RLock()  # a handler of a signal may start a process, too
_waiting = set()  # one for each who waits for the end of a child

# Or a child could have it held by a thread that it does not have.
os.register_at_fork(before=_ends.acquire, after_in_parent=_ends.release,
                    after_in_child=_ends.release)


def _handle_ends(action):
    """What the system does with SIGCHLD. signal.signal() is for the main thread alone."""
    _libc.signal(signal.SIGCHLD, ctypes.c_void_p(action))


def _ignores_ends():
    """Whether the program wants SIGCHLD to be ignored, whatever the system does meanwhile. It may
    change its mind at any time."""
    return signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN


@contextlib.contextmanager
def kept_ends():
    """How a child ends is kept for who waits, also where SIGCHLD is ignored, as a program that was
    started so has it: until the last who waits has heard, on whatever thread."""
    this = object()
    try:  # before anything is done that Ctrl-C could leave half done
        with _ends:
            _waiting.add(this)
            if _ignores_ends():
                _handle_ends(signal.SIG_DFL)
        yield
    finally:
        with _ends:
            _waiting.discard(this)
            if not _waiting and _ignores_ends():
                _handle_ends(signal.SIG_IGN)


def run_program(line, **options):
    """As subprocess.run(), which takes an end that it does not hear of for a good one."""
    with kept_ends():
        return subprocess.run(line, check=False, **options)
