"""What a golden.py may do, and what it cannot do to a run."""

import pytest

import pto2

run = pto2.run
_end = "\n\nclass End(BaseException):\n    pass\n\n\n"
_generate = "def generate_inputs(params):\n    "
_compute = "def compute_golden(tensors, params):\n    "


@pytest.mark.parametrize("flags", [[], ["--no-isolate"]])
@pytest.mark.parametrize("file, text, told", [
    ("kernels/kernel_config.py", "raise End('here')\n", "kernel_config.py: End: here\n"),
    ("golden.py", "raise End('here')\n", "golden.py: End: here\n"),
    ("golden.py", f"{_generate}raise End('here')\n", "generate_inputs raised End: here\n"),
    ("golden.py", f"{_compute}raise End('here')\n", "compute_golden raised End: here\n")])
def test_whatever_a_folder_raises_is_an_error_of_its_own(vector_copy, change, capfd, flags, file,
                                                         text, told):
    """As what ends tests of pytest, or tasks of asyncio, which are no Exceptions."""
    change(vector_copy / file, "", _end + text)
    assert run.main([str(vector_copy), *flags]) == 3
    assert told in "".join(capfd.readouterr())


@pytest.mark.parametrize("text", [
    "raise KeyboardInterrupt\n", f"{_generate}raise KeyboardInterrupt\n",
    f"{_compute}raise KeyboardInterrupt\n"])
def test_a_golden_file_that_is_interrupted_is_no_wrong_one(vector_copy, change, text):
    change(vector_copy / "golden.py", "", text)
    assert run.main([str(vector_copy)]) == 130
    assert run.main([str(vector_copy), "--no-isolate"]) == 130


def test_numbers_reach_kernels_as_they_were_generated(vector_copy, change):
    """Those of ctypes can be changed, and golden.py may have kept them."""
    change(vector_copy / "golden.py", "", "\n_generated, _computed = generate_inputs, "
           "compute_golden\nkept = []\n\n\n"
           f"{_generate}kept.append(_generated(params))\n    return kept[-1]\n\n\n"
           f"{_compute}_computed(tensors, params)\n    tensors['bias'].value = 9\n"
           "    kept[-1][-1][1].value = 8\n")
    report = run(vector_copy, rounds=2)
    assert report.verdict == "pass", report.text()
