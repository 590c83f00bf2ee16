"""Build PyCUDA once, keep its wheel, and install it into the environment of the Python that runs this.

PyCUDA comes as source only. It compiles against CUDA's headers, which a toolkit has and three wheels have,
and is linked against the driver's library, which few machines that build have: an empty one of that name
takes its place. What is built is the same as with the real one.

    python tools/build_pycuda.py [--version VERSION] [--force]

The wheel and what it depends on are kept in lngen's cache ($LNGEN_CACHE), so that a second environment
needs neither compiler nor network.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lngen.errors import LngenError
from lngen.pipeline.cache import folders

VERSION = "2026.1"
"""The release that is tested."""

HEADER_WHEELS = ("nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl")
"""The wheels that hold what `cuda.h` and the headers beside it include."""

_SONAME = "libcuda.so.1"


@dataclass(frozen=True)
class Headers:
    """A folder with `cuda.h`, CUDA's version (13000 is 13.0), and whether cuRAND's header is there too."""

    folder: Path
    version: int
    curand: bool


def main(arguments: list[str]) -> int:
    """Build or find the wheel, install it, and say what was done. The exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--version", default=VERSION, help="the release to build (%(default)s)")
    parser.add_argument("--force", action="store_true", help="install even where PyCUDA is installed")
    options = parser.parse_args(arguments)
    try:
        if (found := installed()) and not options.force:
            print(f"PyCUDA {found} is installed")
            return 0
        wheels = wheelhouse(options.version)
        install(wheels, options.version)
        print(f"PyCUDA {options.version} is installed, from {wheels}")
    except LngenError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def installed() -> str | None:
    """The version of PyCUDA in this environment, or None."""
    try:
        return importlib.metadata.version("pycuda")
    except importlib.metadata.PackageNotFoundError:
        return None


def wheelhouse(version: str) -> Path:
    """A folder with PyCUDA's wheel and those it needs; built if the cache has none. Raises LngenError."""
    headers = find_headers()
    abi = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    name = f"pycuda-{version}-{abi}-cuda{headers.version}{'-curand' * headers.curand}"

    def make(folder: Path) -> None:
        started = time.monotonic()
        print(
            f"building PyCUDA {version} with the headers of CUDA {_shown(headers.version)}, some minutes ...",
            flush=True,
        )
        with tempfile.TemporaryDirectory() as scratch:
            build(version, headers, Path(scratch), folder)
        print(f"built in {time.monotonic() - started:.0f} s")

    return folders.entry(name, make)


def build(version: str, headers: Headers, scratch: Path, wheels: Path) -> None:
    """Build the wheel into a folder, and bring what it depends on. Raises LngenError."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise LngenError(
            "PyCUDA has to be compiled, and there is no g++: install it (Debian, Ubuntu: apt-get install g++)"
        )
    if not any((Path(sysconfig.get_path(name)) / "Python.h").is_file() for name in ("include", "platinclude")):
        raise LngenError(
            "PyCUDA has to be compiled, and Python.h is missing (Debian, Ubuntu: apt-get install python3-dev)"
        )
    source = _source(version, scratch)
    stub = scratch / "stub"
    stub.mkdir()
    _run(
        [
            compiler,
            "-shared",
            f"-Wl,-soname,{_SONAME}",
            "-x",
            "c",
            os.devnull,
            "-o",
            str(stub / "libcuda.so"),
        ],
        scratch,
    )
    # With this file setup.py asks nothing and does not wait.
    (source / "siteconf.py").write_text(
        f"CUDA_INC_DIR = [{str(headers.folder)!r}]\nCUDADRV_LIB_DIR = [{str(stub)!r}]\n"
        f"CUDA_ENABLE_CURAND = {headers.curand}\n",
        encoding="utf-8",
    )
    # A linker that drops libraries of which nothing is used would drop the empty one, and with it the real
    # one's name.
    flags = {"LDFLAGS": f"{os.environ.get('LDFLAGS', '')} -Wl,--no-as-needed"}
    # Setuptools takes one of these for C++, the older ones the first.
    flags |= dict.fromkeys(("CFLAGS", "CXXFLAGS"), "-O1 -g0")
    # Only a talkative pip passes on which files are compiled.
    _pip(["wheel", "--verbose", "--no-deps", "--wheel-dir", str(wheels), str(source)], scratch, flags, Progress())
    wheel = next(wheels.glob("pycuda-*.whl"))
    if not _names_driver(wheel):
        raise LngenError(f"PyCUDA was linked without {_SONAME}; is there an unusual linker in LDFLAGS?")
    _pip(["wheel", "--prefer-binary", "--wheel-dir", str(wheels), str(wheel)], scratch, {})


def install(wheels: Path, version: str) -> None:
    """Install PyCUDA and what it depends on from a folder, with no network. Raises LngenError."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["install", "--no-index", "--find-links", str(wheels), "--force-reinstall", "--no-deps"]
        _pip([*command, f"pycuda=={version}"], Path(scratch), {})
        # Dependencies that are installed already are left alone.
        _pip(["install", "--no-index", "--find-links", str(wheels), f"pycuda=={version}"], Path(scratch), {})


def find_headers() -> Headers:
    """CUDA's headers: of the toolkit of nvcc, else of the wheels in this environment, else fetched."""
    for folder in (*_toolkit_folders(), *_wheel_folders([Path(entry) for entry in sys.path if entry])):
        if found := _headers_in(folder):
            return found

    def fetch(folder: Path) -> None:
        print(f"fetching the headers of CUDA ({', '.join(HEADER_WHEELS)}) ...")
        _pip(
            ["install", "--no-deps", "--only-binary", ":all:", "--target", str(folder), *HEADER_WHEELS],
            folder,
            {},
        )

    for folder in _wheel_folders([folders.entry("cuda-headers", fetch)]):
        if found := _headers_in(folder):
            return found
    raise LngenError(f"PyCUDA needs cuda.h: install a CUDA toolkit, or pip install {' '.join(HEADER_WHEELS)}")


def _headers_in(folder: Path) -> Headers | None:
    header = folder / "cuda.h"
    # cuda.h alone is not enough: the wrapper includes the runtime's types as well.
    if not header.is_file() or not (folder / "crt" / "host_defines.h").is_file():
        return None
    version = re.search(r"#define\s+CUDA_VERSION\s+(\d+)", header.read_text(encoding="utf-8", errors="replace"))
    return Headers(folder, int(version[1]), (folder / "curand.h").is_file()) if version else None


def _toolkit_folders() -> list[Path]:
    roots = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    if nvcc := shutil.which("nvcc"):
        # nvcc on the PATH may be a script that calls another; it says itself where it is.
        asked = subprocess.run(
            [nvcc, "--dryrun", "-E", "-x", "cu", os.devnull], capture_output=True, text=True, check=False
        )
        named = re.search(r"^#\$ TOP=(.+)$", asked.stderr, re.MULTILINE)
        roots.append(Path(named[1].strip()) if named else Path(nvcc).resolve().parent.parent)
    return [root.resolve() / "include" for root in roots]


def _wheel_folders(roots: list[Path]) -> list[Path]:
    return [folder for root in roots for folder in sorted(root.glob("nvidia/cu[0-9]*/include"), reverse=True)]


def _source(version: str, scratch: Path) -> Path:
    _pip(
        ["download", "--no-deps", "--no-binary", "pycuda", "--dest", str(scratch), f"pycuda=={version}"],
        scratch,
        {},
    )
    with tarfile.open(next(scratch.glob("pycuda-*.tar.gz"))) as archive:
        # Python 3.11 has had it since 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(scratch)
    return next(path for path in scratch.glob("pycuda-*") if path.is_dir())


def _names_driver(wheel: Path) -> bool:
    with zipfile.ZipFile(wheel) as archive:
        extension = next(name for name in archive.namelist() if re.fullmatch(r"pycuda/_driver\..*so", name))
        return _SONAME.encode() in archive.read(extension)


class Progress:
    """A line about how far a compilation is: rewritten on a terminal, else a new one every `interval` seconds."""

    def __init__(self, interval: float = 20.0) -> None:
        self._started = self._told = time.monotonic()
        self._on_terminal, self._files = sys.stdout.isatty(), 0
        self._interval = 0.5 if self._on_terminal else interval

    def line(self, text: str) -> None:
        """Take in a line that the compilation printed."""
        if found := re.search(r" -c (\S+\.(?:c|cc|cpp|cxx)) ", f"{text} "):
            self._files += 1
            if time.monotonic() - self._told >= self._interval:
                self._told = time.monotonic()
                shown = f"  {self._told - self._started:.0f} s: file {self._files}, {Path(found[1]).name}"
                print(
                    f"\r{shown:70}" if self._on_terminal else shown, end="" if self._on_terminal else "\n", flush=True
                )

    def end(self) -> None:
        """Leave the line, on a terminal."""
        if self._on_terminal and self._files:
            print()


def _pip(arguments: list[str], scratch: Path, environment: dict[str, str], progress: Progress | None = None) -> None:
    _run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], scratch, environment, progress)


def _run(
    command: list[str], folder: Path, environment: dict[str, str] | None = None, progress: Progress | None = None
) -> None:
    lines = []
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as running:  # fmt: skip
        for line in running.stdout or ():
            lines.append(line.rstrip("\n"))
            if progress is not None:
                progress.line(line)
    if progress is not None:
        progress.end()
    if running.returncode:
        end = "\n".join("\n".join(lines).strip().splitlines()[-30:])
        raise LngenError(f"{end}\n\nPyCUDA could not be built: the command that failed is\n  {' '.join(command)}")


def _shown(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
