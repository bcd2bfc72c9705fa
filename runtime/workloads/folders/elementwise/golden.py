"""out = (a + b) * (a - b) + bias, element by element."""

import ctypes

import numpy

RTOL = ATOL = 1e-5
__outputs__ = ["out"]

ALL_CASES = {
    "Small": {"elements": 1000},
    "Large": {"elements": 1 << 20},
}
DEFAULT_CASE = "Small"


def generate_inputs(params):
    random = numpy.random.default_rng(1)
    elements = params["elements"]
    return [
        ("a", random.uniform(-1, 1, elements).astype(numpy.float32)),
        ("b", random.uniform(-1, 1, elements).astype(numpy.float32)),
        ("out", numpy.zeros(elements, numpy.float32)),
        ("elements", ctypes.c_int64(elements)),
        ("bias", ctypes.c_float(0.5)),
    ]


def compute_golden(tensors, params):
    a, b = tensors["a"], tensors["b"]
    tensors["out"][:] = (a + b) * (a - b) + tensors["bias"].value
