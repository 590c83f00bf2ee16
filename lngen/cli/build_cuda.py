"""`lngen build --cuda`: kernels of layers, compiled ahead of time for devices of some architectures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from lngen.cli import console
from lngen.cli.cores import cores
from lngen.errors import LngenError
from lngen.pipeline.files import loading
from lngen.plan.cost import parse_dtype
from lngen.runtime import cache
from lngen.runtime.cuda import compilers, plans
from lngen.runtime.cuda.arrays import ALL_KINDS, part
from lngen.runtime.cuda.calls import KernelKey
from lngen.runtime.cuda.few_rows import has_kernel_of_few
from lngen.runtime.cuda.macros import most_blocks_of_cluster, of_few_rows, of_module
from lngen.runtime.cuda.ready import DIRECTIONS, ReadyCode, TargetDevice, target
from lngen.runtime.cuda.variants import without_spills
from lngen.runtime.emitted import backend_module
from lngen.runtime.protocol import directions as protocol
from lngen.runtime.protocol.directions import NUMBER, Entry

Module: TypeAlias = tuple[Path, tuple[str, ...], TargetDevice]
"""Source of a module, its macros, and the devices that it is for."""

_ROWS = 2
_ALIGNED = 4096
_TYPESTRS = {kind: typestr for typestr, kind in ALL_KINDS.items()}


@dataclass(frozen=True)
class CudaBuild:
    """Calls that kernels are compiled for ahead of time.

    `parameters` are the types of features and scalars; none stands for that of the rows. Calls have all inputs, none of
    the optional ones, or all but those of an entry of `without`.
    """

    targets: tuple[TargetDevice, ...]
    features: tuple[int, ...]
    types: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    without: tuple[frozenset[str], ...] = ()
    directions: tuple[str, ...] = DIRECTIONS


def cuda_build(
    cuda: str,
    features: str,
    dtypes: Sequence[str] = (),
    parameters: str = "",
    without: Sequence[str] = (),
    directions: str = "",
) -> CudaBuild:
    """Read what is asked for from words such as "sm_80,sm_90" and "768,4096"; raises LngenError for a wrong one."""
    try:
        targets = tuple(target(each) for each in listed(cuda))
    except ValueError as error:
        raise LngenError(f"--cuda: {error}.") from error
    lengths = listed(features)
    if not lengths or not all(each.isdecimal() and int(each) for each in lengths):
        raise LngenError(f"--D {features!r} is no list of row lengths: pass those to compile for, such as 768,4096.")
    if strange := [each for each in listed(directions) if each not in protocol.DIRECTIONS]:
        raise LngenError(f"there is no direction {strange[0]!r}; there are {', '.join(protocol.DIRECTIONS)}.")
    return CudaBuild(
        targets,
        tuple(map(int, lengths)),
        tuple(parse_dtype(each).name for words in dtypes for each in listed(words)) or ("f32",),
        tuple(parse_dtype(each).name for each in listed(parameters)),
        tuple(frozenset(listed(each)) for each in without),
        tuple(listed(directions)) or DIRECTIONS,
    )


def listed(words: str) -> list[str]:
    """Return the entries of a list with commas, each once.

    >>> listed("sm_80, sm_90,sm_80")
    ['sm_80', 'sm_90']
    """
    return list(dict.fromkeys(each for word in words.split(",") if (each := word.strip())))


def require_compiler(build: CudaBuild) -> None:
    """Refuse a build that no compiler of this machine can make."""
    try:
        compilers.compiler()
    except (RuntimeError, ValueError) as error:
        raise LngenError(f"nothing can be compiled for GPUs: {error}.") from error
    known = compilers.known_architectures()
    for each in build.targets:
        if known and compilers.number_of(each.architecture) not in known:
            newest = ", ".join(f"sm_{number}" for number in sorted(known))
            raise LngenError(f"no compiler here knows {each.architecture}; they know {newest}. Install a newer one.")


def compile_layers(folders: Sequence[Path], build: CudaBuild) -> dict[Path, list[Path]]:
    """Compile the kernels of the layers in some folders, several at a time; return the files of each.

    Raises LngenError for calls that a layer cannot have, RuntimeError for what a compiler refuses, and OSError.
    """
    layers = [(folder, _layer(folder)) for folder in folders]
    known = {each.symbol for _, layer in layers for each in layer.inputs if each.may_be_none}
    for name in sorted(frozenset().union(*build.without) - known):
        raise LngenError(f"--without {name}: no layer has an optional input of that name.")
    wanted = [(folder, module) for folder, layer in layers for module in modules(layer, build)]
    made: dict[Path, list[Path]] = {}
    with console.progress(len(wanted)) as told, ThreadPoolExecutor(cores()) as pool:
        paths = pool.map(_compiled, [module for _, module in wanted])
        for folder, _ in wanted:
            told(f"{folder.name}: compiled")
            made.setdefault(folder, []).append(next(paths))
    return made


def say_what_it_serves(folders: Sequence[Path], build: CudaBuild) -> None:
    """Say which calls need no compiler, and which do."""
    architectures = ", ".join(each.architecture for each in build.targets)
    lengths = ", ".join(map(str, build.features))
    console.say(
        f"For {architectures}, D = {lengths} and rows in {', '.join(build.types)}, no compiler of CUDA is needed for "
        f"{' and '.join(build.directions)}: with every input, and without the optional ones. Any other call is "
        "compiled where it is used, or refused without a compiler."
    )
    axes = [folder.name for folder in folders if "layout" in loading.load(folder).INTERFACE]
    if axes:
        console.note(f"{', '.join(axes)}: code is for rows that lie one behind the other, and for no other axes.")


def _layer(folder: Path) -> Any:
    return backend_module(loading.load(folder).__name__, "cuda")._LAYER


def modules(layer: Any, build: CudaBuild) -> list[Module]:
    """Return the modules of a layer that serve some calls, each once."""
    found = [
        (layer.folder / f"{layer.directions[key.direction].source}.cu", tuple(layer.macros(given)), each)
        for key in dict.fromkeys(keys(layer, build))
        for each in build.targets
        for given in _macros(layer, key, each)
    ]
    return list(dict.fromkeys(found))


def _macros(layer: Any, key: KernelKey, device: TargetDevice) -> Iterator[list[str]]:
    """Yield the macros of the modules that a call may ask for, with few rows or many."""
    usual = of_module(layer, key, device, most_blocks_of_cluster(device))
    yield usual
    if has_kernel_of_few(layer, key, device):
        yield of_few_rows(usual, most_blocks_of_cluster(device))


def _compiled(module: Module) -> Path:
    source, macros, device = module
    code = without_spills(
        lambda variant: compilers.compiled(source, device.architecture, [*macros, *variant], exactly=True),
        lambda made: compilers.spilled(made) or 0,
    )
    path = ReadyCode(source, macros).place(device.architecture)
    path.parent.mkdir(exist_ok=True)
    cache.write(path, cache.sealed(code), mode=0o666)
    return path


# ---- which kernels calls ask for: such calls are planned, with arrays that are nowhere


class _Nowhere:
    """Array without memory: its type and shape, at an address that is aligned for vectors."""

    def __init__(self, shape: tuple[int, ...], typestr: str) -> None:
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (_ALIGNED, False), "version": 2}


def keys(layer: Any, build: CudaBuild) -> Iterator[KernelKey]:
    """Yield the keys of the kernels of each call."""
    optional = frozenset(each.symbol for each in layer.inputs if each.may_be_none)
    has_integers = any(each.is_integer and each.part != NUMBER for each in layer.inputs)
    for features in build.features:
        for row_type in build.types:
            for parameter_type in build.parameters or (row_type,):
                for integer_type in ("i32", "i64") if has_integers else ("i32",):
                    made = partial(_made, (_ROWS, features), row_type, parameter_type, integer_type)
                    for absent in dict.fromkeys(
                        (frozenset[str](), optional, *(each & optional for each in build.without))
                    ):
                        try:
                            yield from _of_call(layer, made, absent, build.directions)
                        except (TypeError, ValueError) as error:
                            raise LngenError(f"{layer.name} with --D {features}: {error}.") from error


def _made(shape: tuple[int, ...], row_type: str, parameter_type: str, integer_type: str, each: Entry) -> Any:
    """Return an array for a value, or a number for one that is a number."""
    if each.kind == "Constant" or (each.is_integer and each.part == NUMBER):
        return 1.0 if each.kind == "Constant" else 0
    kind = integer_type if each.is_integer else row_type if each.is_per_row else parameter_type
    return _Nowhere(part(each.kind, shape), _TYPESTRS[kind])


def _of_call(layer: Any, made: Any, absent: frozenset[str], directions: Sequence[str]) -> Iterator[KernelKey]:
    """Yield the keys of forward, for training and without, and of later directions, without some inputs."""
    takes = layer.takes["forward"]
    objects = [None if each.symbol in absent else made(each) for each in takes.arguments]
    objects += [None] * (len(plans.slots(layer, "forward")) - len(objects))
    plan = plans.plan_forward(layer, objects)
    if "forward" in directions:
        yield plan.wanted
        yield plans.plan_forward(layer, objects, saves=False).wanted
    for slot, shape, dtype in [
        *((slot, shape, dtype) for slot, shape, dtype, _ in plan.new),
        *((slot, plan.shape[:-1], plan.dtype) for slot, _ in plan.pieces),
    ]:
        objects[slot] = _Nowhere(shape, dtype.str)
    fields = [objects[slot] for slot in plan.kept]
    saved = tuple.__new__(layer.Saved, (plan.shape, plan.dtype, plan.dtypes, *fields))
    for direction in (each for each in directions if each != "forward" and each in layer.directions):
        takes = layer.takes[direction]
        for left_out in (absent, frozenset(each.symbol for each in layer.inputs if each.may_be_none)):
            arguments = [
                None if each.follows is not None and each.owner.symbol in left_out else made(each)
                for each in takes.arguments
            ]
            ends = [None] * (len(plans.slots(layer, direction)) - len(arguments) - len(fields))
            yield plans.plan_later(layer, direction, [*arguments, *fields, *ends], saved).wanted
