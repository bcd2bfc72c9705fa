"""What is kept of what was compiled, and for how long."""

import errno
import os
import shutil
import subprocess
import time

import pytest

import pto2
from pto2._compiler import Compiler, kernel_source, orchestration_source
from pto2._includes import Includes, named_folders

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


def test_relative_folders_are_those_of_the_place(source, tmp_path, monkeypatch):
    """Without flags of the user's all places are one."""
    for number, place in enumerate("ab"):
        (tmp_path / place).mkdir()
        header(tmp_path / place / "inc", number)
        monkeypatch.chdir(tmp_path / place)
        for name, value in (("CXXFLAGS", "-O0 -Iinc"), ("CXX", "g++ -Iinc"), ("CPATH", "inc"),
                            ("CPLUS_INCLUDE_PATH", "inc"), ("CPATH", ":/nowhere")):
            with monkeypatch.context() as only:
                only.delenv("CXXFLAGS")  # one alone must do
                only.setenv(name, value)
                if value.startswith(":"):
                    only.chdir("inc")
                assert compile_in(tmp_path / "cache", source).compiled == 1, (place, value)
                assert compile_in(tmp_path / "cache", source).compiled == 0
    monkeypatch.delenv("CXXFLAGS")
    header(source.parent, 3)
    counts = []
    for place in "ab":
        monkeypatch.chdir(tmp_path / place)
        counts.append(compile_in(tmp_path / "cache", source).compiled)
    assert counts == [1, 0]


folder_options = ["-I", "-I ", "-iquote", "-iquote ", "-isystem", "-isystem ", "-idirafter",
                  "-idirafter ", "--include-directory=", "--include-directory ",
                  "--include-directory-after=", "--include-directory-after "]


@pytest.mark.parametrize("option", folder_options)
def test_a_header_that_appears_in_a_folder_of_any_option_is_noticed(source, tmp_path, monkeypatch,
                                                                    option):
    monkeypatch.setenv("CXXFLAGS", f"-O0 {option}{tmp_path}/first {option}{tmp_path}/second")
    header(tmp_path / "second", 2)
    (tmp_path / "first").mkdir()
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]
    header(tmp_path / "first", 1)
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_folders_of_headers_are_as_flags_name_them():
    for option in folder_options:
        assert list(named_folders([*f"{option}inc".split(" "), "-O0"])) == ["inc"]
        assert list(named_folders([option.rstrip(" =")])) == []
    assert list(named_folders(["-include", "a.h", "-I", "-Ib", "-Ic"])) == ["-Ib", "c"]


@pytest.mark.parametrize("flag", ["-I", "-isystem "])
@pytest.mark.parametrize("name, target", [("value.h", "v.h"), ("", "")])
def test_a_link_that_leads_elsewhere_is_noticed(source, tmp_path, monkeypatch, flag, name, target):
    """Of a header and of its folder, also where the name that it leads to is shorter."""
    link = tmp_path / "folder_of_a_long_name" / name
    link.parent.mkdir(exist_ok=True)
    monkeypatch.setenv("CXXFLAGS", f"-O0 -I{tmp_path}/first {flag}{tmp_path}/folder_of_a_long_name")
    compilations = []
    for value in (2, 3, 2):
        header(tmp_path / str(value), value)
        shutil.copy(tmp_path / str(value) / "value.h", tmp_path / str(value) / "v.h")
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / str(value) / target)
        compilations.append(compile_in(tmp_path / "cache", source).compiled)
    assert compilations == [1, 1, 0]
    header(tmp_path / "first", 4)  # which has the name of the link alone
    assert compile_in(tmp_path / "cache", source).compiled == 1


def test_what_is_above_a_link_is_where_it_leads(source, tmp_path):
    (tmp_path / "far" / "folder").mkdir(parents=True)
    (tmp_path / "link").symlink_to("far/folder")
    source.write_text(source.read_text().replace("value.h", "link/../value.h"))
    for value in (1, 2):
        header(tmp_path / "far", value)
        assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_a_link_that_is_made_meanwhile_is_compiled_again(source, tmp_path):
    header(tmp_path / "2", 2)
    link = tmp_path / "value.h"
    link.symlink_to("2/value.h")
    compiler = Compiler(tmp_path / "cache")
    os.utime(link, ns=(time.time_ns(), time.time_ns()), follow_symlinks=False)
    assert compiler.compile([orchestration_source(source)], 1, print).compiled == 1
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_flags_of_a_file_are_those_in_it(source, tmp_path, monkeypatch):
    header(tmp_path, 1)
    options = tmp_path / "options"
    options.write_text(f"-DOF_FILE=1 '@{tmp_path}/more'\n")
    (tmp_path / "more").write_text('-I "/no where"')
    monkeypatch.setenv("CXXFLAGS", f"-O0 @{options} @none")
    assert orchestration_source(source).flags[-5:] == (
        "-O0", "-DOF_FILE=1", "-I", "/no where", "@none")
    monkeypatch.setenv("CXXFLAGS", f"-O0 @{options}")
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]
    options.write_text("-DOF_FILE=2")
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]
    options.write_text(f"@{options}")
    with pytest.raises(pto2.InputError, match="^CXXFLAGS: @.*options names itself"):
        compile_in(tmp_path / "cache", source)
    options.write_text("'")
    with pytest.raises(pto2.InputError, match="^CXXFLAGS: @.*options: No closing quotation"):
        compile_in(tmp_path / "cache", source)


def helper(folder, value):
    """An object that others link."""
    text = folder / "helper.cpp"
    text.write_text(f"extern const int value = {value};\n")
    subprocess.run(["g++", "-c", "-fPIC", text, "-o", folder / "helper.o"], check=True)


@pytest.mark.parametrize("variable, words", [("CXXFLAGS", "-O0"), ("CXX", "g++")])
def test_an_object_that_is_linked_is_part_of_an_image(source, tmp_path, monkeypatch, variable,
                                                      words):
    source.write_text("extern const int value;\nextern \"C\" int number() { return value; }\n")
    monkeypatch.setenv(variable, f"{words} {tmp_path}/helper.o")
    images = []
    for value, compiled in [(2, [1, 0]), (7, [1, 0]), (2, [0])]:
        helper(tmp_path, value)
        for count in compiled:
            done = compile_in(tmp_path / "cache", source)
            assert done.compiled == count
        images += done.images.values()
    assert images[0] == images[2] != images[1]
    # Of one that changes meanwhile it is not known which state has been linked.
    compiler = Compiler(tmp_path / "cache")
    helper(tmp_path, 9)
    os.utime(tmp_path / "helper.o", ns=(time.time_ns(), time.time_ns()))
    assert compiler.compile([orchestration_source(source)], 1, print).compiled == 1
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_the_folder_that_has_a_library_first_is_part_of_an_image(source, tmp_path, monkeypatch):
    source.write_text("extern const int value;\nextern \"C\" int number() { return value; }\n")
    for value, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        helper(tmp_path / name, value)
        (tmp_path / name / "helper.o").rename(tmp_path / name / "libx.o")
    monkeypatch.setenv("CXXFLAGS", "-O0 -l:libx.o")
    images = []
    for order, compiled in [("ab", 1), ("ba", 1), ("ab", 0), ("ba", 0)]:
        monkeypatch.setenv("LIBRARY_PATH", ":".join(str(tmp_path / name) for name in order))
        done = compile_in(tmp_path / "cache", source)
        assert done.compiled == compiled
        images += [image.read_bytes() for image in done.images.values()]
    assert images[0] == images[2] != images[1] == images[3]


def test_what_a_compilation_writes_is_no_part_of_an_image(source, tmp_path, monkeypatch):
    header(tmp_path, 1)
    made = [tmp_path / name for name in ("map", "rule", "told")]
    monkeypatch.setenv("CXXFLAGS", f"-O0 -Wl,-Map={made[0]},--dependency-file={made[1]} "
                       f"-fopt-info-all={made[2]}")
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "123"] == [1, 0, 0]
    assert all(path.exists() for path in made)
    made[0].write_text("another")
    assert compile_in(tmp_path / "cache", source).compiled == 0


def test_flags_of_a_file_may_be_no_utf_8(source, tmp_path, monkeypatch):
    """Paths are bytes. Two that differ there alone are two."""
    header(tmp_path, 1)
    options = tmp_path / "options"
    monkeypatch.setenv("CXXFLAGS", f"-O0 @{options}")
    for path in (b"/no-\xfe", b"/no-\xff"):
        options.write_bytes(b"-I" + path)
        assert os.fsencode(orchestration_source(source).flags[-1]) == b"-I" + path
        assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_only_folders_of_the_system_are_not_looked_at(tmp_path, monkeypatch):
    monkeypatch.setenv("CPATH", "/usr/include/named:")
    monkeypatch.chdir(tmp_path)
    rule = tmp_path / "rule.d"
    rule.write_text("image.so: /usr/src/app/kernel.cpp /usr/include/c++/12/cstdint "
                    "/usr/lib/gcc/stddef.h /usr/local/include/value.h /usr/include/stdint.h\n")
    includes = Includes.of(rule, "/usr/lib/app/kernel.cpp", ["-I", "/usr/lib/flagged"])
    assert includes.folders == sorted([
        str(tmp_path), "/usr/include/named", "/usr/lib/flagged", "/usr/local/include",
        "/usr/lib/app", "/usr/src/app"])


def test_what_is_used_is_kept(source, tmp_path):
    """What nobody has used for a month goes when something is compiled."""
    header(tmp_path, 1)
    used, unused, new = source, tmp_path / "unused.cpp", tmp_path / "new.cpp"
    for path in (unused, new):
        path.write_text(source.read_text())
    cache = tmp_path / "cache"
    compile_in(cache, used, unused)
    long_ago = time.time() - 31 * days
    killed = [folder / ".0123" for folder in (cache / "lists", *cache.glob("images/*"))]
    for path in killed:
        path.write_text("")
    for file in cache.rglob("*.*"):
        os.utime(file, (long_ago, long_ago))
    killed[0].touch()  # somebody may be writing it now
    assert compile_in(cache, used).kept == 1
    assert compile_in(cache, new).compiled == 1
    assert len(list(cache.glob("images/*/*.so"))) == len(list(cache.glob("lists/*.json"))) == 2
    assert [path for path in killed if path.exists()] == killed[:1]
    assert compile_in(cache, used, new).kept == 2


def test_what_is_edited_meanwhile_is_compiled_again(source, tmp_path):
    header(tmp_path, 1)
    compiler = Compiler(tmp_path / "cache")
    header(tmp_path, 2)
    os.utime(tmp_path / "value.h", ns=(time.time_ns(), time.time_ns()))
    assert compiler.compile([orchestration_source(source)], 1, print).compiled == 1
    assert compile_in(tmp_path / "cache", source).compiled == 1
    assert compile_in(tmp_path / "cache", source).compiled == 0


_replacements = {
    "file": lambda old, new: os.replace(new / "value.h", old / "value.h"),
    "folder": lambda old, new: os.replace(new.parent / "next", new.parent / "inc"),
    "content": lambda old, new: shutil.copy2(new / "value.h", old / "value.h"),
    "link of a link": lambda old, new: os.replace(new.parent / "next", new.parent / "way")}


@pytest.fixture
def when_compiled(monkeypatch):
    """Does something once, before the compiler has begun or after it has ended."""
    def put(action, first=False):
        def compile_and_act(line, **options):
            is_it = actions and "-o" in line
            if is_it and first:
                actions.pop()()
            ended = real(line, **options)
            if is_it and not first:
                actions.pop()()
            return ended
        real, actions = subprocess.run, [action]
        monkeypatch.setattr(subprocess, "run", compile_and_act)
    return put


@pytest.mark.parametrize("replace", _replacements.values(), ids=_replacements)
def test_what_is_replaced_meanwhile_is_compiled_again(source, tmp_path, monkeypatch, replace,
                                                      when_compiled):
    """By what is older, as mv, cp -p, rsync -a and ln -sfn do it."""
    old, new = tmp_path / "old", tmp_path / "new"
    for value, folder in enumerate((old, new)):
        header(folder, value)
        os.utime(folder / "value.h", (time.time() - days, time.time() - days))
    for link, target in [("inc", "way"), ("way", "old"), ("next", "new")]:
        (tmp_path / link).symlink_to(target)
    monkeypatch.setenv("CPATH", str(tmp_path / "inc"))
    when_compiled(lambda: replace(old, new))
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "123"] == [1, 1, 0]


@pytest.mark.parametrize("first", [True, False])
def test_an_object_that_is_replaced_meanwhile_is_linked_again(source, tmp_path, monkeypatch,
                                                              when_compiled, first):
    """When the compiler begins it has been looked for already."""
    source.write_text("extern const int value;\nextern \"C\" int number() { return value; }\n")
    monkeypatch.setenv("CXXFLAGS", f"-O0 {tmp_path}/helper.o")
    for name, value in [("other", 2), ("former", 1)]:
        helper(tmp_path, value)
        shutil.copy(tmp_path / "helper.o", tmp_path / f"{name}.o")
    when_compiled(lambda: os.replace(tmp_path / "other.o", tmp_path / "helper.o"), first)
    assert compile_in(tmp_path / "cache", source).compiled == 1
    if first:
        os.replace(tmp_path / "former.o", tmp_path / "helper.o")
    assert [compile_in(tmp_path / "cache", source).compiled for _ in "12"] == [1, 0]


def test_a_compiler_is_chosen(source, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(pto2.InputError, match="the compiler no-such-compiler is not there"):
        compile_in(tmp_path / "cache", source)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes a script of that name the compiler."""
    def make(name, text):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))
        return path
    return make


def test_a_compiler_is_called_by_its_name(source, tmp_path, monkeypatch, fake):
    """As links to ccache, and clang++, need it."""
    header(tmp_path, 1)
    behind = fake("behind", 'case $0 in */g++) exec g++ "$@";; esac; echo "I am $0"; exit 1')
    (tmp_path / "g++").symlink_to(behind)
    monkeypatch.setenv("CXX", str(tmp_path / "g++"))
    assert compile_in(tmp_path / "cache", source).compiled == 1
    monkeypatch.setenv("CXX", str(behind))
    with pytest.raises(pto2.InputError, match="I am .*/behind"):
        compile_in(tmp_path / "cache", source)


def test_a_compiler_may_have_arguments(source, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "env LC_ALL=C g++ '-DNUMBER=\"a b\"'")
    source.write_text("extern \"C\" const char* text() { return NUMBER; }\n")
    image, = compile_in(tmp_path / "cache", source).images.values()
    assert b"a b\0" in image.read_bytes()


def test_a_compiler_behind_another_counts(source, tmp_path, monkeypatch, fake):
    header(tmp_path, 1)
    fake("wrapper", '[ "$1" = --version ] && exec echo "$VERSION"; exec g++ "$@"')
    compilations = []
    for version in ("g++ 1", "g++ 2", "g++ 1"):
        monkeypatch.setenv("VERSION", version)
        compilations.append(compile_in(tmp_path / "cache", source).compiled)
    assert compilations == [1, 1, 0]


def test_clang_gets_no_flags_of_gcc(source, tmp_path, fake):
    header(tmp_path, 1)
    fake("clang", '[ "$1" = --version ] && exec echo "Debian clang version 19"\n'
         'case "$*" in *-fno-gnu-unique*) exit 1;; esac; exec g++ "$@"')
    assert compile_in(tmp_path / "cache", source).compiled == 1


def test_a_cache_that_cannot_be_written_is_named(source, tmp_path):
    header(tmp_path, 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(pto2.InputError, match="file/.*cannot be written: .*PTO2_CACHE"):
        compile_in(tmp_path / "file", source)


def test_what_is_not_written_to_its_end_is_removed(source, tmp_path, monkeypatch):
    header(tmp_path, 1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(pto2.InputError, match="No space left on device; let PTO2_CACHE"):
        compile_in(tmp_path / "cache", source)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("error", [PermissionError, FileNotFoundError])
def test_a_cache_may_be_somebody_elses(source, tmp_path, monkeypatch, error):
    """Who owns it may forget an image at any time."""
    header(tmp_path, 1)
    compile_in(tmp_path / "cache", source)
    for file in (tmp_path / "cache").rglob("*.*"):
        assert file.stat().st_mode & 0o777 == source.stat().st_mode & 0o777

    def refuse(path):
        if error is FileNotFoundError:
            path.unlink(missing_ok=True)
        raise error(path)
    monkeypatch.setattr(os, "utime", refuse)
    done = compile_in(tmp_path / "cache", source)
    assert done.kept == (error is PermissionError)
    assert all(image.exists() for image in done.images.values())


def test_an_image_that_is_damaged_is_compiled_again(source, tmp_path):
    header(tmp_path, 1)
    image, = compile_in(tmp_path / "cache", source).images.values()
    whole = image.read_bytes()
    for damaged in (whole[:-1], b"", whole[:100] + b"x" + whole[101:]):
        image.write_bytes(damaged)
        done = compile_in(tmp_path / "cache", source)
        assert (done.compiled, image.read_bytes()) == (1, whole)
        assert compile_in(tmp_path / "cache", source).kept == 1


def test_a_program_that_is_no_compiler_is_named(source, tmp_path, monkeypatch):
    header(tmp_path, 1)
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    for program, told in [("/bin/true", "true ended well, but made no image.so; let CXX name"),
                          (text, "the compiler .*/text cannot be run: Exec format error; let CXX"),
                          ("'g++", "CXX: No closing quotation; write it as for a shell")]:
        monkeypatch.setenv("CXX", str(program))
        with pytest.raises(pto2.InputError, match=told):
            compile_in(tmp_path / "cache", source)


def test_a_header_that_is_gone_when_it_is_compiled_is_no_error(source, tmp_path, monkeypatch):
    header(tmp_path, 1)
    real = subprocess.run

    def compile_and_remove(line, **options):
        ended = real(line, **options)
        if "-o" in line:
            (tmp_path / "value.h").unlink()
        return ended
    monkeypatch.setattr(subprocess, "run", compile_and_remove)
    assert compile_in(tmp_path / "cache", source).compiled == 1
    assert not (tmp_path / "cache" / "lists").exists()


def test_paths_may_be_no_text(source, tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    header(folder, 1)
    other = folder / source.name
    other.write_text(source.read_text())
    for compiled in (1, 0):
        done = compile_in(folder / "cache", other)
        assert done.compiled == compiled
    header(folder, 2)
    assert compile_in(folder / "cache", other).compiled == 1


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


def test_a_kernel_without_tile_instructions_is_compiled_without_their_headers(tmp_path):
    """So what it lacks is told, though a kernel of tiles would have it by those."""
    path = tmp_path / "kernel.cpp"
    path.write_text('extern "C" void kernel_entry(int64_t*) {}\n')
    with pytest.raises(pto2.InputError, match="kernel k does not compile(.|\\n)*int64_t") as told:
        Compiler(tmp_path / "cache").compile([kernel_source("k", path, "aiv", 1)], 1, print)
    assert "kernel_entry.h" not in str(told.value)
