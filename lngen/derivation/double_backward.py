"""The VJP as a forward of its own, so that its adjoint is the double backward.

Its inputs are the layer's inputs and the cotangents, its outputs the gradients: the equations of the forward, then
those of the gradients, each reduction and each sum over rows on a line of its own. Its adjoint and its tangent come
from the same functions as those of any other forward.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.notation.plain import WORDS
from lngen.algebra.reductions import name_of_body, split_reductions
from lngen.algebra.symbols import AttainsFirst, Reduction, SumRows, TypedSymbol, axes
from lngen.language.definition import Input
from lngen.language.syntax import Kind, SourceSpan


@dataclass(frozen=True)
class BackwardAsForward:
    """`forward` computes the gradients; `outputs` are their symbols there, in the order of the inputs."""

    forward: Forward
    cotangents: tuple[TypedSymbol, ...]
    gradients: tuple[TypedSymbol, ...]


def backward_as_forward(
    forward: Forward,
    cotangents: tuple[TypedSymbol, ...],
    backward: tuple[Equation, ...],
    gradients: tuple[tuple[TypedSymbol, TypedSymbol], ...],
) -> BackwardAsForward:
    """The VJP of `forward` as a forward.

    >>> from lngen.algebra.symbols import Mean, RowSymbol
    >>> x, y, dx, dy = (RowSymbol(name) for name in ("x", "y", "dx", "dy"))
    >>> layer = Forward("f", (), (x,), (Equation(y, x**2/2),), (y,))
    >>> found = backward_as_forward(layer, (dy,), (Equation(dx, x*Mean(dy*x)),), ((x, dx),))
    >>> for equation in found.forward.equations:
    ...     print(equation.symbol, "=", equation.expression)
    y = x**2/2
    mean_dy_x = Mean(dy*x)
    dx = mean_dy_x*x

    What the forward has is differentiated for the second time:

    >>> found.forward.cotangent(x), found.forward.cotangent(dx)
    (d2x, ddx)
    """
    names = Names.of(forward, backward)
    lines = split_reductions(backward, names, _word, (Reduction, SumRows, AttainsFirst))
    nowhere = SourceSpan(0, 0, 0, 0)
    inputs = tuple(Input(s.name, Kind.of(*axes(s)), None, nowhere) for s in cotangents)
    outputs = tuple(gradient for _, gradient in gradients)
    whole = Forward(
        forward.layer,
        (*forward.inputs, *inputs),
        (*forward.symbols, *cotangents),
        (*forward.equations, *lines),
        outputs,
        forward.spoken_for,
        (*forward.symbols, *(q.symbol for q in forward.equations)),
    )
    return BackwardAsForward(whole, cotangents, outputs)


def _word(found: Expr) -> str:
    head = {SumRows: "sum_rows", AttainsFirst: "first"}.get(type(found)) or WORDS[type(found)]
    return f"{head}_{name_of_body(found.args[0])}"
