"""What code of the user's has around it while it runs."""

import contextlib
import os
import sys


def _is_at(directory):
    return os.path.samestat(os.stat("."), os.fstat(directory))


class Surroundings:
    """Those of a file that is executed: what is beside it can be imported, and the working
    directory is that which it has gone to, while there is one. Whoever else runs has neither."""

    def __init__(self, path):
        self._folder = str(path.parent)
        self._directory = None  # that of the others

    @contextlib.contextmanager
    def entered(self):
        """While the file is executed, and while its functions are."""
        outside = os.open(".", os.O_PATH)
        sys.path.insert(0, self._folder)
        try:
            if self._directory is not None:
                with contextlib.suppress(OSError):
                    os.chdir(self._directory)
            yield
        finally:
            # One that has been removed has no name.
            with contextlib.suppress(OSError):
                self._directory = None if _is_at(outside) else os.getcwd()
            os.fchdir(outside)
            os.close(outside)
            with contextlib.suppress(ValueError):  # the file has another path of modules
                sys.path.remove(self._folder)
