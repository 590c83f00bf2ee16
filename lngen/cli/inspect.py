"""Command `lngen inspect`: the speed of a layer's kernels as read from their machine code."""

from __future__ import annotations

from collections.abc import Sequence

from lngen.cli import console, layers
from lngen.extensions.inspection import words
from lngen.extensions.inspection.architectures import architecture
from lngen.extensions.inspection.kernels import inspected, missing_disassembler
from lngen.pipeline.stages import derived
from lngen.plan.cost import parse_dtype
from lngen.report.layout import table


def run(word: str, arch: str, features: int, dtype: str, directions: Sequence[str], as_json: bool) -> None:
    """Print the findings about each kernel of some directions, for rows of so many features."""
    device, kind = architecture(arch), parse_dtype(dtype)
    layer = derived(layers.definition_of(word), proved=False)
    kernels = inspected(layer, device, features, kind, directions)
    missing = missing_disassembler()
    if as_json:
        console.print_json(
            {
                "layer": layer.definition.name,
                "arch": device.name,
                "device": device.device,
                "D": features,
                "dtype": kind.name,
                "kernels": words.document(kernels, device),
                "missing": missing,
            }
        )
        return
    console.say(f"{layer.definition.name}, {words.heading(device, features, kind.name)}")
    for kernel in kernels:
        print("\n".join(["", kernel.name, *table(words.facts(kernel, device), console.width())]))
    print()
    if missing:
        console.say(f"Counts of instructions need a disassembler: {missing}")
    else:
        console.say(
            "The expected limit is from a model, which ranks designs. No GPU was used, and no time is predicted."
        )
