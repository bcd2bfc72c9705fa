"""What golden files use of torch that an older torch, as Debian 12 has it, lacks."""

import contextlib
import functools
import importlib.machinery
import sys


def _with_long_indices(torch, original):
    def long(index):
        if isinstance(index, torch.Tensor) and index.dtype == torch.int32:
            return index.long()
        if isinstance(index, tuple):
            return tuple(long(part) for part in index)
        return index

    @functools.wraps(original)
    def access(tensor, index, *value):
        return original(tensor, long(index), *value)

    access.takes_int32 = True
    return access


def _supply():
    """Adds it, if torch has been imported."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return
    if not hasattr(torch.Tensor, "nbytes"):
        torch.Tensor.nbytes = property(lambda tensor: tensor.element_size() * tensor.numel())
    if hasattr(torch.Tensor.__getitem__, "takes_int32"):
        return
    try:
        torch.zeros(1)[torch.zeros(1, dtype=torch.int32)]
    except IndexError:
        for name in ("__getitem__", "__setitem__"):
            original = getattr(torch.Tensor, name)
            setattr(torch.Tensor, name, _with_long_indices(torch, original))


class _Finder:
    """Of sys.meta_path: a torch that is imported has it from the beginning."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = None
        if name == "torch":
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_supply(module):
            execute(module)
            _supply()
        spec.loader.exec_module = execute_and_supply
        return spec


@contextlib.contextmanager
def supplied():
    """Meanwhile torch has it, whenever and by whomever it is imported."""
    _supply()
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # somebody else has removed it
            sys.meta_path.remove(finder)
