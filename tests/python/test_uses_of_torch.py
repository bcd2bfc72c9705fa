"""When compute_golden gets tensors of torch: by what golden.py has, whatever ran before."""

import importlib
import sys

import pytest

import pto2
from pto2._folder import Folder, find_folder

_torch = """
import numpy


class Tensor(numpy.ndarray):
    def __getitem__(self, index):
        return super().__getitem__(index)
    __getitem__.takes_int32 = True


zeros = Tensor


def from_numpy(array):
    return array.view(Tensor)
"""
_compute = """
_compute = compute_golden


def compute_golden(tensors, params):
    print(f"[{type(tensors['out']).__name__}]")
    _compute(tensors, params)
"""


@pytest.fixture(params=[False, True])
def torch(tmp_path, monkeypatch, request):
    """One that can be imported, and has been, or not."""
    package = tmp_path / "installed" / "torch"
    (package / "nn").mkdir(parents=True)
    (package / "__init__.py").write_text(_torch)
    (package / "nn" / "__init__.py").write_text("")
    (package / "nn" / "functional.py").write_text("def relu(array):\n    return array\n")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    for name in ("torch", "torch.nn", "torch.nn.functional", "elsewhere"):
        monkeypatch.setitem(sys.modules, name, None)  # so that it is forgotten in the end
        del sys.modules[name]
    if request.param:
        importlib.import_module("torch.nn.functional")
    return package


_texts = [
    ("import torch", True), ("import torch as t", True), ("from torch import zeros", True),
    ("from torch import nn", True), ("from torch.nn.functional import relu", True),
    ("def f():\n    import torch", True), ("def f():\n    import torch.nn.functional as F", True),
    ("def f():\n    def g():\n        from torch import nn", True),
    ("class C:\n    def f(self):\n        import torch", True),
    ("import functools\n@functools.lru_cache\ndef f():\n    import torch", True),
    ("import importlib\nthat = importlib.import_module('torch')", True),
    ("import helper", False), ("from helper import f", True), ("from helper import C", True),
    ("from late import f", True), ("from late import g", True), ("from elsewhere import f", True),
    ("torch = 1\ndef f():\n    return torch", False), ("import torches", False),
    ("import numpy\na = numpy.zeros(2)\ndef f():\n    return a", False)]


@pytest.mark.parametrize("text, expected", _texts)
def test_who_uses_torch(vector_copy, change, torch, text, expected):
    (vector_copy / "helper.py").write_text("import torch\ndef f():\n    pass\nclass C:\n    pass\n")
    (vector_copy / "late.py").write_text("def f():\n    import torch\ndef g():\n    f()\n")
    (vector_copy / "torches.py").write_text("")
    (torch.parent / "elsewhere.py").write_text("def f():\n    def g():\n        import torch.nn\n")
    change(vector_copy / "golden.py", "", f"\n{text}\n")
    assert Folder(*find_folder(vector_copy)).uses_torch == expected


@pytest.mark.parametrize("text", ["def f():\n    import torch.nn.functional as F\n",
                                  f"{_compute}    import torch\n"])
@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
def test_each_case_gets_tensors(vector_copy, change, torch, capfd, flags, text):
    """Also the first one, before which nothing has imported it."""
    change(vector_copy / "golden.py", "", (_compute if "_compute" not in text else "") + text)
    assert pto2.run.main([str(vector_copy), "--all", *flags]) == 0
    assert capfd.readouterr().out.count("[Tensor]") == 2


@pytest.mark.parametrize("broken", ["raise ImportError", "raise OSError", "raise RuntimeError", ""])
def test_without_torch_arrays_stay(vector_copy, change, torch, capfd, broken):
    """Who imports it where it can be will do without."""
    if "torch" in sys.modules:
        return
    (torch / "__init__.py").write_text(f"{broken}\n")
    change(vector_copy / "golden.py", "",
           f"{_compute}    try:\n        import torch\n    except Exception:\n        pass\n")
    assert pto2.run.main([str(vector_copy)]) == 0
    assert "[ndarray]" in capfd.readouterr().out


def test_lack_of_memory_for_torch_is_told(vector_copy, change, torch, capfd):
    if "torch" in sys.modules:
        return
    (torch / "__init__.py").write_text("raise MemoryError\n")
    change(vector_copy / "golden.py", "", "def f():\n    import torch\n")
    assert pto2.run.main([str(vector_copy)]) == 3
    assert "out of memory" in capfd.readouterr().out
