"""Standard output while a report is to be all that is on it, and messages."""

import contextlib
import ctypes
import io
import os
import sys

from ._outputs import unwritable


def open_missing():
    """Who has closed stdout or stderr has one from now on that cannot be written. Otherwise a file
    would get its number, and what is printed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w", errors="backslashreplace", closefd=False))


def _write(stream, text):
    """What it has no characters for as an escape."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def put(text, content):
    """On stdout, at once. Raises InputError."""
    try:
        _write(sys.stdout, text)
    except OSError as error:
        raise unwritable("standard output", content, error.strerror, was_open=True) from None


def tell(text):
    """On stderr, if anybody hears it: what cannot be said there changes nothing else."""
    with contextlib.suppress(OSError, ValueError):
        _write(sys.stderr, text)


def say(text):
    """A line of the program's."""
    tell(f"pto2: {text}\n")


def settle():
    """At the end: what could not be written is given up. The interpreter would try again, and end
    with an exit code of its own."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except (OSError, ValueError):
            setattr(sys, name, io.StringIO())


def flush():
    """What Python and C have not written yet: an end by os._exit() loses it. What cannot be written
    stays for the next time."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    ctypes.CDLL(None).fflush(None)


@contextlib.contextmanager
def stdout_on_stderr():
    """What kernels, golden.py and programs that they start print goes to stderr meanwhile. Yields
    the descriptor of what stdout was."""
    flush()
    kept, former = os.dup(1), sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield kept
    finally:
        flush()
        sys.stdout = former
        os.dup2(kept, 1)
        os.close(kept)
