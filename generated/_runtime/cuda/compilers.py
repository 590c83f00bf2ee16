# SPDX-License-Identifier: MIT
# mypy: disable-error-code="import-untyped,import-not-found"
"""Kernels made into machine code by nvcc or else NVRTC, once: it is kept in $LNGEN_CACHE or the user's cache folder."""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from .. import cache
from ..includes import inlined

REPORT = "--ptxas-options=-v"
"""Compiler option that reports the resources of each kernel."""

_runs = 0

_NO_COMPILER = (
    "no compiler for kernels.cu: put nvcc on the PATH, or install NVRTC with "
    "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"
)
_UNKNOWN = re.compile("unsupported gpu architecture|invalid value for --gpu-architecture", re.IGNORECASE)
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")


class UnknownArchitecture(RuntimeError):
    """Error for a compiler that is too old for a device; the message says what to install."""


class CudaCompiler(Protocol):
    """Compiler from CUDA C++ to machine code."""

    def identity(self) -> str:
        """Return text that differs if another version may give other machine code."""

    def compile(self, source: Path, text: str, architecture: str, options: Sequence[str]) -> tuple[bytes, str]:
        """Return the machine code of a text for an architecture, and the compiler's output.

        `source` is the file that messages name. For an architecture such as `compute_90` it is PTX, which the driver
        translates. Raises RuntimeError with the compiler's words if it refuses the text, and UnknownArchitecture if it
        is too old for the architecture.
        """

    def architectures(self) -> Sequence[int]:
        """Return the numbers of the architectures that it knows, such as 90."""


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache has every kernel."""
    return _runs


def compiled(source: Path, architecture: str, macros: Iterable[str], again: bool = False) -> bytes:
    """The machine code for an architecture, from the cache unless it is wanted `again`."""
    global _runs
    text = inlined(source)
    chosen = compiler()
    options = ["-std=c++17", *(f"-D{macro}" for macro in sorted(macros))]
    path = cache_folder() / f"{cache.digest([text, architecture, *options, chosen.identity()])}.cubin"
    found = None if again else cache.kept(path)
    if found is not None:
        return found
    _runs += 1
    cubin, log = _compiled(chosen, source, text, architecture, [*options, REPORT])
    cache.keep(path, cubin)
    frames = [tuple(map(int, frame)) for frame in _FRAME.findall(log)]
    if any(stack for stack, _ in frames):
        cache.keep(_spills_of(cubin), b"%d" % sum(stored for _, stored in frames))
    return cubin


def _compiled(
    chosen: CudaCompiler, source: Path, text: str, architecture: str, options: Sequence[str]
) -> tuple[bytes, str]:
    """Compile; where the compiler is too old, by another one, or for an older architecture, which is told."""
    may_be_other = not os.environ.get("LNGEN_COMPILER") and not isinstance(chosen, Nvrtc)
    other = find_nvrtc() if may_be_other else None
    all_there: list[CudaCompiler] = [chosen, *([Nvrtc(*other)] if other else [])]
    for each in all_there:
        try:
            return each.compile(source, text, architecture, options)
        except UnknownArchitecture as error:
            problem = error
    each = all_there[-1]
    older = older_architecture(architecture, each.architectures())
    if older is None:
        raise problem
    made = each.compile(source, text, older, options)
    kind = "PTX, which the driver translates" if older.startswith("compute_") else "machine code of its family"
    warnings.warn(f"{problem}; kernels are made for {older}: {kind}", RuntimeWarning, stacklevel=2)
    return made


def older_architecture(architecture: str, known: Iterable[int]) -> str | None:
    """Return the newest older architecture whose code a device runs: machine code of its family, or else PTX.

    >>> older_architecture("sm_121", [90, 120]), older_architecture("sm_130", [90, 120])
    ('sm_120', 'compute_120')
    >>> older_architecture("sm_70", [75, 80])
    """
    number = int("".join(filter(str.isdigit, architecture)))
    older = sorted(each for each in known if each < number)
    if not older:
        return None
    return f"sm_{older[-1]}" if older[-1] // 10 == number // 10 else f"compute_{older[-1]}"


def spilled(cubin: bytes) -> int | None:
    """Return the bytes of memory that kernels use for lack of registers, without arrays that are in memory anyway.

    Returns None if the compiler did not report them, or reported no stack.
    """
    said = cache.kept(_spills_of(cubin))
    return int(said) if said is not None and said.isdigit() else None


def _spills_of(cubin: bytes) -> Path:
    return cache_folder() / f"{hashlib.sha256(cubin).hexdigest()}.spills"


def cache_folder() -> Path:
    """Return the folder of compiled kernels and of their measurements."""
    return cache.folder("cuda")


# ---- which compiler there is


def compiler() -> CudaCompiler:
    """Return nvcc if it is installed, else NVRTC; $LNGEN_COMPILER names one. Raises RuntimeError if neither is
    installed.
    """
    wanted = os.environ.get("LNGEN_COMPILER", "")
    if wanted not in ("", "nvcc", "nvrtc"):
        raise ValueError(f'LNGEN_COMPILER is {wanted!r}; set it to "nvcc" or "nvrtc"')
    if wanted != "nvrtc" and (nvcc := _find_nvcc()):
        return Nvcc(nvcc)
    if wanted != "nvcc" and (nvrtc := find_nvrtc()):
        return Nvrtc(*nvrtc)
    raise RuntimeError(_NO_COMPILER)


def _toolkits() -> list[Path]:
    roots = [os.environ.get(key) for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
    return [Path(root) for root in (*roots, "/usr/local/cuda") if root]


def _find_nvcc() -> Path | None:
    on_path = shutil.which("nvcc")
    if on_path:
        return Path(on_path)
    places = [root / "bin" / "nvcc" for root in _toolkits()]
    return next((place for place in places if place.exists()), None)


def find_nvrtc() -> tuple[Path, Path] | None:
    """The library and the folder of the half-precision headers, in wheels or a toolkit."""
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    wheels = [
        root for folder in packages for root in (*sorted(folder.glob("cu[0-9]*"), reverse=True), folder)
    ]  # fmt: skip
    nvcc = shutil.which("nvcc")
    beside = [Path(nvcc).resolve().parent.parent] if nvcc else []
    for root in (*wheels, *beside, *_toolkits()):
        library = _first(root, "lib", "lib64", "cuda_nvrtc/lib", name="libnvrtc.so*")
        header = _first(root, "include", "cuda_runtime/include", name="cuda_fp16.h")
        if library and header:
            return library, header.parent
    return None


def _first(root: Path, *folders: str, name: str) -> Path | None:
    found = (path for folder in folders for path in sorted(root.glob(f"{folder}/{name}")))
    return next(found, None)


class Nvcc:
    """NVIDIA's compiler, a program."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def identity(self) -> str:
        return cache.version("cuda", [self.path], self._ask)

    def _ask(self) -> str:
        command = [str(self.path), "--version"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def compile(self, source: Path, text: str, architecture: str, options: Sequence[str]) -> tuple[bytes, str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "kernels.cu").write_text(text, encoding="utf-8")
            kind = "-ptx" if architecture.startswith("compute_") else "-cubin"
            command = [str(self.path), f"-arch={architecture}", *options, kind, "kernels.cu", "-o", "kernels.cubin"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            log = done.stderr + done.stdout
            if done.returncode:
                raise _refusal(str(self.path), source, architecture, log)
            return (folder / "kernels.cubin").read_bytes(), log

    def architectures(self) -> Sequence[int]:
        command = [str(self.path), "--list-gpu-code"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return [int(number) for number in re.findall(r"^sm_(\d+)$", said, re.MULTILINE)]


def _refusal(compiler: str, source: Path, architecture: str, log: str) -> RuntimeError:
    if _UNKNOWN.search(log):
        return UnknownArchitecture(
            f"{compiler} is too old for {architecture}: install a newer CUDA "
            "toolkit, or pip install --upgrade nvidia-cuda-nvrtc and set LNGEN_COMPILER=nvrtc"
        )
    return RuntimeError(f"{compiler} refused {source}:\n{log.strip()}")


class Nvrtc:
    """NVIDIA's run-time compiler, a library, and the folder of the headers of half precision."""

    def __init__(self, path: Path, headers: Path) -> None:
        self.path, self.headers = path, headers
        self._library: ctypes.CDLL | None = None

    def identity(self) -> str:
        return cache.version("cuda", [self.path], self._ask)

    def _ask(self) -> str:
        return "NVRTC {}.{}".format(*self.version())

    def version(self) -> tuple[int, int]:
        """Return the version as major and minor, such as (13, 0)."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def compile(self, source: Path, text: str, architecture: str, options: Sequence[str]) -> tuple[bytes, str]:
        """Return the machine code, or the PTX of an architecture such as `compute_90`, and the compiler's output."""
        program = ctypes.c_void_p()
        created = (ctypes.byref(program), text.encode(), str(source).encode(), 0, None, None)
        self._call("nvrtcCreateProgram", *created)
        line = [*options, f"--gpu-architecture={architecture}", f"-I{self.headers}"]
        words = (ctypes.c_char_p * len(line))(*(word.encode() for word in line))
        try:
            failed = self._loaded().nvrtcCompileProgram(program, len(line), words)
            log = self._bytes(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
            if failed:
                raise _refusal("NVRTC", source, architecture, log)
            return self._bytes(program, "PTX" if architecture.startswith("compute_") else "CUBIN"), log
        finally:
            self._call("nvrtcDestroyProgram", ctypes.byref(program))

    def architectures(self) -> Sequence[int]:
        """Return the numbers of the architectures that it knows."""
        count = ctypes.c_int()
        self._call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        found = (ctypes.c_int * count.value)()
        self._call("nvrtcGetSupportedArchs", found)
        return [*found]

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _loaded(self) -> ctypes.CDLL:
        if self._library is None:
            self._library = ctypes.CDLL(str(self.path))
        return self._library

    def _call(self, function: str, *arguments: object) -> None:
        code = getattr(self._loaded(), function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with error {code}")
