"""The adjoint of a forward (its VJP), equation by equation, in reverse.

With a bar for the cotangent of a value, an equation `s = e` sends `bar(s) * de/dv` to each `v` in it, and a mean
`m = Mean(b)` sends `bar(m)/D * db/dv`: the rules are those of `lngen.derivation.differential`. A value that varies over
less than the cotangent does collects it: into a row scalar by a reduction over features, into a Feature by a sum over
rows, into a Scalar by both. (Griewank & Walther, Evaluating Derivatives, 2nd ed., section 3.2.)

Nothing is simplified here. The adjoint of the definition as it stands is kept beside the simplified gradient as a
second derivation, and the two are compared wherever a gradient is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, Forward, Names, leading_to
from lngen.algebra.symbols import Axes, D, Mean, SumRows, TypedSymbol, Where, axes, symbol_like
from lngen.derivation.differential import Differential, select


@dataclass(frozen=True)
class Contribution:
    """Contribution of an equation to the cotangent of an operand, or of an operand to the tangent of a value.

    `source` is the value whose cotangent or tangent is in the expression. If `source` is the target itself, the
    expression is a cotangent that the target has already: its own, as an output, or that of an earlier step.
    """

    source: TypedSymbol
    target: TypedSymbol
    expression: Expr


@dataclass(frozen=True)
class Adjoint:
    """The unsimplified VJP: one equation per cotangent, in the order in which they can be computed.

    `cotangents` are the arguments of backward, one per output; `gradients` maps each differentiable input to the symbol
    that holds its gradient.
    """

    cotangents: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    gradients: tuple[tuple[TypedSymbol, TypedSymbol], ...]


def summed(sent: Iterable[Contribution]) -> Expr:
    """All contributions collected."""
    return sympy.Add(*(contribution.expression for contribution in sent))


def reduce_to(expression: Expr, target: Axes) -> Expr:
    """Collect a cotangent into a value that varies over less.

    >>> from lngen.algebra.symbols import RowSymbol, FeatureSymbol, RowScalarSymbol
    >>> dy, gamma, mu = RowSymbol("dy"), FeatureSymbol("gamma"), RowScalarSymbol("mu")
    >>> reduce_to(gamma * dy, axes(mu))
    D*Mean(gamma*dy)
    >>> reduce_to(dy, axes(gamma))
    SumRows(dy)
    """
    if expression == 0:
        return expression
    source = axes(expression)
    if source.features and not target.features:
        expression = _over_features(expression)
    if source.rows and not target.rows:
        expression = SumRows(expression)
    return expression


def _over_features(expression: Expr) -> Expr:
    """The sum over features; what is chosen for a row as a whole is chosen for its sum.

    So a sum that is switched off is 0, whatever would have been multiplied into it later.
    """
    if isinstance(expression, Where) and not axes(expression.args[0]).features:
        condition, *branches = expression.args
        return Where(condition, *map(_over_features, branches))
    if isinstance(expression, sympy.Add) and any(isinstance(term, Where) for term in expression.args):
        return sympy.Add(*map(_over_features, expression.args))
    return D * Mean(expression)


def contributions(equation: Equation, bar: Expr, attains: Expr | None = None) -> Iterator[Contribution]:
    """Yield the contribution of `equation`, whose value has cotangent `bar`, to each of its operands.

    `attains` is the name of `AttainsFirst(body, m)` for an `m = RowMax(body)`, where it has one.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> x, m = RowSymbol("x"), RowScalarSymbol("m")
    >>> for c in contributions(Equation(m, Mean(x**2)), RowScalarSymbol("dm")):
    ...     print(c.target, c.expression)
    x 2*dm*x/D

    A mean whose body holds a row scalar sends it what all D features send:

    >>> z, mu = RowSymbol("z"), RowScalarSymbol("mu")
    >>> for c in contributions(Equation(m, Mean(x - mu)), RowScalarSymbol("dm")):
    ...     print(c.target, c.expression)
    mu -dm
    x dm/D

    So does a row value whose cotangent happens to be the same for all features:

    >>> for c in contributions(Equation(x, z - mu), RowScalarSymbol("bar")):
    ...     print(c.target, c.expression)
    mu -bar*D
    z bar

    A row of equal entries sends its mean the cotangents of all of them:

    >>> for c in contributions(Equation(z, Mean(x)), RowSymbol("dz")):
    ...     print(c.target, c.expression)
    x Mean(dz)

    A sum over rows sends its cotangent to every row:

    >>> from lngen.algebra.symbols import FeatureSymbol
    >>> for c in contributions(Equation(FeatureSymbol("s"), SumRows(x**2)), FeatureSymbol("ds")):
    ...     print(c.target, c.expression)
    x 2*ds*x
    """
    if equation.stopped:
        return
    reduction = equation.reduction
    if reduction is not None and axes(equation.symbol).features:
        bar = reduce_to(bar, axes(reduction)) if axes(bar).features else D * bar
    rule = Differential.of(equation, attains)
    sent = rule.pulled(bar)
    spread = reduction is not None or axes(equation.symbol).features
    for target, slope in rule.slopes():
        expression = select(sent * slope)
        if spread and not axes(target).features and not axes(expression).features:
            expression = D * expression
        yield Contribution(equation.symbol, target, reduce_to(expression, axes(target)))


def adjoint(
    forward: Forward, tell: Callable[[TypedSymbol, Sequence[Contribution]], object] = lambda *_: None
) -> Adjoint:
    """The VJP of a forward, unsimplified. `tell` hears what each cotangent is the sum of."""
    cotangents = tuple(map(forward.cotangent, forward.outputs))
    names = Names.of(forward)
    sent: dict[TypedSymbol, list[Contribution]] = {}
    for output, cotangent in zip(forward.outputs, cotangents, strict=True):
        sent.setdefault(output, []).append(Contribution(output, output, cotangent))
    equations: list[Equation] = []
    for equation in reversed(forward.equations):
        bar = summed(sent.get(equation.symbol, ()))
        if bar == 0:
            continue
        if bar not in cotangents:
            symbol = symbol_like(names.fresh(forward.cotangent(equation.symbol).name), equation.symbol)
            equations.append(Equation(symbol, bar))
            tell(symbol, sent[equation.symbol])
            bar = symbol
        for contribution in contributions(equation, bar):
            sent.setdefault(contribution.target, []).append(contribution)
    gradients = []
    for symbol in forward.differentiable:
        gradient = forward.cotangent(symbol)
        equations.append(Equation(gradient, summed(sent.get(symbol, ()))))
        tell(gradient, sent.get(symbol, ()))
        gradients.append((symbol, gradient))
    # Cotangents of values that depend on Data and Constants alone are not needed by any gradient.
    return Adjoint(cotangents, leading_to((gradient for _, gradient in gradients), equations), tuple(gradients))
