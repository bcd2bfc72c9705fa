"""What code of the user's has around it while it runs."""

import contextlib
import importlib
import os
import sys
import types


def _is_at(directory):
    return os.path.samestat(os.stat("."), os.fstat(directory))


def _names_in(folder):
    """The modules that an import finds in a folder if that comes first. Those of Python itself are
    imported before any folder is looked at."""
    names = set()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name, _, kind = entry.name.partition(".")
            if kind.rpartition(".")[2] in ("py", "so") or \
                    os.path.exists(os.path.join(entry, "__init__.py")):
                names.add(name)
    return names - sys.stdlib_module_names


def _lies_in(module, folder):
    if not isinstance(module, types.ModuleType):
        return False
    own = vars(module)  # what is asked for an attribute may import something
    places = [own.get("__file__"), *(own.get("__path__") or ())]
    return any(isinstance(place, str) and place.startswith(folder + os.sep) for place in places)


class Surroundings:
    """Those of a file that is executed: what is beside it can be imported, and the working
    directory is that which it has gone to, while there is one. Whoever else runs has neither: the
    modules of another folder may have the same names, and this one's may have been edited when it
    is executed again."""

    def __init__(self, path):
        self._folder = str(path.parent)
        self._directory = None  # that of the others
        self._modules = {}

    @contextlib.contextmanager
    def entered(self):
        """While the file is executed, and while its functions are."""
        outside = os.open(".", os.O_PATH)
        sys.path.insert(0, self._folder)
        try:
            if self._directory is not None:
                with contextlib.suppress(OSError):
                    os.chdir(self._directory)
            with self._own_modules():
                yield
        finally:
            # One that has been removed has no name.
            with contextlib.suppress(OSError):
                self._directory = None if _is_at(outside) else os.getcwd()
            os.fchdir(outside)
            os.close(outside)
            with contextlib.suppress(ValueError):  # the file has another path of modules
                sys.path.remove(self._folder)

    @contextlib.contextmanager
    def _own_modules(self):
        beside = _names_in(self._folder)
        others = {name: module for name, module in sys.modules.items()
                  if name.partition(".")[0] in beside}
        for name in others:
            del sys.modules[name]
        before = set(sys.modules)
        sys.modules.update(self._modules)
        importlib.invalidate_caches()  # a file may be too new for them
        try:
            yield
        finally:
            self._modules = {name: module for name, module in sys.modules.items()
                             if name not in before and _lies_in(module, self._folder)}
            for name in self._modules:
                del sys.modules[name]
            sys.modules.update(others)
