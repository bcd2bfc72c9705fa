"""The guide from an empty folder to a passing test: each file and each command that it shows."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pto2

guide = (Path(__file__).parents[2] / "docs" / "guides" / "folders.md").read_text()
commands_of_the_guide = re.findall(r"^```sh\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)


def write_folder(to):
    """The files that the guide shows."""
    files = re.findall(r"^`(scale/\S+)`[^:\n]*:\n\n```\w+\n(.*?)^```$", guide,
                       re.MULTILINE | re.DOTALL)
    assert len(files) == 5
    for name, text in files:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_text(text)


def run_in(folder, commands):
    """What they print."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # the python3 that this test has
    ended = subprocess.run(["bash", "-ec", commands], cwd=folder, stdout=subprocess.PIPE,
                           env={**os.environ, "PATH": path}, text=True, check=False)
    assert ended.returncode == 0
    return ended.stdout


def test_the_guide_leads_to_a_passing_test(tmp_path, monkeypatch):
    write_folder(tmp_path)
    commands, _, _, tests = commands_of_the_guide
    (tmp_path / "build" / "dev").mkdir(parents=True)
    (tmp_path / "build" / "dev" / "python").symlink_to(Path(pto2.__file__).parents[1])
    assert run_in(tmp_path, commands).count("TEST PASSED") == 4
    program, = re.findall(r"^```python\n(import pto2\n.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    marked, = re.findall(r"^```python\n(@pto2.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_scale.py").write_text("import pto2\n" + marked)
    line = f"{sys.executable} -m {tests.strip()} test_scale.py"
    ended = subprocess.run(line.split(), stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 0 and "4 passed" in ended.stdout
    kernel = tmp_path / "scale" / "kernels" / "aiv" / "scale.cpp"
    kernel.write_text(kernel.read_text().replace("factor * x", "2 * x"))
    shown = "\n".join(pto2.run("scale").text().splitlines()[1:])
    assert shown + "\n```" in guide


def test_the_guide_shows_a_flag_that_is_missing(tmp_path):
    write_folder(tmp_path)
    printed = run_in(tmp_path, commands_of_the_guide[1])
    told, = re.findall(r"TLOAD at .*", printed)
    assert "\n".join(textwrap.wrap(told, 96)) + "\n```" in guide
    assert printed.count("TEST PASSED") == 1
    kernel = tmp_path / "scale" / "kernels" / "aiv" / "scale_tiles.cpp"
    flag = "(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);\n"
    assert f"`set_flag{flag[:-2]}`" in guide
    kernel.write_text(kernel.read_text().replace(
        "    TSTORE(to, tile);\n", f"    TSTORE(to, tile);\n    set_flag{flag}    wait_flag{flag}"))
    assert pto2.run(tmp_path / "scale", case="all", kernel_checks="all").verdict == "pass"


def test_the_guide_shows_a_deadlock():
    printed = run_in(Path(__file__).parents[2], commands_of_the_guide[2])
    assert "Recommended: 64 (the smallest that works): --window 64 or " in printed
    assert printed.endswith("TEST PASSED\n")
