"""Standard output while a report is to be all that is on it."""

import contextlib
import ctypes
import os
import sys


def flush():
    """What Python and C have not written yet: an end by os._exit() loses it."""
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


@contextlib.contextmanager
def stdout_on_stderr():
    """What kernels, golden.py and programs that they start print goes to stderr meanwhile."""
    flush()
    kept, former = os.dup(1), sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        flush()
        sys.stdout = former
        os.dup2(kept, 1)
        os.close(kept)
