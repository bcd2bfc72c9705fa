"""Traces that cannot be written: what was run is told nevertheless."""

import json
import os
import subprocess

import numpy
import pytest

import pto2
from pto2._folder import Folder, find_folder
from pto2._folder_run import FolderRunner
from pto2._places import program


@pytest.fixture
def losing(vector_copy, change, tmp_path, monkeypatch):
    """A copy a kernel of which removes the folder of the trace, where it cannot be put then; and
    throws, if a variable says so."""
    add, folder = vector_copy / "kernels" / "aiv" / "add.cpp", tmp_path / "gone"
    monkeypatch.setenv("PTO2_TEST_GONE", str(folder))
    change(add, "const float* const a", 'rmdir(std::getenv("PTO2_TEST_GONE"));\n'
           '  if (std::getenv("PTO2_TEST_THROW")) throw 1;\n  const float* const a')
    text = add.read_text()
    add.write_text(f"#include <unistd.h>\n#include <cstdlib>\n{text}")

    def trace():
        folder.mkdir()
        return folder / "trace"
    return trace


def without_reader():
    """A pipe, as `>(head -1)` of a shell is in the end."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def make_wrong(golden, change):
    change(golden, "", "_golden = compute_golden\n\n\ndef compute_golden(tensors, params):\n"
           "    _golden(tensors, params)\n    tensors['out'][7] += 1\n")


@pytest.mark.parametrize("flags", [[], ["--no-isolate"], ["-n", "2"]])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_trace_that_is_lost_keeps_nothing_from_being_compared(vector_copy, change, losing, flags,
                                                                wrong):
    if wrong:
        make_wrong(vector_copy / "golden.py", change)
    pipe = without_reader()
    for name, reason in [("/dev/full", "could not be written: No space left on device"),
                         (f"/dev/fd/{pipe}", "could not be written: Broken pipe"), (None, None)]:
        if name is None:  # the second round has no place for it from the beginning
            name = losing()
            begun = "could not" if wrong or "-n" not in flags else "cannot"
            reason = f"{begun} be written: No such file or directory; name a file in"
        line = [program("pto2-run-folder"), vector_copy, "--trace", name, "--junit", "/dev/fd/1"]
        ended = subprocess.run([*line, *flags], capture_output=True, text=True, pass_fds=[pipe],
                               check=False)
        assert ended.returncode == 3
        assert ended.stderr.count(f"pto2: {name}: the trace {reason}") == 1
        assert f"case Small  {'fail' if wrong else 'pass'}  3 tasks" in ended.stdout
        assert f'failures="{int(wrong)}"' in ended.stdout
    os.close(pipe)


def test_a_lost_trace_leaves_the_report(vector_copy, losing, monkeypatch):
    for trace, outcome in [("/dev/full", "pass"), (None, "pass"), (None, "kernel_threw")]:
        if outcome == "kernel_threw":
            monkeypatch.setenv("PTO2_TEST_THROW", "1")
        with pytest.raises(pto2.InputError, match="the trace could not be written") as raised:
            pto2.run(vector_copy, trace=trace or losing())
        case, = raised.value.report.cases
        assert case.outcome == outcome and "lost" not in case.fields()


def test_a_lost_trace_leaves_the_result(vector_copy, losing, monkeypatch):
    runner = FolderRunner(Folder(*find_folder(vector_copy)), progress=print)
    kernels = {func_id: path for func_id, _, path, _, _ in runner._kernels}
    for outcome in ("inconclusive", "kernel_threw"):
        if outcome == "kernel_threw":
            monkeypatch.setenv("PTO2_TEST_THROW", "1")
        arrays = [numpy.zeros(1000, numpy.float32) for _ in "abc"]
        with pytest.raises(pto2.InputError, match="the trace could not be written") as raised:
            pto2.Runtime().run(runner._orchestration, kernels, [*arrays, 1000, 1],
                               entry="build_graph", trace=losing())
        assert raised.value.result.outcome == outcome
        assert isinstance(raised.value.__cause__, pto2.RunError) == (outcome == "kernel_threw")


def test_only_the_last_trace_counts(vector_copy, tmp_path, monkeypatch):
    def launch(self, *arguments):
        launched.append(real(self, *arguments))
        return launched[-1] if launched[1:] else (launched[0][0], "lost")
    launched, real = [], pto2.Runtime._launch
    monkeypatch.setattr(pto2.Runtime, "_launch", launch)
    assert pto2.run(vector_copy, rounds=2, trace=tmp_path / "trace").verdict == "pass"


def test_a_place_that_is_none_is_told_before_the_run(vector_copy, tmp_path):
    """Nothing is computed in vain."""
    runner = FolderRunner(Folder(*find_folder(vector_copy)), progress=print)
    kernels = {func_id: path for func_id, _, path, _, _ in runner._kernels}
    a, b, out = (numpy.ones(1000, numpy.float32) for _ in "abc")
    for path, told in [(tmp_path / "none" / "trace", "no folder"), (tmp_path, "Is a directory")]:
        with pytest.raises(pto2.InputError, match=f"cannot be written: .*{told}") as raised:
            pto2.Runtime().run(runner._orchestration, kernels, [a, b, out, 1000, 1],
                               entry="build_graph", trace=path)
        assert not hasattr(raised.value, "result") and (out == 1).all()


@pytest.mark.parametrize("flags", [[], ["--no-isolate"], ["-n", "2"]])
@pytest.mark.parametrize("throws", [False, True])
def test_whatever_a_case_comes_to_its_lost_trace_is_told(vector_copy, losing, monkeypatch, flags,
                                                         throws):
    """Also where the exit code would be that of a fault, or that nothing was compared."""
    if throws:
        monkeypatch.setenv("PTO2_TEST_THROW", "1")
    pipe = without_reader()
    for name, reason in [("/dev/full", "No space left on device"),
                         (f"/dev/fd/{pipe}", "Broken pipe"), (None, "No such file or")]:
        line = [program("pto2-run-folder"), vector_copy, "--skip-golden", "--json", "-", *flags]
        ended = subprocess.run([*line, "--trace", name or losing()], capture_output=True, text=True,
                               pass_fds=[pipe], check=False)
        case, = json.loads(ended.stdout)["cases"]
        assert case["outcome"] == ("kernel_threw" if throws else "inconclusive")
        assert case["run"]["outcome"] == case["outcome"]
        assert ended.returncode == 3
        assert ended.stderr.count(f"be written: {reason}") == 1
    os.close(pipe)


def test_a_lost_trace_may_have_any_path(vector, tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    (folder / "full").symlink_to("/dev/full")
    arrays = [numpy.zeros(8, numpy.float32) for _ in "abc"]
    with pytest.raises(pto2.InputError, match="\udcff/full: the trace could not be") as raised:
        pto2.Runtime().run(*vector, [*arrays, 8, 1], entry="build_graph", trace=folder / "full")
    assert raised.value.result.tasks == 3


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_what_has_not_begun_leaves_no_trace(vector_copy, change, tmp_path, flags, capfd):
    graph = vector_copy / "kernels" / "orchestration" / "graph.cpp"
    change(graph, "return {arg_count};", "throw 1;")
    trace = tmp_path / "trace"
    assert pto2.run.main([str(vector_copy), "--trace", str(trace), *flags]) == 5
    assert "case Small  orchestration_threw" in capfd.readouterr().out and not trace.exists()
