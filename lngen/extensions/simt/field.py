"""Kernels on the emulator in exact arithmetic: numbers modulo a prime, in the place of double.

The text of the kernels runs as it is: loops, tiles, tails, shuffles, sums of blocks, and the mathematics, with blocks,
warps and lanes in three orders. Only the lines of the headers that say what double is are changed (`CHANGED`).
`lngen.checks.field` says what an equal result shows.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lngen.checks.field.calls import HEADER, FieldCall, FieldResult, memory, outcome
from lngen.checks.field.residues import Residue, bits
from lngen.checks.on_device import OnDevice
from lngen.emit.cpp import handed
from lngen.errors import LngenError
from lngen.extensions.simt import driver
from lngen.extensions.simt.schedule import SCHEDULES
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import LayerProtocol

CHANGED = {
    "using f64 = double;": "using f64 = lngen_field::Number;",
    "template <> struct Wide<f64> { using type = double; };": "template <> struct Wide<f64> { using type = f64; };",
    "constexpr bool EXP_MULTIPLIES = true;": "constexpr bool EXP_MULTIPLIES = false;",
    "\nnamespace lngen {\n": f'\n#include "{HEADER.name}"\nnamespace lngen {{\n',
}
"""The lines of the headers that say what double is, and the first line after includes.

No function takes sums modulo the prime to products, but the one that is 1 everywhere: its order would divide the prime
less one. So the largest entry and the sums of exponentials below it (below.cuh) are two sweeps here.
"""


class InField:
    """A layer whose kernels compute modulo a prime; `folder` gets its files."""

    def __init__(self, layer: Derived, folder: Path) -> None:
        manifest.write(layer.emission, folder)
        headers = folder / RUNTIME / "cuda"
        shutil.copy(HEADER, headers)
        rows = headers / "rows.cuh"
        text = rows.read_text(encoding="utf-8")
        for before, after in CHANGED.items():
            if text.count(before) < 1:
                raise LngenError(f"rows.cuh has no line `{before.strip()}`; change CHANGED in {Path(__file__).name}.")
            text = text.replace(before, after, 1)
        rows.write_text(text, encoding="utf-8")
        name = loading.load(folder / layer.emission.name).__name__
        self.backend: ModuleType = import_module(f"{name}.cuda_backend")
        self.protocol = LayerProtocol(self.backend.INTERFACE)
        self.programs: dict[str, RowProgram] = {each.direction: handed(each) for each in layer.plan.programs()}

    def results(self, rows: int, features: int, seed: int = 0) -> Iterator[FieldResult]:
        """Yield the outcome of each direction, for rows of a shape."""
        call = FieldCall(self.programs, rows, features, seed=seed, constant=_of_bits)
        device = OnDevice(self.backend, ["f64"])
        saved: Any = None
        for name, takes in self.protocol.directions.items():
            drawn = call.arguments(takes)
            given = tuple([memory(drawn[each.symbol]) for each in takes.arguments if each.kind != "Constant"])
            numbers = {each.name: float(bits(drawn[each.symbol])) for each in takes.constants}
            runs = []
            for schedule in SCHEDULES:
                with driver.using(schedule=schedule, seed=1):
                    if takes.is_forward:
                        made, saved = device.forward(*given, **numbers)
                    else:
                        made = getattr(device, name)(saved, *takes.passed(given))
                runs.append([*takes.several(made), *[None] * len(takes.row_scalars)])
            yield outcome(call, takes, runs)


def _of_bits(value: float) -> Residue:
    """Return the residue whose bits are those of a number: kernels are passed numbers so."""
    return Residue(int(np.float64(value).view(np.uint64)))
