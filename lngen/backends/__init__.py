"""A folder per backend: what a row program is printed as.

A backend lowers the two row programs of a layer to finished lines; its template places them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Notes:
    """What an emitted file says about itself besides its code.

    `layer` is the layer's name and `title` the first line of its definition's docstring, escaped for a
    docstring. `header` holds comment lines for the top of each file (provenance), placed verbatim after the
    comment sign. `forward_formulas` and `backward_formulas` are the derivation's last lines as text. `inputs`
    names the layer's inputs without its Constants, in the order of the definition; left empty, it is the
    rows, then the parameters. `jvp_formulas` and `backward_backward_formulas` are like the other two, for a
    backend that has those directions. `nonnegative` names the Constants that a call may not pass a negative
    number for. `renamed` is that of the definition: names here and what callers write.
    """

    layer: str
    title: str
    header: tuple[str, ...] = ()
    forward_formulas: tuple[str, ...] = ()
    backward_formulas: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    jvp_formulas: tuple[str, ...] = ()
    backward_backward_formulas: tuple[str, ...] = ()
    nonnegative: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
