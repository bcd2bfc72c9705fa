"""Arguments of an orchestration: the 64 bits that stand for a Python value.

An array, of numpy or torch, is the address of its memory. A scalar is its own bits: a signed number
as two's complement, a c_float or numpy.float32 as its 32-bit pattern, a c_double as its 64 bits.
"""

import ctypes
import sys

from ._native import InputError


_other_order = {"little": "__ctype_be__", "big": "__ctype_le__"}[sys.byteorder]


def _of_ctypes(value, place):
    # The type of a single byte is the same in either order.
    if ctypes.sizeof(value) > 1 and isinstance(value, getattr(type(value), _other_order, ())):
        raise InputError(f"{place} is a {type(value).__name__} in another order of bytes than this "
                         "machine's; pass one of ctypes itself")
    bits = int.from_bytes(bytes(value), sys.byteorder)
    is_negative = isinstance(value.value, int) and value.value < 0
    return value.value % 2**64 if is_negative else bits


def _address(array, address, place):
    """0 is of one without elements alone: a tensor keeps its shape when its storage is resized."""
    if address == 0 and bytes_of(array) != 0:
        raise InputError(f"{place} is an array of {bytes_of(array)} bytes that has no memory, as "
                         "one of torch whose storage is empty; pass one that has it")
    return address


def _of_numpy_array(array, place):
    if not array.flags.c_contiguous:
        raise InputError(f"{place} is an array with gaps or another order of its elements; pass "
                         "numpy.ascontiguousarray(..) of it")
    if not array.flags.writeable:
        raise InputError(f"{place} is an array that cannot be written, and kernels get its memory; "
                         "pass a copy")
    if not array.dtype.isnative:
        raise InputError(f"{place} is an array of {array.dtype}, in another order of bytes than "
                         "this machine's; pass array.astype(array.dtype.newbyteorder('='))")
    if array.dtype.hasobject:
        raise InputError(f"{place} is an array of Python objects; give it a dtype of numbers")
    return _address(array, array.ctypes.data, place)


def _of_torch_tensor(tensor, place):
    """Raises RuntimeError, too, as torch does for what has no memory of numbers."""
    if tensor.device.type != "cpu":
        raise InputError(f"{place} is a tensor on {tensor.device}; pass its .cpu()")
    if not tensor.is_contiguous():
        raise InputError(f"{place} is a tensor that is not contiguous; pass its .contiguous()")
    if tensor.is_conj() or tensor.is_neg():
        raise InputError(f"{place} is a tensor whose memory has the conjugate or negative of its "
                         "numbers; pass its .resolve_conj().resolve_neg()")
    return _address(tensor, tensor.data_ptr(), place)


def is_array(value):
    """Whether it is memory that kernels get the address of."""
    return hasattr(value, "__array_interface__") and hasattr(value, "flags") and \
        hasattr(value, "ctypes") or hasattr(value, "data_ptr")


def bytes_of(array):
    """How much memory it is. A torch of 1.13 has no nbytes."""
    if hasattr(array, "data_ptr"):
        return array.numel() * array.element_size()
    return array.nbytes


def bits_of(value, place):
    """The 64 bits of an argument; `place` names it in errors. Raises InputError."""
    if hasattr(value, "data_ptr"):
        try:
            return _of_torch_tensor(value, place)
        except RuntimeError as error:
            raise InputError(f"{place} is a tensor that kernels cannot use: {error}") from error
    if isinstance(value, ctypes._SimpleCData) and ctypes.sizeof(value) <= 8 and \
            isinstance(value.value, (int, float, type(None))):
        return _of_ctypes(value, place)
    if isinstance(value, (bool, int)):
        if -2**63 <= value < 2**64:
            return value % 2**64
        raise InputError(f"{place} is {value}, which 64 bits do not hold")
    if hasattr(value, "dtype"):
        import numpy
        if isinstance(value, numpy.ndarray):
            return _of_numpy_array(value, place)
        if isinstance(value, (numpy.integer, numpy.bool_)):
            return int(value) % 2**64
        if isinstance(value, numpy.floating) and value.nbytes <= 8:
            return int.from_bytes(value.tobytes(), sys.byteorder)
    if isinstance(value, float):
        raise InputError(f"{place} is the float {value}, of 32 or 64 bits; say which with "
                         "ctypes.c_float or ctypes.c_double")
    raise InputError(f"{place} is a {type(value).__name__}; an argument is an array of numpy or "
                     "torch, a whole number, or a number of ctypes or numpy of up to 64 bits")
