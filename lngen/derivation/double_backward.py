"""The VJP as a forward of its own, so that its adjoint is the double backward.

Its inputs are the layer's inputs and the cotangents, its outputs the gradients: the equations of the forward, then
those of the gradients, each reduction and each sum over rows on a line of its own. The adjoint of that, and the tangent
of it, come from the same two functions as those of any forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import starmap

from sympy import Expr

from lngen.expressions.equations import Equation, Forward, Names
from lngen.expressions.reductions import split_reductions
from lngen.expressions.symbols import AttainsFirst, Reduction, SumRows, TypedSymbol, symbol_like
from lngen.language.definition import Input
from lngen.language.syntax import Kind, Span

_KINDS = {"RowSymbol": Kind.ROW, "RowScalarSymbol": Kind.ROW_SCALAR, "FeatureSymbol": Kind.FEATURE}


@dataclass(frozen=True)
class BackwardAsForward:
    """`forward` computes the gradients; `outputs` are their symbols there, in the order of the inputs.

    A gradient has another name here than in the derivation (`grad_x` for `dx`): its old one is free for the gradient of
    the double backward.
    """

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

    >>> from lngen.expressions.symbols import Mean, RowSymbol
    >>> x, y, dx, dy = (RowSymbol(name) for name in ("x", "y", "dx", "dy"))
    >>> layer = Forward("f", (), (x,), (Equation(y, x**2/2),), (y,))
    >>> found = backward_as_forward(layer, (dy,), (Equation(dx, x*Mean(dy*x)),), ((x, dx),))
    >>> for equation in found.forward.equations:
    ...     print(equation.symbol, "=", equation.expression)
    y = x**2/2
    mean_dy = Mean(dy*x)
    grad_x = mean_dy*x
    """
    names = Names.of(forward, backward)
    rename = {gradient: symbol_like(names.fresh(f"grad_{s.name}"), gradient) for s, gradient in gradients}
    own = [(rename.get(q.symbol, q.symbol), q.expression.xreplace(rename)) for q in backward]
    lines = split_reductions(starmap(Equation, own), names, _word, (Reduction, SumRows, AttainsFirst))
    nowhere = Span(0, 0, 0, 0)
    inputs = tuple(Input(s.name, _KINDS[type(s).__name__], None, nowhere) for s in cotangents)
    outputs = tuple(rename[gradient] for _, gradient in gradients)
    whole = Forward(
        forward.layer,
        (*forward.inputs, *inputs),
        (*forward.symbols, *cotangents),
        (*forward.equations, *lines),
        outputs,
        forward.spoken_for,
    )
    return BackwardAsForward(whole, cotangents, outputs)


def _word(reduction: Expr) -> str:
    words = sorted(symbol.name for symbol in reduction.free_symbols)
    return f"{type(reduction).__name__.lower()}_{words[0] if words else 'one'}"
