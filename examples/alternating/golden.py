"""For each batch c = a @ b + d: a product on a cube core, then a sum on a vector core."""

import ctypes

import numpy

RTOL = ATOL = 1e-4
__outputs__ = ["c"]

ALL_CASES = {
    "Small": {"batches": 3, "size": 16},
    "Large": {"batches": 32, "size": 64},
}
DEFAULT_CASE = "Small"


def generate_inputs(params):
    random = numpy.random.default_rng(2)
    shape = (params["batches"], params["size"], params["size"])
    inputs = [(name, random.uniform(-1, 1, shape).astype(numpy.float32)) for name in "abd"]
    return [
        *inputs,
        ("c", numpy.zeros(shape, numpy.float32)),
        ("batches", ctypes.c_int64(params["batches"])),
        ("size", ctypes.c_int64(params["size"])),
    ]


def compute_golden(tensors, params):
    tensors["c"][:] = tensors["a"] @ tensors["b"] + tensors["d"]
