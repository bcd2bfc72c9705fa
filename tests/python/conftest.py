import os
import shutil
import signal
from pathlib import Path

import pytest

from pto2._compiler import Compiler, kernel_source, orchestration_source

# What golden.py prints is buffered, as for who does not set this.
os.environ.pop("PYTHONUNBUFFERED", None)
# A shell ignores it for what it has in the background, and for what that starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

images_folder = Path(__file__).parent / "images"
large_tile_text = """#include <pto/pto-inst.hpp>
#include "tensor.h"

extern "C" void kernel_entry(int64_t* args) {
  pto::Tile<pto::TileType::Vec, float, 200, 256> tile;
  TASSIGN(tile, 0x0);
  TEXPANDS(tile, 2.0F);
  auto* const out = reinterpret_cast<TensorData*>(args[2]);
  reinterpret_cast<float*>(out->buffer.addr)[0] = tile.GetValue(51199);
}
"""
shipped = Path(__file__).parents[2] / "runtime" / "workloads" / "folders"


@pytest.fixture(scope="session")
def vector():
    """The images of the folder elementwise: the orchestration, and the kernels by id."""
    folder = shipped / "elementwise" / "kernels"
    names = ["add", "subtract", "multiply_add"]
    sources = [orchestration_source(folder / "orchestration" / "graph.cpp")]
    sources += [kernel_source(name, folder / "aiv" / f"{name}.cpp", "aiv", 1) for name in names]
    images = Compiler().compile(sources, 2, print).images
    return images[sources[0]], {i: images[source] for i, source in enumerate(sources[1:])}


@pytest.fixture(scope="session")
def waiting():
    """The images of tasks that wait for a byte."""
    sources = [orchestration_source(images_folder / "waiting_graph.cpp"),
               kernel_source("waiting", images_folder / "waiting_kernel.cpp", "aiv", 1)]
    images = Compiler().compile(sources, 2, print).images
    return images[sources[0]], {0: images[sources[1]]}


@pytest.fixture
def vector_copy(tmp_path):
    """A copy of the folder elementwise, to be changed by `change`: links, so that what stays need
    not be compiled again."""
    return Path(shutil.copytree(shipped / "elementwise", tmp_path / "vector",
                                copy_function=os.symlink,
                                ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture
def change():
    """Puts a text in the place of another in a file of a copy, or behind its end."""
    def put(path, before, after):
        text = path.read_text()
        assert before in text
        path.unlink()
        path.write_text(text.replace(before, after) if before else text + after)
    return put


@pytest.fixture
def large_tile():
    """Makes a kernel one with a tile of 200 KiB, for which a5 has room and a2a3 has not."""
    def put(path):
        path.unlink()
        path.write_text(large_tile_text)
    return put
