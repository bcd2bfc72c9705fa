"""A folder with golden.py and kernels/kernel_config.py, as values."""

import ast
import contextlib
import difflib
import numbers
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ._native import InputError
from ._runtime import is_plain, last_kernel_id
from ._surroundings import Surroundings, module_of
from ._torch import uses_torch

runtimes = ("tensormap_and_ringbuffer",)
_default_runtime = "host_build_graph"
_runtime_keys = ("runtime", "block_dim", "aicpu_thread_num", "rounds")
_packages = {"numpy": "python3-numpy", "torch": "python3-torch"}


@dataclass(frozen=True)
class KernelConfig:
    func_id: int
    name: str
    path: Path
    core_type: str
    place: str  # kernel_config.py, and the line if it is known


@contextlib.contextmanager
def _staying():
    """What is executed cannot end this process by os._exit(), which would pass for a result. What
    it forks can end, and other threads end the process as ever."""
    real, process, thread = os._exit, os.getpid(), threading.get_ident()
    stays = True

    def end(status):
        if stays and (os.getpid(), threading.get_ident()) == (process, thread):
            raise SystemExit(f"os._exit({status}) would end pto2; let the file come to its end")
        real(status)
    os._exit = end
    try:
        yield
    finally:
        stays = False  # who has kept it gets the real one
        os._exit = real


def _execute(path, name):
    """The module of a file, and the surroundings in which its functions are to be called."""
    if not os.path.isfile(path):
        raise InputError(f"{path} is not there; a folder has golden.py and "
                         "kernels/kernel_config.py, or name them with -k and -g")
    module = module_of(path, name)
    sys.modules[name] = module
    surroundings = Surroundings(path)
    try:
        with surroundings.entered(), _staying():
            module.__loader__.exec_module(module)
    except ModuleNotFoundError as error:
        package = _packages.get(error.name)
        remedy = f"on Debian: apt-get install {package}" if package else "install it"
        raise InputError(f"{path} imports {error.name}, which is not installed; "
                         f"{remedy}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of tests and tasks, too, such as what pytest.skip() raises
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error
    return module, surroundings


def _resolved(path, place):
    """Without links. Raises InputError, which begins with `place`."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, or a NUL
        raise InputError(f"{place}: {os.fspath(path)!r} cannot be a path: {error}") from None


def _lines_of_kernels(path):
    """Where the entries of the list KERNELS begin; empty if it is made in another way."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple)) and \
                any(getattr(target, "id", None) == "KERNELS" for target in node.targets) and \
                not any(isinstance(entry, ast.Starred) for entry in node.value.elts):
            return [entry.lineno for entry in node.value.elts]
    return []


def _field(path, owner, fields, name):
    try:
        return fields[name]
    except (KeyError, TypeError):
        raise InputError(f"{path}: {owner} has no {name!r}") from None


@contextlib.contextmanager
def environment(variables):
    """Sets variables of the environment, and gives them back."""
    former = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in former.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Folder:
    """The kernels and the orchestration of a folder, and its golden.py."""

    def __init__(self, kernels, golden):
        self.kernels_folder = _resolved(kernels, "the folder of the kernels")
        self.golden_path = _resolved(golden, "golden.py")
        self._config_path = self.kernels_folder / "kernel_config.py"
        config, _ = _execute(self._config_path,
                             f"pto2_kernel_config_{abs(hash(self._config_path))}")
        self._read_runtime(self._value(config, "RUNTIME_CONFIG", {}, Mapping, "a dict"))
        self._read_orchestration(getattr(config, "ORCHESTRATION", None))
        entries = self._value(config, "KERNELS", (), (list, tuple), "a list of dicts")
        lines = _lines_of_kernels(self._config_path)
        lines = lines if len(lines) == len(entries) else [None] * len(entries)
        self.kernels = [self._kernel(place, entry, line)
                        for place, (entry, line) in enumerate(zip(entries, lines))]
        if not self.kernels:
            raise InputError(f"{self._config_path}: KERNELS names no kernel")
        self._check_ids()
        self.variables = self._variables(
            self._value(config, "RUNTIME_ENV", {}, Mapping, "a dict"))
        self.golden, self.surroundings = _execute(
            self.golden_path, f"pto2_golden_{abs(hash(self.golden_path))}")
        with self.surroundings.entered():
            self.uses_torch = uses_torch(self.golden)
        self._check_golden()

    def _value(self, config, name, default, kind, what):
        value = getattr(config, name, default)
        if isinstance(value, kind):
            return value
        raise InputError(f"{self._config_path}: {name} is {value!r}; it must be {what}")

    def _resolve(self, path):
        if isinstance(path, (str, os.PathLike)):
            return _resolved(self.kernels_folder / path, self._config_path)
        raise InputError(f"{self._config_path}: {path!r} is no path; write a text")

    def _read_runtime(self, config):
        for name in config:  # others are of the original, and mean nothing here
            meant = difflib.get_close_matches(str(name), _runtime_keys, 1, 0.85)
            if meant and name not in _runtime_keys:
                raise InputError(f"{self._config_path}: RUNTIME_CONFIG has {name!r}; write "
                                 f"{meant[0]!r}")
        self.runtime = config.get("runtime", _default_runtime)
        if self.runtime not in runtimes:
            raise InputError(f"{self._config_path}: runtime {self.runtime!r} is not there; there "
                             f"is {', '.join(runtimes)}")
        self.rounds = self._count(config, "rounds", 1)
        self.settings = {}
        if "block_dim" in config:
            self.settings["blocks"] = self._count(config, "block_dim", None)
        if "aicpu_thread_num" in config:
            # One of them is the orchestrator.
            self.settings["schedulers"] = max(1, self._count(config, "aicpu_thread_num", None) - 1)

    def _count(self, config, name, default):
        value = config.get(name, default)
        if isinstance(value, int) and value >= 1:
            return value
        raise InputError(f"{self._config_path}: RUNTIME_CONFIG: {name} is {value!r}; it must be a "
                         "whole number above 0")

    def _read_orchestration(self, config):
        path, owner = self._config_path, "ORCHESTRATION"
        self.orchestration = self._resolve(_field(path, owner, config, "source"))
        self.entry = _field(path, owner, config, "function_name")
        if not isinstance(self.entry, str) or not self.entry or not is_plain(self.entry):
            raise InputError(f"{path}: {owner}: function_name is {self.entry!r}; it must be the "
                             "name of a function")

    def _kernel(self, place, entry, line):
        path, owner = self._config_path, f"KERNELS[{place}]"
        if not isinstance(entry, Mapping):
            raise InputError(f"{path}: {owner} is {entry!r}; it must be a dict")
        source = self._resolve(_field(path, owner, entry, "source"))
        func_id, core_type = (_field(path, owner, entry, name) for name in ("func_id", "core_type"))
        if core_type not in ("aic", "aiv"):
            raise InputError(f"{path}: {owner}: core_type is {core_type!r}; it must be aic or aiv")
        if not isinstance(func_id, int) or not 0 <= func_id <= last_kernel_id:
            raise InputError(f"{path}: {owner}: func_id is {func_id!r}; it must be a whole number "
                             f"from 0 to {last_kernel_id}")
        name = entry.get("name") or source.stem
        if not isinstance(name, str):
            raise InputError(f"{path}: {owner}: name is {name!r}; it must be a text")
        told = path.name + (f", line {line}" if line else "")
        return KernelConfig(func_id, name, source, core_type, told)

    def _check_ids(self):
        owners = {}
        for kernel in self.kernels:
            other = owners.setdefault(kernel.func_id, kernel)
            if other is not kernel:
                raise InputError(f"{self._config_path}: kernels {other.name} and {kernel.name} "
                                 f"have the same func_id {kernel.func_id}")

    def _variables(self, config):
        variables = {}
        for name, value in config.items():
            if not isinstance(name, str) or not name or "=" in name or not is_plain(name):
                raise InputError(f"{self._config_path}: RUNTIME_ENV has {name!r}, which is no name "
                                 "of a variable; write a text without =")
            is_path = name.endswith(("_DIR", "_PATH"))
            variables[name] = str(self._resolve(value)) if is_path else str(value)
            if not is_plain(variables[name]):
                raise InputError(f"{self._config_path}: RUNTIME_ENV: {name} is {value!r}, which no "
                                 "variable can be; write a text without a NUL")
        return variables

    def _check_golden(self):
        for name in ("generate_inputs", "compute_golden"):
            if not callable(getattr(self.golden, name, None)):
                raise InputError(f"{self.golden_path} has no function {name}")
        self.rtol, self.atol = self._tolerance("RTOL"), self._tolerance("ATOL")
        cases = getattr(self.golden, "ALL_CASES", {"Default": {}})
        if not isinstance(cases, Mapping) or not cases or \
                not all(isinstance(params, Mapping) for params in cases.values()) or \
                not all(isinstance(name, str) for name in cases):
            raise InputError(f"{self.golden_path}: ALL_CASES is {cases!r}; it must be a dict with "
                             "a dict of parameters per name of a case, which is a text")
        self.cases = dict(cases)
        self.default_case = getattr(self.golden, "DEFAULT_CASE", next(iter(self.cases)))
        self.params_of(self.default_case)

    def sources(self):
        """The files that it is made of and that are there."""
        files = [self.golden_path, self._config_path, self.orchestration,
                 *(kernel.path for kernel in self.kernels)]
        return [path for path in files if os.path.exists(path)]

    def folders(self):
        """Where these lie, and what they may read."""
        return {self.kernels_folder, self.golden_path.parent, self.orchestration.parent,
                *(kernel.path.parent for kernel in self.kernels)}

    def _tolerance(self, name):
        value = getattr(self.golden, name, 1e-5)
        if isinstance(value, numbers.Real) and value >= 0:
            return value
        raise InputError(f"{self.golden_path}: {name} is {value!r}; it must be a number, 0 or more")

    def params_of(self, case):
        """What the functions of golden.py get. Raises InputError for an unknown case."""
        if not isinstance(case, str) or case not in self.cases:
            raise InputError(f"{self.golden_path}: there is no case {case!r}; there are "
                             f"{', '.join(self.cases)}")
        return {"name": case, **self.cases[case]}


def find_folder(folder):
    """The paths of kernels and golden.py in a folder."""
    return Path(folder) / "kernels", Path(folder) / "golden.py"
