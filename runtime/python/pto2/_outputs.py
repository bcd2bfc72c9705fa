"""Files that get results, by the rules of `pto2 run`: none of them is a file that a run reads, and
only what an earlier run may have left is removed."""

import contextlib
import errno
import itertools
import os
import re
import shutil
import stat
from pathlib import Path

from ._native import InputError

exit_usage = 2
_most_links = 40  # so many are followed when a file is opened
_begin_of_result = re.compile(rb'\s*\{\s*"schema"\s*:\s*"pto2-|<\?xml [^>]*\?>\s*<testsuite')
_longest_begin = 200
_remedy = "name a file in a folder that you may write, on a disk with room"


def _place_in_proc(path):
    """Where links lead in /proc, as /dev/stdout and /dev/fd/3 do; else None."""
    for _ in range(_most_links):
        folder = os.path.realpath(os.path.dirname(path))
        if folder.startswith("/proc/"):
            return os.path.join(folder, os.path.basename(path))
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def _is_stdout(path, stdout):
    """A device, as a terminal, keeps nothing that could be mixed: there, only a name for stdout
    itself is the same."""
    if not os.path.exists(path) or not os.path.samestat(os.stat(path), os.fstat(stdout)):
        return False
    return (not stat.S_ISCHR(os.stat(path).st_mode) or
            _place_in_proc(path) == f"/proc/{os.getpid()}/fd/1")


def _is_device(path):
    return os.path.exists(path) and stat.S_ISCHR(os.stat(path).st_mode)


def is_same_file(a, b, stdout=1):
    """By whatever path or link; also of files that are not there, and of "-", which is the
    descriptor `stdout`. A device keeps nothing that could be mixed."""
    if "-" in (a, b):
        other = b if a == "-" else a
        return other == "-" or _is_stdout(other, stdout)
    if _is_device(a) and _is_device(b):
        return _place_in_proc(a) is not None and _place_in_proc(a) == _place_in_proc(b)
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


def check_inputs_stay(outputs, inputs, stdout=1):
    """outputs: paths by option, "-" for the descriptor `stdout`; inputs: what reads them, by path.
    Raises InputError."""
    for option, written in outputs.items():
        for read, reader in inputs.items():
            if is_same_file(written, read, stdout):
                _refuse(f"{option} would overwrite {written}, which {reader}; name another file")


def _is_former_result(path):
    """Or empty, as mktemp makes one."""
    try:
        with open(path, "rb") as file:
            begin = file.read(_longest_begin)
    except OSError:
        return False
    return not begin or _begin_of_result.match(begin) is not None


def check_sources_stay(outputs, folders):
    """In a folder of sources, a header or a module for example, may be read whatever no run has
    written. outputs: as of check_inputs_stay. Raises InputError."""
    folders = [os.path.realpath(folder) for folder in folders]
    for option, path in outputs.items():
        if path == "-" or not os.path.isfile(path) or is_open_already(path) or \
                _is_former_result(path):
            continue
        own = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if any(Path(place).is_relative_to(folder) for folder in folders
               for place in (own, os.path.realpath(path))):
            _refuse(f"{option} would overwrite {path}, which the run may read, as no earlier one "
                    "has written it; name another file")


class LostTrace(InputError):
    """A trace that could not be written; what was traced has been run nevertheless."""


def unwritable(path, content, reason, was_open=False):
    """The error for it."""
    tense = "could not" if was_open else "cannot"
    return InputError(f"{path}: {content} {tense} be written: {reason}; {_remedy}")


def _standard(path):
    """Of stdout and stderr, the descriptor that is the regular file at `path`; else None."""
    if os.path.isfile(path):
        file = os.stat(path)
        for number in (1, 2):
            with contextlib.suppress(OSError):
                if os.path.samestat(file, os.fstat(number)):
                    return number
    return None


def is_open_already(path):
    """By whatever link: who has opened it goes on with the file that there is, and what comes goes
    behind what it has."""
    return _standard(path) is not None or _place_in_proc(path) is not None


def open_output(path):
    """In place, for bytes. A result in a file that is stdout or stderr shares their place in it:
    neither may write over the other."""
    standard = _standard(path)
    if standard is not None:
        return open(os.dup(standard), "wb")
    return open(path, "ab" if is_open_already(path) else "wb")


def _remove(path):
    """A link stays, and names the file to come."""
    target = os.path.realpath(path)
    try:
        os.unlink(target)
    except OSError:  # of the folder: the file itself may be written
        os.truncate(target, 0)


def _check(path, folder):
    if not os.path.exists(path):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def check_file(path, content):
    """Before the run, which may take long: that the file can be written. Raises InputError."""
    if path == "-":
        return
    folder = os.path.dirname(os.path.realpath(path))
    # What is open already need not have a name in a folder.
    if not os.path.exists(path) and not os.path.isdir(folder):
        raise unwritable(path, content, f"there is no folder {folder}")
    try:
        _check(path, folder)
    except OSError as error:
        raise unwritable(path, content, error.strerror) from None


def prepare_file(path, content):
    """As check_file. What an earlier run has left there goes; devices and pipes stay."""
    check_file(path, content)
    try:
        if path != "-" and os.path.isfile(path) and not is_open_already(path):
            _remove(path)
    except OSError as error:
        raise unwritable(path, content, error.strerror) from None


@contextlib.contextmanager
def for_each_round(path):
    """Yields a function that each round asks for the name of its file; `path` has what the last one
    has written. A pipe, a device or a file that is open already cannot be written again and again:
    it gets the last content alone, from memory, which a crash leaves nowhere. Raises LostTrace at
    the end."""
    is_there = path is not None and os.path.exists(path)
    if not is_there or (os.path.isfile(path) and not is_open_already(path)):
        yield lambda: path
        return
    with open(os.memfd_create("pto2-trace"), "rb") as kept:
        def begin():
            os.truncate(kept.fileno(), 0)
            return f"/proc/self/fd/{kept.fileno()}"
        yield begin
        if os.fstat(kept.fileno()).st_size == 0:
            return
        try:
            with open_output(path) as file:
                shutil.copyfileobj(kept, file)
        except OSError as error:
            told = unwritable(path, "the trace", error.strerror, was_open=True)
            raise LostTrace(str(told)) from None
