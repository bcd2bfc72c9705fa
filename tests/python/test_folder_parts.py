"""What the folder runner is made of: parts that a whole run shows only by chance."""

import asyncio
import errno
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

import pto2
from pto2 import _folder_run, _programs
from pto2._case import CaseArguments
from pto2._compiler import Compiler, orchestration_source
from pto2._folder import Folder, find_folder
from pto2._folder_run import CaseReport, FolderReport, FolderRunner, _merged, error_report
from pto2._folder_test import FolderCases
from pto2._isolated import run_isolated
from pto2._junit import to_junit
from pto2._places import program
from pto2._programs import _flags
from pto2._surroundings import Surroundings
from pto2.run import _parser, _settings_of

run = pto2.run

shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


def elementwise():
    return Folder(*find_folder(shipped / "elementwise"))


def inputs_of(pairs, **golden):
    golden = SimpleNamespace(generate_inputs=lambda _: pairs, **golden)
    path = Path("golden.py")
    return CaseArguments(SimpleNamespace(golden=golden, golden_path=path, uses_torch=False,
                                         surroundings=Surroundings(path)), {})


def test_outputs_without_a_list_begin_with_out():
    assert list(inputs_of([("outer", numpy.zeros(1)), ("out_y", numpy.zeros(1))]).outputs) == [
        "out_y"]


def test_a_list_of_no_outputs_is_none():
    pairs = [("out_y", numpy.zeros(1))]
    assert list(inputs_of(pairs).outputs) == ["out_y"]
    with pytest.raises(pto2.InputError, match="names no output"):
        inputs_of(pairs, __outputs__=[])


def test_an_order_names_what_there_is():
    with pytest.raises(pto2.InputError, match="TENSOR_ORDER names b, which"):
        inputs_of({"out_a": numpy.zeros(1)}, TENSOR_ORDER=["out_a", "b"])


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
            assert os.environ["PTO2_OF_FOLDER"] == "1"
            assert names == ["a", "b", "out", "elements", "bias"]
            launches.append((self.settings, trace))
            wall_s = [3, 1, 2][len(launches) - 1]
            return SimpleNamespace(wall_s=wall_s, fields={}, verdict="inconclusive"), ""
    monkeypatch.setattr(_folder_run, "Runtime", Runtime)
    folder = elementwise()
    folder.variables["PTO2_OF_FOLDER"] = "1"
    assert folder.settings["blocks"] != 5
    runner = FolderRunner(folder, {"blocks": 5}, progress=print)
    report = runner.run("Small", rounds=3, compare=False, trace="trace.jsonl")
    assert report.wall_s == 2 and report.rounds == 3  # the median
    assert [trace for _, trace in launches] == 3 * ["trace.jsonl"]
    assert all(settings["blocks"] == 5 for settings, _ in launches)


def test_all_rounds_are_compared(monkeypatch):
    """A round that is wrong is the last: the next one would wipe its outputs out."""
    launches = []

    def launch(self, *arguments):
        _, _, _, values, *_ = arguments
        result = real(self, *arguments)
        launches.append(result[0])
        if len(launches) == wrong:
            values[2][7] = 100
        return result
    real = _folder_run.Runtime._launch
    monkeypatch.setattr(_folder_run.Runtime, "_launch", launch)
    runner = FolderRunner(elementwise(), progress=print)
    for wrong, verdict in [(1, "fail"), (2, "fail"), (3, "fail"), (4, "pass")]:
        launches.clear()
        report = runner.run("Small", rounds=3)
        assert report.verdict == report.outcome == verdict
        assert report.rounds == len(launches) == min(wrong, 3)
        named = f"round {wrong} of 3: Output 'out' does not match golden. Mismatched elements 1/"
        assert report.detail.startswith(named) if verdict == "fail" else not report.detail
        assert report.run == launches[-1].fields and report.wall_s > 0
    launches.clear()
    assert runner.run("Small", compare=False, rounds=3).verdict == "inconclusive"


@pytest.mark.parametrize("chosen", [{"repeat": 2}, {"replay_graph": True}])
def test_repetitions_of_a_folder_are_rounds(chosen):
    """In between the arrays would not be restored."""
    told = f"{next(iter(chosen))} .* use rounds"
    with pytest.raises(pto2.InputError, match=told):
        run(shipped / "elementwise", **chosen)
    with pytest.raises(pto2.InputError, match=told):
        pto2.folder_test(shipped / "elementwise", **chosen)


def test_the_chip_of_a_folder_has_both_names(tmp_path):
    for name in ("chip", "platform"):
        case, = run(shipped / "elementwise", **{name: "a5sim"}).cases
        assert case.verdict == "pass" and case.run["config"]["chip"]["name"] == "a5sim"
    assert FolderCases(shipped / "elementwise", {"chip": "a5sim"}).run("Small").run[
        "config"]["chip"]["name"] == "a5sim"
    file = tmp_path / "chip.toml"
    file.write_text("")
    with pytest.raises(pto2.InputError, match="trace would overwrite .*, which platform reads"):
        run(shipped / "elementwise", chip=file, trace=file)
    with pytest.raises(TypeError, match="chip and platform are the same setting"):
        run(shipped / "elementwise", chip="a5sim", platform="a5sim")


def test_schedulers_of_a_folder_are_at_most_the_blocks(tmp_path):
    """By whatever the blocks are chosen; schedulers that a user has chosen are no fewer."""
    chip = tmp_path / "chip.toml"
    chip.write_text('name = "c"\nblocks = 2\ncubes_per_block = 1\nvectors_per_block = 1\n'
                    'schedulers = 1\n')
    asked = {"schedulers": 3}
    for of_folder, chosen, schedulers in [
            ({**asked, "blocks": 4}, {}, 3), ({**asked, "blocks": 4}, {"blocks": "2"}, 2),
            ({**asked, "blocks": 1}, {}, 1), ({**asked, "blocks": 1}, {"blocks": 8}, 3),
            (asked, {}, 3), (asked, {"blocks": 1}, 1), (asked, {"platform": chip}, 2),
            ({**asked, "platform": str(chip)}, {}, 2), (asked, {"schedulers": 4}, 4),
            ({**asked, "blocks": 1}, {"schedulers": 2}, 2),
            ({"blocks": 2}, {"schedulers": 3}, 3)]:
        merged = _merged(of_folder, chosen)
        assert merged == {**of_folder, **chosen, "schedulers": schedulers}
    assert _merged({"blocks": 1}, {}) == {"blocks": 1}


def report_of(*verdicts):
    cases = [CaseReport(verdict, verdict, verdict) for verdict in verdicts]
    return FolderReport("folder/golden.py", "folder/kernels", cases, 0, 0, 0)


def test_warnings_are_told():
    case = CaseReport("a", "pass", "pass", run={"tasks": 0, "warnings": ["no task", "no event"]})
    assert case.text() == "case a  pass  0 tasks\nwarning: no task\nwarning: no event"


def test_the_worst_case_is_the_verdict():
    assert report_of("pass", "fault", "fail").verdict == "fault"
    assert report_of("pass", "fault", "fail").exit_code() == 5
    assert report_of("fail", "interrupted").verdict == "interrupted"
    assert report_of("inconclusive", "fail").verdict == "fail"
    assert report_of("pass", "pass").exit_code() == 0
    errors = [error_report("a", error) for error in (pto2.InputError(), pto2.InternalError())]
    wrong_setting = pto2.InputError()
    wrong_setting.exit_code = 2
    assert error_report("a", wrong_setting).exit_code() == 2
    for case, others, code in [
            (errors[0], ("inconclusive", "fail", "pass"), 3), (errors[0], ("pass", "fault"), 5),
            (errors[1], ("fault", "pass"), 70), (errors[1], ("interrupted",), 130)]:
        report = report_of(*others)
        report.cases.insert(1, case)
        assert report.exit_code() == code and report.verdict == (
            "error" if code in (3, 70) else others[-1])


def test_each_exit_code_outweighs_those_before_it():
    wrong_setting = pto2.InputError()
    wrong_setting.exit_code = 2
    cases = [CaseReport("a", *each) for each in [
        ("pass", "pass"), ("inconclusive", "inconclusive"), ("fail", "fail")]]
    cases += [error_report("a", error) for error in (wrong_setting, pto2.InputError())]
    cases += [CaseReport("a", "fault", "crashed"), error_report("a", pto2.InternalError()),
              CaseReport("a", "interrupted", "interrupted"),
              CaseReport("a", "interrupted", "terminated")]
    assert CaseReport("a", "fault", "not_drained").exit_code() == 70
    assert [case.exit_code() for case in cases] == [0, 4, 1, 2, 3, 5, 70, 130, 143]
    for one, two in itertools.pairwise(cases):
        for pair in ([one, two], [two, one]):
            report = FolderReport("folder/golden.py", "folder/kernels", pair, 0, 0, 0)
            assert report.exit_code() == two.exit_code() and report.verdict == two.verdict


def test_processes_that_end_are_told_by_how():
    def outcome(end):
        return run_isolated("a", end).outcome
    assert outcome(lambda: os._exit(7)) == "exited"
    assert outcome(lambda: os._exit(5)) == "exited"  # the runtime, after a crash, leaves a word
    for number, told in [(signal.SIGKILL, "killed"), (signal.SIGUSR1, "killed"),
                         (signal.SIGRTMIN + 1, "killed")]:
        assert outcome(lambda: os.kill(os.getpid(), number)) == told
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE,
                   signal.SIGILL):  # no kernel runs
        crash = run_isolated("a", lambda: os.kill(os.getpid(), number))
        assert (crash.verdict, crash.outcome, crash.exit_code()) == ("fault", "runtime_crashed", 70)
    ended = run_isolated("a", lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert ended.detail == ("SIGKILL ended the process of the run, and no kernel or orchestration "
                            "was known to be at fault\n"
                            "see whether the system was out of memory, or who sent it")
    assert run_isolated("a", lambda: os._exit(7)).detail.startswith(
        "the process of the run ended with exit code 7 before the run had ended, by _exit()")


def test_a_case_has_the_usual_signals_but_those_that_are_ignored():
    def handlers():
        return [signal.getsignal(number) for number in numbers]
    numbers = (signal.SIGTERM, signal.SIGINT)
    usual = [signal.SIG_DFL, signal.default_int_handler]
    for given, had in [([lambda *_: None] * 2, usual), ([signal.SIG_IGN] * 2, [signal.SIG_IGN] * 2),
                       ([signal.SIG_IGN, usual[1]], [signal.SIG_IGN, usual[1]]),
                       ([signal.SIG_DFL, signal.SIG_IGN], [usual[1], signal.SIG_IGN])]:
        former = list(map(signal.signal, numbers, given))
        try:
            assert run_isolated("a", lambda: handlers() == had) is True
            assert handlers() == given
        finally:
            for number, handler in zip(numbers, former):
                signal.signal(number, handler)


def test_texts_of_a_report_are_xml():
    case = CaseReport("a", "fail", "fail", "wrong \0\x1b \ud800 <&>")
    report = FolderReport("folder/golden.py", "folder/kernels", [case], 0, 0, 0)
    told = ElementTree.fromstring(to_junit(report).encode()).find("testcase/failure").text
    assert told == "wrong ?? ? <&>"


def test_options_of_programs():
    assert _flags({"random_graphs": True, "seeds": (1, 2), "jobs": 0, "all": False, "x": None}) == [
        "--random-graphs", "--seeds", "1", "--seeds", "2", "--jobs", "0"]
    assert _flags({"validate": False, "shrink": False}) == ["--no-validate", "--no-shrink"]
    assert _flags({"validate": True, "shrink": None}) == ["--validate"]


def test_flags_that_can_be_denied_are_known():
    denied = set()
    for command in ("validate", "simulate", "check"):
        line = [program("pto2"), command, "--help"]
        told = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout
        denied.update(re.findall("--no-([a-z-]+)", told))
    assert denied == _programs._on_unless_denied


def test_a_program_without_a_result_has_a_bug(monkeypatch):
    ended = SimpleNamespace(returncode=5, stderr="no more\n")
    monkeypatch.setattr(_programs, "run_program", lambda *_, **__: ended)
    with pytest.raises(pto2.InternalError, match="pto2 simulate ended with 5: no more"):
        pto2.simulate(random_graphs=True)


def test_arrays_of_golden_py_may_have_gaps():
    read_only = numpy.arange(4)
    read_only.flags.writeable = False
    arguments = inputs_of([("a", numpy.arange(12).reshape(3, 4)[:, 1]), ("out_b", read_only)])
    assert arguments.values[0].tolist() == [1, 5, 9] and arguments.values[1].flags.writeable


def test_a_folder_leaves_the_path_of_modules_alone():
    former = list(sys.path)
    elementwise()
    assert sys.path == former


def test_all_kernels_count_that_there_are(vector_copy, change):
    change(vector_copy / "kernels" / "kernel_config.py", "",
           "KERNELS += [dict(KERNELS[0], func_id=7)]\n")
    assert [kernel.func_id for kernel in Folder(*find_folder(vector_copy)).kernels] == [0, 1, 2, 7]


def test_a_golden_file_of_its_own(vector_copy, tmp_path, capsys):
    other = tmp_path / "other.py"
    other.write_text((vector_copy / "golden.py").read_text().replace('["out"]', '["none"]'))
    assert run.main([str(vector_copy), "-g", str(other)]) == 3
    assert "other.py: __outputs__ names none" in capsys.readouterr().out


def test_silence_is_that_of_the_runtime_too():
    chosen = {name: _settings_of(_parser().parse_args(["x", name])) for name in ("--silent", "-v")}
    assert chosen == {"--silent": {"log_level": "error"}, "-v": {"log_level": "debug"}}


@pytest.mark.parametrize("error", [ZeroDivisionError, asyncio.CancelledError])
def test_our_own_mistakes_are_no_wrong_outputs(monkeypatch, capsys, error):
    def fail(*_):
        raise error
    monkeypatch.setattr(run, "_run", fail)
    assert run.main(["x"]) == 70
    assert error.__name__ in capsys.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_our_own_mistakes_in_a_case_are_not_those_of_the_folder(monkeypatch, capfd, flags):
    monkeypatch.setattr(_folder_run, "CaseArguments", lambda *_: 1 // 0)
    assert run.main([str(shipped / "elementwise"), *flags]) == 70
    assert "line" in capfd.readouterr().err, "it has a traceback"


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_lack_of_memory_is_an_error_of_the_case(monkeypatch, tmp_path, capfd, flags):
    """The others run. It is no bug, neither in the runtime nor around it."""
    def launch(self, *arguments):
        if len(arguments[3][0]) < 1 << 20:
            raise MemoryError("std::bad_alloc")
        return real(self, *arguments)
    real = _folder_run.Runtime._launch
    line = [str(shipped / "elementwise"), "--all", "--silent", *flags]
    results = ["--json", f"{tmp_path}/json", "--junit", f"{tmp_path}/junit"]
    with monkeypatch.context() as only:
        only.setattr(_folder_run.Runtime, "_launch", launch)
        assert run.main([*line, *results]) == 3
    small, large = json.loads((tmp_path / "json").read_text())["cases"]
    assert (small["case"], small["verdict"], small["outcome"]) == ("Small", "error", "bad_input")
    assert small["detail"].startswith("out of memory (std::bad_alloc); ")
    assert (large["case"], large["verdict"]) == ("Large", "pass")
    assert ElementTree.parse(tmp_path / "junit").getroot().get("errors") == "1"
    capfd.readouterr()
    monkeypatch.setattr(_folder_run, "CaseArguments", lambda *_: bytearray(2**62))
    assert run.main(line) == 3
    told = capfd.readouterr()
    assert "case Large  bad_input\nout of memory; use a smaller case" in told.out
    assert told.err == ""


@pytest.mark.parametrize("place", ["os.fork", "os.pipe2", "os.pidfd_open", "CaseArguments"])
@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_what_the_system_refuses_is_an_error_of_the_case(monkeypatch, tmp_path, capfd, place,
                                                         number):
    """Also within the process of the case, and once: the others run."""
    def refuse(*arguments):
        if (tmp_path / "refused").exists():
            return real(*arguments)
        (tmp_path / "refused").touch()
        raise OSError(number, os.strerror(number))
    owner, name = (os, place[3:]) if place.startswith("os") else (_folder_run, "CaseArguments")
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, refuse)
    files = os.listdir("/proc/self/fd")
    line = [str(shipped / "elementwise"), "--all", "--silent", "--json", f"{tmp_path}/json"]
    assert run.main(line) == 3
    small, large = json.loads((tmp_path / "json").read_text())["cases"]
    assert (small["verdict"], small["outcome"]) == ("error", "bad_input")
    assert small["detail"] == (f"the system refused: {os.strerror(number)}; check the limits of "
                               "this process (ulimit -a)")
    assert (large["case"], large["verdict"]) == ("Large", "pass")
    assert capfd.readouterr().err == "" and os.listdir("/proc/self/fd") == files
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_the_system_refuses_around_the_cases_is_no_bug(monkeypatch, capsys):
    def fail(*_):
        raise OSError(errno.EMFILE, "Too many")
    monkeypatch.setattr(run, "_run", fail)
    assert run.main(["x"]) == 3
    assert "pto2: the system refused: Too many; check" in capsys.readouterr().err


def test_other_errors_of_the_system_are_ours(monkeypatch, capfd):
    def fork():
        raise OSError(errno.EINVAL, "wrong")
    monkeypatch.setattr(os, "fork", fork)
    assert run.main([str(shipped / "elementwise")]) == 70
    assert "OSError: [Errno 22] wrong" in capfd.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
@pytest.mark.parametrize("error, outcome, code", [
    (pto2.InputError("wrong"), "bad_input", 3), (pto2.InternalError("wrong"), "bug", 70)])
def test_a_case_that_cannot_be_run_is_one_of_the_report(monkeypatch, tmp_path, capsys, flags, error,
                                                        outcome, code):
    """The others run."""
    def run_case(self, case, *_):
        if case == "Small":
            raise error
        return CaseReport(case, "pass", "pass")
    monkeypatch.setattr(FolderRunner, "run", run_case)
    line = [str(shipped / "elementwise"), "--all", "--silent", *flags]
    assert run.main([*line, "--json", f"{tmp_path}/json", "--junit", f"{tmp_path}/junit"]) == code
    small, large = json.loads((tmp_path / "json").read_text())["cases"]
    assert (small["case"], small["verdict"], small["outcome"], small["detail"]) == (
        "Small", "error", outcome, "wrong")
    assert (large["case"], large["verdict"]) == ("Large", "pass")
    assert ElementTree.parse(tmp_path / "junit").getroot().get("errors") == "1"
    told = capsys.readouterr().out
    assert told == f"case Small  {outcome}\nwrong\ncase Large  pass\nTEST FAILED\n"


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
             CaseReport("e", "inconclusive", "inconclusive"),
             error_report("f", pto2.InputError("wrong"))]
    suite = ElementTree.fromstring(
        to_junit(FolderReport("folder/golden.py", "folder/kernels", cases, 0, 0, 0)).encode())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "1", "3")
    assert [len(case) for case in suite] == [0, 1, 1, 1, 1, 1]
    assert suite[5].find("error").text == "wrong"
    assert suite[2].find("error").get("message") == "kernel_threw"
