"""The context switch of the other processor: compiled, and run where it can be."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lngen.extensions import simt
from tests.requirements import CROSS_GXX, needs_cross_compiler

RUNTIME = Path(simt.__file__).parent / "runtime"


@pytest.mark.ci
@needs_cross_compiler
@pytest.mark.cuda
@pytest.mark.parametrize("path", sorted(RUNTIME.glob("*.cpp")), ids=lambda path: path.stem)
def test_the_runtime_is_compiled_for_aarch64(path, tmp_path):
    compiler = shutil.which(CROSS_GXX) or "g++"
    subprocess.run(
        [compiler, "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-c",
        str(path), "-o",
         str(tmp_path / "out.o")],
        check=True,
    )  # fmt: skip
