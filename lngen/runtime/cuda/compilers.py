# SPDX-License-Identifier: MIT
# mypy: disable-error-code="import-untyped,import-not-found"
"""Kernels made into machine code by NVRTC or else nvcc, once: it is kept in $LNGEN_CACHE or the user's cache folder."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from .. import cache
from ..includes import inlined

REPORT = "--ptxas-options=-v"
"""Compiler option that reports the resources of each kernel."""

_runs = 0
_told: set[str] = set()

_NO_COMPILER = (
    "no compiler for kernels.cu: install NVRTC with pip install nvidia-cuda-nvrtc nvidia-cuda-runtime, or put nvcc on "
    "the PATH"
)
_UNKNOWN = re.compile("unsupported gpu architecture|invalid value for --gpu-architecture", re.IGNORECASE)
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")
_NAMED_WITHOUT = 13
"""The first CUDA whose packages are named without it."""
_VERSION = re.compile(r"\b(?:NVRTC|release) (\d+)\.(\d+)")


class NoCudaCompiler(RuntimeError):
    """Error for a missing compiler; the message says what to install."""


class UnknownArchitecture(RuntimeError):
    """Error for a compiler that is too old for a device; the message says what to install."""


class MachineCode(bytes):
    """Machine code of kernels, and the bytes of memory that they use for lack of registers.

    Arrays that are in memory anyway do not count. `spilled` is None if the compiler did not report a stack.
    """

    spilled: int | None = None

    @classmethod
    def read(cls, kept: bytes) -> "MachineCode":
        """Return the code of what `kept` wrote."""
        code, _, said = kept.rpartition(b"\n")
        made = cls(code)
        made.spilled = int(said) if said.isdigit() else None
        return made

    @property
    def kept(self) -> bytes:
        """Return what is kept in the cache: the code, and the spilled bytes as a line behind it."""
        return self + b"\n" + (b"" if self.spilled is None else b"%d" % self.spilled)


CudaCompiler: TypeAlias = "Nvrtc | Nvcc"
"""Compiler from CUDA C++ to machine code. Its `identity` differs if another version may give other machine code.

`compile` returns the machine code of a text for an architecture, and the compiler's output; for one such as
`compute_90` PTX, which the driver translates. `source` is the file that messages name. It raises RuntimeError with the
compiler's words if it refuses the text, and UnknownArchitecture if it is too old for the architecture.
"""


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache has every kernel."""
    return _runs


def options(macros: Iterable[str]) -> list[str]:
    """Return the compiler options for some macros, such as "LNGEN_D=1024"."""
    return ["-std=c++17", *(f"-D{macro}" for macro in sorted(macros))]


def compiled(
    source: Path,
    architecture: str,
    macros: Iterable[str],
    again: bool = False,
    *,
    driver: int = 0,
) -> MachineCode:
    """The machine code for an architecture, from the cache unless it is wanted `again`.

    One process compiles it while others wait. `driver` is the version of CUDA that the driver is for, 0 if there is
    none. A compiler that is too old for the architecture compiles for an older one.
    """
    global _runs
    text, line = inlined(source), options(macros)
    chosen = compiler(driver)
    path = cache.folder("cuda") / f"{cache.digest([text, architecture, *line, chosen.identity()])}.cubin"
    found = None if again else cache.kept(path)
    if found is not None:
        return MachineCode.read(found)
    with cache.making(path):
        found = None if again else cache.kept(path)
        if found is not None:
            return MachineCode.read(found)
        _runs += 1
        cubin, log = _compiled(chosen, source, text, architecture, [*line, REPORT])
        made, frames = MachineCode(cubin), [tuple(map(int, frame)) for frame in _FRAME.findall(log)]
        if any(stack for stack, _ in frames):
            made.spilled = sum(stored for _, stored in frames)
        cache.keep(path, made.kept)
    return made


def _compiled(
    chosen: CudaCompiler, source: Path, text: str, architecture: str, options: Sequence[str]
) -> tuple[bytes, str]:
    """Compile; where the compiler is too old, by another one, or for an older architecture, which is told."""
    problem: UnknownArchitecture | None = None
    known: dict[int, CudaCompiler] = {}
    for each in _in_turn(chosen):
        try:
            return each.compile(source, text, architecture, options)
        except UnknownArchitecture as error:
            problem = problem or error
            known = {**dict.fromkeys(each.architectures(), each), **known}
    assert problem is not None
    older = older_architecture(architecture, known)
    if older is None:
        raise problem
    made = known[int(older.rpartition("_")[2])].compile(source, text, older, options)
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


# ---- which compiler there is


def compiler(driver: int = 0) -> CudaCompiler:
    """Return NVRTC if it is installed, else nvcc; $LNGEN_COMPILER names one. Raises NoCudaCompiler if neither is.

    Of several, it is the first that is no newer than the driver, for a version of CUDA such as 12080. If there is no
    such one, a warning names both.
    """
    found = _installed()
    if not found:
        raise NoCudaCompiler(_NO_COMPILER)
    fitting = next((each for each in found if not _too_new(each, driver)), None)
    if fitting is None and (text := _too_new(found[0], driver)) not in _told:
        _told.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return fitting or found[0]


def _installed() -> list[CudaCompiler]:
    """The compilers there are, the fastest first."""
    wanted = os.environ.get("LNGEN_COMPILER", "")
    if wanted not in ("", "nvcc", "nvrtc"):
        raise ValueError(f'LNGEN_COMPILER is {wanted!r}; set it to "nvcc" or "nvrtc"')
    nvrtcs = [Nvrtc(*found) for found in find_nvrtcs()] if wanted != "nvcc" else []
    nvcc = _find_nvcc() if wanted != "nvrtc" else None
    # What cannot be loaded is left to tell of its error where there is nothing else.
    return [*filter(_is_loadable, nvrtcs), *([Nvcc(nvcc)] if nvcc else [])] or [*nvrtcs]


def _is_loadable(nvrtc: "Nvrtc") -> bool:
    try:
        return bool(nvrtc.identity())
    except OSError:
        return False


def _in_turn(chosen: CudaCompiler) -> Iterator[CudaCompiler]:
    """The chosen compiler, and then the others that there are."""
    yield chosen
    yield from (each for each in _installed() if each.path != getattr(chosen, "path", None))


def version_of(compiler: CudaCompiler) -> tuple[int, int] | None:
    """Return the version of CUDA that a compiler is of, such as (13, 0); None if it does not say."""
    said = _VERSION.search(compiler.identity())
    return (int(said[1]), int(said[2])) if said else None


def too_new(version: tuple[int, int] | None, driver: int) -> str:
    """Return what to do where a driver is older than the machine code of a compiler; empty if it is not.

    Drivers load machine code of later versions of their own CUDA, and none of a later CUDA.

    >>> too_new((12, 9), 12040), too_new((13, 0), 0)
    ('', '')
    >>> too_new((13, 0), 12040)
    'update the driver, which is for CUDA 12.4, or pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12'
    """
    major = driver // 1000
    if not driver or version is None or version[0] <= major:
        return ""
    suffix = f"-cu{major}" if major < _NAMED_WITHOUT else f"=={major}.*"
    packages = " ".join(f"{name}{suffix}" for name in ("nvidia-cuda-nvrtc", "nvidia-cuda-runtime"))
    return f"update the driver, which is for CUDA {major}.{driver % 1000 // 10}, or pip install {packages}"


def _too_new(compiler: CudaCompiler, driver: int) -> str:
    """Return a warning of code that the driver may refuse; empty if it is not to be expected."""
    version = version_of(compiler) if driver else None
    remedy = too_new(version, driver)
    if version is None or not remedy:
        return ""
    return f"{compiler.path.name} of CUDA {version[0]}.{version[1]} makes code that the driver may refuse: {remedy}"


def _toolkits() -> list[Path]:
    roots = [os.environ.get(key) for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
    return [Path(root) for root in (*roots, "/usr/local/cuda") if root]


def _find_nvcc() -> Path | None:
    on_path = shutil.which("nvcc")
    if on_path:
        return Path(on_path)
    places = [root / "bin" / "nvcc" for root in _toolkits()]
    return next((place for place in places if place.exists()), None)


def find_nvrtcs() -> list[tuple[Path, Path]]:
    """The libraries there are, each with the folder of the half-precision headers, in wheels or a toolkit."""
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    wheels = [
        root for folder in packages for root in (*sorted(folder.glob("cu[0-9]*"), reverse=True), folder)
    ]  # fmt: skip
    nvcc = shutil.which("nvcc")
    beside = [Path(nvcc).resolve().parent.parent] if nvcc else []
    found: dict[Path, Path] = {}
    for root in (*wheels, *beside, *_toolkits()):
        library = _first(root, "lib", "lib64", "cuda_nvrtc/lib", name="libnvrtc.so*")
        header = _first(root, "include", "cuda_runtime/include", name="cuda_fp16.h")
        if library and header:
            found.setdefault(library, header.parent)
    return [*found.items()]


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
            # The driver takes PTX as a text that ends with a zero, as NVRTC gives it.
            end = b"\0" if kind == "-ptx" else b""
            return (folder / "kernels.cubin").read_bytes() + end, log

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
    return RuntimeError(f"{compiler} refused {source}:\n{cache.refusal(log)}")


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
        # NVRTC of CUDA 13.0 takes lambda expressions of device functions for functions of the host.
        places = ["--device-as-default-execution-space", f"-I{self.headers}"]
        line = [*options, f"--gpu-architecture={architecture}", *places]
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
            # NVRTC asks for its second library by name alone, and wheels of some versions do not say where that is.
            for beside in sorted(self.path.parent.glob("libnvrtc-builtins.so*")):
                ctypes.CDLL(str(beside))
            self._library = ctypes.CDLL(str(self.path))
        return self._library

    def _call(self, function: str, *arguments: object) -> None:
        code = getattr(self._loaded(), function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with error {code}")
