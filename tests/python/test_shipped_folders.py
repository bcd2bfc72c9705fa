"""All folders that are shipped, with all checks of their kernels, and chips: every night."""

from pathlib import Path

import pytest

import pto2
from pto2._folder import Folder, find_folder

run = pto2.run
shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


@pytest.mark.parametrize("name", sorted(path.parent.name for path in shipped.glob("*/golden.py")))
def test_shipped_folders_pass(name, capsys):
    folder = Folder(*find_folder(shipped / name))
    cases = [case for case in folder.cases if not case.startswith("Prod")]  # those take long
    assert len(cases) > 1
    for case in cases:
        assert run.main([str(shipped / name), "--case", case, "--kernel-checks", "all"]) == 0
        assert capsys.readouterr().out.endswith("TEST PASSED\n")


def test_a_chip_may_lack_the_room_for_a_tile(vector_copy, large_tile, capsys):
    large_tile(vector_copy / "kernels" / "aiv" / "add.cpp")
    assert run.main([str(vector_copy), "--skip-golden"]) == 5
    assert "TASSIGN at add.cpp:6: " in capsys.readouterr().out
    assert run.main([str(vector_copy), "--skip-golden", "-p", "a5sim"]) == 4
