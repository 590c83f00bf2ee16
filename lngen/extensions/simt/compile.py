"""Sources of kernels made into modules that run on the CPU.

Four things are compiled and kept: the emulator's headers, which take longer than most kernels; its runtime; the worker,
in whose process kernels run; and the module of each source. A module is checked or not: a checked one tells the runtime
of every access to memory.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lngen.errors import LngenError
from lngen.extensions.simt.source import Signature, for_compiler, macro_options, signatures, with_includes_set_aside
from lngen.extensions.simt.toolchain import Toolchain, find
from lngen.pipeline import cache
from lngen.pipeline.cache import folders

_HERE = Path(__file__).parent
_INCLUDE, _RUNTIME = _HERE / "include", _HERE / "runtime"

_LANGUAGE = ("-std=c++17", "-fPIC", "-pthread", "-g1", "-gdwarf-4")
_RUNTIME_OPTIONS = (*_LANGUAGE, "-O2", "-fvisibility=hidden")
# The guard of lngen/runtime/cuda/copies.cuh, which is empty then: include/simt/copies.cuh has its functions.
_OVERRIDDEN = ("-DLNGEN_COPIES_CUH",)
# Contraction would round a product and a sum once, where and how the compiler of this machine likes. The headers of
# half precision define functions that -O0 compiles though nothing calls them; more than -Og takes longer than it saves.
_KERNEL = (
    *_LANGUAGE, "-Og", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-gnu-unique", "-fno-threadsafe-statics",
    "-Wno-attributes", "-Wno-unknown-pragmas",
)  # fmt: skip
# The functions that this makes g++ call are those of runtime/checker.cpp and runtime/undefined.cpp: no sanitizer's
# library is linked.
_CHECKED = ("-fsanitize=thread,alignment,bounds,signed-integer-overflow,integer-divide-by-zero,shift",)


@dataclass(frozen=True)
class CompiledModule:
    """A compiled source: the shared object, and its kernels."""

    path: Path
    kernels: tuple[Signature, ...]


def compile_module(source: str, macros: Mapping[str, object], name: str, checked: bool) -> CompiledModule:
    """Compile a source, or find it in the cache.

    `name` is the file's name in messages. Raises ToolchainMissing, CompileError with the compiler's messages, and
    LngenError if the source has no kernel.
    """
    if any(character in name for character in '"\\\n\t') or not name:
        raise LngenError(f"{name!r} cannot be the name of a source file")
    tools = find()
    options = macro_options(macros)
    key = cache.key(["module", source, name, str(checked), *options, *_identity(tools)])

    def make(folder: Path) -> None:
        _compile(tools, source, options, name, checked, folder)

    folder = folders.entry(f"module-{key}", make)
    listed = json.loads((folder / "kernels.json").read_text(encoding="utf-8"))
    return CompiledModule(folder / "module.so", tuple(Signature(kernel, tuple(names)) for kernel, names in listed))


def worker() -> Path:
    """The program in whose process kernels run. Raises ToolchainMissing."""
    tools = find()

    def make(folder: Path) -> None:
        tools.run([*_RUNTIME_OPTIONS, str(_RUNTIME / "worker.cpp"), "-o", str(folder / "worker"), "-ldl"])

    return folders.entry(f"worker-{cache.key(['worker', *_identity(tools)])}", make) / "worker"


def _compile(tools: Toolchain, source: str, options: tuple[str, ...], name: str, checked: bool, folder: Path) -> None:
    text = f'#line 1 "{name}"\n{with_includes_set_aside(source)}\n'
    preprocessed = tools.run(["-E", "-x", "c++", "-std=c++17", *_OVERRIDDEN, *options, "-"], text)
    kernels = signatures(preprocessed)
    if not kernels:
        raise LngenError(f'{name}: no kernel; a kernel is a function declared `extern "C" __global__ void`')
    unit = folder / "unit.cpp"
    unit.write_text(for_compiler(preprocessed) + _table(kernels, checked), encoding="utf-8")
    sanitize = _CHECKED if checked else ()
    headers = _precompiled_headers(tools, sanitize)
    tools.run(
        [*_KERNEL, *sanitize, *tools.include_options, "-I", str(headers), "-include", "kernel.h",
         "-c", str(unit), "-o", str(folder / "unit.o")]
    )  # fmt: skip
    # The runtime comes first: of a library's template that both have, the one that is not instrumented is taken.
    objects = [str(_runtime(tools)), str(folder / "unit.o")]
    tools.run(["-shared", "-Wl,-Bsymbolic", *objects, "-o", str(folder / "module.so"), "-ldl"])
    (folder / "unit.o").unlink()
    listed = [[kernel.kernel, list(kernel.parameters)] for kernel in kernels]
    (folder / "kernels.json").write_text(json.dumps(listed), encoding="utf-8")


def _table(kernels: tuple[Signature, ...], checked: bool) -> str:
    """Return the end of a module's source: the tables for the runtime."""
    entries = "".join(f"  SIMT_KERNEL({kernel.kernel}),\n" for kernel in kernels)
    return (
        '\n#line 1 "kernel table"\n#pragma GCC visibility push(hidden)\n'
        f'extern "C" const simt_kernel simt_kernels[] = {{\n{entries}}};\n'
        f'extern "C" const size_t simt_kernel_count = {len(kernels)};\n'
        f'extern "C" const bool simt_instrumented = {str(checked).lower()};\n'
        "#pragma GCC visibility pop\n"
    )


def _precompiled_headers(tools: Toolchain, sanitize: tuple[str, ...]) -> Path:
    def make(folder: Path) -> None:
        header = folder / "kernel.h"
        header.write_text(f'#include "{_INCLUDE}/simt/kernel.h"\n', encoding="utf-8")
        tools.run([*_KERNEL, *sanitize, *tools.include_options, "-x", "c++-header", str(header), "-o", f"{header}.gch"])

    key = cache.key(["headers", *sanitize, str(_INCLUDE), *_identity(tools)])
    return folders.entry(f"headers-{key}", make)


def _runtime(tools: Toolchain) -> Path:
    """The object that every module is linked with. Its files are compiled as one, which takes half as long."""
    sources = sorted(path for path in _RUNTIME.glob("*.cpp") if path.name != "worker.cpp")

    def make(folder: Path) -> None:
        unit = "".join(f'#include "{path}"\n' for path in sources)
        output = str(folder / "runtime.o")
        tools.run([*_RUNTIME_OPTIONS, "-x", "c++", "-c", "-", "-o", output], unit)

    return folders.entry(f"runtime-{cache.key(['runtime', *_identity(tools)])}", make) / "runtime.o"


def _identity(tools: Toolchain) -> tuple[str | bytes, ...]:
    return (*tools.identity, *_RUNTIME_OPTIONS, *_KERNEL, *_CHECKED, *_OVERRIDDEN, *_own_sources())


@functools.cache
def _own_sources() -> tuple[bytes, ...]:
    """The emulator's C++, so that another version of it has entries of its own in the cache."""
    return tuple(path.read_bytes() for folder in (_INCLUDE, _RUNTIME) for path in sorted(folder.rglob("*.*")))
