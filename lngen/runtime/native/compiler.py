# SPDX-License-Identifier: MIT
"""Compilation of kernels for the processor by the system's C++ compiler, once, and their loading.

Machine code is kept in `$LNGEN_CACHE/cpu` or the user's cache folder, by the text, the compiler, its options and the
features of the processor. Code that was compiled ahead of time is in `compiled/` beside the source.
"""

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import cache, trust
from ..includes import inlined

OPTIONS = (
    "-O3",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-fno-trapping-math",
    # Products are fused with sums where simd.h says so, and not where a compiler happens to.
    "-ffp-contract=off",
    # Lanes are vectors as they stand; GCC 12 ends at a fault of its own where it gathers numbers into more of them.
    "-fno-tree-slp-vectorize",
    "-Wno-psabi",
)
"""Compiler options; none may change a result further: sums, NaN and infinities are as the source says."""

_NAMES = ("c++", "g++", "clang++")
_REMEDY = (
    "install one (Debian, Ubuntu: apt-get install g++; macOS: xcode-select --install) or set CXX to one; "
    "numpy_backend works without"
)
_runs = 0
_told: set[Path] = set()
_lock = threading.Lock()
_locks: dict[str, threading.Lock] = {}
_libraries: dict[str, "Library"] = {}


class NoCompiler(RuntimeError):
    """Error for a missing C++ compiler; the message ends with the `remedy`."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__("; ".join(filter(None, [reason, remedy])))
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class HostCompiler:
    """A C++ compiler: the words that it is run by, such as ("/usr/bin/g++",) or ("ccache", "g++")."""

    words: tuple[str, ...]

    def identity(self) -> str:
        """Return text that differs between compilers, and between versions of one."""
        return f"{shlex.join(self.words)}\n{self.version()}"

    def version(self) -> str:
        """Ask the compiler for its version; raises NoCompiler for a program that compiles nothing, such as `true`."""
        programs = [Path(found) for word in self.words if (found := shutil.which(word))]
        return cache.version("cpu", programs, self._ask)

    def _ask(self) -> str:
        try:
            self.compile("probe.cpp", "int probe;\n", ["-x", "c++", "-fPIC", "-shared"])
        except NoCompiler:
            raise
        except RuntimeError as error:
            last = str(error).splitlines()[-1]
            raise NoCompiler(f"{shlex.join(self.words)} does not compile a test program: {last}", _REMEDY) from None
        return self._run(["--version"], "").stdout

    def features(self) -> str:
        """Return the features that -march=native selects on this processor."""
        return _told_by_linux() or self._run(["-march=native", "-dM", "-E", "-x", "c++", "-"], "").stdout

    def compile(self, name: str, text: str, options: Sequence[str]) -> bytes:
        """The shared library of a text; `name` is where messages say that it stands.

        Raises RuntimeError with the compiler's words if it refuses the text.
        """
        with tempfile.TemporaryDirectory(prefix="lngen-") as folder:
            made = Path(folder) / "made.so"
            done = self._run([*options, "-", "-o", str(made)], f'#line 1 "{name}"\n{text}')
            if done.returncode or not made.exists():
                words = cache.refusal(done.stderr) or f"it made nothing, and ended with status {done.returncode}"
                raise RuntimeError(f"{shlex.join(self.words)} refused {name}:\n{words}")
            return made.read_bytes()

    def _run(self, options: Sequence[str], text: str) -> "subprocess.CompletedProcess[str]":
        try:
            return subprocess.run(
                [*self.words, *options],
                check=False,
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise NoCompiler(f"{shlex.join(self.words)} cannot be run: {error.strerror}", _REMEDY) from error


class Library:
    """Shared library of kernels, loaded until the process ends."""

    def __init__(self, path: Path, *, read: Callable[[Path], bytes] = trust.regular) -> None:
        """Load a library; raises OSError if the file does not exist, is damaged, or cannot be read or loaded."""
        # A mapping of a truncated file would end the process when it is read beyond its end.
        if cache.unsealed(read(path)) is None:
            raise OSError(f"{path} is damaged")
        self.path = path
        self._loaded = ctypes.PyDLL(str(path))

    def address(self, kernel: str) -> int:
        """Return the address of a kernel; raises AttributeError if there is no such kernel."""
        address = ctypes.cast(getattr(self._loaded, kernel), ctypes.c_void_p).value
        assert address is not None
        return address

    def python_object(self, function: str) -> Any:
        """Return the Python object that a function without arguments makes."""
        begin = getattr(self._loaded, function)
        begin.restype = ctypes.py_object
        return begin()


def compiler() -> HostCompiler:
    """Return $CXX, else the first that works of c++, g++ and clang++; raises NoCompiler if none does."""
    if os.name == "nt":
        raise NoCompiler("kernels for the processor are not compiled on Windows", "numpy_backend works there")
    return _found(os.environ.get("CXX", ""), os.environ.get("PATH", os.defpath))


@lru_cache(maxsize=8)
def _found(wanted: str, path: str) -> HostCompiler:
    try:
        words = shlex.split(wanted)
    except ValueError as error:
        raise NoCompiler(f"CXX is {wanted!r}, which is not a command: {error}", _REMEDY) from None
    if words and not shutil.which(words[0], path=path):
        raise NoCompiler(f"CXX is {wanted!r}, and there is no such program", _REMEDY)
    places = [words] if words else [[place] for name in _NAMES if (place := shutil.which(name, path=path))]
    refused: list[NoCompiler] = []
    for found in (HostCompiler(tuple(each)) for each in places):
        try:
            found.version()
            return found
        except NoCompiler as error:
            refused.append(error)
    raise refused[0] if refused else NoCompiler("no C++ compiler", _REMEDY)


def compilations() -> int:
    """Return the number of compiler runs of this process for kernels; 0 while the cache has every kernel."""
    return _runs


def library(
    source: Path,
    macros: Iterable[str],
    *,
    architecture: str = "native",
    options: Sequence[str] = (),
    includes: Sequence[Path] = (),
) -> Library:
    """Return the kernels of a source with some macros (such as "FLOAT32" or "N=2"), compiled and loaded once.

    `architecture` is the value of -march. For "native", code that was compiled ahead of time is taken if its text is
    the same and the processor can run it. Further `options`, such as "-fsanitize=thread", come last; `includes` are
    folders of other headers. Several threads and processes may call this at a time. Raises NoCompiler if a compiler is
    needed and missing, and RuntimeError with the compiler's words if it refuses the text.
    """
    text, defined = _text(source), _defined(macros)
    name = cache.digest([text, architecture, *defined, *options, os.environ.get("CXX", "")])
    found = _libraries.get(name)
    if found is None:
        with _lock:
            of_its_own = _locks.setdefault(name, threading.Lock())
        with of_its_own:
            found = _libraries.get(name)
            if found is None:
                found = _ready(source, text, defined) if architecture == "native" and not options else None
                found = found or _made(source, text, [*_options(source, architecture, defined, includes), *options])
                _libraries[name] = found
    return found


def _text(source: Path) -> str:
    """The text that a compiler is given. Raises NoCompiler where the source is in another file, or is missing."""
    try:
        return inlined(source)
    except NotADirectoryError as error:
        raise NoCompiler(f"{source} is inside of another file", "unpack that; numpy_backend works without") from error
    except FileNotFoundError as error:
        remedy = "a package has them by package data: *.cpp, *.c, *.h, *.cu and *.cuh"
        raise NoCompiler(f"{error.filename} was not installed with the modules beside it", remedy) from error


def _options(source: Path, architecture: str, defined: Sequence[str], includes: Sequence[Path]) -> list[str]:
    language = ("-x", "c", "-std=c11") if source.suffix == ".c" else ("-x", "c++", "-std=c++17")
    # macOS looks names of the process up only if it is told to.
    elsewhere = ["-Wl,-undefined,dynamic_lookup"] if includes and platform.system() == "Darwin" else []
    return [
        *language,
        *OPTIONS,
        f"-march={architecture}",
        *defined,
        *(f"-I{folder}" for folder in includes),
        *elsewhere,
    ]


def _defined(macros: Iterable[str]) -> list[str]:
    return [f"-D{macro}" for macro in sorted(macros)]


def _made(source: Path, text: str, options: Sequence[str]) -> Library:
    """The library from the cache, or compiled: by one process, while others that want the same wait for it."""
    global _runs
    try:
        chosen = compiler()
        parts = [text, *options, chosen.identity(), platform.machine()]
    except NoCompiler as error:
        raise _not_built(source, options, error) from None
    if "-march=native" in options:
        parts.append(chosen.features())
    path = cache.folder("cpu") / f"{cache.digest(parts)}.so"
    if found := _kept(path):
        return found
    with cache.making(path):
        if found := _kept(path):
            return found
        _runs += 1
        _tell(source)
        content = chosen.compile(source.name, text, options)
        cache.keep(path, content)
    return _kept(path) or _loaded_from_elsewhere(source, content)


def _tell(source: Path) -> None:
    """Say what is waited for to whoever sits at a terminal, once for each file of a process."""
    if source not in _told and sys.stderr and sys.stderr.isatty():
        _told.add(source)
        print(f"compiling {source.parent.name}/{source.name}, once for this processor", file=sys.stderr, flush=True)


def _kept(path: Path) -> Library | None:
    """Return the library of the cache; None if it does not exist, is damaged, cannot be loaded, or is not trusted."""
    try:
        return Library(path, read=trust.read)
    except trust.Refused as refused:
        trust.tell(refused)
    except OSError:
        pass
    return None


def _loaded_from_elsewhere(source: Path, content: bytes) -> Library:
    """The library out of a file that is gone once it is loaded."""
    with tempfile.TemporaryDirectory(prefix="lngen-") as folder:
        path = Path(folder) / "made.so"
        path.write_bytes(cache.sealed(content))
        try:
            return Library(path)
        except OSError as error:
            raise RuntimeError(f"the library made of {source} cannot be loaded: {error}") from error


# ---- what was compiled ahead of time

_NEEDS = {
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
    "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
    "x86-64": "sse2",
    "armv8.2-a": "asimd asimdhp atomics",
    "armv8-a": "asimd",
}
"""Processor features that each architecture needs, by Linux's names; of two for one processor, the better is first."""

ARCHITECTURES = tuple(_NEEDS)
"""Architectures for which kernels can be compiled ahead of time."""


def ahead_of_time(source: Path, macros: Iterable[str], architecture: str, *, includes: Sequence[Path] = ()) -> Path:
    """Compile for processors of an architecture, such as "x86-64-v3", and write the file where `library` finds it.

    Returns its path. Raises ValueError for an unknown architecture, OSError if the path cannot be written, and
    RuntimeError as `library` does. If $CXX is a cross compiler, the architecture may be that of another processor.
    """
    global _runs
    if architecture not in _NEEDS:
        raise ValueError(f"no architecture {architecture!r} to compile ahead of time for; pass one of {[*_NEEDS]}")
    text, defined = inlined(source), _defined(macros)
    _runs += 1
    content = compiler().compile(source.name, text, _options(source, architecture, defined, includes))
    path = _place(source, text, defined, architecture)
    path.parent.mkdir(exist_ok=True)
    cache.write(path, cache.sealed(content), mode=0o666)
    return path


def _place(source: Path, text: str, defined: Sequence[str], architecture: str) -> Path:
    of_this = cache.digest([text, *_options(source, architecture, defined, ())])[:32]
    return source.parent / cache.COMPILED / f"{source.stem}.{of_this}.{architecture}.so"


def ready(source: Path, macros: Iterable[str]) -> Library | None:
    """Return a library compiled ahead of time from a source with some macros, if the processor can run it."""
    return _ready(source, _text(source), _defined(macros))


def _ready(source: Path, text: str, defined: Sequence[str]) -> Library | None:
    for architecture in _runnable():
        with suppress(OSError):
            return Library(_place(source, text, defined, architecture))
    return None


def _runnable() -> list[str]:
    """The architectures that this processor has all of, the better first."""
    features = set(_told_by_linux().split())
    return [architecture for architecture, needs in _NEEDS.items() if features.issuperset(needs.split())]


def can_run(folder: Path) -> bool:
    """Test whether compiled kernels of the layer in a folder are available: compiled now, or ahead of time.

    A package that was built of modules alone lacks their sources.
    """
    try:
        compiler()
    except NoCompiler:
        return is_built(folder)
    return folder.is_dir() and any(folder.glob("*.cpp")) and any(Path(__file__).parent.glob("*.h"))


def is_built(folder: Path) -> bool:
    """Test whether some source in a folder was compiled ahead of time for processors like this one."""
    return not _built_for(folder).isdisjoint(_runnable())


def _built_for(folder: Path) -> set[str]:
    names = [path.name for path in (folder / cache.COMPILED).glob("*.so")]
    return {each for each in _NEEDS if any(name.endswith(f".{each}.so") for name in names)}


def _not_built(source: Path, options: Sequence[str], error: NoCompiler) -> NoCompiler:
    """Return the error of a machine without compiler, which names unusable code that was compiled ahead of time."""
    built = _built_for(source.parent)
    if not built:
        return error
    if built.isdisjoint(_runnable()):
        lacks = f"is compiled ahead of time for {', '.join(sorted(built))}, and not for this processor"
    else:
        macros = ", ".join(option[2:] for option in options if option.startswith("-D"))
        lacks = f"is compiled ahead of time, but not with {macros}"
    return NoCompiler(
        f"{source.name} {lacks}, and here it cannot be: {error.reason}", f"build it so, or {error.remedy}"
    )


@lru_cache(maxsize=1)
def _told_by_linux() -> str:
    """The features of the first processor; empty where the system has no such list."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return value.strip()
    return ""


def _new_locks() -> None:
    """A process that was forked has none of the threads that may have held a lock."""
    global _lock
    _lock = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_locks)
