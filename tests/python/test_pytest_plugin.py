"""Folders as tests of pytest."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pto2
from pto2._compiler import Compiler
from pto2._folder_test import FolderCases

shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


@pto2.folder_test(shipped / "elementwise", executor="seeded", blocks=2, schedulers=1)
def test_each_case_is_a_test(report):
    assert report.run["executor"] == "seeded" and report.run["tasks"] == 3


def test_a_function_needs_no_report():
    called = []
    pto2.folder_test(shipped / "elementwise")(lambda: called.append(1))("Small")
    assert called == [1]


@pto2.folder_test(shipped / "elementwise")
@pytest.mark.xfail(strict=True, raises=ZeroDivisionError)
def test_marks_of_the_function_are_those_of_its_tests():
    return 1 // 0


def run_pytest(*arguments, place=None):
    line = [sys.executable, "-B", "-m", "pytest", "-p", "pto2.pytest_plugin", "-p",
            "no:cacheprovider", "-v", *map(str, arguments)]
    ended = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False, cwd=place)
    return ended.returncode, ended.stdout


def test_a_case_that_fails_fails(vector_copy, change):
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "a[i] + b[i]",
           "i < 1000 ? a[i] + b[i] : 9")
    with pytest.raises(AssertionError, match="Output 'out' does not match golden"):
        pto2.folder_test(vector_copy)(lambda: None)("Large")
    code, output = run_pytest("--pto2-folder", vector_copy)
    assert code == 1
    assert "golden.py::Small PASSED" in output and "golden.py::Large FAILED" in output
    assert "Output 'out' does not match golden" in output and "1 failed, 1 passed" in output


def test_a_folder_comes_beside_other_tests(vector_copy, tmp_path):
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    code, output = run_pytest(tmp_path / "test_other.py", "--pto2-folder", vector_copy,
                              "--collect-only", "-q")
    assert code == 0 and "3 tests collected" in output  # two of them are cases


def test_a_folder_that_is_wrong_is_an_error(vector_copy):
    (vector_copy / "kernels" / "kernel_config.py").unlink()
    code, output = run_pytest("--pto2-folder", vector_copy)
    assert code == 2 and "kernel_config.py is not there" in output


def test_each_of_several_folders_has_its_cases(vector_copy, tmp_path):
    """Their files have the same name, and are no modules of it for anybody else."""
    other = shutil.copytree(vector_copy, tmp_path / "other", symlinks=True)
    (tmp_path / "test_last.py").write_text(
        "import sys\n\n\ndef test_last():\n    assert 'golden' not in sys.modules\n"
        f"    assert not {{{str(vector_copy)!r}, {str(other)!r}}} & set(sys.path)\n")
    code, output = run_pytest("--pto2-folder", vector_copy, "--pto2-folder", other,
                              tmp_path / "test_last.py")
    assert code == 0 and "5 passed" in output


@pytest.mark.parametrize("paths", ["tests", "tests vector", "."])
def test_a_folder_of_the_configuration_leaves_the_paths_of_tests(vector_copy, tmp_path, paths):
    """Also where it lies in one of them."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_other.py").write_text("def test_other():\n    pass\n")
    (tmp_path / "pytest.ini").write_text(
        f"[pytest]\naddopts = --pto2-folder {vector_copy.name}\ntestpaths = {paths}\n")
    code, output = run_pytest(place=tmp_path)
    assert code == 0 and "3 passed" in output


def test_cases_have_one_compilation(vector_copy, monkeypatch):
    """In this process, which lives for as long as all of them."""
    compilations = []
    real = Compiler.compile

    def compile_and_count(self, *arguments):
        compilations.append(1)
        return real(self, *arguments)
    monkeypatch.setattr(Compiler, "compile", compile_and_count)
    cases = FolderCases(vector_copy, {})
    assert not compilations
    assert [cases.run(name).verdict for name in cases.names] == ["pass", "pass"]
    assert compilations == [1]


def test_lack_of_memory_is_no_bug(vector_copy, tmp_path):
    (tmp_path / "lacking.py").write_text(
        "from pto2 import _folder_run\n\n\ndef lack(*_):\n    raise MemoryError\n\n\n"
        "_folder_run.CaseArguments = lack\n")
    code, output = run_pytest("-p", "lacking", "--pto2-folder", vector_copy, place=tmp_path)
    assert code == 1 and output.count("\nout of memory; use a smaller case") == 2
    assert "Traceback" not in output and "InternalError" not in output


async def coroutine(report):
    assert report is None


def generator(report):
    yield report


async def asynchronous_generator(report):
    yield report


@pytest.mark.parametrize("function", [coroutine, generator, asynchronous_generator])
def test_a_function_whose_lines_nobody_would_run_is_refused(function):
    decorate = pto2.folder_test(shipped / "elementwise")
    with pytest.raises(pto2.InputError, match=f"{function.__name__} .* def without async or yield"):
        decorate(function)
