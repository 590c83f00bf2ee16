"""Kernels compiled for an architecture that need not be this machine's, by NVRTC or else nvcc, and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lngen.checks import emulator
from lngen.checks.toolchain import nvrtc
from lngen.checks.toolchain.nvrtc import NvrtcMissing, Resources, parse_resources
from lngen.errors import CompileError
from lngen.pipeline.cache import folders
from lngen.runtime.cuda import compilers
from lngen.runtime.cuda.compilers import Nvcc

_KIND = "machine_code"


@dataclass(frozen=True)
class KernelBinary:
    """Compiled module: the cubin, and the resources of each of its kernels."""

    cubin: bytes
    resources: Mapping[str, Resources]


def machine_code(text: str, arch: str, options: Sequence[str] = ()) -> KernelBinary:
    """Compile a text with its includes to machine code, for an architecture such as `sm_90`.

    The compiler is the launcher's (`LNGEN_COMPILER` names it), and the code is cached. Raises NvrtcMissing without a
    compiler, and CompileError if it refuses the text.
    """
    compiler = _compiler()
    line = ["-std=c++17", *options]
    name = hashlib.sha256("\0".join([text, arch, *line, compiler.identity()]).encode()).hexdigest()

    def make(folder: Path) -> None:
        try:
            cubin, log = compiler.compile(Path("kernels.cu"), text, arch, [*line, compilers.REPORT])
        except RuntimeError as error:
            raise CompileError(f"for {arch}, {error}") from error
        (folder / "kernels.cubin").write_bytes(cubin)
        (folder / "ptxas.log").write_text(log, encoding="utf-8")

    made = folders.entry(name, make, _KIND)
    log = (made / "ptxas.log").read_text(encoding="utf-8")
    return KernelBinary((made / "kernels.cubin").read_bytes(), parse_resources(log))


def as_launched(text: str, arch: str, options: Sequence[str] = ()) -> KernelBinary:
    """The machine code that the launcher takes: with as much in registers as there is room for without spilling."""
    return nvrtc.as_launched(partial(machine_code, text, arch), options)


def _compiler() -> compilers.CudaCompiler:
    try:
        found = compilers.compiler()
    except (RuntimeError, ValueError) as error:
        raise NvrtcMissing(f"{error}.") from None
    # If PyCUDA runs on the emulator, nvcc is the emulator's, and its output is not machine code.
    if isinstance(found, Nvcc) and emulator.stands_in(found.path):
        libraries = compilers.find_nvrtcs()
        if not libraries:
            raise NvrtcMissing(
                "nvcc is the emulator's stand-in here: use another process, or pip install nvidia-cuda-nvrtc."
            )
        return compilers.Nvrtc(*libraries[0])
    return found
