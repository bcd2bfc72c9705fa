"""Ctrl-C ends a run, in the interpreter and in the runner."""

import signal
import subprocess
import sys
import time

_program = """
import sys, time
import numpy, pto2
print("ready", flush=True)
try:
    pto2.Runtime().run(sys.argv[1], {0: sys.argv[2]}, [numpy.zeros(1, numpy.uint8), 100_000, 20])
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_gives_a_run_up(waiting):
    orchestration, kernels = waiting
    child = subprocess.Popen([sys.executable, "-c", _program, orchestration, kernels[0]],
                             stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=30)
    assert (output, child.returncode) == ("interrupted\n", 0)
