"""Which function of golden.py runs in the process of a case, for the one that has forked it: where
it crashes, or ends the process, nobody else can tell. And whether a run has ended there: from then
on all that is in its memory may be what a kernel has written."""

import contextlib
import mmap

_size = 4096
_most_text = _size - 1  # the last byte is whether a run has ended
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
        cut = text.encode(errors="surrogateescape")[-_most_text:]
        self._page[:_most_text] = cut.ljust(_most_text, b"\0")

    def read(self):
        """Empty: none."""
        return self._page[:_most_text].rstrip(b"\0").decode(errors="surrogateescape")

    def put_whether_run_ended(self, has_ended):
        self._page[_most_text] = has_ended

    def has_run_ended(self):
        """And no other has begun."""
        return self._page[_most_text] == 1


@contextlib.contextmanager
def running(text):
    """While a function runs that is called so."""
    if _here is None:
        yield
        return
    former = _here.read()  # golden.py may run a folder itself
    _here.put(text)
    try:
        yield
    finally:
        _here.put(former)


@contextlib.contextmanager
def launching():
    """While a run lasts, which knows what runs."""
    if _here is None:
        yield
        return
    _here.put_whether_run_ended(False)
    try:
        yield
    finally:
        _here.put_whether_run_ended(True)
