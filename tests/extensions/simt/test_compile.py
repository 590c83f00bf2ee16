"""Modules are compiled once, found again, and what is missing or wrong is said in one error."""

import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lngen.errors import CompileError, LngenError
from lngen.extensions import simt
from lngen.extensions.simt import toolchain
from lngen.extensions.simt.compile import compile_module
from lngen.extensions.simt.toolchain import ToolchainMissing
from tests.requirements import gxx, needs_gxx

KERNEL = 'extern "C" __global__ void fill(float* x, float value) { x[threadIdx.x] = value * SCALE; }\n'


def fill(scale):
    out = np.zeros(4, np.float32)
    simt.build(KERNEL, {"SCALE": scale})["fill"](1, 4, 0, out, 2.0)
    return out.tolist()


# Prints how often the compiler ran.
SCRIPT = """
import numpy, sys
from lngen.extensions import simt
from lngen.extensions.simt.toolchain import Toolchain
runs, run = [], Toolchain.run
Toolchain.run = lambda *arguments: runs.append(1) or run(*arguments)
out = numpy.zeros(4, numpy.float32)
simt.build(sys.stdin.read(), {"SCALE": 3}, name="again.cu")["fill"](1, 4, 0, out, 2.0)
assert out.tolist() == [6.0] * 4
print(len(runs))
"""


def compiler_runs(processes):
    """Return the number of compiler runs in each of several simultaneous processes that need the same module."""
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for process in running:
        process.stdin.write(KERNEL)
        process.stdin.close()
    runs = [int(process.stdout.read()) for process in running]
    for process in running:
        process.stdout.close()
        assert process.wait() == 0
    return sorted(runs)


@needs_gxx
@pytest.mark.cuda
def test_what_was_compiled_is_found_again():
    # What all modules share is there after this.
    assert fill(2) == [4.0] * 4
    # Preprocessed, compiled and linked in one of two processes; the other waits for it.
    assert compiler_runs(2) == [0, 3]
    assert compiler_runs(1) == [0]
    # Others may be compiling into the same folder.
    made = compile_module(KERNEL, {"SCALE": 3}, "again.cu", checked=False).path.parent
    left = [path for path in made.parent.iterdir() if path.name.startswith(f".{made.name}") and path.is_dir()]
    assert left == []


def test_without_a_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not simt.available()
    with pytest.raises(ToolchainMissing, match=r"needs g\+\+, and there is none: install it .*apt-get install g\+\+"):
        simt.build(KERNEL)


def test_without_headers(monkeypatch, tmp_path):
    (tmp_path / "g++").touch()
    (tmp_path / "g++").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "_include_folders", lambda: [tmp_path])
    wheels = "pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"
    with pytest.raises(ToolchainMissing, match=wheels):
        simt.build(KERNEL)


@needs_gxx
@pytest.mark.cuda
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            '\nextern "C" __global__ void f(float* x) {\n  x[0] = nothing;\n}\n',
            r"kernels\.cu:3:10: error: 'nothing' was",
        ),
        ('#ifdef SCALE\n#error "no scale, please"\n#endif\n', r"kernels\.cu:2:2: error: #error .no scale, please"),
    ],
)
def test_a_source_that_is_wrong(source, message):
    with pytest.raises(CompileError, match=message):
        simt.build(source, {"SCALE": 1})


@needs_gxx
@pytest.mark.cuda
@pytest.mark.parametrize("source", ["", "template <class T> __global__ void f(T* x) {}", "__global__ void f() {}"])
def test_a_source_without_a_kernel(source):
    with pytest.raises(LngenError, match='no kernel; a kernel is a function declared `extern "C" __global__ void`'):
        simt.build(source)


@needs_gxx
@pytest.mark.cuda
def test_a_cache_that_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "file"))
    with pytest.raises(LngenError, match="set LNGEN_CACHE to a folder that can be written"):
        simt.build(KERNEL, {"SCALE": 1})


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
def test_the_runtime_is_compiled_without_a_warning():
    folder = Path(simt.__file__).parent / "runtime"
    worker = folder / "worker.cpp"
    runtime = "".join(f'#include "{path}"\n' for path in sorted(folder.glob("*.cpp")) if path != worker)
    command = [
        gxx(),
        "-std=c++17",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "-x",
        "c++",
        "-",
    ]
    for unit in (runtime, f'#include "{worker}"\n'):
        subprocess.run(command, input=unit, text=True, check=True)
