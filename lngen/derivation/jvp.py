"""The tangent of a forward (its JVP), equation by equation, in order.

A tangent is the directional derivative of a value along the tangents of the inputs. The tangent of `s = e` is the sum
of `de/dv` times the tangent of each `v` in e. The tangent of a mean is the mean of its body's tangent. The rules are
those of `lngen.derivation.differential`. (Griewank & Walther, Evaluating Derivatives, 2nd ed., section 3.1.)

Nothing is simplified here. The emitted tangents are compared with these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, Forward, Names, tangent_symbol
from lngen.algebra.symbols import TypedSymbol, derivative, symbol_like
from lngen.derivation.differential import Differential, merged, select
from lngen.derivation.vjp import Contribution


@dataclass(frozen=True)
class Tangent:
    """The unsimplified JVP, in order of computation.

    `arguments` are the tangents of the differentiable inputs. `results` pairs each output with its tangent, which is
    an argument, the symbol of an equation, or zero.
    """

    arguments: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    results: tuple[tuple[TypedSymbol, Expr], ...]


def moved_by(equation: Equation, tangents: Mapping[TypedSymbol, Expr], attains: Expr | None = None) -> Expr:
    """Return the tangent of the value of `equation`.

    `attains` is the name of `AttainsFirst(body, m)` for an `m = RowMax(body)`, if there is one.

    >>> from lngen.algebra.symbols import Mean, RowSymbol, RowScalarSymbol
    >>> x, m, x_dot = RowSymbol("x"), RowScalarSymbol("m"), RowSymbol("x_dot")
    >>> moved_by(Equation(m, Mean(x**2)), {x: x_dot})
    Mean(2*x*x_dot)
    """
    if equation.stopped:
        return sympy.S.Zero
    rule = Differential.of(equation, attains)
    moving = (symbol for symbol in rule.operands if tangents.get(symbol, 0) != 0)
    terms = (select(derivative(rule.body, symbol) * tangents[symbol]) for symbol in moving)
    return rule.pushed(merged(sympy.Add(*terms)))


def moves(equation: Equation, tangents: Mapping[TypedSymbol, Expr], attains: Expr | None = None) -> list[Contribution]:
    """Return the contribution of each operand of `equation` to the tangent of its value.

    >>> from lngen.algebra.symbols import Mean, RowSymbol, RowScalarSymbol
    >>> x, m, dx, z, dz = RowSymbol("x"), RowScalarSymbol("m"), RowSymbol("dx"), RowSymbol("z"), RowSymbol("dz")
    >>> for c in moves(Equation(m, Mean(x**2*z)), {x: dx, z: dz}):
    ...     print(c.source, c.expression)
    x Mean(2*dx*x*z)
    z Mean(dz*x**2)
    """
    found = []
    for symbol in sorted(equation.expression.free_symbols & tangents.keys(), key=lambda symbol: symbol.name):
        moved = moved_by(equation, {symbol: tangents[symbol]}, attains)
        if moved != 0:
            found.append(Contribution(symbol, equation.symbol, moved))
    return found


def tangent(
    forward: Forward, tell: Callable[[TypedSymbol, Sequence[Contribution]], object] = lambda *_: None
) -> Tangent:
    """The JVP of a forward, unsimplified. `tell` hears what each tangent is the sum of.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> found = tangent(translate(parse("def f(x: Row): return x*mean(x**2)")))
    >>> for equation in found.equations:
    ...     print(equation.symbol, "=", equation.expression)
    ms_dot = Mean(2*x*x_dot)
    y_dot = ms*x_dot + ms_dot*x
    """
    names = Names.of(forward)
    arguments = tuple(tangent_symbol(symbol) for symbol in forward.differentiable)
    tangents: dict[TypedSymbol, Expr] = dict(zip(forward.differentiable, arguments, strict=True))
    equations: list[Equation] = []
    for equation in forward.equations:
        moved = moved_by(equation, tangents)
        if moved != 0 and not isinstance(moved, TypedSymbol):
            symbol = tangent_symbol(equation.symbol)
            if equation.symbol not in forward.outputs:
                symbol = symbol_like(names.fresh(symbol.name), symbol)
            equations.append(Equation(symbol, moved))
            tell(symbol, moves(equation, tangents))
            moved = symbol
        tangents[equation.symbol] = moved
    results = tuple((output, tangents.get(output, sympy.S.Zero)) for output in forward.outputs)
    return Tangent(arguments, tuple(equations), results)
