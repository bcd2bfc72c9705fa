"""What code of the user's has around it while it runs."""

import contextlib
import importlib.machinery
import importlib.util
import os
import site
import sys
import sysconfig
import types
from importlib.machinery import ExtensionFileLoader, FileFinder, SourcelessFileLoader

from . import _torch


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


class _CurrentSource(importlib.machinery.SourceFileLoader):
    """Compiles what a file has now, and keeps nothing. What is in __pycache__ goes by the second of
    an edit and the size of the file, which the next edit may leave as they are."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        self.code = self.source_to_code(self.get_data(path), path)
        return self.code


_find_in = FileFinder.path_hook((ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
                                (_CurrentSource, importlib.machinery.SOURCE_SUFFIXES),
                                (SourcelessFileLoader, importlib.machinery.BYTECODE_SUFFIXES))


def module_of(path, name):
    """The module that a file is to be executed as, by its loader."""
    loader = _CurrentSource(name, str(path))
    return importlib.util.module_from_spec(
        importlib.util.spec_from_file_location(name, path, loader=loader))


def _is_in(place, folder):
    return place == folder or place.startswith(folder + os.sep)


def _places_of(module):
    if not isinstance(module, types.ModuleType):
        return []
    own = vars(module)  # what is asked for an attribute may import something
    places = [own.get("__file__"), *(own.get("__path__") or ())]
    return [place for place in places if isinstance(place, str)]


def _installed_in(folder):
    """Where the interpreter has what is installed, for all or for the user, as far as that lies in
    the folder: a virtual environment, for example, or all if the folder is the user's own."""
    places = [sys.prefix, sys.base_prefix, site.getusersitepackages(),
              *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))]
    return [place for place in places if place != folder and _is_in(place, folder)]


class Surroundings:
    """Those of a file that is executed: what is beside it can be imported, and the working
    directory is that which it has gone to, while there is one. Whoever else runs has neither: the
    modules of another folder may have the same names, and this one's may have been edited when it
    is executed again."""

    def __init__(self, path):
        self._folder = str(path.parent)
        self._installed = _installed_in(self._folder)
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
            with self._own_modules(), self._current_sources(), _torch.supplied():
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
        try:
            yield
        finally:
            self._modules = {name: module for name, module in sys.modules.items()
                             if name not in before and any(map(self._has, _places_of(module)))}
            for name in self._modules:
                del sys.modules[name]
            sys.modules.update(others)

    def _has(self, place):
        """What is installed is left to others: nobody edits it, to compile it takes long, and what
        is not Python cannot be loaded twice."""
        return _is_in(place, self._folder) and \
            not any(_is_in(place, installed) for installed in self._installed)

    def _finder(self, place):
        """A hook of sys.path_hooks."""
        if self._has(place):
            return _find_in(place)
        raise ImportError(place)

    def _forget_finders(self):
        """Those of others find nothing for us, nor ours for others; and a new file may not be known
        to them yet."""
        for place in list(sys.path_importer_cache):
            if _is_in(place, self._folder):
                sys.path_importer_cache.pop(place, None)

    @contextlib.contextmanager
    def _current_sources(self):
        """Of modules in the folder, whatever is kept of them in __pycache__."""
        sys.path_hooks.insert(0, self._finder)
        self._forget_finders()
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):  # the file has other hooks
                sys.path_hooks.remove(self._finder)
            self._forget_finders()
