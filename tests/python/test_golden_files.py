"""What a golden.py may do, and what it cannot do to a run."""

import importlib
import re
import sys
from types import SimpleNamespace

import numpy
import pytest

import pto2
from pto2._arguments import bits_of
from pto2._case import CaseArguments, _compare, _prepared
from pto2._folder import Folder, find_folder

run = pto2.run
_end = "\n\nclass End(BaseException):\n    pass\n\n\n"
_generate = "def generate_inputs(params):\n    "
_compute = "def compute_golden(tensors, params):\n    "


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
@pytest.mark.parametrize("file, text, told", [
    ("kernels/kernel_config.py", "raise End('here')\n", "kernel_config.py: End: here\n"),
    ("golden.py", "raise End('here')\n", "golden.py: End: here\n"),
    ("golden.py", f"{_generate}raise End('here')\n", "generate_inputs raised End: here\n"),
    ("golden.py", f"{_compute}raise End('here')\n", "compute_golden raised End: here\n")])
def test_whatever_a_folder_raises_is_an_error_of_its_own(vector_copy, change, capfd, flags, file,
                                                         text, told):
    """As what ends tests of pytest, or tasks of asyncio, which are no Exceptions."""
    change(vector_copy / file, "", _end + text)
    assert run.main([str(vector_copy), *flags]) == 3
    assert told in "".join(capfd.readouterr())


@pytest.mark.parametrize("text", [
    "raise KeyboardInterrupt\n", f"{_generate}raise KeyboardInterrupt\n",
    f"{_compute}raise KeyboardInterrupt\n"])
def test_a_golden_file_that_is_interrupted_is_no_wrong_one(vector_copy, change, text):
    change(vector_copy / "golden.py", "", text)
    assert run.main([str(vector_copy)]) == 130
    assert run.main([str(vector_copy), "--no-isolate"]) == 130


def test_numbers_reach_kernels_as_they_were_generated(vector_copy, change):
    """Those of ctypes can be changed, and golden.py may have kept them."""
    change(vector_copy / "golden.py", "", "\n_generated, _computed = generate_inputs, "
           "compute_golden\nkept = []\n\n\n"
           f"{_generate}kept.append(_generated(params))\n    return kept[-1]\n\n\n"
           f"{_compute}_computed(tensors, params)\n    tensors['bias'].value = 9\n"
           "    kept[-1][-1][1].value = 8\n")
    report = run(vector_copy, rounds=2)
    assert report.verdict == "pass", report.text()


class Lazy:
    """A tensor of torch, of complex numbers: conjugate and negative are bits of it, which what
    reads its memory does not know."""

    def __init__(self, numbers, conjugate=False, negative=False):
        self.numbers, self.conjugate, self.negative = numbers, conjugate, negative
        self.device = SimpleNamespace(type="cpu")
        self.dtype = "torch.complex64"

    detach = cpu = contiguous = lambda self: self
    is_contiguous = lambda self: True
    is_conj = lambda self: self.conjugate
    is_neg = lambda self: self.negative
    data_ptr = lambda self: self.numbers.ctypes.data

    def resolve_conj(self):
        numbers = self.numbers.conj() if self.conjugate else self.numbers
        return Lazy(numbers, False, self.negative)

    def resolve_neg(self):
        return Lazy(-self.numbers if self.negative else self.numbers, self.conjugate, False)

    def numpy(self):
        if self.conjugate or self.negative:
            raise RuntimeError("Can't call numpy() on Tensor that has conjugate bit set")
        return self.numbers


@pytest.mark.parametrize("conjugate, negative", [(True, False), (False, True), (True, True)])
def test_kernels_get_the_numbers_of_a_tensor(conjugate, negative):
    """And so does the comparison."""
    numbers = numpy.array([1 + 2j, 3 - 4j], numpy.complex64)
    tensor = Lazy(numbers, conjugate, negative)
    expected = (numbers.conj() if conjugate else numbers) * (-1 if negative else 1)
    prepared = _prepared(tensor, None)
    assert prepared.numbers.tolist() == expected.tolist()
    assert bits_of(prepared, "it") == prepared.numbers.ctypes.data
    assert _compare("x", prepared, tensor, 0, 0).mismatched == 0
    with pytest.raises(pto2.InputError, match=r"it is .* pass its .resolve_conj\(\).resolve_neg"):
        bits_of(tensor, "it")


class Unusable(Lazy):
    """As a sparse tensor, or one of the device meta, which fail in one of these or the other."""

    def __init__(self, place, error):
        super().__init__(numpy.zeros(4, numpy.complex64))
        self.place, self.error = place, error
        setattr(self, place, self.fail)

    def fail(self):
        raise self.error("no storage")

    resolve_conj = resolve_neg = clone = lambda self: self


@pytest.mark.parametrize("error", [RuntimeError, NotImplementedError])
@pytest.mark.parametrize("place", ["resolve_conj", "cpu", "contiguous", "clone", "is_contiguous",
                                   "is_conj", "data_ptr"])
def test_a_tensor_that_kernels_cannot_use_is_named(vector_copy, place, error):
    folder = Folder(*find_folder(vector_copy))
    folder.golden.generate_inputs = lambda _: [("out", numpy.zeros(4)),
                                               ("bias", Unusable(place, error))]
    told = f"^{folder.golden_path}: generate_inputs: bias is .* kernels cannot use: no storage"
    with pytest.raises(pto2.InputError, match=told):
        CaseArguments(folder, {})


def test_a_tensor_without_its_memory_is_named(vector_copy):
    """Before anything reads it."""
    tensor = Unusable("clone", AssertionError)
    tensor.data_ptr, tensor.numel, tensor.element_size = (lambda: 0), (lambda: 4), (lambda: 8)
    folder = Folder(*find_folder(vector_copy))
    folder.golden.generate_inputs = lambda _: [("out", tensor)]
    told = f"^{folder.golden_path}: generate_inputs: out is an array of 32 bytes that has no memory"
    with pytest.raises(pto2.InputError, match=told):
        CaseArguments(folder, {})


_lacks = {
    "old": "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you "
           "tried to allocate 4000000000000 bytes. Error code 12 (Cannot allocate memory)",
    "new": "[enforce fail at alloc_cpu.cpp:83] . DefaultCPUAllocator: not enough memory: you tried "
           "to allocate 4000000000000 bytes.",
    "cuda": "CUDA out of memory. Tried to allocate 3.64 TiB"}


@pytest.mark.parametrize("text", _lacks.values(), ids=_lacks)
@pytest.mark.parametrize("place", ["resolve_conj", "resolve_neg", "cpu", "contiguous", "clone"])
def test_lack_of_memory_of_torch_is_lack_of_memory(vector_copy, place, text):
    """torch tells it as a RuntimeError."""
    folder = Folder(*find_folder(vector_copy))
    tensor = Unusable(place, lambda _: RuntimeError(text))
    folder.golden.generate_inputs = lambda _: [("out", tensor)]
    with pytest.raises(MemoryError, match=re.escape(text)):
        CaseArguments(folder, {})
    if place.startswith("resolve"):
        with pytest.raises(MemoryError):
            _compare("out", numpy.zeros(4), tensor, 0, 0)


def test_a_tensor_that_a_run_cannot_use_is_named(vector):
    with pytest.raises(pto2.InputError, match="argument 0 is a tensor that kernels cannot use: no"):
        pto2.Runtime().run(*vector, [Unusable("is_contiguous", RuntimeError)])


_old_torch = """
class Tensor:
    dtype = None
    element_size, numel = (lambda self: 4), (lambda self: 3)
    def __getitem__(self, index):
        return self
    __setitem__ = None


int32 = None
zeros = lambda *_, **__: Tensor()


def from_numpy(array):
    raise TypeError(array.dtype)
"""


@pytest.fixture
def old_torch(tmp_path, monkeypatch):
    """One that can be imported and lacks what golden files use."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "torch.py").write_text(_old_torch)
    monkeypatch.syspath_prepend(tmp_path / "old")
    monkeypatch.setitem(sys.modules, "torch", None)  # so that it is forgotten in the end
    del sys.modules["torch"]


@pytest.mark.parametrize("text", [
    "import torch\nassert torch.zeros(3).nbytes == 12\n",
    "from helper import bytes_of_three\nassert bytes_of_three == 12\n",
    f"{_generate}import torch\n    assert torch.zeros(3).nbytes == 12\n"
    "    return _generated(params)\n"])
@pytest.mark.parametrize("is_imported", [False, True])
def test_a_golden_file_has_what_its_torch_lacks_from_the_beginning(vector_copy, change, old_torch,
                                                                   text, is_imported):
    if is_imported:
        importlib.import_module("torch")
    (vector_copy / "helper.py").write_text("import torch\nbytes_of_three = torch.zeros(3).nbytes\n")
    change(vector_copy / "golden.py", "", f"\n_generated = generate_inputs\n{text}")
    former = list(sys.meta_path)
    assert run(vector_copy).verdict == "pass"
    assert sys.meta_path == former
