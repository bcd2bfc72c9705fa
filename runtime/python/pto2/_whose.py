"""Which function of golden.py runs in the process of a case, for the one that has forked it: where
it crashes, or ends the process, nobody else can tell."""

import contextlib
import mmap

_size = 4096
_here = None  # of this process


class Running:
    """Shared with the processes that are forked later."""

    def __init__(self):
        self._page = mmap.mmap(-1, _size)

    def leave_here(self):
        """In that process: what it runs is left from now on."""
        global _here
        _here = self

    def put(self, text):
        self._page[:] = text.encode(errors="surrogateescape")[-_size:].ljust(_size, b"\0")

    def read(self):
        """Empty: none."""
        return self._page[:].rstrip(b"\0").decode(errors="surrogateescape")


@contextlib.contextmanager
def running(text):
    """While a function runs that is called so."""
    if _here is None:
        yield
        return
    _here.put(text)
    try:
        yield
    finally:
        _here.put("")
