"""golden.py and kernel_config.py find what is theirs, and change nothing for others."""

import os
import sys

import pytest

import pto2
from pto2._surroundings import Surroundings

run = pto2.run

_importing = """
def compute_golden(tensors, params):
    import pto2_test_reference
    tensors["out"][:] = pto2_test_reference.compute(tensors)

_generate = generate_inputs

def generate_inputs(params):
    import pto2_test_inputs
    yield from _generate(params)
"""


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_functions_import_what_is_beside_them(vector_copy, change, flags):
    change(vector_copy / "golden.py", "", _importing)
    (vector_copy / "pto2_test_inputs.py").write_text("")
    (vector_copy / "pto2_test_reference.py").write_text(
        "def compute(tensors):\n    a, b = tensors['a'], tensors['b']\n"
        "    return (a + b) * (a - b) + tensors['bias'].value\n")
    path = list(sys.path)
    assert run.main([str(vector_copy), *flags]) == 0
    assert sys.path == path
    for name in ("inputs", "reference"):
        sys.modules.pop(f"pto2_test_{name}", None)


@pytest.mark.parametrize("file", ["golden.py", "kernels/kernel_config.py"])
def test_a_file_may_have_another_path_of_modules(vector_copy, change, monkeypatch, file):
    change(vector_copy / file, "", "import sys\nsys.path = sys.path[1:]\n")
    path = list(sys.path)
    monkeypatch.setattr(sys, "path", sys.path)
    assert pto2.run(vector_copy).verdict == "pass"
    assert sys.path == path


def test_results_are_where_the_runner_is_started(vector_copy, tmp_path, change, monkeypatch):
    """Whatever directory golden.py and kernel_config.py have gone to; functions are there."""
    for name in ("started", "of_golden", "of_config"):
        (tmp_path / name).mkdir()
    (tmp_path / "of_golden" / "bias.txt").write_text("0.25")
    (tmp_path / "started" / "chip.toml").write_text(
        'name = "c"\nblocks = 4\ncubes_per_block = 1\nvectors_per_block = 1\nschedulers = 3\n')
    change(vector_copy / "kernels" / "kernel_config.py", "",
           f"import os\nos.chdir({str(tmp_path / 'of_config')!r})\n")
    change(vector_copy / "golden.py", "", f"import os\nos.chdir({str(tmp_path / 'of_golden')!r})\n"
           "_generate = generate_inputs\n\n\ndef generate_inputs(params):\n"
           "    assert open('bias.txt').read() == '0.25'\n    return _generate(params)\n")
    monkeypatch.chdir(tmp_path / "started")
    for flags in ([], ["--no-isolate"]):
        line = [str(vector_copy), "-p", "chip.toml", "--json", "report.json", "--junit",
                "junit.xml", "--trace", "trace", *flags]
        assert run.main(line) == 0
        for name in ("junit.xml", "report.json", "trace"):
            os.unlink(name)
        assert os.listdir("../of_golden") == ["bias.txt"] and os.listdir("../of_config") == []


def test_who_stays_where_the_others_are_goes_with_them(tmp_path, monkeypatch):
    surroundings = Surroundings(tmp_path / "golden.py")

    def at(directory, chosen=None):
        monkeypatch.chdir(directory)
        with surroundings.entered():
            begin = os.getcwd()
            assert sys.path[0] == str(tmp_path)
            if chosen is not None:
                os.chdir(chosen)
        assert os.getcwd() == str(directory) and str(tmp_path) not in sys.path
        return begin
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert at(one) == str(one)
    assert at(two, one) == str(two)
    assert at(two) == str(one)
    assert at(tmp_path, tmp_path) == str(one)
    assert at(two) == str(two)


def test_a_directory_that_is_removed_meanwhile_is_left(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    surroundings, gone = Surroundings(tmp_path / "golden.py"), tmp_path / "gone"
    gone.mkdir()
    files = os.listdir("/proc/self/fd")
    with surroundings.entered():
        os.chdir(gone)
        gone.rmdir()
    assert os.getcwd() == str(tmp_path) and os.listdir("/proc/self/fd") == files
    with surroundings.entered():
        assert os.getcwd() == str(tmp_path)
        gone.mkdir()
        os.chdir(gone)
    gone.rmdir()
    with surroundings.entered():
        assert os.getcwd() == str(tmp_path)
