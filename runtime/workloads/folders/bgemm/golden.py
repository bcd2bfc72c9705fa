"""c[b, m, n] += a[b, m, k] x b[b, k, n], by tiles of 64 x 64 that are contiguous."""

import ctypes

import numpy as np

__outputs__ = ["c"]
RTOL = 1e-3
ATOL = 1e-3

TILE = 64
ALL_CASES = {
    "Case1": {"batch": 2, "grid_m": 4, "grid_k": 4, "grid_n": 4},
    "Flat": {"batch": 1, "grid_m": 1, "grid_k": 3, "grid_n": 2},
}
DEFAULT_CASE = "Case1"


def generate_inputs(params):
    batch, m, k, n = (params[name] for name in ("batch", "grid_m", "grid_k", "grid_n"))
    random = np.random.default_rng(1)

    def tiles(rows, cols):
        return (random.standard_normal((batch, rows, cols, TILE, TILE)) * 0.01).astype(np.float32)

    return [
        ("a", tiles(m, k)),
        ("b", tiles(k, n)),
        ("c", np.zeros((batch, m, n, TILE, TILE), np.float32)),
        ("batch", ctypes.c_int64(batch)),
        ("grid_m", ctypes.c_int64(m)),
        ("grid_k", ctypes.c_int64(k)),
        ("grid_n", ctypes.c_int64(n)),
    ]


def compute_golden(tensors, params):
    a, b = (tensors[name].astype(np.float64) for name in ("a", "b"))
    tensors["c"][:] += np.einsum("bmkij,bknjl->bmnil", a, b)
