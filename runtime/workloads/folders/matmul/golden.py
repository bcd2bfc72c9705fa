"""A diamond on both kinds of cores: f = exp(b w1 + b w2) with b = sqrt(log a)."""

import ctypes

import numpy as np

__outputs__ = ["f"]
RTOL = 1e-2
ATOL = 1e-2

SIDE = 128
ALL_CASES = {"Constant": {"random": False}, "Random": {"random": True}}
DEFAULT_CASE = "Constant"


def generate_inputs(params):
    shape = (SIDE, SIDE)
    if params["random"]:
        random = np.random.default_rng(1)
        a = random.uniform(1.5, 50, shape).astype(np.float16)
        w1, w2 = (random.uniform(-1 / SIDE, 1 / SIDE, shape).astype(np.float16) for _ in range(2))
    else:  # every element of f is the square of e
        a = np.full(shape, np.exp(4), np.float16)
        w1, w2 = (np.full(shape, 1 / 256, np.float16) for _ in range(2))
    return [
        ("a", a),
        ("w1", w1),
        ("w2", w2),
        ("f", np.zeros(shape, np.float32)),
        ("side", ctypes.c_int64(SIDE)),
    ]


def compute_golden(tensors, params):
    b = np.sqrt(np.log(tensors["a"].astype(np.float64)))
    w = tensors["w1"].astype(np.float64) + tensors["w2"].astype(np.float64)
    tensors["f"][:] = np.exp(b @ w)
