"""`lngen build`: layers in a folder, compiled ahead of time for the processors of a kind."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from lngen.cli import console, layers
from lngen.cli.cores import cores
from lngen.cli.derive import chosen_for, derive_all
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.paths import RUNTIME, require_package
from lngen.pipeline.files import loading, manifest
from lngen.plan.cost import parse_dtype
from lngen.runtime.cache import COMPILED
from lngen.runtime.emitted import is_emitted, left_out
from lngen.runtime.native import compiler as host_compiler
from lngen.runtime.native import extensions
from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.directions import LayerProtocol
from lngen.runtime.protocol.interface import PARAMETERS

Build: TypeAlias = tuple[Path, tuple[str, ...]]
"""A source, and the macros that it is compiled with."""

_ARM = ("aarch64", "arm64")


def run(definitions: Sequence[Definition], out: Path, arch: str | None, dtypes: Sequence[str]) -> None:
    """Write the layers to a folder as `lngen derive` does, and compile there the code for rows of some types.

    Refusals come before anything is written. Without `arch` the code is for this machine's kind of processor; without
    `dtypes`, for f32.
    """
    architecture = _architecture(arch)
    types = list(dict.fromkeys(parse_dtype(each).name for words in dtypes or ["f32"] for each in listed(words)))
    try:
        host_compiler.compiler()
    except host_compiler.NoCompiler as error:
        raise LngenError(f"nothing can be compiled: {error}.") from error
    require_package(out)
    manifest.require_writable((RUNTIME, *(definition.name for definition in definitions)), out)
    chosen = {each.name: chosen_for(each.name, out) for each in definitions}
    for name in (name for name, backends in chosen.items() if "cpu" not in backends):
        raise LngenError(f"there is nothing to compile: {left_out(out / name, 'cpu')}.")
    every = derive_all(definitions, chosen)
    emissions = [layer.emission for layer in every]
    folders = [out / emission.name for emission in emissions]
    # Libraries are found by the text that they were made of, which is that of the shared headers, too.
    if manifest.update([manifest.shared_emission(emissions, out), *emissions], out)[RUNTIME]:
        for folder in folders:
            shutil.rmtree(folder / COMPILED, ignore_errors=True)
    for folder, files in _compiled(folders, architecture, types).items():
        size = sum(path.stat().st_size for path in files) / 1e3
        console.say(f"compiled in {layers.shown(folder / COMPILED)}: {len(files)} libraries, {size:.0f} kB")
    _compile_extensions(out / RUNTIME / "native", architecture)
    console.say(
        f"For {architecture} and rows in {', '.join(types)}, {layers.shown(out)} needs no compiler where it is "
        "used. Any other call is compiled there, or refused without a compiler."
    )


def listed(words: str) -> list[str]:
    """Return the entries of a list with commas, each once.

    >>> listed("f32, f64,f32")
    ['f32', 'f64']
    """
    return list(dict.fromkeys(each for word in words.split(",") if (each := word.strip())))


def _architecture(asked: str | None) -> str:
    """Return the given architecture, or that of this machine's kind; raises LngenError for an unsupported one."""
    is_arm = platform.machine().lower() in _ARM
    architecture = asked or ("armv8-a" if is_arm else "x86-64-v3")
    if architecture not in host_compiler.ARCHITECTURES:
        known = ", ".join(host_compiler.ARCHITECTURES)
        raise LngenError(f"there is no architecture {architecture!r} to compile for; there are {known}.")
    if architecture.startswith("arm") != is_arm and not os.environ.get("CXX"):
        raise LngenError(
            f"{architecture} is an architecture of another kind than this processor, {platform.machine()}. "
            "Set CXX to a compiler for it, such as aarch64-linux-gnu-g++."
        )
    return architecture


def _compiled(folders: Sequence[Path], architecture: str, types: Sequence[str]) -> dict[Path, list[Path]]:
    """The libraries of the layers in some folders. Several are compiled at a time."""
    wanted = [(folder, build) for folder in folders for build in _builds(folder, types)]
    made: dict[Path, list[Path]] = {}
    with console.progress(len(wanted)) as part, ThreadPoolExecutor(cores()) as pool, _refusals():
        paths = pool.map(partial(_made, architecture=architecture), [build for _, build in wanted])
        for folder, _ in wanted:
            part(f"{folder.name}: compiled")
            made.setdefault(folder, []).append(next(paths))
    return made


def _made(build: Build, architecture: str) -> Path:
    source, macros = build
    return host_compiler.ahead_of_time(source, macros, architecture)


def _builds(folder: Path, types: Sequence[str]) -> list[Build]:
    found = [build for stored in types for build in _of_arrays(vars(loading.load(folder, backend="cpu")), stored)]
    if is_emitted(folder, "torch") and loading.is_installed("torch"):  # which reads arrays of named axes in place
        page = vars(loading.load(folder, backend="torch"))
        own = {tuple(page[name].own) for name in ("_FORWARD", "_BACKWARD")} - {()}
        found += [
            (source, (*macros, *each))
            for source, macros in found
            for each in sorted(own)
            if source == page["_FORWARD"].source
        ]
    return found


def _of_arrays(page: Mapping[str, Any], stored: str) -> list[Build]:
    """Return what calls with all values need, those without the tangents of optional inputs, and those without both.

    PyTorch passes parameters of 16 bits to the first two directions as they are.
    """
    layer = LayerProtocol(without_axes(page["INTERFACE"]))
    optional = {each.symbol for each in layer.inputs if each.may_be_none}
    has_parameters = any(each.kind in PARAMETERS for each in layer.inputs)
    found: dict[Build, None] = {}
    for name, takes in layer.directions.items():
        kernels = page[f"_{name.upper()}"]
        tangents = {each.symbol for each in takes.arguments if each.owner and each.owner.symbol in optional}
        both = [stored, f"{stored}_{stored}"] if stored in ("f16", "bf16") and has_parameters else [stored]
        for without in (set(), tangents, optional | tangents):
            for types in both if name in ("forward", "backward") else [stored]:
                found[kernels.source, kernels.macros(types, {*kernels.optional} & without)] = None
    return [*found]


def _compile_extensions(folder: Path, architecture: str) -> None:
    try:
        for source in (folder / f"{name}.c" for name in extensions.EXTENSIONS):
            if source.is_file():
                extensions.compile_ahead(source, architecture)
    except RuntimeError as error:
        console.note(f"Calls take some tens of microseconds more, since the extensions were not compiled: {error}")


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn the refusals of a compiler and of a folder into errors of lngen."""
    try:
        yield
    except RuntimeError as error:
        raise LngenError(str(error)) from error
    except OSError as error:
        raise LngenError(f"{error.filename}: {error.strerror or error}. Choose another --out.") from error
