"""Where the package looks for the other parts, wherever it lies itself."""

from pathlib import Path

import pytest

import pto2
from pto2 import _places


def test_an_installation_has_its_programs(tmp_path, monkeypatch):
    package = tmp_path / "lib" / "pto2" / "python" / "pto2"
    there = tmp_path / "bin" / "pto2"
    there.parent.mkdir()
    there.touch()
    monkeypatch.setattr(_places, "_package", package)
    assert _places.program("pto2") == there


def test_a_build_tree_may_be_right_below_the_root(monkeypatch):
    monkeypatch.setattr(_places, "_package", Path("/build/python/pto2"))
    with pytest.raises(pto2.InputError, match="tried /build/bin/pto2-none, /bin/pto2-none: build"):
        _places.program("pto2-none")
    assert (_places.include_folder() / "pto").is_dir()
