"""The emulated `libcuda.so.1`, compiled."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

from lngen.errors import LngenError
from lngen.extensions.simt.toolchain import find
from lngen.pipeline import cache
from lngen.pipeline.cache import folders
from lngen.pipeline.files.gpu import NO_PYCUDA

_SOURCES = Path(__file__).parent / "cpp"
_NAME = "libcuda.so.1"
_STUB = '(name) extern "C" __attribute__((visibility("default"))) int name() { return lngen_unsupported(#name); }'
# Templates of the C++ library would take the place of those that another library has inside, such as NVRTC.
_EXPORTS = "{ global: cu*; lngen_*; local: *; };\n"
_OPTIONS = ("-std=c++17", "-O1", "-g1", "-fPIC", "-pthread", "-fvisibility=hidden", "-Wall", "-Wextra")


def wrapper() -> Path:
    """Find PyCUDA's extension module without importing it; raises LngenError if there is none."""
    found = importlib.util.find_spec("pycuda")
    folders = found.submodule_search_locations if found else None
    for folder in folders or ():
        for extension in sorted(Path(folder).glob("_driver*.so")):
            return extension
    raise LngenError(NO_PYCUDA)


def build() -> Path:
    """Build the library, with every function that the PyCUDA of this environment needs.

    A function that a later release of PyCUDA or of CUDA's headers adds is present too, and answers that it is not
    supported: an extension module with a missing function cannot be imported. Raises ToolchainMissing, and LngenError
    without PyCUDA.
    """
    tools = find()
    needed = sorted(name for name in _symbols(wrapper(), "--undefined-only") if name.startswith("cu"))
    sources = sorted(_SOURCES.glob("*.*"))

    def make(folder: Path) -> None:
        main = folder / "main.o"
        unit = "".join(f'#include "{path}"\n' for path in sources if path.suffix == ".cpp")
        tools.run([*_OPTIONS, "-x", "c++", "-c", "-", "-o", str(main)], unit)
        lacking = sorted(set(needed) - _symbols(main, "--defined-only"))
        stubs = f'extern "C" int lngen_unsupported(const char*);\n#define STUB{_STUB}\n' + "".join(
            f"STUB({name})\n" for name in lacking
        )
        tools.run([*_OPTIONS, "-x", "c++", "-c", "-", "-o", str(folder / "stubs.o")], stubs)
        objects = [str(main), str(folder / "stubs.o")]
        exports = folder / "exports"
        exports.write_text(_EXPORTS, encoding="utf-8")
        linking = f"-Wl,-soname,{_NAME},--version-script,{exports}"
        tools.run(["-shared", "-pthread", linking, *objects, "-o", str(folder / _NAME)])

    key = cache.key(["driver", *_OPTIONS, _EXPORTS, *needed, *tools.identity, *(path.read_bytes() for path in sources)])
    return folders.entry(f"driver-{key}", make) / _NAME


def _symbols(file: Path, which: str) -> set[str]:
    tool = shutil.which("nm")
    if tool is None:
        raise LngenError("the emulated driver needs nm: install binutils (Debian, Ubuntu: apt-get install binutils)")
    dynamic = ["-D"] if file.suffix == ".so" else []
    done = subprocess.run([tool, *dynamic, which, str(file)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LngenError(f"{file}: {done.stderr.strip()}")
    # A line is an address, if any, a letter, a name; a name may have a version behind it.
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if line.strip()}
