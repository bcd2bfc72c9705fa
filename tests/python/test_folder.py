"""The folder runner: what it compiles, runs, compares and reports."""

import ctypes
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy
import pytest

import pto2
from pto2 import _native
from pto2._case import CaseArguments
from pto2._compiler import Compiler, kernel_source
from pto2._folder import Folder, _lines_of_kernels, environment, find_folder
from pto2._places import program

run = pto2.run
shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


def test_a_shipped_folder_passes(capsys):
    """Of the others test_shipped_folders.py."""
    line = [str(shipped / "vector_example"), "--all", "--kernel-checks", "all"]
    assert run.main(line) == 0
    assert capsys.readouterr().out.endswith("TEST PASSED\n")


def test_flags_of_the_user_come_last(monkeypatch, capsys, vector_copy, change):
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "a[i] + b[i]", "SUM(a[i], b[i])")

    def end_with(flags):
        monkeypatch.setenv("CXXFLAGS", flags)
        return run.main([str(vector_copy)])
    assert end_with("-O1 '-DSUM(x, y)=x + y'") == 0
    assert end_with("-O1 '-DSUM(x, y)=x + 2 * y'") == 1
    assert end_with("-O1 '-DSUM(x, y)=") == 3
    assert "CXXFLAGS: No closing quotation" in capsys.readouterr().err


def test_the_program_runs_folders():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    line = [program("pto2"), "run-folder", shipped / "elementwise"]
    ended = subprocess.run(line, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout.endswith("TEST PASSED\n")
    assert subprocess.run([*line, "--all", "--case", "Small"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 2


def test_buffers_are_those_of_the_chip(vector_copy, tmp_path, large_tile):
    """That another chip lacks the room is a test of every night."""
    large_tile(vector_copy / "kernels" / "aiv" / "add.cpp")
    assert run.main([str(vector_copy), "--skip-golden", "-p", "a5sim"]) == 4
    chip = tmp_path / "chip.toml"
    chip.write_text('name = "c"\nblocks = 4\ncubes_per_block = 1\nvectors_per_block = 1\n'
                    'schedulers = 1\nub_bytes = 204800\n')
    sizes = [_native.buffer_macros(chosen)["PTO_UBUF_SIZE_BYTES"]
             for chosen in ({}, {"platform": "a2a3sim"}, {"platform": str(chip)})]
    assert sizes == [196608, 196608, 204800]
    assert _native.buffer_macros({"platform": "a5sim"}) == {
        "PTO_UBUF_SIZE_BYTES": 262144, "PTO_CBUF_SIZE_BYTES": 524288,
        "PTO_L0A_SIZE_BYTES": 65536, "PTO_L0B_SIZE_BYTES": 65536, "PTO_L0C_SIZE_BYTES": 262144}


@pytest.mark.parametrize("text, header, expected", [
    ("#include <pto/pto-inst.hpp>", "", True), (' # include "pto/pto-inst.hpp"', "", True),
    ('#include "tiles.h"', "#include <pto/pto-inst.hpp>", True),
    ('#include "tiles.h"', '#include "kernel.cpp"', False),
    ("// #include <pto/pto-inst.hpp>", "#include <pto/pto-inst.hpp>", False),
    ('#include "nothing.h"', "", False), ("#include <pto/tile.hpp>", "", False),
    ('#include "intrinsic.h"', "", False), ('#include "tensor.h"', "", False),
    ('#include "pto_async_kernel_api.h"', "", True), ('#include "pipe_sync.h"', "", True),
    ("#include <pto/comm/pto_comm_inst.hpp>", "", True),
    ("#include <backend/sdma/sdma_completion_kernel.h>", "", True),
    ('#include "tiles.h"', "#include <pto/common/fifo.hpp>", True),
    ('#include "pipe_sync.h"\n#include "tiles.h"', "#include <pto/tile.hpp>", True)])
def test_kernels_in_tile_instructions_are_told_from_others(tmp_path, text, header, expected):
    (tmp_path / "tiles.h").write_text(header + "\n")
    (tmp_path / "kernel.cpp").write_text("// A kernel.\n" + text + "\n")
    for core_type, unit in [("aic", "-D__DAV_CUBE__"), ("aiv", "-D__DAV_VEC__")]:
        flags = kernel_source("k", tmp_path / "kernel.cpp", core_type, 2).flags
        assert unit in flags and "-DPTO2_KERNEL_CHECKS=2" in flags
        assert ("pto/kernel_entry.h" in flags) == expected
        assert ("-Dkernel_entry=pto_kernel_body" in flags) == expected
        assert ("-fno-strict-aliasing" in flags) == expected


def test_tile_instructions_of_headers_elsewhere_are_noticed(tmp_path, monkeypatch):
    """The compiler alone knows which header it has found. They stand for what takes long: a tile
    that fits into the buffers of the chip that is chosen, and of no other."""
    for name, text in [("pto/instruction.hpp",
                        "#include <stdint.h>\n#if PTO_UBUF_SIZE_BYTES < 2048\n#error no room\n"
                        "#endif\nstatic_assert(PTO_UBUF_SIZE_BYTES != 8192);\n"),
                       ("pto/transfer.hpp", '#include "pto/instruction.hpp"\n'),
                       ("pto/kernel_entry.h", '#include "pto/instruction.hpp"\n')]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "link").symlink_to(".")
    monkeypatch.setattr("pto2._compiler.include_folder", lambda: tmp_path / "link")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "tiles.h").write_text("#include <pto/transfer.hpp>\n")
    monkeypatch.setenv("CXXFLAGS", f"-O0 -I{tmp_path}/inc")
    images = []
    for header in ("<tiles.h>", "<cstdint>"):
        path = tmp_path / "kernel.cpp"
        path.write_text(f'#include {header}\nextern "C" void kernel_entry(int64_t*) {{}}\n')
        counts = []
        for size in (2048, 2048, 4096, 2048):
            source = kernel_source("k", path, "aiv", 1, {"PTO_UBUF_SIZE_BYTES": size})
            done = Compiler(tmp_path / "cache").compile([source], 1, print)
            counts.append(done.compiled)
        # The chip means something to tile instructions alone.
        assert counts == ([1, 0, 1, 0] if header == "<tiles.h>" else [1, 0, 0, 0])
        images.append(done.images[source].read_bytes())
    assert [b"pto_kernel_body" in image for image in images] == [True, False]
    path.write_text("#include <tiles.h>\n")
    for size, flag in [(8192, "-DPTO_UBUF_SIZE_BYTES=8192"), (1024, "#error no room")]:
        source = kernel_source("k", path, "aiv", 1, {"PTO_UBUF_SIZE_BYTES": size})
        with pytest.raises(pto2.InputError, match=flag):
            Compiler(tmp_path / "cache").compile([source], 1, print)


def test_users_flags_come_behind_those_of_the_chip(tmp_path, monkeypatch):
    (tmp_path / "kernel.cpp").write_text("#include <pto/pto-inst.hpp>\n")
    monkeypatch.setenv("CXXFLAGS", "-DPTO_UBUF_SIZE_BYTES=1024")
    macros = {"PTO_UBUF_SIZE_BYTES": 2048}
    flags = kernel_source("k", tmp_path / "kernel.cpp", "aiv", 1, macros).flags
    sizes = [flag for flag in flags if "UBUF" in flag]
    assert sizes == ["-DPTO_UBUF_SIZE_BYTES=2048", "-DPTO_UBUF_SIZE_BYTES=1024"]


def test_a_second_run_compiles_nothing(tmp_path, capsys, monkeypatch, vector_copy, change):
    monkeypatch.setenv("PTO2_CACHE", str(tmp_path / "cache"))
    kernels = vector_copy / "kernels"
    (kernels / "aiv" / "extra.h").write_text("constexpr float extra = 0;\n")
    change(kernels / "aiv" / "add.cpp", '#include "pto_kernel_api.h"',
           '#include "pto_kernel_api.h"\n#include "extra.h"')

    def compilations():
        arguments = ["-k", str(kernels), "-g", str(vector_copy / "golden.py"), "--json", "-"]
        assert run.main(arguments) == 0
        done = json.loads(capsys.readouterr().out)["compilation"]
        return done["compiled"], done["kept"]
    assert compilations() == (4, 0)
    assert compilations() == (0, 4)
    (kernels / "aiv" / "extra.h").write_text("constexpr float extra = 1;\n")
    assert compilations() == (1, 3)
    (kernels / "aiv" / "extra.h").write_text("constexpr float extra = 0;\n")
    assert compilations() == (0, 4)


def test_a_header_that_appears_in_front_is_noticed(tmp_path, monkeypatch):
    """Beside the source, in a folder of a flag, and in one that was not there."""
    monkeypatch.setenv("CXXFLAGS", f"-O0 -I {tmp_path}/first -isystem {tmp_path}/second")
    for name in ("first", "second/deep", "source"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "second" / "deep" / "value.h").write_text("constexpr int value = 2;\n")
    path = tmp_path / "source" / "kernel.cpp"
    path.write_text('#include "deep/value.h"\n#include <cstdint>\nextern "C" void kernel_entry('
                    'int64_t*) { static_assert(value != 3); }\n')
    source = kernel_source("k", path, "aiv", 1)

    def compiled():
        done = Compiler(tmp_path / "cache").compile([source], 1, print)
        return done.compiled
    assert [compiled(), compiled()] == [1, 0]
    (tmp_path / "first" / "other.h").write_text("")
    (tmp_path / "first" / "deep").mkdir()
    assert compiled() == 0
    (tmp_path / "first" / "deep" / "value.h").write_text("constexpr int value = 1;\n")
    assert [compiled(), compiled()] == [1, 0]
    (tmp_path / "source" / "cstdint").write_text("#include <stdint.h>\n")  # not found by <..>
    assert [compiled(), compiled()] == [1, 0]
    (tmp_path / "source" / "deep").mkdir()
    (tmp_path / "source" / "deep" / "value.h").write_text("constexpr int value = 3;\n")
    with pytest.raises(pto2.InputError, match="does not compile"):
        compiled()


def test_a_wrong_output_is_named_with_its_place(vector_copy, tmp_path, capsys, change):
    change(vector_copy / "kernels" / "aiv" / "subtract.cpp", "a[i] - b[i]",
           "i == 7 ? 100 : a[i] - b[i]")
    junit, report = tmp_path / "junit.xml", tmp_path / "report.json"
    code = run.main([str(vector_copy), "--junit", str(junit), "--json", str(report)])
    output = capsys.readouterr().out
    assert code == 1 and output.endswith("TEST FAILED\n")
    assert "Output 'out' does not match golden. Mismatched elements 1/1000; first at [7]" in output
    case, = json.loads(report.read_text())["cases"]
    assert (case["verdict"], case["outputs"][0]["mismatched"]) == ("fail", 1)
    assert case["detail"].startswith("Output 'out'")
    failure = ElementTree.parse(junit).getroot().find("testcase[@name='Small']/failure")
    assert "does not match golden" in failure.text


def test_an_output_that_nobody_wrote_is_told(vector_copy, capsys, change):
    change(vector_copy / "golden.py", '= ["out"]', '= ["out", "a"]')
    change(vector_copy / "golden.py", "", "\n_computed = compute_golden\n\n\n"
           "def compute_golden(tensors, params):\n    _computed(tensors, params)\n"
           "    tensors['a'] += 1\n    tensors['out'] += 1\n")
    assert run.main([str(vector_copy)]) == 1
    out, a = capsys.readouterr().out.split("Output 'a'")
    assert "Output 'out' does not" in out and "as generate_inputs made it" not in out
    assert "it is as generate_inputs made it" in a


@pytest.mark.parametrize("wrong", [
    {"rounds": 0}, {"rounds": "2"}, {"jobs": -3}, {"kernel_checks": "some"}, {"case": ["Small"]},
    {"case": ""}])
def test_arguments_of_the_function_are_checked(wrong):
    with pytest.raises(pto2.InputError, match=next(iter(wrong))):
        pto2.run(shipped / "elementwise", **wrong)


def test_a_path_may_be_no_text(vector_copy, tmp_path, capsys, change):
    folder = vector_copy.rename(tmp_path / os.fsdecode(b"\xff"))
    change(folder / "golden.py", "", "    raise ValueError(__file__)\n")
    assert run.main([str(folder), "--skip-golden", "--trace", str(folder / "trace")]) == 4
    assert run.main([str(folder), "--json", str(folder / "json"), "--junit", "-"]) == 3
    case, = json.loads((folder / "json").read_text())["cases"]
    assert "\udcff/golden.py: compute_golden raised ValueError" in case["detail"]
    assert "?/golden.py: compute_golden raised ValueError" in capsys.readouterr().out
    assert pto2.validate(folder / "trace")["verdict"] == "valid"
    change(folder / "golden.py", "    raise ValueError(__file__)\n", "")
    assert run.main([str(folder), "--json", str(folder / "json"), "--junit", "-"]) == 0
    assert json.loads((folder / "json").read_text())["golden"] == str(folder / "golden.py")


def test_a_name_that_stdout_has_no_characters_for_is_told(vector_copy, change):
    change(vector_copy / "golden.py", "", 'ALL_CASES = {"Gr\u00f6\u00dfe": ALL_CASES["Small"]}\n'
           "DEFAULT_CASE = next(iter(ALL_CASES))\n")
    ended = subprocess.run([program("pto2-run-folder"), vector_copy, "--silent"],
                           env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False,
                           capture_output=True)
    assert ended.returncode == 0 and ended.stdout.startswith(b"case Gr\\xf6\\xdfe  pass")


def test_faults_and_crashes_are_told(vector_copy, tmp_path, capfd, change):
    junit = tmp_path / "junit.xml"
    assert run.main([str(vector_copy), "--heap", "4K", "--junit", str(junit)]) == 5
    assert "heap_ring_deadlock" in capfd.readouterr().out
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "const float* const a",
           "*reinterpret_cast<volatile int*>(8) = 1;\n  const float* const a")
    assert run.main([str(vector_copy), "--junit", str(junit)]) == 5
    told = capfd.readouterr()
    assert "case Small  crashed" in told.out and "FATAL: kernel 0 (add), task 0" in told.err
    error = ElementTree.parse(junit).getroot().find("testcase/error")
    assert error.get("message") == "crashed" and "kernel 0 (add), task 0" in error.text
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "*reinterpret_cast<volatile int*>(8) = 1;",
           "__builtin_exit(0);")
    assert run.main([str(vector_copy), "--junit", str(junit)]) == 5
    assert "case Small  exited" in capfd.readouterr().out
    error = ElementTree.parse(junit).getroot().find("testcase/error")
    assert error.get("message") == "exited" and "kernel 0 (add), task 0" in error.text


def test_an_array_that_is_too_small_is_named(vector_copy, capsys, change):
    change(vector_copy / "golden.py", "numpy.zeros(elements, numpy.float32)",
           "numpy.zeros(elements, numpy.float16)")
    assert run.main([str(vector_copy)]) == 5
    told = capsys.readouterr().out
    assert "float32 of shape [1000] has 4000 bytes, but out has 2000; give the tensor" in told


def test_kernels_run_on_their_type_of_core(vector_copy, capsys, change):
    config = vector_copy / "kernels" / "kernel_config.py"
    line = next(number for number, text in enumerate(config.read_text().splitlines(), 1)
                if "subtract" in text)
    change(config, 'subtract.cpp", "core_type": "aiv"', 'subtract.cpp", "core_type": "aic"')
    assert run.main([str(vector_copy)]) == 5
    told = capsys.readouterr().out
    assert (f"kernel 1 (subtract) is for cube cores (kernel_config.py, line {line}), but the task "
            "for vector cores\nsubmit it with PTO2_WORKER_CUBE, or declare it as aiv") in told


@pytest.mark.parametrize("kernels, lines", [
    ("KERNELS = [{\n}, {},\n{}]", [1, 2, 3]), ("A = [0]\nKERNELS: list = []", []),
    ("KERNELS = [0 for i in range(3)]", []), ("KERNELS = [*range(3), 0]", []),
    ("OTHER = KERNELS = (1,\n2)", [1, 2])])
def test_lines_of_kernels(tmp_path, kernels, lines):
    (tmp_path / "kernel_config.py").write_text(kernels)
    assert _lines_of_kernels(tmp_path / "kernel_config.py") == lines


def test_what_does_not_compile_is_named(vector_copy, capsys, change):
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "kernel_entry(int64_t* args)",
           "kernel_entry(int65_t* args)")
    assert run.main([str(vector_copy)]) == 3
    told = capsys.readouterr().err
    assert "kernel add does not compile" in told and "int65_t" in told


def test_rounds_begin_with_the_same_arrays(vector_copy, capsys, change):
    golden = vector_copy / "golden.py"
    change(golden, "numpy.zeros(elements, numpy.float32)", "numpy.ones(elements, numpy.float32)")
    change(golden, "tensors[\"out\"][:] =", "tensors[\"out\"][:] +=")
    kernels = vector_copy / "kernels"
    change(kernels / "aiv" / "multiply_add.cpp", "data<float>()[i] = x", "data<float>()[i] += x")
    change(kernels / "orchestration" / "graph.cpp", "make_output_param(out)",
           "make_inout_param(out)")
    report = pto2.run(vector_copy, rounds=3, executor="seeded", blocks=2, schedulers=1)
    assert report.verdict == "pass" and report.cases[0].rounds == 3


_print = """#include <cstdio>
#include <cstdlib>
#include "pto_kernel_api.h"

extern "C" void kernel_entry(int64_t*) {
  std::printf("kernel prints\\n");
  if (std::system("echo program prints") != 0) std::abort();
}
"""


@pytest.mark.parametrize("flags", [["--json", "-"], ["--junit", "-", "--no-isolate"]])
def test_a_report_is_alone_on_stdout(vector_copy, change, flags):
    change(vector_copy / "golden.py", "", "print('golden prints')\n")
    kernel = vector_copy / "kernels" / "aiv" / "add.cpp"
    kernel.unlink()
    kernel.write_text(_print)
    line = [program("pto2-run-folder"), vector_copy, *flags]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    for who in ("golden", "kernel", "program"):
        assert f"{who} prints\n" in ended.stderr
    if "--json" in flags:
        assert json.loads(ended.stdout)["verdict"] == "fail"
    else:
        assert ElementTree.fromstring(ended.stdout.encode()).get("failures") == "1"


def test_nothing_compared_is_no_pass(capsys):
    assert run.main([str(shipped / "elementwise"), "--skip-golden"]) == 4
    assert capsys.readouterr().out.endswith("TEST NOT COMPARED\n")


@pytest.mark.parametrize("arguments, text", [
    ([], "name the folder, or both -k and -g"),
    (["x", "--all", "--case", "y"], "exclude each other"),
    (["x", "-p", "a2a3"], "a2a3sim simulates it"),
    (["x", "--all", "--trace", "t"], "--trace is of one case"),
    (["x", "--trace-events", "3"], "--trace-events needs --trace: without it no events are kept"),
    (["x", "-n", "0"], "--rounds must be 1 or more"),
    (["x", "--json", ""], "--json: an empty name; name a file, or leave the option out"),
    (["x", "--junit", ""], "--junit: an empty name; name a file"),
    (["x", "--trace", ""], "--trace: an empty name; name a file"),
    (["x", "--case", ""], "--case: an empty name; name a case"),
    (["x", "-k", ""], "-k/--kernels: an empty name; name a folder"),
    (["x", "-g", ""], "-g/--golden: an empty name; name a file"),
    ([""], "folder: an empty name; name a folder"),
])
def test_wrong_usage(arguments, text, capsys):
    with pytest.raises(SystemExit) as ended:
        run.main(arguments)
    assert ended.value.code == 2 and text in capsys.readouterr().err


def test_wrong_settings_and_cases(capsys):
    vector = str(shipped / "elementwise")
    assert run.main([vector, "--window", "5"]) == 2
    assert "a power of two" in capsys.readouterr().err
    assert run.main([vector, "--case", "Huge"]) == 3
    assert "there is no case 'Huge'; there are Small, Large" in capsys.readouterr().err
    assert run.main([vector, "-d", "3", "--skip-golden", "--silent"]) == 4
    assert "--device has no meaning" in capsys.readouterr().err


@pytest.mark.parametrize("file, before, after, text", [
    ("kernels/kernel_config.py", '"tensormap_and_ringbuffer"', '"host_build_graph"',
     "runtime 'host_build_graph' is not there; there is tensormap_and_ringbuffer"),
    ("kernels/kernel_config.py", '"func_id": 1', '"func_id": 0', "have the same func_id 0"),
    ("kernels/kernel_config.py", '"core_type": "aiv"', '"core_type": "vector"',
     "must be aic or aiv"),
    ("kernels/kernel_config.py", "aiv/add.cpp", "aiv/sum.cpp", "kernel add.*sum.cpp"),
    ("kernels/kernel_config.py", '"block_dim": 4', '"block_dim": "4"', "block_dim is '4'"),
    ("kernels/kernel_config.py", '"block_dim": 4', '"block_dim": 0', "block_dim is 0"),
    ("kernels/kernel_config.py", '    "runtime": "tensormap_and_ringbuffer",\n', "",
     "runtime 'host_build_graph' is not there"),
    ("kernels/kernel_config.py", "", "KERNELS = None\n", "KERNELS is None; it must be a list"),
    ("kernels/kernel_config.py", "", "RUNTIME_ENV = []\n", "RUNTIME_ENV is .*; it must be a dict"),
    ("kernels/kernel_config.py", "", "KERNELS[1]['source'] = 3\n", "3 is no path"),
    ("kernels/aiv/add.cpp", "kernel_entry", "kernel_exit", "^[^ ]*/aiv/add.cpp: "),
    ("golden.py", "import numpy\n", "import numpy, sys\nsys.exit(0)\n", "SystemExit: 0"),
    ("golden.py", "", "\ndef compute_golden(tensors, params):\n    del tensors['out']\n",
     "output out: golden.py computes the shape"),
    ("kernels/kernel_config.py", '"block_dim"', '"blockdim"',
     "RUNTIME_CONFIG has 'blockdim'; write 'block_dim'"),
    ("kernels/kernel_config.py", '"function_name"', '"name"', "has no 'function_name'"),
    ("golden.py", "import numpy", "import no_such_package", "imports no_such_package"),
    ("golden.py", "import numpy", "import numpy)", "SyntaxError"),
    ("golden.py", '"Small"\n', '"Middle"\n', "no case 'Middle'"),
    ("golden.py", '["out"]', '["result"]', "__outputs__ names result"),
    ("golden.py", 'def compute_golden', 'def golden', "no function compute_golden"),
    ("golden.py", '= ["out"]', '= "out"', "__outputs__ is 'out'; it must be a list of names"),
    ("golden.py", "", '\nALL_CASES = ["Small"]\n', r"ALL_CASES is \['Small'\]; it must be a dict"),
    ("golden.py", "", '\nRTOL = "1e-5"\n', "RTOL is '1e-5'; it must be a number"),
    ("golden.py", "", "\ndef generate_inputs(params):\n    pass\n", "it returns a NoneType"),
    ("golden.py", "", "\nformer = generate_inputs\n\n\ndef generate_inputs(params):\n"
     "    return 2 * former(params)\n", "generate_inputs returns a twice"),
    ("golden.py", "", "\ndef compute_golden(tensors, params):\n    tensors['z'] += 1\n",
     r"golden.py: compute_golden raised KeyError: 'z'\n  File .*golden.py\", line \d+"),
    ("golden.py", "", "\ndef compute_golden(tensors, params):\n    raise SystemExit(0)\n",
     "compute_golden raised SystemExit: 0"),
    ("kernels/kernel_config.py", '"function_name": "', '"function_name": "no_',
     "^[^ ]*/orchestration/graph.cpp: does not export no_"),
])
def test_folders_that_are_wrong(vector_copy, file, before, after, text, change):
    change(vector_copy / file, before, after)
    with pytest.raises(pto2.InputError, match=text):
        pto2.run(vector_copy)


def test_a_missing_package_is_named(vector_copy, monkeypatch, change):
    change(vector_copy / "golden.py", "import numpy", "import torch, numpy")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(pto2.InputError, match="apt-get install python3-torch"):
        Folder(*find_folder(vector_copy))


def test_numbers_of_the_configuration_become_settings(vector_copy, change):
    folder = Folder(*find_folder(vector_copy))
    assert folder.settings == {"blocks": 4, "schedulers": 3}
    change(vector_copy / "kernels" / "kernel_config.py", '"block_dim": 4',
           '"orch_thread_num": 1, "rounds": 3, "block_dim": 1')  # the first means nothing here
    folder = Folder(*find_folder(vector_copy))
    assert folder.settings == {"blocks": 1, "schedulers": 3} and folder.rounds == 3


def test_fewer_blocks_than_the_folder_has_schedulers_are_enough(capsys):
    assert pto2.run(shipped / "elementwise", blocks=2).verdict == "pass"
    assert run.main([str(shipped / "elementwise"), "--blocks", "1"]) == 0
    capsys.readouterr()
    assert run.main([str(shipped / "elementwise"), "--blocks", "1", "--schedulers", "2"]) == 2
    assert "each needs a block of its own" in capsys.readouterr().err


def test_variables_hold_while_it_runs(vector_copy, change):
    change(vector_copy / "kernels" / "kernel_config.py", "",
           'RUNTIME_ENV = {"PTO2_A": 1, "PTO2_B_DIR": "aiv"}\n')
    variables = Folder(*find_folder(vector_copy)).variables
    assert variables == {"PTO2_A": "1", "PTO2_B_DIR": str(vector_copy / "kernels" / "aiv")}
    with environment(variables):
        assert os.environ["PTO2_A"] == "1"
    assert "PTO2_A" not in os.environ
    with environment({"PATH": "here"}):
        assert os.environ["PATH"] == "here"
    assert os.environ["PATH"] != "here"


def test_the_older_form_gets_its_sizes(vector_copy):
    folder = Folder(*find_folder(vector_copy))
    folder.golden.generate_inputs = lambda params: {
        "out": numpy.zeros(4, numpy.float32), "a": numpy.zeros((2, 3), numpy.int16)}
    folder.golden.TENSOR_ORDER = ["a", "out"]
    values = CaseArguments(folder, {}).values
    assert [value.value for value in values[2:]] == [12, 16, 6]
    assert isinstance(values[2], ctypes.c_int64) and values[0].shape == (2, 3)


def test_a_result_that_is_no_number_is_json(capsys, vector_copy, change):
    change(vector_copy / "kernels" / "aiv" / "add.cpp", "a[i] + b[i]", "(a[i] + b[i]) / 0 * 0")
    assert run.main([str(vector_copy), "--json", "-"]) == 1
    report = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    output, = report["cases"][0]["outputs"]
    assert output["max_abs_error"] is None and output["mismatched"] == output["elements"]
