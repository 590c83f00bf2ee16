"""Backends, a folder each, which print row programs.

Takes: a `RowProgram`.
Gives: the text of each backend's files, through `templates/`.
Knows nothing of: how a program was derived; it computes no algebra.

A backend lowers the row programs of a layer to finished lines; its template places them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lngen.derivation.derivation import Direction
from lngen.language.axes import AxisParts, AxisSize, Pattern, RowAxes
from lngen.language.definition import Counterpart


@dataclass(frozen=True)
class Notes:
    """Texts of an emitted file besides its code.

    `layer` is the layer's name and `title` the first line of its definition's docstring, escaped for a docstring.
    `header` holds comment lines for the top of each file (provenance), placed verbatim after the comment sign.
    `formulas` are the derivation's last lines as text, by direction. `inputs` names the layer's inputs without its
    Constants, in the order of the definition; if empty, rows come first, then parameters. `data` names the inputs
    without a gradient. `nonnegative` names the Constants that must not be negative. `renamed` pairs the names here with
    those of callers, as the definition does. `counterparts` are the modules of PyTorch that the layer can replace.
    `layout`, `sizes` and `patterns` are the axes of the rows, the inputs that are the size of one, and the axes of each
    input, if axes have names. `parts` are the arrays that callers pass and get as a whole, and `together` the names of
    the parts of each where arrays are rows.
    """

    layer: str
    title: str
    header: tuple[str, ...] = ()
    formulas: Mapping[Direction, tuple[str, ...]] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    nonnegative: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    counterparts: tuple[Counterpart, ...] = ()
    layout: RowAxes | None = None
    sizes: tuple[AxisSize, ...] = ()
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    parts: tuple[AxisParts, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()

    def of_rows(self) -> "Notes":
        """Return the texts of a backend whose arrays are rows, whatever names their axes have."""
        together = tuple(each.names for each in self.parts)
        return replace(self, layout=None, sizes=(), patterns={}, parts=(), together=together)
