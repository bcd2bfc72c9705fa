"""pto2.Runtime: arguments in place, settings, results and faults."""

import ctypes
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy
import pytest

import pto2
from pto2._runtime import _text_of


def vector_arguments(elements=100, bias=0.5):
    random = numpy.random.default_rng(3)
    a, b = random.uniform(-1, 1, (2, elements)).astype(numpy.float32)
    out = numpy.zeros(elements, numpy.float32)
    return [a, b, out, elements, ctypes.c_float(bias)]


def run_vector(vector, arguments=None, trace=None, **settings):
    orchestration, kernels = vector
    return pto2.Runtime(**settings).run(orchestration, kernels, arguments or vector_arguments(),
                                        entry="build_graph", trace=trace)


@pytest.mark.parametrize("executor", ["packed", "threads", "seeded", "pct"])
def test_arrays_are_used_in_place(vector, executor):
    arguments = vector_arguments()
    a, b, out = arguments[:3]
    result = run_vector(vector, arguments, executor=executor, blocks=2)
    numpy.testing.assert_allclose(out, (a + b) * (a - b) + 0.5, rtol=1e-6)
    assert (result.outcome, result.tasks, result.executor) == ("inconclusive", 3, executor)
    assert (result.kernel_s is None) == (executor in ("seeded", "pct"))


def test_arguments_may_be_made_one_by_one(vector):
    arguments = vector_arguments()
    orchestration, kernels = vector
    result = pto2.Runtime().run(orchestration, kernels, iter(arguments), entry="build_graph")
    assert result.tasks == 3 and arguments[2].any()
    arguments[0] = arguments[0][:99]
    with pytest.raises(pto2.RunError, match="but argument 0 has 396"):
        pto2.Runtime().run(orchestration, kernels, iter(arguments), entry="build_graph")


def test_a_result_has_the_fields_of_the_report(vector):
    result = run_vector(vector, window=64, heap="64K", chip="a5sim", schedulers=2)
    config = result.config
    assert (config["window"], config["heap"], config["schedulers"]) == (64, 65536, 2)
    assert config["chip"]["name"] == "a5sim"
    assert "tasks" in dir(result) and "3 tasks" in repr(result)
    assert "<th>tasks</th><td>3, 2 edges</td>" in result._repr_html_()
    with pytest.raises(AttributeError, match="has no speed; it has schema"):
        result.speed


def test_a_deadlock_is_an_exception_that_explains_itself(vector):
    with pytest.raises(pto2.RunError) as raised:
        run_vector(vector, vector_arguments(elements=4096), heap="4K")
    error = raised.value
    assert error.code == error.outcome == error.result.outcome == "heap_ring_deadlock"
    assert "Wait-for cycle" in error.report and "--heap" in error.hint
    assert pickle.loads(pickle.dumps(error)).code == error.code


def test_wrong_settings_are_told_at_once():
    with pytest.raises(TypeError, match="there is no setting size; there are platform"):
        pto2.Runtime(size=3)
    for settings, text in [({"window": 5}, "window: '5' is not allowed; it must be a power of two"),
                           ({"executor": "fast"}, "packed or threads or seeded"),
                           ({"seed": 3}, "has no meaning on executor packed"),
                           ({"executor": "pct", "fan_out": "lock"},
                            "fan-out: executor pct runs the fan-out word alone"),
                           ({"blocks": 1, "schedulers": 2}, "each needs a block"),
                           ({"replay_graph": True}, "replay-graph needs --repeat 2 or more"),
                           ({"window": 2.5}, "window: 2.5 is no setting"),
                           ({"platform": "a2a3sim\0"}, "platform: .* is no setting"),
                           ({"platform": "\ud800"}, "platform: .* is no setting")]:
        with pytest.raises(pto2.InputError, match=text):
            pto2.Runtime(**settings)
    with pytest.raises(TypeError, match="same setting"):
        pto2.Runtime(chip="a5sim", platform="a5sim")
    pto2.Runtime(window=numpy.int64(16))
    pto2.Runtime(replay_graph=True, repeat=2)
    assert _text_of("guard", True) == "on" and _text_of("guard", False) == "off"


def test_events_are_of_a_trace(vector):
    with pytest.raises(pto2.InputError, match="trace_events needs trace: without it no events are"):
        pto2.Runtime(trace_events=3).run(*vector, vector_arguments())


@pytest.mark.parametrize("wrong, text", [
    (numpy.zeros((8, 8), numpy.float32)[:, 1], "argument 0 is an array with gaps"),
    (numpy.frombuffer(bytes(64), numpy.float32), "argument 0 is an array that cannot be written"),
    (numpy.array([None]), "array of Python objects"),
    (numpy.zeros(8, ">f4"), "array of >f4, in another order of bytes than this machine's"),
    (numpy.zeros(8, [("a", ">i4"), ("b", "i4")]), "in another order of bytes"),
    (ctypes.c_int32.__ctype_be__(1), "argument 0 is a c_int.* in another order of bytes"),
    (ctypes.c_double.__ctype_be__(1), "argument 0 is a c_double.* in another order of bytes"),
    (ctypes.c_longdouble(1), "argument 0 is a c_longdouble; .* of up to 64 bits"),
    (numpy.longdouble(1), "argument 0 is a float128"),
    (1.5, "is the float 1.5, of 32 or 64 bits"),
    (2**64, "which 64 bits do not hold"),
    ("text", "argument 0 is a str"),
])
def test_arguments_that_are_refused(vector, wrong, text):
    with pytest.raises(pto2.InputError, match=text):
        run_vector(vector, [wrong, *vector_arguments()[1:]])


@pytest.mark.parametrize("place, elements, text", [
    (0, 99, "float32 of shape [100] has 400 bytes, but argument 0 has 396; give the tensor"),
    (2, 0, "but argument 2 has 0;"), (1, 100, ""), (1, 101, "")])
def test_tensors_keep_to_the_arrays(vector, place, elements, text):
    arguments = vector_arguments()
    arguments[place] = numpy.zeros(elements, numpy.float32)
    if not text:
        assert run_vector(vector, arguments).tasks == 3
        return
    with pytest.raises(pto2.RunError) as raised:
        run_vector(vector, arguments)
    assert raised.value.code == "bad_submission" and text in raised.value.report


class Empty:
    """A tensor of torch without elements, which is nowhere."""
    device = SimpleNamespace(type="cpu")
    is_contiguous = lambda self: True
    is_conj = is_neg = lambda self: False
    data_ptr = numel = lambda self: 0
    element_size = lambda self: 4


class Emptied(Empty):
    """One whose storage has been made empty."""
    numel = lambda self: 100


def test_an_array_that_has_lost_its_memory_is_refused(vector):
    """Kernels would write past the byte that is there in its place."""
    arguments = vector_arguments()
    arguments[2] = Emptied()
    with pytest.raises(pto2.InputError, match="argument 2 is an array of 400 bytes that has no"):
        run_vector(vector, arguments)


def test_tensors_keep_to_arrays_that_are_nowhere(vector):
    arguments = vector_arguments()
    arguments[2] = Empty()
    with pytest.raises(pto2.RunError) as raised:
        run_vector(vector, arguments)
    assert raised.value.code == "bad_submission"
    assert "but argument 2 has 0;" in raised.value.report


def test_each_array_that_is_nowhere_has_an_address():
    passed = {}
    runtime = pto2.Runtime()
    runtime._thread = SimpleNamespace(run=lambda **given: passed.update(given) or (
        '{"verdict": "pass", "outcome": "ok"}', ""))
    runtime.run("graph.so", "kernels", [Empty(), numpy.zeros(0), Empty(), 0])
    *addresses, number = passed["values"]
    assert all(addresses) and len(set(addresses)) == 3 and number == 0
    assert passed["arrays"] == [(f"argument {place}".encode(), address, 0)
                                for place, address in enumerate(addresses)]


@pytest.mark.parametrize("value, bits", [
    (-1, 2**64 - 1), (True, 1), (-2**63, 2**63), (ctypes.c_void_p(), 0), (ctypes.c_void_p(5), 5),
    (ctypes.c_int32(-2), 2**64 - 2), (ctypes.c_uint64(2**63), 2**63),
    (ctypes.c_float(1.0), 0x3F800000), (ctypes.c_double(1.0), 0x3FF0000000000000),
    (ctypes.c_uint8(200), 200), (ctypes.c_int8(-2), 2**64 - 2), (ctypes.c_bool(True), 1),
    (ctypes.c_float.__ctype_le__(1.0), 0x3F800000), (numpy.float32(1.0), 0x3F800000),
    (numpy.int16(-3), 2**64 - 3), (numpy.uint8(200), 200),
])
def test_bits_of_scalars(value, bits):
    from pto2._arguments import bits_of
    assert bits_of(value, "it") == bits


def test_what_cannot_be_loaded_is_told(vector, tmp_path):
    orchestration, kernels = vector
    runtime = pto2.Runtime()
    with pytest.raises(pto2.InputError, match="expects 5 arguments, but there are 1"):
        runtime.run(orchestration, kernels, [1], entry="build_graph")
    with pytest.raises(pto2.InputError, match="build_other"):
        runtime.run(orchestration, kernels, vector_arguments(), entry="build_other")
    with pytest.raises(pto2.InputError, match="nothing.so"):
        runtime.run(tmp_path / "nothing.so", kernels, [])
    for wrong, text in [({"kernels": {}}, "kernels names none"),
                        ({"kernels": ["0_add.so"]}, "kernels names none"),
                        ({"kernels": {2**70: "k.so"}}, "is no number of a kernel; use 0 to 4095"),
                        ({"kernels": {4096: "k.so"}}, "4096 is no number of a kernel"),
                        ({"kernels": {0: None}}, "kernel 0 is None, which is no path"),
                        ({"orchestration": "a\0b"}, "orchestration is .*, which is no path"),
                        ({"args": None}, "args is None"), ({"entry": None}, "entry is None"),
                        ({"trace": sys.stderr}, "trace is .*, which is no path")]:
        with pytest.raises(pto2.InputError, match=text):
            runtime.run(**{"orchestration": orchestration, "kernels": kernels, **wrong})


def test_an_interpreter_that_ends_in_the_middle_of_a_run_ends_well(waiting):
    orchestration, kernels = waiting
    script = f"""
import threading, time
import numpy, pto2
runtime, flag = pto2.Runtime(), numpy.zeros(1, numpy.uint8)
run = lambda: runtime.run({str(orchestration)!r}, {{0: {str(kernels[0])!r}}}, [flag, 1, 60_000])
threading.Thread(target=run, daemon=True).start()
time.sleep(0.2)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                           timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_other_threads_of_python_go_on(waiting):
    flag = numpy.zeros(1, numpy.uint8)

    def set_later():
        time.sleep(0.1)
        flag[0] = 1
    setter = threading.Thread(target=set_later)
    setter.start()
    result = pto2.Runtime().run(*waiting, [flag, 1, 60_000])
    setter.join()
    assert result.wall_s < 30


def test_runtimes_run_side_by_side(waiting):
    flag = numpy.zeros(1, numpy.uint8)
    ended = []
    threads = [threading.Thread(target=lambda: ended.append(
        pto2.Runtime(blocks=2).run(*waiting, [flag, 1, 60_000]))) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    flag[0] = 1
    for thread in threads:
        thread.join()
    assert [result.tasks for result in ended] == [1, 1]


def test_threads_of_one_runtime_wait_for_each_other(waiting):
    runtime, flag, ended = pto2.Runtime(blocks=2), numpy.zeros(1, numpy.uint8), []

    def run(tasks):
        ended.append(runtime.run(*waiting, [flag, tasks, 60_000]).tasks)
    threads = [threading.Thread(target=run, args=(tasks,)) for tasks in (1, 2, 3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    assert not ended
    flag[0] = 1
    for thread in threads:
        thread.join()
    assert sorted(ended) == [1, 2, 3]


def test_a_child_of_fork_can_run(waiting):
    runtime = pto2.Runtime()
    flag = numpy.ones(1, numpy.uint8)
    assert runtime.run(*waiting, [flag, 2, 1000]).tasks == 2
    child = os.fork()
    if child == 0:
        os._exit(runtime.run(*waiting, [flag, 3, 1000]).tasks)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


def test_threads_of_a_child_of_fork_begin_together(waiting):
    runtime, flag = pto2.Runtime(blocks=1, schedulers=1), numpy.ones(1, numpy.uint8)
    ended, together = [], threading.Barrier(8)

    def run():
        together.wait()
        ended.append(runtime.run(*waiting, [flag, 1, 1000]).tasks)
    for _ in range(20):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            threads = [threading.Thread(target=run) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            os._exit(sum(ended))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 8


def test_a_child_of_fork_can_forget_it(waiting):
    runtime = pto2.Runtime()
    runtime.run(*waiting, [numpy.ones(1, numpy.uint8), 1, 1000])
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        del runtime
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_an_earlier_trace_goes_with_the_next_run(vector, tmp_path):
    trace = tmp_path / "trace.jsonl"
    trace.write_text("earlier")
    with pytest.raises(pto2.InputError, match="expects 5 arguments"):
        run_vector(vector, [1], trace=trace)
    assert not trace.exists()


def test_messages_are_as_severe_as_asked_for(waiting, capfd):
    told = []
    for level in ("warn", "info"):
        pto2.Runtime(log_level=level).run(*waiting, [numpy.ones(1, numpy.uint8), 1, 1000])
        told.append("pto2: info: a graph of waiting tasks" in capfd.readouterr().err)
    assert told == [False, True]


@pytest.mark.parametrize("fields", [{"verdict": "fault", "outcome": "not_drained"},
                                    {"verdict": "fault", "outcome": "ok", "broken_rules": ["R"]}])
def test_our_own_bugs_are_no_faults(fields):
    runtime = pto2.Runtime()
    runtime._thread = SimpleNamespace(run=lambda **_: (json.dumps(fields), ""))
    with pytest.raises(pto2.InternalError, match="a bug of pto2"):
        runtime.run("graph.so", "kernels")


def test_a_seed_is_a_schedule(vector, tmp_path):
    texts = []
    for place, seed in enumerate([1, 1, 2]):
        path = tmp_path / f"{place}.jsonl"
        run_vector(vector, executor="seeded", seed=seed, blocks=2, trace=path)
        events = path.read_text().split("\n", 1)[1]
        texts.append(events)
    assert texts[0] == texts[1] and texts[0] != texts[2]
    assert pto2.validate(tmp_path / "0.jsonl")["exit_code"] == 0


def test_programs_are_functions(tmp_path):
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    with pytest.raises(pto2.InputError, match="bad.jsonl"):
        pto2.validate(tmp_path / "bad.jsonl")
    for chosen in ({}, {"validate": True, "shrink": False}, {"validate": False}):
        result = pto2.simulate(random_graphs=True, seeds="1..3", **chosen)
        assert result["exit_code"] == 0
        assert result["validated"] == chosen.get("validate", True)
    assert pto2.check("stall_detector", jobs=2)["exit_code"] == 0
    with pytest.raises(pto2.InputError, match="no_such_scenario"):
        pto2.check("no_such_scenario")
    for what in ({"list": True}, {"help": True}):
        with pytest.raises(pto2.InputError, match="writes no result"):
            pto2.check(**what)
    with pytest.raises(pto2.InputError, match="--help: cannot be read"):
        pto2.validate("--help")


# Of no more memory a new thread gets no stack.
_limited = """
import resource, pto2
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (1 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    pto2.Runtime()
except pto2.InputError as error:
    print(error.exit_code, error)
"""


def test_a_thread_that_the_system_refuses_is_no_bug():
    done = subprocess.run([sys.executable, "-c", _limited], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (
        "3 the system refused: Resource temporarily unavailable; check the limits of this process "
        "(ulimit -a)\n", "")


def test_paths_may_be_no_text(vector, tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    orchestration, kernels = vector
    images = [shutil.copy(path, folder / name) for name, path
              in zip(("0_x.so", "1_x.so", "2_x.so", "graph"), (*kernels.values(), orchestration))]
    chip = folder / "chip.toml"
    chip.write_text('name = "c"\nblocks = 4\ncubes_per_block = 1\nvectors_per_block = 1\n'
                    'schedulers = 1\n')
    runtime, trace = pto2.Runtime(platform=chip), folder / "trace"
    for listed in (folder, dict(enumerate(images[:3]))):
        result = runtime.run(images[3], listed, vector_arguments(), entry="build_graph",
                             trace=trace)
        assert result.tasks == 3 and pto2.validate(trace)["verdict"] == "valid"
    with pytest.raises(pto2.InputError) as raised:
        runtime.run(folder / "none", kernels)
    assert str(folder / "none") in str(raised.value)
    with pytest.raises(pto2.InputError, match="a\udc80b.toml"):
        pto2.Runtime(platform="a\udc80b.toml")
    with pytest.raises(pto2.InputError, match="\udcff/none"):
        pto2.validate(folder / "none")
