"""Command `lngen inspect`: what the compiler says of a layer's kernels."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class DirectionName(StrEnum):
    """Directions whose kernels `inspect` reads."""

    forward = "forward"
    backward = "backward"
    jvp = "jvp"
    backward_backward = "backward_backward"


def inspect(
    layer: Annotated[
        str, typer.Argument(metavar="LAYER", help="A layer's name (see `lngen list`) or a definition file.")
    ],
    features: Annotated[int, typer.Option("--D", metavar="D", min=1, help="The features of a row.")],
    dtype: Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="f64, f32, f16 or bf16.")],
    arch: Annotated[
        str, typer.Option("--arch", metavar="ARCH", help="An architecture, such as sm_90; no GPU is needed.")
    ] = "sm_90",
    direction: Annotated[
        list[DirectionName] | None,
        typer.Option("--direction", metavar="NAME", help=f"{', '.join(DirectionName)}; may be repeated; default: all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
) -> None:
    """Count registers, spills, shared memory, instructions and accesses of the kernels, as compiled."""
    from lngen.cli import console, layers
    from lngen.extensions.inspection.kernels import inspected, missing_disassembler
    from lngen.layout import table
    from lngen.pipeline.stages import derived
    from lngen.plan.cost import parse_dtype

    kind, found = parse_dtype(dtype), derived(layers.definition_of(layer), proved=False)
    kernels = inspected(found, arch, features, kind, [entry.value for entry in direction or DirectionName])
    name, missing = found.definition.name, missing_disassembler()
    if as_json:
        entries = [kernel.document() for kernel in kernels]
        whole = {"layer": name, "arch": arch, "D": features, "dtype": kind.name, "kernels": entries, "missing": missing}
        console.print_json(whole)
        return
    console.say(f"{name}, rows of {features} {kind.name}, {arch}")
    for kernel in kernels:
        print("\n".join(["", kernel.name, *table([*kernel.facts().items()], console.width())]))
    if missing:
        print()
        console.say(f"Counts of instructions need a disassembler: {missing}")
