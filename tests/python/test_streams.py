"""Standard output and stderr that cannot be written, or are not there."""

import json
import os
import subprocess
import sys

import pytest

import pto2
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
              "except RuntimeError as error:\n"
              "    print(error, flush=True)\n"
              "    os._exit(4)\n")
    assert end_of([sys.executable, "-c", script], "2> /dev/full")[:2] == (4, "KeyError: 'mine'\n")


def full_device():
    return open("/dev/full", "wb")


def pipe_without_a_reader():
    reading, writing = os.pipe()
    os.close(reading)
    return open(writing, "wb")


@pytest.mark.parametrize("flags, content", [
    (["--json", "{}/json"], "the result"), (["--json", "-"], "the result as JSON"),
    (["--junit", "-", "--no-isolate"], "the result as JUnit"), (["--trace", "-"], "the trace"),
    (["--help"], "the help")])
@pytest.mark.parametrize("stdout, reason", [
    (full_device, "No space left on device"), (pipe_without_a_reader, "Broken pipe")])
def test_a_result_that_stdout_does_not_take_is_an_error(vector_copy, tmp_path, change, flags,
                                                        content, stdout, reason):
    change(vector_copy / "golden.py", "", "print('golden prints')\n")
    line = command(vector_copy, *(flag.format(tmp_path) for flag in flags))
    with stdout() as file:
        ended = subprocess.run(line, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 3 and ended.stderr.endswith(
        f"pto2: standard output: {content} could not be written: {reason}; name a file in a "
        "folder that you may write, on a disk with room\n")
    if "{}/json" in flags:
        assert json.loads((tmp_path / "json").read_text())["verdict"] == "pass"


def test_what_golden_prints_does_not_change_the_end(vector_copy, change):
    change(vector_copy / "golden.py", "", "print('golden prints')\n")
    code, _, told = end_of(command(vector_copy, "--case", "None"), "> /dev/full")
    assert code == 3 and told.endswith("there is no case 'None'; there are Small, Large\n")
    assert end_of(command(vector_copy, "--window", "5"), "> /dev/full")[0] == 2


def test_a_file_that_is_not_written_keeps_nothing_from_being_told(vector_copy, tmp_path, capsys):
    line = [str(vector_copy), "--json", "/dev/full", "--junit", str(tmp_path / "junit.xml")]
    assert pto2.run.main(line) == 3
    told = capsys.readouterr()
    assert "pto2: /dev/full: the result as JSON could not be written: No space" in told.err
    assert told.out.endswith("TEST PASSED\n") and (tmp_path / "junit.xml").exists()


@pytest.mark.parametrize("flags, end, code", [
    (["--json", "{}/json"], ">&-", 3), (["--json", "{}/json"], "2>&-", 0),
    (["--json", "{}/json"], "<&- >&- 2>&-", 3), (["--json", "{}/json", "--trace", "-"], ">&-", 3),
    (["--trace", "{}/trace", "--junit", "-", "--no-isolate"], ">&- 2>&-", 3)])
def test_no_file_takes_the_place_of_a_stream(vector_copy, tmp_path, change, flags, end, code):
    change(vector_copy / "golden.py", "", "print('golden prints')\n")
    line = command(vector_copy, *(flag.format(tmp_path) for flag in flags))
    ended = end_of(line, end)
    assert ended[0] == code
    if end == ">&-":
        assert "pto2: standard output: the " in ended[2] and "Bad file descriptor" in ended[2]
    if "{}/json" in flags:
        assert json.loads((tmp_path / "json").read_text())["verdict"] == "pass"
    if "{}/trace" in flags:
        assert pto2.validate(tmp_path / "trace")["verdict"] == "valid"
