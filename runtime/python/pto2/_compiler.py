"""Compiles kernels and orchestrations, and keeps what it compiled.

An image is kept under what it was made from: compiler, processor, flags and files that these name,
the source and all files that this included. A list per source and flags says which files those
were, and which others of the same names there were where the compiler looks: a header that appears
in front of one is noticed, but not one that only `__has_include` asks for.
"""

import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from ._ends import run_program
from ._includes import Includes, named_folders
from ._lacks import lacks_told
from ._linked import named_files
from ._native import InputError
from ._places import include_folder

_kept_seconds = 30 * 24 * 3600
_lists_kept = 8
_include = re.compile(r'^\s*#\s*include\s*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_tile_header = "pto/pto-inst.hpp"
# All that checks, waits or announces includes it, and needs to be told where a kernel begins and
# ends; tiles alone do not.
_mark_of_instructions = "pto/instruction.hpp"


# Without them GCC makes no vector loop of what compares floats. No value depends on them.
_vectorising = ("-fno-trapping-math", "-fno-math-errno")


# Tiles of different elements may be the same bytes.
_of_tiles = ("-fno-strict-aliasing",)


# Symbols that only GCC makes unique would keep an image from being unloaded; and it alone may tell
# where links lead instead of what they are called.
_of_gcc = ["-fno-gnu-unique", "-fno-canonical-system-headers"]


_entry = ("-Dkernel_entry=pto_kernel_body", "-include", "pto/kernel_entry.h")


class CompileError(InputError):
    """Sources that do not compile; the text is the compiler's."""


@dataclass(frozen=True)
class Source:
    """What is compiled: `what` names it in messages."""
    what: str
    path: Path
    flags: tuple
    flags_of_tiles: tuple | None = None  # None: those are meant for tile instructions as well


@dataclass
class Compilation:
    """Images by their sources, and how many of them had to be compiled."""
    images: dict = field(default_factory=dict)
    compiled: int = 0
    kept: int = 0
    seconds: float = 0


def cache_folder():
    """PTO2_CACHE, or pto2 in the user's folder of caches."""
    if os.environ.get("PTO2_CACHE"):
        return Path(os.environ["PTO2_CACHE"])
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "pto2"


def _include_folders():
    return include_folder(), include_folder() / "pto"


def _include_flags():
    return tuple(f"-I{folder}" for folder in _include_folders())


def _words(name, text, files=()):
    """Of a variable of the environment, or of a file that one of its words names as @file, in whose
    place its words come: compilers do so, and what was compiled depends on them."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"{name}: {error}; write it as for a shell") from None
    expanded = []
    for word in words:
        try:
            content = Path(word[1:]).read_text(encoding="utf-8", errors="surrogateescape") \
                if word.startswith("@") else None
        except (OSError, ValueError):
            content = None  # the compiler takes it as it is, too
        if content is None:
            expanded.append(word)
        elif word in files:
            raise InputError(f"{name}: {word} names itself; leave that out")
        else:
            expanded += _words(f"{name}: {word}", content, (*files, word))
    return expanded


def _users_flags():
    """CXXFLAGS: behind ours, so that they win."""
    return _words("CXXFLAGS", os.environ.get("CXXFLAGS", ""))


def orchestration_source(path):
    return Source("the orchestration", path, (
        "-std=c++20", "-O2", "-march=native", "-shared", "-fPIC",
        *_include_flags(), *_users_flags()))


def _mark():
    return os.path.realpath(include_folder() / _mark_of_instructions)


def _found(folders, name):
    """The file that a header is, without links; None: it is in none of the folders."""
    paths = (os.path.realpath(folder / name) for folder in folders)
    return next(filter(os.path.isfile, paths), None)


def _uses_tiles(path, read=None):
    """Whether a source includes the tile instructions, or some of what is behind them, itself or by
    headers that lie beside it or are ours."""
    read = set() if read is None else read
    read.add(os.fspath(path))
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    for bracket, name in _include.findall(text):
        if name == _tile_header:
            return True
        beside = [Path(path).parent] if bracket == '"' else []
        header = _found([*beside, *_include_folders()], name)
        if header == _mark():
            return True
        if header is not None and header not in read and _uses_tiles(header, read):
            return True
    return False


def kernel_source(name, path, core_type, checks, macros=None):
    """checks: 0 none, 1 bounds, 2 all, of the tile instructions; macros: their values by name, such
    as the sizes of buffers."""
    try:
        with lacks_told():
            uses_tiles = _uses_tiles(path)
    except OSError as error:
        raise InputError(f"kernel {name}: {path}: {error.strerror}") from None
    if uses_tiles and not (include_folder() / "pto" / "kernel_entry.h").exists():
        raise InputError(f"kernel {name}: {path} is written in tile instructions "
                         "(pto/pto-inst.hpp), whose headers this build does not have")
    unit = "__DAV_CUBE__" if core_type == "aic" else "__DAV_VEC__"
    flags = ["-std=c++20", "-O3", *_vectorising, "-march=native", "-shared", "-fPIC",
             "-fpermissive", "-w", "-D__CPU_SIM", f"-D{unit}",
             f"-DPTO2_KERNEL_CHECKS={checks}", *_include_flags()]
    plain = (*flags, *_users_flags())
    tiles = (*flags, *_of_tiles, *(f"-D{macro}={value}" for macro, value in (macros or {}).items()),
             *_users_flags(), *_entry)
    what = f"kernel {name}"
    return Source(what, path, tiles) if uses_tiles else Source(what, path, plain, tiles)


def _flags_for(source, included):
    """Those that it is compiled with in the end. Whether there are tile instructions in it, the
    compiler alone can say: their header may be included by one that it finds elsewhere."""
    if source.flags_of_tiles is not None and _mark() in map(os.path.realpath, included):
        return source.flags_of_tiles
    return source.flags


def _compiler():
    """The words of CXX, the first of them as a path. Not the one that links lead to: ccache and
    clang++ go by the name that they are called by."""
    chosen = os.environ.get("CXX") or "g++"
    words = [chosen] if shutil.which(chosen) else _words("CXX", chosen)
    path = shutil.which(words[0]) if words else None
    if path is None:
        raise InputError(f"the compiler {chosen} is not there; install g++, or set CXX")
    return [os.path.abspath(path), *words[1:]]


def read_by_flags():
    """The files that CXX and CXXFLAGS name, and the folders of headers."""
    words = [*_compiler(), *_users_flags()]
    as_given = shlex.split(os.environ.get("CXXFLAGS", ""))  # in the words @file is what it has
    return named_files([*words, *as_given]), named_folders(words)


def _version(compiler):
    """What it says of itself: also of the compiler behind ccache."""
    try:
        with lacks_told():
            return run_program([*compiler, "--version"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace").stdout
    except OSError as error:
        raise InputError(f"the compiler {compiler[0]} cannot be run: {error.strerror}; let CXX "
                         "name one such as g++") from None


def _identity(compiler, version):
    """What an image depends on besides its sources and flags."""
    program = os.path.realpath(compiler[0])
    status = os.stat(program)
    features = ""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            features = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        pass
    users = [os.environ.get(name, "") for name in ("CPATH", "CPLUS_INCLUDE_PATH", "CXXFLAGS")]
    # All that is ours is absolute; what is the user's may be meant relative to where this runs.
    place = os.getcwd() if any(users) or compiler[1:] else ""
    return [compiler, version, program, status.st_size, status.st_mtime_ns, features, *users[:2],
            place]


def _digest_of(data):
    return hashlib.sha256(data).hexdigest()


def _digest_of_file(path):
    """None: there is no such file."""
    try:
        return _digest_of(Path(path).read_bytes())
    except OSError:
        return None


class _Files:
    """Digests of files, each read once."""

    def __init__(self):
        self._digests = {}

    def digest(self, path):
        if path not in self._digests:
            self._digests[path] = _digest_of_file(path)
        return self._digests[path]


def _read_lists(path):
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(lists, list):
        return []
    return [entry for entry in lists
            if isinstance(entry, dict) and {"files", "folders", "rivals", "image"} <= entry.keys()]


def _note_use(path):
    """Where that is possible: a folder of somebody else's may be read alone."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _links(path, found=frozenset()):
    """The links that a path leads through: also in place of folders, and where others lead."""
    for place in (path, *path.parents):
        if place not in found and os.path.islink(place):
            found = _links(place.parent / os.readlink(place), found | {place})
    return found


def _is_older(path, moment):
    """Whether a file has its state, and its place, from before a moment in nanoseconds. What is
    moved there keeps its time of modification, but not that of the change."""
    try:
        states = [os.stat(path), *map(os.lstat, _links(Path(path)))]
    except OSError:
        return False
    return all(max(state.st_mtime_ns, state.st_ctime_ns) < moment for state in states)


def _write(path, data):
    """In one step, so that who reads meanwhile finds the old or the new. Others may read it, unless
    the umask says otherwise."""
    interim = path.with_name(f".{uuid.uuid4().hex}")
    try:
        with lacks_told():
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(interim, "xb") as file:
                file.write(data)
            os.replace(interim, path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}; let PTO2_CACHE name a "
                         "folder for what is compiled") from None
    finally:
        with contextlib.suppress(OSError):  # it is not there any more
            interim.unlink()


class Compiler:
    """Compiles what is not kept."""

    def __init__(self, folder=None):
        self._folder = Path(folder) if folder else cache_folder()
        self._compiler = _compiler()
        version = _version(self._compiler)
        self._flags = [] if "clang" in version else _of_gcc
        self._identity = [*_identity(self._compiler, version), self._flags]
        self._files = _Files()
        self._begin = time.time_ns()

    def _linked(self, source):
        return named_files([*self._compiler[1:], *source.flags])

    def _key(self, source, flags, *included):
        linked = [[path, self._files.digest(path)] for path in self._linked(source)]
        parts = [self._identity, str(source.path), flags, linked, *included]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def _list_path(self, source):
        return self._folder / "lists" / f"{self._key(source, source.flags)}.json"

    def _image_path(self, source, files):
        key = self._key(source, _flags_for(source, [path for path, _ in files]), files)
        return self._folder / "images" / key[:2] / f"{key}.so"

    def _find(self, source):
        for entry in _read_lists(self._list_path(source)):
            files = entry["files"]
            includes = Includes([path for path, _ in files], entry["folders"])
            if all(self._files.digest(path) == digest for path, digest in files) and \
                    includes.rivals() == entry["rivals"]:
                image = self._image_path(source, files)
                # Noted first, or another process may forget it between its digest and its use.
                for used in (image, self._list_path(source)):
                    _note_use(used)
                if _digest_of_file(image) == entry["image"]:
                    return image
        return None

    def _run(self, source):
        """The image, and what it includes."""
        try:
            image, includes = self._run_with(source, source.flags)
            flags = _flags_for(source, includes.files)
        except CompileError:
            flags = self._flags_though(source)
            if flags == source.flags:
                raise
        if flags != source.flags:
            image, includes = self._run_with(source, flags)
        return image, includes

    def _flags_though(self, source):
        """Those of one that does not compile without the sizes of the chip's buffers: what it
        includes, the preprocessor says."""
        if source.flags_of_tiles is None:
            return source.flags
        flags = source.flags_of_tiles[:-len(_entry)]  # which include the tile instructions
        try:
            _, includes = self._run_with(source, (*flags, "-E"))
        except InputError:
            return source.flags
        return _flags_for(source, includes.files)

    def _run_with(self, source, flags):
        with tempfile.TemporaryDirectory(prefix="pto2-") as folder:
            image, depfile = os.path.join(folder, "image.so"), os.path.join(folder, "image.d")
            line = [*self._compiler, *self._flags, *flags, "-MD", "-MF", depfile,
                    str(source.path), "-o", image]
            ended = run_program(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace")
            if ended.returncode != 0:
                raise CompileError(f"{source.what} does not compile:\n{ended.stdout.rstrip()}\n"
                                   f"compiled with: {' '.join(line)}")
            for made in (image, depfile):
                if not os.path.exists(made):
                    raise InputError(f"{source.what}: {self._compiler[0]} ended well, but made no "
                                     f"{os.path.basename(made)}; let CXX name a compiler such as "
                                     "g++")
            return Path(image).read_bytes(), Includes.of(depfile, source.path, flags)

    def _compile(self, source):
        try:
            with lacks_told():
                image, includes = self._run(source)
        except OSError as error:
            raise InputError(f"{source.what} cannot be compiled: {error}; let CXX name a compiler "
                             "such as g++, and TMPDIR a folder with room") from None
        self._files = _Files()  # what was read before may not be what has been compiled
        files = [[path, self._files.digest(path)] for path in includes.files]
        kept = self._image_path(source, files)
        _write(kept, image)
        # Of a file that is being edited it is not known which state has been compiled.
        used = [*includes.files, *self._linked(source)]
        if not all(_is_older(path, self._begin) for path in used):
            return kept
        entry = {"files": files, "folders": includes.folders, "rivals": includes.rivals(),
                 "image": _digest_of(image)}
        lists = [entry] + [other for other in _read_lists(self._list_path(source))
                           if other != entry]
        _write(self._list_path(source), json.dumps(lists[:_lists_kept]).encode())
        return kept

    def compile(self, sources, jobs, progress):
        """The Compilation of all sources. `progress` gets a line for each that is compiled. Raises
        CompileError with what the compiler says of the first that fails, in their order.
        """
        begin = time.monotonic()
        done = Compilation()
        missing = []
        for source in sources:
            if not os.path.isfile(source.path):
                raise InputError(f"{source.what}: {source.path} is not there; kernel_config.py "
                                 "names it")
            image = self._find(source)
            if image is None:
                missing.append(source)
            else:
                done.images[source] = image
                done.kept += 1
        with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
            try:
                futures = {source: pool.submit(self._compile, source) for source in missing}
                for number, (source, future) in enumerate(futures.items(), 1):
                    done.images[source] = future.result()
                    progress(f"compiled {number} of {len(missing)}: {source.what}")
            except BaseException:
                pool.shutdown(cancel_futures=True)  # the error does not wait for those
                raise
        done.compiled = len(missing)
        done.seconds = time.monotonic() - begin
        if missing:
            self._forget_old()
        return done

    def _forget_old(self):
        oldest = time.time() - _kept_seconds
        kept = ("images/*/*.so", "lists/*.json")
        unfinished = ("images/*/.*", "lists/.*")  # of a process that was killed
        for path in itertools.chain.from_iterable(map(self._folder.glob, kept + unfinished)):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except OSError:
                continue
