"""What the machine, or a limit of the process, has too little of is told as that, wherever it is
met."""

import builtins
import errno
import os
import subprocess
import threading
from pathlib import Path

import pytest

import pto2
from pto2 import _folder_run, _folder_test, _isolated

run = pto2.run
_told = "the system refused: {}; check the limits of this process (ulimit -a)"
_refused = _told.format(os.strerror(errno.EAGAIN))


@pytest.fixture
def uncompiled(vector_copy, tmp_path, monkeypatch):
    """A folder of which nothing is kept."""
    monkeypatch.setenv("PTO2_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    return vector_copy


def refuse_when(monkeypatch, owner, name, number, applies):
    """A function fails so in place of the calls that `applies` is true of."""
    def refuse(*arguments, **options):
        if applies(*arguments):
            raise OSError(number, os.strerror(number))
        return real(*arguments, **options)
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, refuse)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM])
@pytest.mark.parametrize("owner, name, applies", [
    (subprocess, "run", lambda line: "--version" in line),
    (subprocess, "run", lambda line: "-o" in line),
    (Path, "read_text", lambda path, *_: path.name == "add.cpp"),
    (Path, "read_bytes", lambda path: path.name == "image.so"),
    (builtins, "open", lambda _, mode="r", *__: mode == "xb")])
def test_what_the_system_refuses_while_compiling(uncompiled, monkeypatch, capfd, owner, name,
                                                 applies, number):
    """Neither another compiler nor another folder would help."""
    refuse_when(monkeypatch, owner, name, number, applies)
    assert run.main([str(uncompiled), "--silent"]) == 3
    assert capfd.readouterr().err == f"pto2: {_told.format(os.strerror(number))}\n"


@pytest.mark.parametrize("first", [1, 2])
def test_threads_that_are_refused_while_compiling(uncompiled, monkeypatch, capfd, first):
    """What has begun comes to its end, and nothing else begins."""
    def refuse(thread):
        started.append(thread)
        if len(started) >= first:
            raise RuntimeError("can't start new thread")
        real(thread)
    started, real = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert run.main([str(uncompiled), "--silent", "--jobs", "3"]) == 3
    assert capfd.readouterr().err == f"pto2: {_refused}\n"
    assert len(list(Path(os.environ["PTO2_CACHE"]).rglob("*.so"))) <= first - 1


def lack(*_, **__):
    raise MemoryError


def lack_threads(*_, **__):
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("lacking, told", [(lack, "^out of memory; "), (lack_threads, "refused: ")])
@pytest.mark.parametrize("name", ["Folder", "FolderRunner"])
def test_functions_tell_it_too(vector_copy, monkeypatch, name, lacking, told):
    monkeypatch.setattr(run, name, lacking)
    with pytest.raises(pto2.InputError, match=told):
        run(vector_copy)
    monkeypatch.setattr(_folder_test, name, lacking)
    with pytest.raises(pto2.InputError, match=told):
        _folder_test.FolderCases(vector_copy, {}).run("Small")


def test_a_process_that_has_no_memory_for_its_last_word_tells_it_too(monkeypatch):
    monkeypatch.setattr(_isolated, "LastWord", lack)
    with pytest.raises(pto2.InputError, match="^out of memory; "):
        _isolated.run_isolated("a", lambda: 7)


def test_a_case_that_a_function_runs_tells_it_too(vector_copy, monkeypatch):
    monkeypatch.setattr(_folder_run, "CaseArguments", lack)
    with pytest.raises(pto2.InputError, match="^out of memory; "):
        run(vector_copy)


def test_other_mistakes_are_ours(uncompiled, monkeypatch, capfd):
    def fail(_):
        raise RuntimeError("mine")
    monkeypatch.setattr(threading.Thread, "start", fail)
    assert run.main([str(uncompiled)]) == 70
    assert "RuntimeError: mine" in capfd.readouterr().err
