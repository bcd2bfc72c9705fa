"""golden.py and kernel_config.py find what is theirs, and change nothing for others."""

import os
import shutil
import site
import sys
import sysconfig
import types

import pytest

import pto2
from pto2._folder import _execute
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
    assert not [name for name in sys.modules if name.startswith("pto2_test_")]


def subject(folder):
    """What a golden.py imports as it is executed, and in a function of it."""
    surroundings = Surroundings(folder / "golden.py")
    with surroundings.entered():
        from pto2_test_ref import value

    def function():
        with surroundings.entered():
            import pto2_test_parts.part
            import pto2_test_ref
            assert pto2_test_ref.counted() == (2 if function.calls else 1)
            function.calls += 1
            return pto2_test_parts.part.value
    function.calls = 0
    return types.SimpleNamespace(value=value, function=function)


_ref = "value = {}\ncount = [0]\n\n\ndef counted():\n    count[0] += 1\n    return count[0]\n"


def _folder(place, value, package="__init__.py"):
    (place / "pto2_test_parts").mkdir(parents=True)
    (place / "pto2_test_ref.py").write_text(_ref.format(value))
    if package:
        (place / "pto2_test_parts" / package).write_text("")
    (place / "pto2_test_parts" / "part.py").write_text(f"value = {value + 0.5}\n")
    return place


@pytest.mark.parametrize("package", ["__init__.py", None])
def test_modules_of_folders_have_the_same_names(tmp_path, package):
    first, second = (_folder(tmp_path / name, number, package)
                     for number, name in enumerate(("first", "second"), 1))
    one, two = subject(first), subject(second)
    assert (one.value, two.value) == (1, 2)
    # Each keeps its own from call to call.
    assert [one.function(), two.function(), one.function(), two.function()] == [1.5, 2.5] * 2
    (first / "pto2_test_ref.py").write_text(_ref.format(1000))
    assert subject(first).value == 1000
    assert not [name for name in sys.modules if name.startswith("pto2_test_")]


def in_the_same_second(folder):
    """Of an edit that leaves the size as it is only the text tells."""
    for path in folder.rglob("*.py"):
        os.utime(path, (1e9, 1e9))


@pytest.mark.parametrize("prefix", [sys.prefix, "..", "."])
@pytest.mark.parametrize("package", ["__init__.py", None])
def test_an_edit_within_a_second_is_noticed(tmp_path, monkeypatch, package, prefix):
    """And nothing is left in the folder. Where that lies among what is installed, as a project in a
    virtual environment, or is one itself, it is edited nevertheless."""
    monkeypatch.setattr(sys, "prefix", os.path.abspath(tmp_path / prefix))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for value in (1, 2):
        shutil.rmtree(tmp_path / "pto2_test_parts", ignore_errors=True)
        _folder(tmp_path, value, package)
        (tmp_path / "golden.py").write_text(f"value = {value}\n")
        in_the_same_second(tmp_path)
        golden, _ = _execute(tmp_path / "golden.py", "pto2_test_golden")
        del sys.modules["pto2_test_golden"]
        edited = subject(tmp_path)
        assert (golden.value, edited.value, edited.function()) == (value, value, value + 0.5)
    assert list(tmp_path.rglob("__pycache__")) == []


_installed = ["stdlib", "platstdlib", "purelib", "platlib"]


@pytest.mark.parametrize("place", ["elsewhere", "beside/venv", "beside/.local",
                                   *(f"beside/{kind}" for kind in _installed)])
@pytest.mark.parametrize("package", ["__init__.py", None])
def test_imports_from_elsewhere_are_as_ever(tmp_path, monkeypatch, place, package):
    """Also if what is installed lies in the folder, for the interpreter or the user, beside
    golden.py or in a folder that is a virtual environment itself: it may be large, and what is not
    Python cannot be loaded anew."""
    beside = tmp_path / "beside"
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    is_venv = os.path.basename(place) in _installed
    monkeypatch.setattr(sys, "prefix", str(beside if is_venv else beside / "venv"))
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(beside / ".local"))
    monkeypatch.setattr(sysconfig, "get_path", lambda kind: str(beside / kind))
    monkeypatch.syspath_prepend(_folder(tmp_path / place, 1, package))
    beside.mkdir(exist_ok=True)
    hooks = list(sys.path_hooks)
    with Surroundings(beside / "golden.py").entered():
        import pto2_test_parts.part
        import pto2_test_ref
    kept = [sys.modules.pop(name, None)
            for name in ("pto2_test_ref", "pto2_test_parts.part", "pto2_test_parts")]
    assert kept == [pto2_test_ref, pto2_test_parts.part, pto2_test_parts]
    assert pto2_test_ref.value == 1 and (tmp_path / place / "__pycache__").exists()
    assert sys.path_hooks == hooks


@pytest.mark.parametrize("which", ["prefix", "base_prefix"])
def test_a_folder_in_what_is_installed_has_its_own_modules(tmp_path, monkeypatch, which):
    """And what the interpreter brings lies there, too, if that is in the folder."""
    monkeypatch.setattr(sys, which, str(tmp_path))
    assert subject(_folder(tmp_path / "beside", 3)).value == 3
    assert "pto2_test_ref" not in sys.modules
    monkeypatch.syspath_prepend(tmp_path / "beside")
    with Surroundings(tmp_path.parent / "golden.py").entered():
        import pto2_test_ref
    assert sys.modules.pop("pto2_test_ref") is pto2_test_ref


def test_others_find_modules_of_the_folder_as_ever(tmp_path, monkeypatch):
    """What they keep of them is not for us."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    subject(_folder(tmp_path, 3))
    in_the_same_second(tmp_path)
    with monkeypatch.context() as own:
        own.syspath_prepend(tmp_path)
        import pto2_test_ref
    del sys.modules["pto2_test_ref"]
    assert pto2_test_ref.value == 3 and (tmp_path / "__pycache__").exists()
    (tmp_path / "pto2_test_ref.py").write_text(_ref.format(4))
    in_the_same_second(tmp_path)
    assert subject(tmp_path).value == 4


def test_who_has_imported_a_module_of_that_name_keeps_it(tmp_path, monkeypatch):
    """Also one that cannot be found again, and of a package that is not to be imported."""
    _folder(tmp_path / "beside", 3)
    elsewhere = {"pto2_test_ref": types.ModuleType("pto2_test_ref"),
                 "pto2_test_parts.part": types.ModuleType("part"), "pto2_test_parts": None}
    for name, module in elsewhere.items():
        monkeypatch.setitem(sys.modules, name, module)
    surrounded = subject(tmp_path / "beside")
    assert (surrounded.value, surrounded.function()) == (3, 3.5)
    assert {name: module for name, module in sys.modules.items()
            if name.startswith("pto2_test_")} == elsewhere


def test_who_has_imported_the_module_itself_keeps_it(tmp_path, monkeypatch):
    _folder(tmp_path / "beside", 3)
    with monkeypatch.context() as own:
        own.syspath_prepend(tmp_path / "beside")
        import pto2_test_ref
    assert subject(tmp_path / "beside").value == 3
    assert sys.modules.pop("pto2_test_ref") is pto2_test_ref


def test_a_new_module_is_found(tmp_path):
    """Though the folder has been looked at, and seems not to have changed."""
    surroundings = Surroundings(tmp_path / "golden.py")
    with surroundings.entered(), pytest.raises(ModuleNotFoundError):
        import pto2_test_new
    former = os.stat(tmp_path)
    (tmp_path / "pto2_test_new.py").write_text("")
    os.utime(tmp_path, ns=(former.st_atime_ns, former.st_mtime_ns))
    with surroundings.entered():
        import pto2_test_new


def test_what_is_no_module_may_be_made(tmp_path):
    with Surroundings(tmp_path / "golden.py").entered():
        sys.modules["pto2_test_object"] = None
    assert sys.modules.pop("pto2_test_object") is None


def test_modules_of_python_are_not_replaced(tmp_path):
    (tmp_path / "json.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    import json
    with Surroundings(tmp_path / "golden.py").entered():
        import json as inside
    assert inside is json is sys.modules["json"]


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
