"""A folder per backend: what a row program is printed as.

A backend lowers the row programs of a layer to finished lines; its template places them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lngen.derivation.derivation import Direction
from lngen.language.definition import Counterpart


@dataclass(frozen=True)
class Notes:
    """What an emitted file says about itself besides its code.

    `layer` is the layer's name and `title` the first line of its definition's docstring, escaped for a
    docstring. `header` holds comment lines for the top of each file (provenance), placed verbatim after the
    comment sign. `formulas` are the derivation's last lines as text, by direction. `inputs`
    names the layer's inputs without its Constants, in the order of the definition; left empty, it is the
    rows, then the parameters. `data` names those of them that have no gradient. `nonnegative` names the
    Constants that a call may not pass a negative number for. `renamed` is that of the definition: names here
    and what callers write, and so are the modules of PyTorch's that are its `counterparts`.
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
