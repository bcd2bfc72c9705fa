"""Attention of one query per sequence over keys and values in blocks, which a table finds.

A case names what a tile of queries and a block are made of: numbers of 16 bits, half in the small
cases, bfloat16 (as uint16, which numpy has) in the others.
"""

import ctypes

import numpy as np

__outputs__ = ["out"]
RTOL = 1e-2
ATOL = 1e-3

_SMALL = {"heads": 16, "head_dim": 16, "block_size": 16, "bfloat16": False}
_PRODUCTION = {"heads": 16, "head_dim": 128, "block_size": 128, "bfloat16": True}
ALL_CASES = {
    "Case1": {**_SMALL, "contexts": [33]},
    "Case2": {**_SMALL, "contexts": [128]},
    "VarSeq4": {**_SMALL, "contexts": [33, 64, 128, 15]},
    "Wide": {**_PRODUCTION, "contexts": [300, 128, 1]},
    "Wide64": {**_PRODUCTION, "heads": 64, "block_size": 64, "contexts": [129, 200]},
    "ProdCase1": {**_PRODUCTION, "contexts": [8193] * 64},
}
DEFAULT_CASE = "Case1"


def _to_16_bits(values, params):
    if not params["bfloat16"]:
        return values.astype(np.float16)
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _to_float(bits, params):
    if not params["bfloat16"]:
        return bits.astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def generate_inputs(params):
    heads, dim, size = (params[name] for name in ("heads", "head_dim", "block_size"))
    contexts = np.array(params["contexts"], np.int32)
    batch, table_width = len(contexts), -(-int(contexts.max()) // size)
    blocks = batch * table_width
    random = np.random.default_rng(1)

    def uniform(bound, *shape):
        values = random.random(shape, np.float32)
        return _to_16_bits((2 * values - 1) * bound, params)

    return [
        ("query", uniform(0.5, batch, heads, dim)),
        ("key_cache", uniform(0.5, blocks, size, dim)),
        ("value_cache", uniform(1, blocks, size, dim)),
        ("block_table", random.integers(0, blocks, (batch, table_width), np.int32)),
        ("contexts", contexts),
        ("out", np.zeros((batch, heads, dim), np.float32)),
        ("batch", ctypes.c_int64(batch)),
        ("heads", ctypes.c_int64(heads)),
        ("head_dim", ctypes.c_int64(dim)),
        ("block_size", ctypes.c_int64(size)),
        ("table_width", ctypes.c_int64(table_width)),
        ("bfloat16", ctypes.c_int64(params["bfloat16"])),
        ("scale", ctypes.c_float(dim**-0.5)),
    ]


def compute_golden(tensors, params):
    scale = params["head_dim"] ** -0.5
    for i, context in enumerate(tensors["contexts"]):
        table = tensors["block_table"][i]

        def cached(name):
            rows = tensors[name][table].reshape(-1, params["head_dim"])[:context]
            return _to_float(rows, params).astype(np.float64)

        scores = _to_float(tensors["query"][i], params) @ cached("key_cache").T * scale
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        tensors["out"][i] = weights @ cached("value_cache") / weights.sum(axis=1, keepdims=True)
