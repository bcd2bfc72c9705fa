"""Runs task graphs on simulated AI cores.

    import numpy, pto2

    runtime = pto2.Runtime(window=1024, executor="seeded", seed=7)
    x, y = numpy.ones(64, numpy.float32), numpy.zeros(64, numpy.float32)
    result = runtime.run("graph.so", {0: "kernels/0_scale.so"}, [x, y, 3])
    print(result.tasks, y)

Arrays are used where they are, without copies. A run that ends in a fault raises RunError.
`pto2.run` runs a folder with a golden.py, as `python3 -m pto2.run` does.
"""

from ._folder_test import folder_test
from ._native import InputError, InternalError
from ._programs import check, simulate, validate
from ._results import RunError, RunResult
from ._runtime import Runtime, settings

__all__ = ["InputError", "InternalError", "RunError", "RunResult", "Runtime", "check",
           "folder_test", "settings", "simulate", "validate"]


def __getattr__(name):
    # Read when it is used, so that `python3 -m pto2.run` is its first reader.
    if name == "run":
        import importlib
        return importlib.import_module("pto2.run")
    raise AttributeError(f"module 'pto2' has no attribute {name!r}")
