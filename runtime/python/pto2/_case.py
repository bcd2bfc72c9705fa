"""The inputs of a case, and the comparison of its outputs."""

import contextlib
import ctypes
import math
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

from ._arguments import bits_of, bytes_of, is_array
from ._native import InputError
from ._torch import import_torch
from ._whose import running


_lacks_of_memory = ("can't allocate memory", "not enough memory", "out of memory")


def _is_torch(value):
    return hasattr(value, "data_ptr")


@contextlib.contextmanager
def _memory_told():
    """torch tells lack of memory as any other mistake: raises MemoryError for it."""
    try:
        yield
    except RuntimeError as error:
        if not any(text in str(error) for text in _lacks_of_memory):
            raise
        raise MemoryError(str(error)) from error


@_memory_told()
def _copy(array):
    """Of one that is prepared."""
    return array.clone() if _is_torch(array) else array.copy()


def _resolved(tensor):
    """Its numbers alone. torch keeps gradients, and that a tensor is another's conjugate or
    negative, beside the memory."""
    return tensor.detach().resolve_conj().resolve_neg()


@_memory_told()
def _prepared(value, torch):
    """An array that kernels can use: whole and writable. torch: the module of who uses it."""
    if _is_torch(value):
        return _resolved(value).cpu().contiguous()
    import numpy
    value = numpy.require(value, requirements=["C", "W"])
    if torch is None:
        return value
    try:
        return torch.from_numpy(value)
    except (TypeError, ValueError):  # a type or an order of bytes that torch does not have
        return value


def _called(folder, name, function, *arguments):
    """What a function of golden.py returns. Raises InputError for what it raises, with its lines
    and without ours."""
    with folder.surroundings.entered(), running(f"{folder.golden_path}: {name}"):
        try:
            return function(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # of tests and tasks, too, such as what pytest.skip() raises
            lines = traceback.format_list(traceback.extract_tb(error.__traceback__)[1:])
            raise InputError(f"{folder.golden_path}: {name} raised {type(error).__name__}: {error}"
                             f"\n{''.join(lines).rstrip()}") from error


@dataclass
class OutputReport:
    """How an output differs from the reference."""
    name: str
    elements: int
    mismatched: int
    max_abs_error: float | None  # None: one of them is no number, or infinite
    first: str = ""  # place and values of the first mismatch
    unwritten: bool = False  # it is as generate_inputs made it

    def text(self):
        if self.mismatched == 0:
            return f"Output '{self.name}' matches golden, max abs error {self.max_abs_error:.3g}"
        text = (f"Output '{self.name}' does not match golden. Mismatched elements "
                f"{self.mismatched}/{self.elements}; first {self.first}")
        if self.unwritten:
            text += ("\nit is as generate_inputs made it: look whether a task has it as an output, "
                     "and writes it")
        return text


class CaseArguments:
    """The arguments of a case in their order, by name."""

    def __init__(self, folder, params):
        self._path = folder.golden_path
        made = _called(folder, "generate_inputs", folder.golden.generate_inputs, params)
        if isinstance(made, dict):
            names = getattr(folder.golden, "TENSOR_ORDER", list(made))
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise InputError(f"{self._path}: TENSOR_ORDER is {names!r}; it must be a list of "
                                 "names")
            pairs = [(name, self._of_dict(made, name)) for name in names]
        elif isinstance(made, Iterable):
            pairs = _called(folder, "generate_inputs", list, made)
        else:
            raise InputError(f"{self._path}: generate_inputs must return a list of (name, value), "
                             f"or a dict; it returns a {type(made).__name__}")
        self._check(pairs)
        with folder.surroundings.entered():
            torch = import_torch() if folder.uses_torch else None
        pairs = [(name, self._usable(name, _prepared, value, torch) if is_array(value) else value)
                 for name, value in pairs]
        # As they are now: golden.py has those of ctypes, too, and can change them.
        bits = [bits_of(value, self._place(name)) for name, value in pairs]
        self.arrays = {name: value for name, value in pairs if is_array(value)}
        self.names = [name for name, _ in pairs]
        self._choose_outputs(getattr(folder.golden, "__outputs__", None))
        self.scalars = {name: value for name, value in pairs if not is_array(value)}
        self.values = [value if is_array(value) else number
                       for (_, value), number in zip(pairs, bits)]
        if isinstance(made, dict):
            self._add_sizes(pairs)

    def _place(self, name):
        return f"{self._path}: generate_inputs: {name}"

    def _usable(self, name, function, *arguments):
        """What a function returns that reads an array that golden.py has made."""
        try:
            with running(f"{self._place(name)}: what reads it"):
                return function(*arguments)
        except (RuntimeError, TypeError, ValueError) as error:  # it is sparse, for example
            raise InputError(f"{self._place(name)} is an array that kernels cannot use: {error}"
                             ) from error

    def _of_dict(self, made, name):
        if isinstance(name, str) and name in made:
            if is_array(made[name]):
                return made[name]
            raise InputError(f"{self._path}: generate_inputs returns a dict, which has arrays "
                             f"alone, but its {name} is a {type(made[name]).__name__}; return a "
                             "list of (name, value)")
        raise InputError(f"{self._path}: TENSOR_ORDER names {name}, which generate_inputs does not "
                         "return")

    def _check(self, pairs):
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2 or \
                    not isinstance(pair[0], str):
                raise InputError(f"{self._path}: generate_inputs must return a list of (name, "
                                 f"value), or a dict; it has {pair!r}"[:300])
        if not pairs:
            raise InputError(f"{self._path}: generate_inputs returns nothing")
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{self._path}: generate_inputs returns {name} twice; give each "
                                 "argument a name of its own")

    def _add_sizes(self, pairs):
        """The older form: behind the arrays their sizes in bytes, and the elements of the first."""
        self.values += [ctypes.c_int64(bytes_of(value)) for _, value in pairs]
        first = pairs[0][1]
        self.values.append(ctypes.c_int64(first.numel() if _is_torch(first) else first.size))

    def _choose_outputs(self, named):
        names = named if named is not None else [n for n in self.arrays if n.startswith("out_")]
        if not isinstance(names, (list, tuple, set, frozenset)):
            raise InputError(f"{self._path}: __outputs__ is {names!r}; it must be a list of names")
        for name in names:
            if not isinstance(name, str) or name not in self.arrays:
                raise InputError(f"{self._path}: __outputs__ names {name}, which is no array that "
                                 "generate_inputs returns; it returns the arrays "
                                 f"{', '.join(self.arrays) or '(none)'}")
        if not names:
            raise InputError(f"{self._path} names no output; set __outputs__, or call one out_..")
        self.outputs = {name: self.arrays[name] for name in names}
        self._former = {name: self._usable(name, _copy, array)
                        for name, array in self.arrays.items()}

    def restore(self):
        """All arrays as generate_inputs made them."""
        for name, former in self._former.items():
            self.arrays[name][...] = former

    def golden_of(self, folder, params):
        """The outputs as golden.py computes them, from copies of all arrays, so that nothing it
        writes reaches the kernels."""
        tensors = {name: self._usable(name, _copy, former)
                   for name, former in self._former.items()}
        tensors.update(self.scalars)
        _called(folder, "compute_golden", folder.golden.compute_golden, tensors, params)
        return {name: tensors.get(name) for name in self.outputs}

    def compare(self, golden, rtol, atol):
        reports = []
        for name, expected in golden.items():
            try:
                report = _compare(name, self.outputs[name], expected, rtol, atol)
            except InputError as error:
                raise InputError(f"{self._path}: {error}") from error
            if report.mismatched:
                actual, former = _numbers(self.outputs[name]), _numbers(self._former[name])
                report.unwritten = actual.tobytes() == former.tobytes()
            reports.append(report)
        return reports


@_memory_told()
def _numbers(array):
    import numpy
    if _is_torch(array):
        array = _resolved(array)
        if str(array.dtype) == "torch.bfloat16":
            array = array.float()
        array = array.numpy()
    return numpy.asarray(array)


def _wide(array):
    """In a type that has all values of the array's, or nearly, and what they differ by. Objects are
    Python's numbers, whole ones of any length among them."""
    import numpy
    size = array.dtype.itemsize
    if array.dtype.kind == "c":
        return array.astype(numpy.clongdouble if size > 16 else numpy.complex128)
    if size > 8 or (array.dtype.kind in "iuO" and size == 8):
        return array.astype(numpy.longdouble)
    return array.astype(numpy.float64)


def _comparable(name, array, whose):
    """As an array of numpy, and in a wide type. Raises InputError."""
    try:
        numbers = _numbers(array)
        if numbers.dtype.kind in "SUmM":
            raise TypeError(str(numbers.dtype))
        return numbers, _wide(numbers)
    except (ArithmeticError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"output {name}: {whose} is no array of numbers: {error}") from error


def _compare(name, actual, expected, rtol, atol):
    """Close is |actual - expected| <= atol + rtol |expected|, or equal; NaN never is. golden.py may
    have chosen what numpy does at an overflow and the like."""
    import numpy
    with numpy.errstate(all="ignore"):
        return _compare_quietly(name, actual, expected, rtol, atol)


def _compare_quietly(name, actual, expected, rtol, atol):
    import numpy
    actual, wide_actual = _comparable(name, actual, "what kernels wrote")
    expected, wide_expected = _comparable(name, expected, "what golden.py computes")
    if actual.shape != expected.shape:
        raise InputError(f"output {name}: golden.py computes the shape {expected.shape}, but the "
                         f"array has {actual.shape}")
    equal = wide_actual == wide_expected  # numpy compares integers of two types as doubles
    # An array again, also without dimensions: of such ones numpy computes numbers.
    error = numpy.where(equal, 0, numpy.abs(wide_actual - wide_expected))
    close = equal | (
        numpy.isfinite(wide_expected) & (error <= atol + rtol * numpy.abs(wide_expected)))
    wrong = numpy.argwhere(~close)
    largest = float(numpy.max(error)) if error.size else 0.0
    report = OutputReport(name, int(actual.size), len(wrong),
                          largest if math.isfinite(largest) else None)
    if len(wrong):
        place = tuple(wrong[0])
        report.first = (f"at [{', '.join(map(str, place))}]: {actual[place]}, expected "
                        f"{expected[place]}")
    return report
