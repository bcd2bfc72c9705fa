"""What is kept of what was compiled, and for how long."""

import os
import time

import pytest

import pto2
from pto2._compiler import Compiler, orchestration_source

days = 24 * 3600


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source that includes value.h, which is not beside it."""
    monkeypatch.setenv("CXXFLAGS", "-O0")
    path = tmp_path / "graph.cpp"
    path.write_text('#include "value.h"\nextern "C" int number() { return value; }\n')
    return path


def header(folder, value):
    folder.mkdir(exist_ok=True)
    (folder / "value.h").write_text(f"constexpr int value = {value};\n")


def compile_in(folder, *paths):
    return Compiler(folder).compile([orchestration_source(path) for path in paths], 1, print)


def test_headers_of_other_folders_are_others(source, tmp_path, monkeypatch):
    header(tmp_path / "a", 1)
    header(tmp_path / "b", 2)
    images = set()
    for folders in ("a", "b", "a"):
        monkeypatch.setenv("CPATH", str(tmp_path / folders))
        images.update(compile_in(tmp_path / "cache", source).images.values())
    assert len(images) == 2
    # One that appears in front of a folder of the variable.
    monkeypatch.setenv("CPLUS_INCLUDE_PATH", f"{tmp_path / 'c'}:{tmp_path / 'b'}")
    monkeypatch.delenv("CPATH")
    (tmp_path / "c").mkdir()
    assert compile_in(tmp_path / "cache", source).compiled == 1
    assert compile_in(tmp_path / "cache", source).compiled == 0
    header(tmp_path / "c", 3)
    assert compile_in(tmp_path / "cache", source).compiled == 1


def test_what_is_used_is_kept(source, tmp_path):
    """What nobody has used for a month goes when something is compiled."""
    header(tmp_path, 1)
    used, unused, new = source, tmp_path / "unused.cpp", tmp_path / "new.cpp"
    for path in (unused, new):
        path.write_text(source.read_text())
    cache = tmp_path / "cache"
    compile_in(cache, used, unused)
    long_ago = time.time() - 31 * days
    for file in cache.rglob("*.*"):
        os.utime(file, (long_ago, long_ago))
    assert compile_in(cache, used).kept == 1
    assert compile_in(cache, new).compiled == 1
    assert len(list(cache.glob("images/*/*.so"))) == len(list(cache.glob("lists/*.json"))) == 2
    assert compile_in(cache, used, new).kept == 2


def test_what_is_edited_meanwhile_is_compiled_again(source, tmp_path):
    header(tmp_path, 1)
    compiler = Compiler(tmp_path / "cache")
    header(tmp_path, 2)
    os.utime(tmp_path / "value.h", ns=(time.time_ns(), time.time_ns()))
    assert compiler.compile([orchestration_source(source)], 1, print).compiled == 1
    assert compile_in(tmp_path / "cache", source).compiled == 1
    assert compile_in(tmp_path / "cache", source).compiled == 0


def test_a_compiler_is_chosen(source, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(pto2.InputError, match="the compiler no-such-compiler is not there"):
        compile_in(tmp_path / "cache", source)


def test_a_cache_that_cannot_be_written_is_named(source, tmp_path):
    header(tmp_path, 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(pto2.InputError, match="file/.*cannot be written: .*PTO2_CACHE"):
        compile_in(tmp_path / "file", source)


def test_an_error_does_not_wait_for_what_has_not_begun(source, tmp_path):
    header(tmp_path, 1)
    bad = tmp_path / "bad.cpp"
    bad.write_text("this is no C++")
    others = [tmp_path / f"other{number}.cpp" for number in range(20)]
    for path in others:
        path.write_text(source.read_text())
    with pytest.raises(pto2.InputError, match="bad.cpp"):
        compile_in(tmp_path / "cache", bad, *others)
    assert len(list((tmp_path / "cache").rglob("*.so"))) < 10
