"""The C++ compiler and the CUDA headers that the emulator is built with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.errors import CompileError, ToolchainMissing
from lngen.runtime import cache

_NO_COMPILER = "the emulator needs g++, and there is none: install it (Debian, Ubuntu: apt-get install g++)"
_NO_HEADERS = (
    "the emulator needs the headers of CUDA, and there are none: "
    "pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"
)

# The headers that `cuda_fp16.h` includes come in three wheels, or in one folder of a toolkit.
_HEADERS = ("cuda_fp16.h", "cuda_bf16.h", "crt/host_defines.h")
_CCCL_HEADER = "nv/target"


@dataclass(frozen=True)
class Toolchain:
    """A compiler and where it finds the headers."""

    compiler: Path
    headers: tuple[Path, ...]

    @property
    def identity(self) -> tuple[str | bytes, ...]:
        """Return the inputs of a compiled object besides its source, without running the compiler."""
        status = self.compiler.resolve().stat()
        contents = [(self.headers[0] / name).read_bytes() for name in _HEADERS]
        places = [str(self.compiler.resolve()), *map(str, self.headers)]
        return (f"{status.st_size} {status.st_mtime_ns}", *places, *contents)

    @property
    def include_options(self) -> tuple[str, ...]:
        """The command-line options that find the headers."""
        return tuple(word for place in self.headers for word in ("-isystem", str(place)))

    def run(self, arguments: Sequence[str], stdin: str = "") -> str:
        """Run the compiler and give its output. Raises CompileError."""
        # A locale would translate the messages that users search for.
        environment = {**os.environ, "LC_ALL": "C"}
        # Beside the cache and not in it: the compiler's own scratch files need no place that lasts.
        with tempfile.TemporaryDirectory() as scratch:
            environment["TMPDIR"] = scratch
            done = subprocess.run(
                [str(self.compiler), *arguments],
                input=stdin, capture_output=True, text=True, check=False, env=environment, cwd=scratch,
            )  # fmt: skip
        if done.returncode:
            raise CompileError(
                cache.refusal(done.stderr) or f"{self.compiler.name} ended with status {done.returncode}"
            )
        return done.stdout


def available() -> bool:
    """Test whether `find` will find a compiler and the headers."""
    try:
        find()
    except ToolchainMissing:
        return False
    return True


def find() -> Toolchain:
    """The compiler on the PATH and the headers of the wheels, or else of a toolkit. Raises ToolchainMissing."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolchainMissing(_NO_COMPILER)
    for place in _include_folders():
        cccl = next((p for p in (place, place / "cccl") if (p / _CCCL_HEADER).is_file()), None)
        if cccl is not None and all((place / name).is_file() for name in _HEADERS):
            return Toolchain(Path(compiler), tuple(dict.fromkeys((place, cccl))))
    raise ToolchainMissing(_NO_HEADERS)


def _include_folders() -> list[Path]:
    wheels = [Path(entry) / "nvidia" for entry in sys.path if entry]
    folders = [place / "include" for root in wheels for place in sorted(root.glob("cu[0-9]*"), reverse=True)]
    toolkits = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    if nvcc := shutil.which("nvcc"):
        toolkits.append(Path(nvcc).resolve().parent.parent)
    return [*folders, *(root / "include" for root in (*toolkits, Path("/usr/local/cuda")))]
