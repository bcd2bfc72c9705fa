"""The guide from an empty folder to a passing test: each file and each command that it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pto2

guide = (Path(__file__).parents[2] / "docs" / "guides" / "folders.md").read_text()


def test_the_guide_leads_to_a_passing_test(tmp_path, monkeypatch):
    files = re.findall(r"^`(scale/\S+)`:\n\n```\w+\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(files) == 4
    for name, text in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    commands, tests = re.findall(r"^```sh\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "build" / "dev").mkdir(parents=True)
    (tmp_path / "build" / "dev" / "python").symlink_to(Path(pto2.__file__).parents[1])
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # the python3 that this test has
    ended = subprocess.run(["bash", "-ec", commands], cwd=tmp_path, stdout=subprocess.PIPE,
                           env={**os.environ, "PATH": path}, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout.count("TEST PASSED") == 4
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
