"""Mistakes of golden.py and kernel_config.py are told with the file, and without a traceback."""

import pytest

import pto2

_of_golden = "\ndef compute_golden(tensors, params):\n    tensors['out'] = "
_of_inputs = "\ndef generate_inputs(params):\n    "


@pytest.mark.parametrize("text, told", [
    ("RUNTIME_ENV = {1: 'x'}", "RUNTIME_ENV has 1, which is no name of a variable"),
    ("RUNTIME_ENV = {'A=B': 'x'}", "RUNTIME_ENV has 'A=B', which is no name of a variable"),
    ("RUNTIME_ENV = {'': 'x'}", "RUNTIME_ENV has '', which is no name of a variable"),
    ("RUNTIME_ENV = {'A': 'a\\0'}", "RUNTIME_ENV: A is .*, which no variable can be"),
    ("RUNTIME_ENV = {'A_DIR': '\\0'}", "cannot be a path: embedded null byte"),
    ("KERNELS[1] = 3", r"KERNELS\[1\] is 3; it must be a dict"),
    ("KERNELS[1]['name'] = 5", r"KERNELS\[1\]: name is 5; it must be a text"),
    ("KERNELS[1]['func_id'] = 2**40", r"KERNELS\[1\]: func_id is 1099511627776; .* 0 to 4095"),
    ("KERNELS[1]['func_id'] = -1", r"KERNELS\[1\]: func_id is -1; .* 0 to 4095"),
    ("KERNELS[1]['source'] = 'a\\0b'", "cannot be a path: embedded null byte"),
    ("ORCHESTRATION['source'] = 'loop'", "loop' cannot be a path: Symlink loop"),
    ("ORCHESTRATION['function_name'] = 5", "ORCHESTRATION: function_name is 5; it must be"),
])
def test_mistakes_of_a_configuration(vector_copy, text, told, change):
    config = vector_copy / "kernels" / "kernel_config.py"
    (config.parent / "loop").symlink_to("loop")
    change(config, "", text + "\n")
    with pytest.raises(pto2.InputError, match=f"^{config}: .*{told}"):
        pto2.run(vector_copy)


@pytest.mark.parametrize("text, told", [
    ("ALL_CASES = {1: {}}", "ALL_CASES is {1: .*per name of a case, which is a text"),
    ("__outputs__ = [['out']]", r"__outputs__ names \['out'\], which is no array"),
    (_of_inputs + "return {'out_x': 5}", "generate_inputs returns a dict, .* its out_x is a int"),
    ("TENSOR_ORDER = 5\n" + _of_inputs + "return {}", "TENSOR_ORDER is 5; it must be a list"),
    ("TENSOR_ORDER = [[]]\n" + _of_inputs + "return {}", r"TENSOR_ORDER names \[\], which"),
    (_of_inputs + "yield 1 // 0",
     "generate_inputs raised ZeroDivisionError: .*\n  File .*golden.py"),
    (_of_inputs + "return [('out', numpy.zeros(8, '>f4'))]",
     "generate_inputs: out is an array of >f4, in another order of bytes than this machine's"),
    ("import functools\ngenerate_inputs = functools.partial(generate_inputs, no=1)",
     "generate_inputs raised TypeError"),
    (_of_golden + "[[1], [2, 3]]", "output out: what golden.py computes is no array of numbers"),
    (_of_golden + "['1'] * 1000", "output out: what golden.py computes is no array of numbers"),
    (_of_golden + "numpy.zeros(3)", r"output out: golden.py computes the shape \(3,\)"),
    ("former = generate_inputs\n" + _of_inputs + "return [(name, numpy.full(1000, 'text') if name "
     "== 'out' else value) for name, value in former(params)]",
     "output out: what kernels wrote is no array of numbers"),
])
def test_mistakes_of_golden(vector_copy, text, told, change):
    golden = vector_copy / "golden.py"
    change(golden, "", "\n" + text + "\n")
    with pytest.raises(pto2.InputError, match=f"^{golden}: {told}"):
        pto2.run(vector_copy)


def test_names_that_are_too_long_are_not_there(vector_copy, capsys, change):
    config = vector_copy / "kernels" / "kernel_config.py"
    change(config, "", "ORCHESTRATION['source'] = 300 * 'a'\n")
    assert pto2.run.main([str(vector_copy)]) == 3
    assert "the orchestration: " in capsys.readouterr().err
    change(config, "ORCHESTRATION['source']", "KERNELS[1]['source']")
    assert pto2.run.main([str(vector_copy)]) == 3
    assert "kernel subtract: " in capsys.readouterr().err


def test_a_folder_that_is_a_circle_of_links_is_not_there(tmp_path, capsys):
    (tmp_path / "loop").symlink_to("loop")
    assert pto2.run.main([str(tmp_path / "loop")]) == 3
    assert "loop/kernels' cannot be a path: Symlink loop" in capsys.readouterr().err
