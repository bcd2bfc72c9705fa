"""Which golden files use torch, and what they use of it that an older one, as Debian 12 has it,
lacks."""

import contextlib
import dis
import functools
import importlib
import importlib.machinery
import sys
import types


def _is_torch(name):
    return name.partition(".")[0] == "torch"


def _home_of(value):
    """The name of the module that it is, or is from."""
    try:
        return str(value.__name__ if isinstance(value, types.ModuleType) else value.__module__)
    except Exception:  # it may be any object
        return type(value).__module__


def _imports(code):
    """Also in functions within it."""
    return any(step.opname == "IMPORT_NAME" and _is_torch(step.argval)
               for step in dis.get_instructions(code)) or \
        any(_imports(inner) for inner in code.co_consts if isinstance(inner, types.CodeType))


def _has_torch(module):
    code = getattr(vars(module).get("__loader__"), "code", None)  # of a folder's own
    return any(_is_torch(_home_of(value)) for value in vars(module).values()) or \
        (code is not None and _imports(code))


def uses_torch(golden):
    """Whether a golden.py, in its surroundings, has or imports torch, or has something of a module
    that does. That torch is loaded says nothing: it may be another folder's, or come later."""
    values = [value for value in vars(golden).values() if not isinstance(value, types.ModuleType)]
    homes = [sys.modules.get(_home_of(value)) for value in values]
    return any(_has_torch(home) for home in [golden, *homes]
               if isinstance(home, types.ModuleType)) or \
        any(_imports(value.__code__) for value in values if isinstance(value, types.FunctionType))


def import_torch():
    """None where that fails, as golden.py will hear itself if it needs it."""
    try:
        torch = importlib.import_module("torch")
    except MemoryError:
        raise
    except Exception:
        return None
    return torch if hasattr(torch, "from_numpy") else None


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
