"""Modules of others, beside this one."""

import sysconfig
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from pto2._compiler import Compiler, orchestration_source


def test_what_other_modules_throw_is_theirs(monkeypatch):
    """Those of pybind11 share what they know of exceptions."""
    monkeypatch.setenv("CXXFLAGS", f"-O0 -I{sysconfig.get_path('include')}")
    source = orchestration_source(Path(__file__).parent / "images" / "other_module.cpp")
    image = Compiler().compile([source], 1, print).images[source]
    loader = ExtensionFileLoader("other_module", str(image))
    other = module_from_spec(spec_from_file_location("other_module", image, loader=loader))
    with pytest.raises(RuntimeError, match="^it: No such device"):
        other.refuse()
