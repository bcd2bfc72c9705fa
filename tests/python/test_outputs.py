"""Files of results: what they must not be, and what becomes of what is there."""

import itertools
import json
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

import pto2
from pto2._case import OutputReport
from pto2._outputs import for_each_round, is_same_file, prepare_file
from pto2._places import program

run = pto2.run
shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"

chip_text = ('name = "c"\nblocks = 4\ncubes_per_block = 1\nvectors_per_block = 1\n'
             'schedulers = 3\n')


@pytest.fixture
def files_copy(tmp_path):
    """A copy without links, which a defect cannot follow out of it."""
    return shutil.copytree(shipped / "elementwise", tmp_path / "copy")


def quick(folder, *flags):
    return [str(folder), "--skip-golden", "--silent", *map(str, flags)]


def test_files_of_results_are_looked_at_first(vector_copy, tmp_path, capsys):
    for path, told in [(tmp_path / "no" / "x", "the result as JSON cannot be written: there is no"),
                       (tmp_path, "cannot be written: Is a directory; name a file in")]:
        assert run.main(quick(vector_copy, "--json", path)) == 3
        assert told in capsys.readouterr().err
    former = tmp_path / "former.xml"
    former.write_text("earlier")
    assert run.main(quick(vector_copy, "--junit", former, "--window", "5")) == 2
    assert not former.exists()


@pytest.mark.parametrize("option", ["--json", "--junit", "--trace"])
def test_no_file_that_is_read_is_overwritten(files_copy, tmp_path, capsys, option):
    chip, link = tmp_path / "chip.toml", tmp_path / "link"
    chip.write_text(chip_text)
    link.symlink_to(files_copy / "golden.py")
    for path, told in [(chip, "which --platform reads; name another file"),
                       (files_copy / "golden.py", "which is a source of the folder"),
                       (files_copy / "kernels" / "aiv" / "add.cpp", "which is a source"),
                       (link, "which is a source of the folder")]:
        text = path.read_text()
        assert run.main(quick(files_copy, "-p", chip, option, path)) == 2
        assert f"{option} would overwrite {path}, {told}" in capsys.readouterr().err
        assert path.read_text() == text


@pytest.mark.parametrize("option", ["--json", "--junit", "--trace"])
def test_no_file_that_may_be_read_is_overwritten(vector_copy, tmp_path, change, monkeypatch,
                                                 capsys, option):
    """Of the folder, and of folders of headers, what no run has written; and what flags name."""
    golden = tmp_path / "own" / "golden.py"
    texts = {vector_copy / "kernels" / "common" / "factor.hpp": "// {", tmp_path / "far.h": "//",
             golden: (vector_copy / "golden.py").read_text(), golden.with_name("ref.py"): "a = 1",
             golden.with_name("data.json"): '{"schema": "own"}', tmp_path / "inc" / "value.h": "//",
             tmp_path / "options": "-O1", tmp_path / "helper.o": "object"}
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    link = golden.with_name("link.h")
    link.symlink_to(tmp_path / "far.h")
    to_module = tmp_path / "to_module"
    to_module.symlink_to(golden.with_name("ref.py"))
    del texts[tmp_path / "far.h"]
    monkeypatch.setenv("CXX", f"g++ {tmp_path}/helper.o")
    change(vector_copy / "kernels" / "kernel_config.py", "",
           f"RUNTIME_ENV = {{'CXXFLAGS': '@{tmp_path}/options -I{tmp_path}/inc'}}\n")
    for path in (*texts, link, to_module):
        assert run.main(quick(vector_copy, "-g", golden, option, path)) == 2
        assert f"{option} would overwrite {path}, which " in capsys.readouterr().err
    assert {path: path.read_text() for path in texts} == texts and link.read_text() == "//"


@pytest.mark.parametrize("flag", [
    "-I", "-I ", "-iquote", "-iquote ", "-isystem", "-isystem ", "-idirafter", "-idirafter ",
    "--include-directory=", "--include-directory-after "])
def test_headers_in_folders_of_any_option_are_not_overwritten(vector_copy, tmp_path, monkeypatch,
                                                              capsys, flag):
    config = tmp_path / "inc" / "config.h"
    config.parent.mkdir()
    config.write_text("//")
    monkeypatch.setenv("CXXFLAGS", f"{flag}inc")
    monkeypatch.chdir(tmp_path)
    assert run.main(quick(vector_copy, "--json", "inc/config.h")) == 2
    assert "which the run may read" in capsys.readouterr().err and config.read_text() == "//"
    # Where the compiler does not look anything may be overwritten.
    other = tmp_path / "out.txt"
    other.write_text("any text")
    assert run.main(quick(vector_copy, "--json", "out.txt")) == 4
    assert json.loads(other.read_text())["verdict"] == "inconclusive"


def test_what_is_beside_any_source_is_not_overwritten(vector_copy, tmp_path, change, capsys):
    """The orchestration and each kernel may lie in a folder of its own."""
    kernels = vector_copy / "kernels"
    for number, name in enumerate(["orchestration/graph.cpp", "aiv/add.cpp"]):
        header = tmp_path / str(number) / "own.h"
        header.parent.mkdir()
        header.write_text("//")
        shutil.copy(kernels / name, header.parent)
        moved = f"../../{number}/{os.path.basename(name)}"
        change(kernels / "kernel_config.py", f'"{name}"', f'"{moved}"')
        assert run.main(quick(vector_copy, "--json", header)) == 2
        assert "which the run may read" in capsys.readouterr().err and header.read_text() == "//"


def test_earlier_results_in_the_folder_are_overwritten(vector_copy, tmp_path):
    golden = shutil.copy(vector_copy / "golden.py", tmp_path)
    flags = [(f"--{name}", tmp_path / name) for name in ("json", "junit", "trace")]
    line = quick(vector_copy, "-g", golden, *itertools.chain.from_iterable(flags))
    (tmp_path / "json").touch()
    for _ in "12":
        assert run.main(line) == 4
    # One that is open is not removed.
    out = tmp_path / "out"
    out.write_text("earlier\n")
    line = quick(vector_copy, "-g", golden, "--json", "/dev/stdout")
    code, _ = on_file(out, [program("pto2-run-folder"), *line], "a")
    assert code == 4 and out.read_text().startswith("earlier\n{")


def test_no_trace_overwrites_what_a_function_reads(files_copy, tmp_path, vector):
    chip = tmp_path / "chip.toml"
    chip.write_text(chip_text)
    golden = files_copy / "golden.py"
    with pytest.raises(pto2.InputError, match="trace would overwrite .*golden.py, which is a sou"):
        pto2.run(files_copy, trace=golden)
    with pytest.raises(pto2.InputError, match="trace would overwrite .*, which platform reads"):
        pto2.run(files_copy, trace=chip, platform=chip)
    with pytest.raises(pto2.InputError, match="trace is 3, which is no path"):
        pto2.run(files_copy, trace=3)
    assert "generate_inputs" in golden.read_text() and chip.read_text() == chip_text
    orchestration, kernels = vector
    images = {path: shutil.copy(path, tmp_path) for path in (orchestration, kernels[0])}
    orchestration, kernels = Path(images[orchestration]), {**kernels, 0: Path(images[kernels[0]])}
    for path, reader in [(orchestration, "orchestration"), (kernels[0], "kernels"),
                         (chip, "platform")]:
        former = path.read_bytes()
        with pytest.raises(pto2.InputError, match=f"which {reader} reads"):
            pto2.Runtime(platform=chip).run(orchestration, kernels, trace=path)
        assert path.read_bytes() == former
    folder = tmp_path / "folder"
    folder.mkdir()
    image = folder / "0_add.so"
    shutil.copy(kernels[0], image)
    with pytest.raises(pto2.InputError, match="which kernels reads"):
        pto2.Runtime().run(orchestration, folder, trace=image)
    assert image.read_bytes() == kernels[0].read_bytes()


@pytest.mark.parametrize("one, other", [
    ("--trace", "--json"), ("--trace", "--junit"), ("--json", "--junit")])
def test_one_file_cannot_take_two_results(vector_copy, tmp_path, capsys, one, other):
    file, link, new = tmp_path / "file", tmp_path / "link", tmp_path / "new"
    file.write_text("earlier")
    link.symlink_to(file)
    for first, second, told in [
            (file, file, "name the same file"), (file, link, "name the same file"),
            (new, tmp_path / "vector" / ".." / "new", "name the same file"),
            ("-", "-", "cannot both be stdout"), ("-", "/dev/stdout", "cannot both be stdout"),
            ("/dev/stdout", "-", "cannot both be stdout")]:
        assert run.main(quick(vector_copy, one, first, other, second)) == 2
        assert f"{one} and {other} {told}" in capsys.readouterr().err
    assert file.read_text() == "earlier" and not new.exists()


def on_file(path, line, mode="w"):
    """How a program ends that has `path` as stdout, and what it says on stderr."""
    with open(path, mode, encoding="utf-8") as file:
        ended = subprocess.run(line, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
    return ended.returncode, ended.stderr


def test_a_file_that_stdout_is_cannot_take_another_result(vector_copy, tmp_path):
    out = tmp_path / "out"
    for one, other in [("--json", "--junit"), ("--trace", "--json")]:
        line = [program("pto2-run-folder"), *quick(vector_copy, one, "-", other, out)]
        code, told = on_file(out, line)
        assert code == 2 and f"{one} and {other} cannot both be stdout" in told
    golden = (tmp_path / "vector" / "golden.py").resolve()
    own = shutil.copy(golden, tmp_path)
    flags = ["-k", vector_copy / "kernels", "-g", own, "--json", "-"]
    code, told = on_file(own, [program("pto2-run-folder"), *flags], "a")
    assert code == 2 and "--json would overwrite -, which is a source of the folder" in told


def test_one_device_may_take_two_results(vector_copy, monkeypatch):
    monkeypatch.chdir(vector_copy.parent)
    assert run.main(quick(vector_copy, "--json", "/dev/null", "--junit", "/dev/null")) == 4


def test_names_of_one_descriptor_are_one_file_on_a_device_too():
    with open("/dev/null", "wb") as one, open("/dev/null", "wb") as other:
        for number, is_same in [(one.fileno(), True), (other.fileno(), False)]:
            for path in (f"/dev/fd/{number}", f"/proc/self/fd/{number}"):
                assert is_same_file(f"/dev/fd/{one.fileno()}", path) == is_same
        assert not is_same_file(f"/dev/fd/{one.fileno()}", "/dev/null")


@pytest.mark.parametrize("option", ["--trace", "--junit"])
def test_stdout_is_apart_from_stderr_and_from_devices(vector_copy, option):
    line = [program("pto2-run-folder"), *quick(vector_copy, "--json", "-", option)]
    ended = subprocess.run([*line, "/dev/stderr"], capture_output=True, text=True, check=False)
    assert ended.returncode == 4 and json.loads(ended.stdout)["verdict"] == "inconclusive"
    assert len(ended.stderr) > 100
    code, told = on_file("/dev/null", [*line, "/dev/null"])
    assert (code, told) == (4, "")
    code, told = on_file("/dev/null", [*line, "/dev/stdout"])
    assert code == 2 and "cannot both be stdout" in told


def test_a_trace_is_of_one_case(tmp_path):
    with pytest.raises(pto2.InputError, match="trace is of one case; name it with case"):
        pto2.run(shipped / "elementwise", case="all", trace=tmp_path / "trace")
    assert os.listdir(tmp_path) == []


def test_the_last_round_that_ran_is_traced(vector_copy, tmp_path, monkeypatch):
    """Also one that ends in a fault before others, or has a wrong output."""
    trace = tmp_path / "trace"
    report = pto2.run(vector_copy, rounds=2, heap="4K", trace=trace)
    assert (report.verdict, report.cases[0].rounds) == ("fault", 1)
    assert json.loads(trace.read_text().splitlines()[0])["error"] == "heap_ring_deadlock"
    assert pto2.validate(trace)["verdict"] == "valid"
    trace.unlink()
    monkeypatch.setattr("pto2._case.CaseArguments.compare", wrong_output)
    assert pto2.run(vector_copy, rounds=2, trace=trace).cases[0].rounds == 1
    assert pto2.validate(trace)["verdict"] == "valid"


def wrong_output(*_):
    return [OutputReport("out", 1, 1, 0.0, "at [0]")]


def test_a_pipe_gets_one_trace_of_several_rounds(vector_copy, tmp_path):
    line = [program("pto2-run-folder"), *quick(vector_copy, "-n", "2", "--trace", "/dev/fd/1"),
            "--json", tmp_path / "json"]
    ended = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    text, end = ended.stdout.split("case Small")
    assert ended.returncode == 4 and end.endswith("TEST NOT COMPARED\n")
    (tmp_path / "trace").write_text(text)
    assert pto2.validate(tmp_path / "trace")["verdict"] == "valid"
    with pytest.raises(pto2.InputError, match="/dev/full: the trace could not be written: No spac"):
        pto2.run(vector_copy, rounds=2, trace="/dev/full")


def test_files_get_each_trace_at_once(tmp_path):
    for path in (None, str(tmp_path / "new"), __file__):
        with for_each_round(path) as begin:
            assert begin() == path


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_a_trace_is_alone_on_stdout(vector_copy, tmp_path, change, flags):
    change(vector_copy / "golden.py", "", "print('golden prints')\n")
    line = [program("pto2-run-folder"), vector_copy, "--trace", "-", "--junit",
            tmp_path / "junit.xml", *flags]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and "golden prints" in ended.stderr
    trace = tmp_path / "trace"
    trace.write_text(ended.stdout)
    assert pto2.validate(trace)["verdict"] == "valid"
    assert "testcase" in (tmp_path / "junit.xml").read_text()


def test_a_link_stays_and_its_file_is_written(vector_copy, tmp_path):
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    for former in ("earlier" * 10000, None):
        if former is None:
            file.unlink()
        else:
            file.write_text(former)
        assert run.main(quick(vector_copy, "--json", link)) == 4
        assert link.is_symlink() and json.loads(file.read_text())["verdict"] == "inconclusive"


def test_devices_and_pipes_stay(vector_copy, tmp_path):
    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        null.symlink_to("/dev/null")  # which nobody but root could remove
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (null, pipe):
        former = path.lstat()
        prepare_file(str(path), "the trace")
        assert (path.lstat().st_ino, path.lstat().st_mode) == (former.st_ino, former.st_mode)
    for option in ("--json", "--junit", "--trace"):
        assert run.main(quick(vector_copy, option, null)) == 4
    assert stat.S_ISCHR(null.stat().st_mode)


@pytest.mark.parametrize("name, rounds", [("-", "1"), ("-", "2"), ("/dev/stdout", "2")])
def test_a_trace_leaves_nothing_where_a_case_crashes(vector_copy, tmp_path, change, name, rounds):
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "const float* const a",
           "*reinterpret_cast<volatile int*>(8) = 1;\n  const float* const a")
    line = [program("pto2-run-folder"), *quick(vector_copy, "-n", rounds, "--trace", name)]
    (tmp_path / "temporary").mkdir()
    ended = subprocess.run(line, env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
                           capture_output=True, text=True, check=False)
    assert ended.returncode == 5 and os.listdir(tmp_path / "temporary") == []
    assert ("case Small  crashed" in ended.stdout) == (name != "-")


def test_a_link_to_an_open_file_keeps_it(vector_copy, tmp_path):
    link, out = tmp_path / "link", tmp_path / "out"
    link.symlink_to("/dev/stdout")
    for named in (link, "/proc/self/fd/1"):
        line = [program("pto2-run-folder"), *quick(vector_copy, "--json", named)]
        out.write_text("earlier\n")
        with open(out, "ab") as file:
            ended = subprocess.run(line, stdout=file, check=False)
        assert ended.returncode == 4
        assert out.read_text().startswith("earlier\n") and '"verdict"' in out.read_text()


def test_a_link_to_another_open_file_keeps_it(vector_copy, tmp_path):
    log, link = tmp_path / "log", tmp_path / "link"
    log.write_text("earlier\n")
    with open(log, "ab") as file:
        link.symlink_to(f"/dev/fd/{file.fileno()}")
        line = [program("pto2-run-folder"), *quick(vector_copy, "--json", link)]
        ended = subprocess.run(line, stdout=subprocess.PIPE, pass_fds=[file.fileno()], check=False)
    assert ended.returncode == 4
    earlier, text = log.read_text().split("\n", 1)
    assert earlier == "earlier" and json.loads(text)["verdict"] == "inconclusive"


@pytest.mark.parametrize("number", [1, 2])
def test_what_is_printed_stands_beside_a_result_in_the_same_file(vector_copy, tmp_path, number):
    out = tmp_path / "out"
    for option, begin in [("--json", "{"), ("--trace", '{"schema"')]:
        for named in (out, f"/dev/fd/{number}"):
            line = ["sh", "-c", f'"$@" {number}> {out}; echo after >> {out}', "sh",
                    program("pto2-run-folder"), *quick(vector_copy, option, named)]
            ended = subprocess.run(line, capture_output=True, text=True, check=False)
            text = out.read_text()
            assert text.startswith(begin) and text.endswith("after\n")
            assert "TEST NOT COMPARED\n" in (text if number == 1 else ended.stdout)
            result = text.removesuffix("after\n").split("case Small")[0]
            for each in [result] if option == "--json" else result.splitlines():
                json.loads(each)


def test_an_open_file_gets_one_trace_of_several_rounds(vector_copy, tmp_path):
    out = tmp_path / "out"
    out.write_text("earlier\n")
    line = [program("pto2-run-folder"), *quick(vector_copy, "-n", "2", "--trace", "/dev/stdout")]
    with open(out, "ab") as file:
        assert subprocess.run(line, stdout=file, check=False).returncode == 4
    earlier, text = out.read_text().split("\n", 1)
    (tmp_path / "trace").write_text(text.split("case Small", 1)[0])
    assert earlier == "earlier" and pto2.validate(tmp_path / "trace")["verdict"] == "valid"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no memory in /dev")
def test_an_earlier_result_in_memory_goes(vector_copy):
    with tempfile.NamedTemporaryFile(dir="/dev/shm", delete=False) as former:
        former.write(b"earlier")
    assert run.main(quick(vector_copy, "--json", former.name, "--window", "5")) == 2
    assert not os.path.exists(former.name)


def test_open_files_are_results(vector_copy, tmp_path):
    """As /dev/fd/1 names them, or `>(..)` of a shell."""
    line = [program("pto2-run-folder"), *quick(vector_copy, "--json", "/dev/fd/1", "--junit")]
    ended = subprocess.run([*line, tmp_path / "junit"], stdout=subprocess.PIPE, text=True,
                           check=False)
    text, end = ended.stdout.split("case Small")
    assert ended.returncode == 4 and json.loads(text)["verdict"] == "inconclusive"
    assert end.endswith("TEST NOT COMPARED\n")
    with open(tmp_path / "file", "w+", encoding="utf-8") as file:
        inode = os.fstat(file.fileno()).st_ino
        line[line.index("/dev/fd/1")] = f"/dev/fd/{file.fileno()}"
        subprocess.run([*line, tmp_path / "junit"], stdout=subprocess.PIPE,
                       pass_fds=[file.fileno()], check=False)
        assert json.load(file)["verdict"] == "inconclusive"
    assert (tmp_path / "file").stat().st_ino == inode


def test_a_file_in_a_folder_that_cannot_be_written_is_emptied(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("earlier")

    def refuse(path):
        raise PermissionError(path)
    monkeypatch.setattr(os, "unlink", refuse)
    prepare_file(str(path), "the trace")
    assert path.read_text() == ""
