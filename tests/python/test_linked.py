"""Which files flags name that are linked."""

import os
from pathlib import Path

import pytest

from pto2._linked import named_files


@pytest.mark.parametrize("text", [
    "{}/libx.a", "-T {}/libx.a", "-T{}/libx.a", "-Wl,-T,{}/libx.a", "-Wl,@{}/libx.a",
    "-Wl,--version-script={}/libx.a", "-L{} -lx", "-L {} -l x", "-L{} -l:libx.a", "-Wl,-L{},-lx",
    "-lx"])
def test_files_that_flags_name(tmp_path, monkeypatch, text):
    monkeypatch.setenv("LIBRARY_PATH", f"/nowhere:{tmp_path}" if text == "-lx" else "")
    words = text.format(tmp_path).split()
    assert named_files(words) == []
    (tmp_path / "libx.a").write_text("")
    assert named_files(words) == [f"{tmp_path}/libx.a"]


@pytest.mark.parametrize("name", ["libx.so", "libx.a"])
def test_libraries_are_told_in_the_order_in_which_they_are_looked_for(tmp_path, monkeypatch, name):
    """Shared or not."""
    libraries = [str(tmp_path / folder / name) for folder in "ab"]
    for library in map(Path, libraries):
        library.parent.mkdir()
        library.write_text("")
    for order in (libraries, libraries[::-1]):
        first, second = map(os.path.dirname, order)
        assert named_files([f"-L{first}", f"-L{second}", "-lx"]) == order
        monkeypatch.setenv("LIBRARY_PATH", f"{first}:{second}")
        assert named_files(["-lx"]) == order
        monkeypatch.setenv("LIBRARY_PATH", second)
        assert named_files(["-lx", f"-L{first}"]) == order
        monkeypatch.delenv("LIBRARY_PATH")


@pytest.mark.parametrize("text", [
    "-Wl,-Map={}", "-Wl,-Map,{}", "-Wl,--Map={}", "-Xlinker -Map={}", "-Xlinker -Map -Xlinker {}",
    "-Wl,--dependency-file={}", "-Wl,-dependency-file,{}", "-Wp,-MD,{}", "-Wp,-MMD,{}",
    "-fdump-tree-optimized={}", "-fopt-info-vec={}"])
@pytest.mark.parametrize("name", ["made", "a=b"])
def test_files_that_are_written_are_none_of_the_linker(tmp_path, text, name):
    made, linked = tmp_path / name, tmp_path / "linked.o"
    for path in (made, linked):
        path.write_text("")
    assert named_files([*text.format(made).split(), str(linked)]) == [str(linked)]
    if text.startswith("-W"):
        assert named_files([f"{text.format(made)},{linked}"]) == [str(linked)]


def test_options_without_a_file_leave_the_next_word(tmp_path):
    linked = tmp_path / "linked.o"
    linked.write_text("")
    for option in ("-MD", "-MMD", "-fopt-info", "-fdump-tree-all", "-Wl,-z,now"):
        assert named_files([option, str(linked)]) == [str(linked)]


def test_a_name_of_a_file_may_have_any_characters(tmp_path):
    path = tmp_path / "a=b,c.o"
    path.write_text("")
    assert named_files([str(path), "-fPIC", str(tmp_path), "-"]) == [str(path)]
