"""What is added to an older torch, and folders whose golden.py uses it. Needs python3-torch."""

import pytest

import pto2
from pto2 import _torch
from pto2._arguments import bits_of, bytes_of
from pto2._case import _compare, _prepared

torch = pytest.importorskip("torch")


def test_tensors_as_indices_may_be_int32():
    _torch._supply()
    tensor = torch.arange(6).reshape(2, 3)
    rows = torch.tensor([1, 0], dtype=torch.int32)
    assert tensor[rows].tolist() == [[3, 4, 5], [0, 1, 2]]
    assert tensor[rows, rows].tolist() == [4, 0]
    tensor[rows[:1]] = 9
    assert tensor[1].tolist() == [9, 9, 9]
    assert tensor[1, 2] == 9 and tensor[tensor == 9].numel() == 3


def test_tensors_know_their_bytes():
    _torch._supply()
    assert torch.zeros(3, 2, dtype=torch.bfloat16).nbytes == 12


def test_tensors_are_arguments():
    tensor = torch.zeros(4, 4)
    assert bits_of(tensor, "it") == tensor.data_ptr()
    assert bytes_of(tensor.bfloat16()) == 32
    with pytest.raises(pto2.InputError, match="not contiguous"):
        bits_of(tensor.t()[1:], "it")


def test_conjugates_are_resolved():
    tensor = torch.tensor([1 + 2j]).conj()
    assert _prepared(tensor, torch).imag.tolist() == [-2]
    assert _prepared(tensor.imag, torch).data_ptr() != tensor.data_ptr()
    assert _compare("x", _prepared(tensor, torch), tensor, 0, 0).mismatched == 0
    for lazy in (tensor, tensor.imag):
        with pytest.raises(pto2.InputError, match="it is .* pass its .resolve_conj"):
            bits_of(lazy, "it")


def test_bfloat16_is_compared():
    ones = torch.ones(4, dtype=torch.bfloat16)
    assert _compare("x", ones, ones + 1, 0.1, 0.1).mismatched == 4
    assert _compare("x", ones, ones.clone(), 0, 0).mismatched == 0


def test_a_folder_without_torch_beside_one_with_it(vector_copy, change):
    change(vector_copy / "golden.py", 'a, b = tensors["a"]', 'a, b = tensors["a"].view()')
    assert pto2.run(vector_copy).verdict == "pass"


def test_a_golden_file_with_torch(vector_copy):
    golden = vector_copy / "golden.py"
    text = golden.read_text().replace("import numpy\n", "import torch\n")
    text = text.replace("random = numpy.random.default_rng(1)\n", "torch.manual_seed(1)\n")
    for name in "ab":
        text = text.replace(
            f'("{name}", random.uniform(-1, 1, elements).astype(numpy.float32))',
            f'("{name}", torch.rand(elements))')
    text = text.replace("numpy.zeros(elements, numpy.float32)", "torch.zeros(elements)")
    golden.unlink()
    golden.write_text(text)
    assert "numpy" not in text
    assert pto2.run(vector_copy).verdict == "pass"
