"""What the folder runner is made of: parts that a whole run shows only by chance."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import numpy

from pto2 import _folder_run
from pto2._case import CaseArguments
from pto2._compiler import Compiler, orchestration_source
from pto2._folder import Folder, find_folder
from pto2._folder_run import CaseReport, FolderReport, FolderRunner
from pto2._junit import to_junit

shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


def elementwise():
    return Folder(*find_folder(shipped / "elementwise"))


def test_outputs_without_a_list_begin_with_out():
    golden = SimpleNamespace(generate_inputs=lambda _: [("outer", numpy.zeros(1)),
                                                        ("out_y", numpy.zeros(1))])
    arguments = CaseArguments(SimpleNamespace(golden=golden, golden_path=Path("golden.py")), {})
    assert list(arguments.outputs) == ["out_y"]


def test_images_of_other_flags_are_others(tmp_path, monkeypatch):
    source = tmp_path / "graph.cpp"
    source.write_text("extern \"C\" int number() { return NUMBER; }\n")
    compiler = Compiler(tmp_path / "cache")

    def image(number):
        monkeypatch.setenv("CXXFLAGS", f"-O0 -DNUMBER={number}")
        wanted = orchestration_source(source)
        return compiler.compile([wanted], 1, print).images[wanted].read_bytes()
    one, two = image(1), image(2)
    assert one != two and image(1) == one


def test_rounds_are_one_report(monkeypatch):
    launches = []

    class Runtime:
        def __init__(self, **settings):
            self.settings = settings

        def _launch(self, *arguments):
            *_, trace, names = arguments
            assert names == ["a", "b", "out", "elements", "bias"]
            launches.append((self.settings, trace))
            return SimpleNamespace(wall_s=[3, 1, 2][len(launches) - 1], fields={})
    monkeypatch.setattr(_folder_run, "Runtime", Runtime)
    folder = elementwise()
    assert folder.settings["blocks"] != 5
    runner = FolderRunner(folder, {"blocks": 5}, progress=print)
    report = runner.run("Small", rounds=3, compare=False, trace="trace.jsonl")
    assert report.wall_s == 2 and report.rounds == 3  # the median
    assert [trace for _, trace in launches] == [None, None, "trace.jsonl"]
    assert all(settings["blocks"] == 5 for settings, _ in launches)


def test_a_case_knows_its_name():
    assert elementwise().params_of("Large") == {"name": "Large", "elements": 1 << 20}


def test_paths_of_the_environment_are_those_of_the_folder():
    folder = elementwise()
    kernels = str(folder.kernels_folder)
    assert folder._variables({"A_PATH": "a", "B_DIR": "/b", "C": "c", "D": 4}) == {
        "A_PATH": f"{kernels}/a", "B_DIR": "/b", "C": "c", "D": "4"}


def test_junit_counts_what_failed_apart_from_faults():
    cases = [CaseReport("a", "pass", "pass"), CaseReport("b", "fail", "fail", "wrong"),
             CaseReport("c", "fault", "kernel_threw", "left"),
             CaseReport("d", "fault", "crashed", "left"),
             CaseReport("e", "inconclusive", "inconclusive")]
    suite = ElementTree.fromstring(
        to_junit(FolderReport("folder/golden.py", "folder/kernels", cases, 0, 0, 0)).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "1", "2")
    assert [len(case) for case in suite] == [0, 1, 1, 1, 1]
    assert suite[2].find("error").get("message") == "kernel_threw"
