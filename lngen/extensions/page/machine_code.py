"""Machine code of a layer's kernels on its page, for a given architecture."""

from __future__ import annotations

from dataclasses import dataclass

from lngen.errors import LngenError
from lngen.pipeline.stages import Derived
from lngen.plan.cost import parse_dtype
from lngen.runtime.protocol.directions import DIRECTIONS

LENGTHS = (1024, 4096)
DTYPES = ("bf16", "f32")


@dataclass(frozen=True)
class MachineCode:
    """A table whose first row is its headings, what it is of, and what is to be installed for the rest of it."""

    arch: str
    title: str
    rows: tuple[tuple[str, ...], ...]
    missing: str


def require(arch: str) -> None:
    """Raise LngenError for an unknown architecture, and where nothing reads machine code."""
    try:
        from lngen.extensions.inspection.architectures import architecture
    except ModuleNotFoundError:
        raise LngenError("--arch needs the extension that reads machine code: install lngen-derive again.") from None
    architecture(arch)


def machine_code(layer: Derived, arch: str) -> MachineCode:
    """The kernels of all directions at a few row lengths and types, compiled for an architecture such as `sm_90`.

    Raises LngenError for an unknown architecture, and where there is no compiler.
    """
    # A page of no architecture needs nothing that reads machine code.
    from lngen.extensions.inspection import words
    from lngen.extensions.inspection.architectures import architecture
    from lngen.extensions.inspection.kernels import inspected, missing_disassembler

    device = architecture(arch)
    least = layer.plan.forward.minimum_features
    rows = [
        words.line(kernel, features)
        for dtype in map(parse_dtype, DTYPES)
        for features in LENGTHS
        if features >= least
        for kernel in inspected(layer, device, features, dtype, DIRECTIONS)
    ]
    return MachineCode(arch, words.device(device), (words.HEADINGS, *rows), missing_disassembler())
