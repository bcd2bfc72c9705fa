"""What the machine, or a limit of this process, has too little of."""

import contextlib
import errno
import os

from ._native import InputError

_lacks = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
_lack_of_threads = "can't start new thread"  # all that Python tells of it
_remedy_for_memory = ("use a smaller case, --heap, --window, --dep-pool, --tensormap-pool or "
                      "--trace-events")


def _refused(reason):
    return InputError(f"the system refused: {reason}; check the limits of this process (ulimit -a)")


@contextlib.contextmanager
def lacks_told():
    """It is no bug, and nothing else is the remedy: raises InputError for it."""
    try:
        yield
    except MemoryError as error:
        told = f" ({error})" if str(error) else ""
        raise InputError(f"out of memory{told}; {_remedy_for_memory}") from error
    except OSError as error:
        if error.errno not in _lacks:
            raise
        raise _refused(error.strerror) from error
    except RuntimeError as error:
        if str(error) != _lack_of_threads:
            raise
        raise _refused(os.strerror(errno.EAGAIN)) from error
