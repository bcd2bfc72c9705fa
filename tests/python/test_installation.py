"""What cmake --install puts somewhere else works there by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pto2

shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


def test_an_installation_runs_folders(tmp_path):
    build = Path(pto2.__file__).parents[2]
    prefix = tmp_path / "prefix"
    subprocess.run(["cmake", "--install", build, "--component", "runtime", "--prefix", prefix],
                   stdout=subprocess.DEVNULL, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run([prefix / "bin" / "pto2", "run-folder", shipped / "elementwise"],
                           env=environment, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout.endswith("TEST PASSED\n")
    program = ("import pto2; print(pto2.__file__, pto2._places.include_folder(), "
               "pto2._places.program('pto2'))")
    environment["PYTHONPATH"] = str(prefix / "lib" / "pto2" / "python")
    places = subprocess.run([sys.executable, "-c", program], env=environment, cwd=tmp_path,
                            stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert places == [str(prefix / "lib" / "pto2" / "python" / "pto2" / "__init__.py"),
                      str(prefix / "include" / "pto2"), str(prefix / "bin" / "pto2")]
