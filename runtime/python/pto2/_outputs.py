"""Files that get results, by the rules of `pto2 run`: none of them is a file that a run reads, and
only what an earlier run may have left is removed."""

import contextlib
import errno
import itertools
import os
import shutil
import stat
import tempfile

from ._native import InputError

exit_usage = 2
_remedy = "name a file in a folder that you may write, on a disk with room"


def is_same_file(a, b):
    """By whatever path or link; also of files that are not there, and of what stdout is, "-"."""
    if "-" in (a, b):
        other = b if a == "-" else a
        return other == "-" or (
            os.path.exists(other) and os.path.samestat(os.stat(other), os.fstat(1)))
    try:
        return os.path.samefile(a, b)
    except OSError:
        return os.path.realpath(a) == os.path.realpath(b)


def _refuse(text):
    error = InputError(text)
    error.exit_code = exit_usage
    raise error


def check_apart(outputs):
    """One file cannot take two results. outputs: paths by option. Raises InputError."""
    for (option, one), (other, another) in itertools.combinations(outputs.items(), 2):
        if is_same_file(one, another):
            _refuse(f"{option} and {other} " +
                    ("cannot both be stdout" if "-" in (one, another) else "name the same file"))


def chip_file(chosen, option):
    """Of settings: the path of the chip, and that `option` reads it, as an input; nothing for a
    known chip."""
    platform = chosen.get("platform", "")
    if isinstance(platform, (str, os.PathLike)) and os.fspath(platform).endswith(".toml"):
        return {platform: f"{option} reads"}
    return {}


def check_inputs_stay(outputs, inputs):
    """outputs: paths by option; inputs: what reads them, by path. Raises InputError."""
    for option, written in outputs.items():
        for read, reader in inputs.items():
            if is_same_file(written, read):
                _refuse(f"{option} would overwrite {written}, which {reader}; name another file")


def unwritable(path, content, reason, was_open=False):
    """The error for it."""
    tense = "could not" if was_open else "cannot"
    return InputError(f"{path}: {content} {tense} be written: {reason}; {_remedy}")


def is_open_already(path):
    """As /dev/stdout, by whatever link: who has opened it goes on with the file that there is, and
    what comes goes behind what it has."""
    if os.fspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/")):
        return True
    if not os.path.exists(path):
        return False
    file = os.stat(path)
    for standard in range(3):
        with contextlib.suppress(OSError):
            if os.path.samestat(file, os.fstat(standard)):
                return True
    return False


def _remove(path):
    """A link stays, and names the file to come."""
    target = os.path.realpath(path)
    try:
        os.unlink(target)
    except OSError:  # of the folder: the file itself may be written
        os.truncate(target, 0)


def _prepare(path, folder):
    if not os.path.exists(path):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if stat.S_ISREG(os.stat(path).st_mode) and not is_open_already(path):
        _remove(path)


def prepare_file(path, content):
    """Before the run, which may take long: that the file can be written. What an earlier run has
    left there goes; devices and pipes stay. Raises InputError."""
    if path == "-":
        return
    folder = os.path.dirname(os.path.realpath(path))
    # What is open already need not have a name in a folder.
    if not os.path.exists(path) and not os.path.isdir(folder):
        raise unwritable(path, content, f"there is no folder {folder}")
    try:
        _prepare(path, folder)
    except OSError as error:
        raise unwritable(path, content, error.strerror) from None


@contextlib.contextmanager
def for_each_round(path):
    """A file that may be written again and again, and whose last content `path` has at the end. A
    pipe, a device or a file that is open already cannot be: it gets the last content alone."""
    is_there = path is not None and os.path.exists(path)
    if not is_there or (os.path.isfile(path) and not is_open_already(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="pto2-") as folder:
        kept = os.path.join(folder, "kept")
        yield kept
        if not os.path.exists(kept):
            return
        try:
            with open(kept, "rb") as last, open(path, "ab") as file:
                shutil.copyfileobj(last, file)
        except OSError as error:
            raise unwritable(path, "the trace", error.strerror, was_open=True) from None
