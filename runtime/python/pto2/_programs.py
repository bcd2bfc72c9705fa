"""The programs beside the package, as functions."""

import json
import os
import subprocess
import tempfile

from ._ends import run_program
from ._native import InputError, InternalError
from ._places import program

_exit_usage, _exit_bad_input, _exit_our_bug = 2, 3, 70
_on_unless_denied = {"validate", "shrink"}


def _flags(options):
    """Keywords as flags: random_graphs=True is --random-graphs, jobs=2 is --jobs 2, shrink=False is
    --no-shrink. What is off unless it is named needs nothing for False."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif isinstance(value, (list, tuple)):
            for element in value:
                flags += [flag, str(element)]
        elif value is False:
            flags += [f"--no-{name}"] if name in _on_unless_denied else []
        elif value is not None:
            flags += [flag, str(value)]
    return flags


def _call(command, arguments, options):
    """The result of a command as a dict, with its exit code as `exit_code`."""
    with tempfile.TemporaryDirectory(prefix="pto2-") as folder:
        result = os.path.join(folder, "result.json")
        line = [program("pto2"), command, *_flags(options), "--json", result, "--",
                *map(os.fspath, arguments)]
        ended = run_program(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="surrogateescape")
        is_text = ended.returncode == 0 and not os.path.exists(result)
        if is_text or "excludes --json" in ended.stderr:  # which nobody but this function has named
            raise InputError(f"pto2 {command} writes no result with these options, but text; run "
                             "it in a shell")
        if ended.returncode in (_exit_usage, _exit_bad_input):
            raise InputError(ended.stderr.strip())
        if not os.path.exists(result):
            raise InternalError(f"pto2 {command} ended with {ended.returncode}: "
                                f"{ended.stderr.strip()}")
        with open(result, encoding="utf-8") as file:
            fields = json.load(file)
    fields["exit_code"] = ended.returncode
    return fields


def validate(*traces, **options):
    """Judges runs by their traces, as `pto2 validate` does; returns its JSON as a dict.

    Raises InputError for a trace that cannot be read.
    """
    return _call("validate", traces, options)


def simulate(**options):
    """Runs drawn graphs against an oracle, as `pto2 simulate`: random_graphs=True, seeds=100, .."""
    return _call("simulate", (), options)


def check(*scenarios, **options):
    """Explores scenarios of the protocols with the model checker, as `pto2 check`."""
    return _call("check", scenarios, options)
