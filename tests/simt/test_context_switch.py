"""The context switch of the other processor: compiled, and run where it can be."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from lngen import simt

CROSS = "aarch64-linux-gnu-g++"
RUNTIME = Path(simt.__file__).parent / "runtime"

needs_cross_compiler = pytest.mark.skipif(
    shutil.which(CROSS) is None and platform.machine() != "aarch64",
    reason=f"no {CROSS}: apt-get install g++-aarch64-linux-gnu",
)


@needs_cross_compiler
@pytest.mark.cuda
@pytest.mark.parametrize("path", sorted(RUNTIME.glob("*.cpp")), ids=lambda path: path.stem)
def test_the_runtime_is_compiled_for_aarch64(path, tmp_path):
    compiler = shutil.which(CROSS) or "g++"
    subprocess.run(
        [compiler, "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-c",
        str(path), "-o",
         str(tmp_path / "out.o")],
        check=True,
    )  # fmt: skip
