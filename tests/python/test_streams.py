"""Standard output and stderr that cannot be written, or are not there."""

import subprocess
import sys

from pto2._places import program


def command(vector_copy, *flags):
    return [program("pto2-run-folder"), vector_copy, *flags]


def end_of(line, end):
    """The exit code with some redirections of a shell, and what is on stdout and stderr."""
    ended = subprocess.run(["bash", "-c", f'exec "$0" "$@" {end}', *line], capture_output=True,
                           text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def test_who_cannot_be_told_changes_nothing(vector_copy, tmp_path):
    """Of progress, mistakes of the command line, of the folder, and of ours."""
    line = command(vector_copy, "-d", "3", "--json", tmp_path / "json")
    code, told, _ = end_of(line, "2> /dev/full")
    assert code == 0 and told.endswith("TEST PASSED\n") and (tmp_path / "json").exists()
    assert end_of(command(tmp_path / "none"), "2> /dev/full")[0] == 3
    assert end_of(command(vector_copy, "--no-such-flag"), "2> /dev/full")[0] == 2
    mistake = ("import pto2, sys; pto2.run._run = None; "
               "sys.exit(pto2.run.main(['x']))")
    assert end_of([sys.executable, "-c", mistake], "2> /dev/full")[0] == 70


def test_who_cannot_be_told_of_a_mistake_of_a_case_has_its_error():
    script = ("import os, sys\n"
              "from pto2._isolated import run_isolated\n"
              "try:\n"
              "    run_isolated('x', lambda: {}['mine'])\n"
              "except ValueError as error:\n"
              "    print(error, flush=True)\n"
              "    os._exit(4)\n")
    assert end_of([sys.executable, "-c", script], "2> /dev/full")[:2] == (4, "KeyError: 'mine'\n")
