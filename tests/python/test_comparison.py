"""How outputs are compared."""

import numpy
import pytest

import pto2
from pto2._case import _compare


@pytest.mark.parametrize("actual, expected, mismatched", [
    ([1.0, 2.0], [1.0, 2.0], 0), ([1.0], [1.1], 0), ([1.0], [1.3], 1), ([10.8], [12.0], 0),
    ([numpy.nan], [numpy.nan], 1), ([numpy.nan], [1.0], 1), ([numpy.inf], [numpy.inf], 0),
    ([numpy.inf], [-numpy.inf], 1), ([1.0], [numpy.inf], 1), ([], [], 0),
    ([1 + 1j], [1 + 1j], 0), ([1 + 1j], [1 + 2j], 1),
])
def test_what_is_close(actual, expected, mismatched):
    kind = numpy.complex64 if any(isinstance(value, complex) for value in actual) \
        else numpy.float32
    report = _compare("x", numpy.array(actual, kind), numpy.array(expected, kind), 0.1, 0.1)
    assert report.mismatched == mismatched


@pytest.mark.parametrize("actual, mismatched", [(2, 0), (2.5, 1), (numpy.nan, 1)])
def test_an_array_without_dimensions_is_compared(actual, mismatched):
    report = _compare("x", numpy.array(actual), numpy.array(2), 0, 0)
    assert (report.mismatched, report.elements) == (mismatched, 1)
    assert report.first == (f"at []: {actual}, expected 2" if mismatched else "")


def test_long_integers_are_compared_exactly():
    large = numpy.array([2**62, -2**62])
    report = _compare("x", large + 1, large, 0, 0)
    assert (report.mismatched, report.max_abs_error) == (2, 1)


@pytest.mark.parametrize("number, kind, other", [
    (2**62, "uint64", "int64"), (2**53, "int64", "float64"), (2**62, "float64", "uint64"),
    (2**62, "int64", "object")])
def test_long_integers_of_other_types_are_compared_exactly(number, kind, other):
    actual, expected = numpy.array([number], kind), numpy.array([number], other)
    assert _compare("x", actual, expected, 0, 0).mismatched == 0
    for one, another in [(actual, expected + 1), (actual + 1, expected)]:
        exact = [int(one[0]), int(another[0])]
        assert _compare("x", one, another, 0, 0).mismatched == (exact[0] != exact[1])
    whole = numpy.array([number + 1], dtype=object)
    assert _compare("x", whole, whole.astype("int64"), 0, 0).mismatched == 0


@pytest.mark.parametrize("kind", ["longdouble", "clongdouble"])
def test_numbers_that_are_longer_than_a_double_are_compared_as_such(kind):
    expected = numpy.array([1, 2], kind)
    actual = expected + numpy.finfo("longdouble").eps
    report = _compare("x", actual, expected, 0, 0)
    assert report.mismatched == 1 and report.max_abs_error > 0  # the second one is rounded
    assert _compare("x", expected, expected.astype(complex), 0, 0).mismatched == 0
    assert _compare("x", actual, expected.astype(complex), 0, 0).mismatched == 1


@pytest.mark.parametrize("actual, expected, mismatched", [
    (1e308, -1e308, 1), (1e-310, 1e-310, 0), (numpy.inf, numpy.inf, 0), (numpy.nan, 1, 1)])
def test_what_golden_py_lets_numpy_raise_is_compared(actual, expected, mismatched):
    with numpy.errstate(all="raise"):
        report = _compare("x", numpy.array([actual]), numpy.array([expected]), 1e-5, 1e-5)
    assert report.mismatched == mismatched


def test_numbers_are_taken_as_they_are_whatever_numpy_raises():
    signalling = numpy.array([0x7f800001], numpy.uint32).view(numpy.float32)
    with numpy.errstate(all="raise"):
        assert _compare("x", signalling, signalling, 0, 0).mismatched == 1


def test_another_shape_is_no_match():
    with pytest.raises(pto2.InputError, match="output x: golden.py computes the shape"):
        _compare("x", numpy.zeros(3), numpy.zeros(1), 0, 0)


def test_the_first_of_several_differences_is_named():
    expected = numpy.zeros((2, 3))
    actual = expected.copy()
    actual[0, 2] = actual[1, 0] = 7
    report = _compare("x", actual, expected, 0, 0)
    assert (report.mismatched, report.elements) == (2, 6)
    assert report.first == "at [0, 2]: 7.0, expected 0.0"
    infinite = numpy.array([numpy.inf, 1])
    assert _compare("x", infinite, infinite, 0, 0).max_abs_error == 0
