"""Where the other parts are: beside the package in a build tree, or in an installation."""

from pathlib import Path

from ._native import InputError

_package = Path(__file__).parent


def _first(candidates, what):
    for path in candidates:
        if path.exists():
            return path
    tried = ", ".join(str(path) for path in candidates)
    raise InputError(f"{what} is not there; tried {tried}: build the rest of the tree, or install "
                     "it with the package")


def _prefix():
    """Of an installation. A build tree may have less above it: / then."""
    above = _package.parents
    return above[min(3, len(above) - 1)]


def program(name):
    """The path of one of the programs: pto2, pto2-check, .."""
    return _first([_package.parents[1] / "bin" / name, _prefix() / "bin" / name],
                  f"the program {name}")


def include_folder():
    """The folder of the headers that orchestrations and kernels are written against."""
    source = Path(__file__).resolve().parent
    return _first([source.parents[1] / "include", _prefix() / "include" / "pto2"],
                  "the folder of headers")
