"""Runs of an orchestration and its kernels."""

import ctypes
import json
import numbers
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ._arguments import bits_of, bytes_of, is_array
from ._native import InputError, InternalError, LaunchThread, check_settings
from ._native import settings as _native_settings
from ._outputs import LostTrace, check_file, check_inputs_stay, chip_file
from ._results import RunError, RunResult
from ._whose import launching

# What only a workload of the program has, or what a caller sees to by itself.
_left_out = {"workload", "case", "runtime", "expect", "isolate", "input-seed"}

last_kernel_id = 4095


def settings():
    """What Runtime takes: by name, a dict with default, allowed, help and environment."""
    return {entry["name"].replace("-", "_"): entry for entry in _native_settings()
            if entry["name"] not in _left_out}


def _text_of(name, value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (numbers.Integral, str, os.PathLike)) and is_plain(str(value)):
        return str(value)
    raise InputError(f"{name}: {value!r} is no setting; it must be a whole number, a text or a "
                     "bool")


def is_plain(text):
    """Whether the native part sees all of it: no NUL ends it, and it has an encoding."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _told(name):
    """For messages of the native part."""
    return name.encode(errors="backslashreplace")


def path_of(name, value):
    if isinstance(value, (str, os.PathLike)) and is_plain(value):
        return os.fspath(value)
    raise InputError(f"{name} is {value!r}, which is no path; pass a str or a pathlib.Path")


def checked_texts(chosen):
    """Settings as the native part takes them, in bytes, since a path may have any. Raises TypeError
    for an unknown one, InputError."""
    known = settings()
    for name in chosen:
        if name not in known:
            raise TypeError(f"there is no setting {name}; there are {', '.join(known)}")
    texts = {name.replace("_", "-"): _text_of(name, value) for name, value in chosen.items()}
    texts = {name: os.fsencode(text) for name, text in texts.items()}
    check_settings(texts)
    return texts


def _kernel_list(kernels):
    """A folder, and a list of (id, name, path, core type, where that is said), the last two empty;
    one of them is empty."""
    if isinstance(kernels, (str, os.PathLike)):
        return path_of("kernels", kernels), []
    if not kernels or not isinstance(kernels, Mapping):
        raise InputError("kernels names none; pass a folder of FUNCID_NAME.so, or {func_id: path}")
    listed = []
    for func_id, path in kernels.items():
        if not isinstance(func_id, numbers.Integral) or not 0 <= func_id <= last_kernel_id:
            raise InputError(f"kernels: {func_id!r} is no number of a kernel; use 0 to "
                             f"{last_kernel_id}")
        path = path_of(f"kernel {func_id}", path)
        listed.append((int(func_id), Path(path).stem, path, "", ""))
    return "", listed


def _kernel_files(folder, listed):
    """As inputs. In a folder only shared objects are read."""
    paths = Path(folder).glob("*.so") if folder else [path for _, _, path, _, _ in listed]
    return {path: "kernels reads" for path in paths}


def with_platform(chosen):
    """Keywords for settings: chip is another name of platform."""
    if "chip" not in chosen:
        return dict(chosen)
    if "platform" in chosen:
        raise TypeError("chip and platform are the same setting; give one of them")
    return {"platform" if name == "chip" else name: value for name, value in chosen.items()}


class Runtime:
    """A chip and how it is run: the settings of `pto2 run` as keywords.

    window, heap, dep_pool, tensormap_pool, shards, rings, platform (or chip: a2a3sim, a5sim, or the
    path of a chip file), schedulers, blocks, accelerators, executor (packed, threads, seeded,
    random, pct, bursts), seed, host_threads, deadline, guard (True, or "all"), fan_out, repeat,
    replay_graph, trace_events, log_level. pto2.settings() lists them with what they may be; sizes
    are numbers, or texts such as "64K". Variables of the environment that `pto2 run` reads count
    for what is not given.

    A wrong setting raises InputError, and so does a system that refuses a thread.
    """

    def __init__(self, **chosen):
        self.settings = with_platform(chosen)
        self._texts = checked_texts(self.settings)
        self._thread = LaunchThread()

    def __repr__(self):
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"pto2.Runtime({chosen})"

    def run(self, orchestration, kernels, args=(), *, entry="", trace=None):
        """Runs a graph and returns a RunResult.

        orchestration: path of its shared object; entry: the function that builds the graph, if it
        is not called aicpu_orchestration_entry. kernels: {func_id: path}, or a folder of
        FUNCID_NAME.so. args: arrays, which kernels read and write where they are, and numbers; see
        pto2._arguments. A tensor that begins in an array must end there, too. trace: a file that
        gets what happened, for pto2.validate; none that is read. trace_events needs it.

        Other Python threads go on meanwhile. Ctrl-C gives the run up once the kernels that run have
        returned, and raises KeyboardInterrupt. Where that takes longer than half a second stderr
        says so, and from then on one more Ctrl-C ends the process by SIGINT: the interpreter, or
        the notebook, with all that it has. On another thread than the main one nothing hears of it.
        Raises RunError for a fault of the run, InputError for what cannot be run, also as the
        system refuses a thread, InternalError for a bug of pto2, and MemoryError. The InputError
        for a trace that cannot be written in the end has the RunResult as `result`. With
        `repeat` the arguments are not restored in between.
        """
        folder, listed = _kernel_list(kernels)
        if trace is not None:
            inputs = {path_of("orchestration", orchestration): "orchestration reads",
                      **_kernel_files(folder, listed), **chip_file(self.settings, "platform")}
            check_inputs_stay({"trace": path_of("trace", trace)}, inputs)
            check_file(trace, "the trace")
        result, lost = self._launch(orchestration, folder, listed, args, entry, trace)
        fault = RunError(result) if result.verdict == "fault" else None
        if lost:
            error = LostTrace(lost)
            error.result = result
            raise error from fault
        if fault is not None:
            raise fault
        return result

    def _launch(self, orchestration, folder, listed, args, entry, trace, names=()):
        """The RunResult, also of a fault, and why the trace could not be written, or "". names: of
        the first arguments, for errors."""
        if not isinstance(args, Iterable):
            raise InputError(f"args is {args!r}; pass a list of arrays and numbers")
        if not isinstance(entry, str) or not is_plain(entry):
            raise InputError(f"entry is {entry!r}; pass the name of a function")
        if trace is None and "trace_events" in self.settings:
            raise InputError("trace_events needs trace: without it no events are kept")
        args = list(args)  # for as long as it runs
        values = [bits_of(value, f"argument {place}") for place, value in enumerate(args)]
        # A tensor of torch without elements is nowhere; but what begins in an array ends there.
        memory = {place: ctypes.create_string_buffer(1) for place, value in enumerate(args)
                  if is_array(value) and values[place] == 0}
        for place, own in memory.items():
            values[place] = ctypes.addressof(own)
        names = [*names, *(f"argument {place}" for place in range(len(names), len(args)))]
        arrays = [(_told(name), bits, bytes_of(value))
                  for name, bits, value in zip(names, values, args) if is_array(value)]
        with launching():
            text, lost = self._thread.run(
                settings=self._texts,
                orchestration=os.fsencode(path_of("orchestration", orchestration)),
                entry=os.fsencode(entry), folder=os.fsencode(folder),
                kernels=[(func_id, _told(name), os.fsencode(path), core_type, place)
                         for func_id, name, path, core_type, place in listed],
                values=values, arrays=arrays,
                trace=None if trace is None else os.fsencode(path_of("trace", trace)))
        result = RunResult(json.loads(text))
        if result.outcome == "not_drained" or "broken_rules" in result.fields:
            raise InternalError(f"a bug of pto2: {result.fields.get('broken_rules', '')} "
                                f"{result.fields.get('error', '')}")
        return result, lost
