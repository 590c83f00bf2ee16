"""A pole that the numerator cancels is guarded, so that the gradient at it is the limit and not 0/0."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import Mean, Reduction, RowScalarSymbol, TypedSymbol, Where
from lngen.derivation.simplify.linear import TooManyTermsError, multiply_out
from lngen.derivation.simplify.trail import Trail


def guard_vanishing_poles(
    forward: Forward, equations: tuple[Equation, ...], trail: Trail, names: Names
) -> tuple[Forward, tuple[Equation, ...]]:
    """Replace 1/s by `inv_s = where(s > 0, 1/s, 0)` where s is a root that may be zero and every term with 1/s vanishes
    there.

    Take `s = sqrt(Mean(c**2))` and a term `c*Mean(g*c)/s`. Where s is zero, so is the whole row c, and the term goes to
    zero with it: shrink c by k and the term shrinks by k**(1 + 1 - 1). The limit is 0, but floating point says 0/0. The
    rule counts that power: what does not depend on c counts 0, c and s count 1, a product adds, a sum counts its lowest
    term. If the power of every term with 1/s is positive, the guard states the limit; otherwise the pole is real, and
    stays.
    """
    for root in forward.equations:
        expression = root.expression
        if not isinstance(expression, Pow) or expression.exp != sympy.Rational(1, 2) or root.symbol.is_positive:
            continue
        powers = _vanishing_powers(forward, root)
        if powers is None:
            continue
        inverse = RowScalarSymbol(names.fresh(f"inv_{root.symbol.name}"), nonnegative=True)
        guarded = tuple(_guard(q, root.symbol, inverse, powers) for q in equations)
        if guarded == equations:
            continue
        definition = Equation(inverse, Where(root.symbol > 0, 1 / root.symbol, sympy.S.Zero))
        reason = f"where {root.symbol} is zero the whole row is, and what it divides vanishes faster"
        trail.add("forward", "guarded pole", inverse, None, definition.expression, reason)
        for before, after in zip(equations, guarded, strict=True):
            trail.derived("guarded pole", before.symbol, before.expression, after.expression, reason)
        at = forward.equations.index(root) + 1
        forward = replace(forward, equations=(*forward.equations[:at], definition, *forward.equations[at:]))
        equations = guarded
    return forward, equations


def _vanishing_powers(forward: Forward, root: Equation) -> dict[TypedSymbol, Expr] | None:
    """The power with which each forward value vanishes together with the row under the root."""
    statistic = next((q for q in forward.equations if q.symbol == root.expression.base), None)
    if statistic is None or not isinstance(statistic.reduction, Mean):
        return None
    body = statistic.reduction.args[0].as_coeff_Mul()[1]
    if not isinstance(body, Pow) or not isinstance(body.base, TypedSymbol) or not body.exp.is_even:
        return None
    powers: dict[TypedSymbol, Expr] = {body.base: sympy.S.One}
    for equation in forward.equations:
        power = _power(equation.expression, powers)
        if power != 0:
            powers.setdefault(equation.symbol, power)
    return powers


def _power(expression: Expr, powers: dict[TypedSymbol, Expr]) -> Expr:
    if isinstance(expression, TypedSymbol):
        return powers.get(expression, sympy.S.Zero)
    if isinstance(expression, Reduction):
        return _power(expression.args[0], powers)
    if isinstance(expression, Mul):
        return Add(*(_power(factor, powers) for factor in expression.args))
    if isinstance(expression, Pow):
        return _power(expression.base, powers) * expression.exp
    if isinstance(expression, Add):
        return min(_power(term, powers) for term in expression.args)
    if isinstance(expression, Where):
        branches = [branch for branch in expression.args[1:] if branch != 0]
        return min(_power(branch, powers) for branch in branches)
    return sympy.S.Zero


def _guard(equation: Equation, root: TypedSymbol, inverse: TypedSymbol, powers: dict[TypedSymbol, Expr]) -> Equation:
    if not _divides(equation.expression, root) or not _vanishes(equation.expression, root, powers):
        return equation
    expression = equation.expression.replace(
        lambda e: isinstance(e, Pow) and e.base == root and e.exp.is_negative, lambda e: inverse ** (-e.exp)
    )
    return Equation(equation.symbol, expression)


def _vanishes(expression: Expr, root: TypedSymbol, powers: dict[TypedSymbol, Expr]) -> bool:
    """Test whether every term that divides by the root goes to zero with it."""
    if not _divides(expression, root):
        return True
    if isinstance(expression, Where):
        return all(_vanishes(branch, root, powers) for branch in expression.args[1:])
    try:
        terms = Add.make_args(multiply_out(expression))
    except TooManyTermsError:
        return False
    if len(terms) > 1:
        return all(_vanishes(term, root, powers) for term in terms)
    return bool(_power(expression, powers) > 0)


def _divides(term: Expr, root: TypedSymbol) -> bool:
    return any(power.base == root and power.exp.is_negative for power in term.atoms(Pow))
