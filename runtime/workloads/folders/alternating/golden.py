"""Matrix multiplications on cube cores and additions on vector cores, in turns, all independent."""

import ctypes

import numpy as np

__outputs__ = ["c", "z"]
RTOL = 1e-3
ATOL = 1e-3

SIDE = 128  # of a matrix
ROWS = 64  # of a sum, which has as many columns as a matrix
ALL_CASES = {
    "Case1": {"batch": 32, "matmuls": 1, "adds": 1},
    "Uneven": {"batch": 3, "matmuls": 2, "adds": 5},
}
DEFAULT_CASE = "Case1"


def generate_inputs(params):
    batch, matmuls, adds = (params[name] for name in ("batch", "matmuls", "adds"))
    random = np.random.default_rng(1)

    def normal(*shape):
        return (random.standard_normal(shape) * 0.01).astype(np.float32)

    matrices, sums = (batch * matmuls, SIDE, SIDE), (batch * adds, ROWS, SIDE)
    return [
        ("a", normal(*matrices)),
        ("b", normal(*matrices)),
        ("c", np.zeros(matrices, np.float32)),
        ("x", normal(*sums)),
        ("y", normal(*sums)),
        ("z", np.zeros(sums, np.float32)),
        ("batch", ctypes.c_int64(batch)),
        ("matmuls", ctypes.c_int64(matmuls)),
        ("adds", ctypes.c_int64(adds)),
    ]


def compute_golden(tensors, params):
    tensors["c"][:] = tensors["a"].astype(np.float64) @ tensors["b"].astype(np.float64)
    tensors["z"][:] = tensors["x"] + tensors["y"]
