"""Command `lngen inspect`: the speed of a layer's kernels as read from their machine code."""

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
        str, typer.Option("--arch", metavar="ARCH", help="sm_80, sm_90, sm_100 or sm_120; no GPU is needed.")
    ] = "sm_90",
    direction: Annotated[
        list[DirectionName] | None,
        typer.Option("--direction", metavar="NAME", help=f"{', '.join(DirectionName)}; may be repeated; default: all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
) -> None:
    """Read the machine code of the kernels and estimate their speed."""
    from lngen.cli import console, layers
    from lngen.extensions.inspection import words
    from lngen.extensions.inspection.architectures import architecture
    from lngen.extensions.inspection.kernels import inspected, missing_disassembler
    from lngen.layout import table
    from lngen.pipeline.stages import derived
    from lngen.plan.cost import parse_dtype

    device, kind = architecture(arch), parse_dtype(dtype)
    found = derived(layers.definition_of(layer), proved=False)
    kernels = inspected(found, device, features, kind, [entry.value for entry in direction or DirectionName])
    name, missing = found.definition.name, missing_disassembler()
    if as_json:
        console.print_json(
            {
                "layer": name,
                "arch": device.name,
                "device": device.device,
                "D": features,
                "dtype": kind.name,
                "kernels": words.document(kernels, device),
                "missing": missing,
            }
        )
        return
    console.say(f"{name}, {words.heading(device, features, kind.name)}")
    for kernel in kernels:
        print("\n".join(["", kernel.name, *table(words.facts(kernel, device), console.width())]))
    print()
    if missing:
        console.say(f"Counts of instructions need a disassembler: {missing}")
    else:
        console.say(
            "The expected limit is from a model, which ranks designs. No GPU was used, and no time is predicted."
        )
