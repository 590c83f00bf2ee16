"""Keep zero what a select switches off: a switched-off value is never multiplied by zero."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import sympy
from sympy import Add, Expr, Mul, Pow, S
from sympy.logic.boolalg import Boolean

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.symbols import AttainsFirst, FeatureSum, Mean, TypedSymbol, Where, axes
from lngen.derivation.differential import merged, select
from lngen.derivation.simplify.factors import without
from lngen.derivation.simplify.line_rules import LineRewrite

_Side = tuple[tuple[Expr, int], ...]
"""Conditions, and for each the place in a select on it: an expression is zero unless one of them chooses this place."""

_MOST_CONDITIONS = 2

_REASON = "0 times what is not chosen may be NaN"


def whole_selects(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """A product with a select as a select of products: 0 times what was not chosen may be NaN.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> x, r, g, h = RowSymbol("x"), RowSymbol("r"), RowSymbol("g"), RowSymbol("h")
    >>> layer = Forward("f", (), (), (), ())
    >>> off = Equation(RowSymbol("dx"), r*(Where(x > 0, g, 0) + Where(x > 0, h, 0)))
    >>> applied(whole_selects, (off,), layer)[0].expression
    Where(x > 0, r*(g + h), 0)

    What is 1 at the first feature that attains an extreme and 0 elsewhere is a select too, of what is divided by a
    number that may be zero:

    >>> m, first = RowScalarSymbol("m"), RowSymbol("first")
    >>> indicator, dx = Equation(first, AttainsFirst(x, m)), Equation(RowSymbol("dx"), g*first/m)
    >>> applied(whole_selects, (indicator, dx), layer)[1].expression
    Where(first > 0, g/m, 0)
    """
    firsts = [q.symbol for q in lines if isinstance(q.expression, AttainsFirst)]
    yield LineRewrite("whole select", _REASON, lambda e: _with_whole_selects(e, firsts))


def named_selects(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """A product with a select that has a name, and an exponential or a quotient that may be 0/0, as a select.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> import sympy
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, r, g, h = RowSymbol("x"), RowSymbol("r"), RowSymbol("g"), RowSymbol("h")
    >>> e, p, q = RowSymbol("e"), RowSymbol("p"), RowSymbol("q")
    >>> layer = Forward("f", (), (x,), (Equation(e, sympy.exp(x)),), ())
    >>> given = (Equation(p, Where(x > 0, 0, g)), Equation(q, e*(2*p + Where(x > 0, 0, h))))
    >>> applied(named_selects, given, layer)[1].expression
    Where(x > 0, 0, e*(h + 2*p))
    >>> given = (Equation(p, Where(r > 0, g, 0) + Where(x > 0, 0, Where(r > 0, h, 0))), Equation(q, p*x/r))
    >>> applied(named_selects, given, layer)[1].expression
    Where(r > 0, p*x/r, 0)

    Of the second order, the select may be a gradient of the first:

    >>> again = Forward("f", (), (x,), (Equation(p, Where(x > 0, 0, g)),), ())
    >>> applied(named_selects, (Equation(q, (p*h + Where(x > 0, 0, g))/r),), again)[0].expression
    Where(x > 0, 0, (g + h*p)/r)

    A sum of selects, each with a condition of its own, is multiplied term by term:

    >>> given = (Equation(q, e*(Where(x > 0, 0, h) + Where(r > 0, g, 0))),)
    >>> applied(named_selects, given, layer)[0].expression
    Where(r > 0, e*g, 0) + Where(x > 0, 0, e*h)

    A select inside of a select may be zero on one side, where two conditions decide:

    >>> given = (Equation(p, Where(r > 0, g, Where(x > 0, 0, h))), Equation(q, p/r))
    >>> applied(named_selects, given, layer)[1].expression
    Where(r > 0, p/r, Where(x > 0, 0, p/r))

    A mean of what is switched off takes in what it is multiplied by:

    >>> s, mean_e = RowScalarSymbol("s"), RowScalarSymbol("mean_e")
    >>> layer = Forward("f", (), (x,), (Equation(s, Mean(x)), Equation(mean_e, sympy.exp(s))), ())
    >>> applied(named_selects, (Equation(q, mean_e*Mean(Where(x > mean_e, g, 0))),), layer)[0].expression
    Mean(Where(x > mean_e, mean_e*g, 0))
    """
    sides: dict[TypedSymbol, frozenset[_Side]] = {}
    for line in (*forward.equations, *lines):
        found = _sides(line.expression, sides)
        if found:
            sides[line.symbol] = found
    exponentials = {q.symbol for q in forward.equations if isinstance(q.expression, sympy.exp)}
    if any(q.expression.has(Where) for q in lines):
        yield LineRewrite("whole select", _REASON, lambda e: _with_named_selects(e, sides, exponentials))


def _with_whole_selects(expression: Expr, firsts: list[TypedSymbol]) -> Expr:
    if (not expression.atoms(Where) and expression.free_symbols.isdisjoint(firsts)) or isinstance(expression, Boolean):
        return expression
    expression = expression.func(*(_with_whole_selects(argument, firsts) for argument in expression.args))
    if isinstance(expression, Add):
        return merged(expression)
    if not isinstance(expression, Mul):
        return expression
    for first in firsts:
        if first in expression.args and any(_may_divide_by_zero(factor) for factor in expression.args):
            expression = Where(first > 0, without(expression, first), 0)
    factors = [factor for factor in Mul.make_args(expression) if isinstance(factor, Where) and 0 in factor.args[1:]]
    return select(expression) if factors else expression


def _may_divide_by_zero(factor: Expr) -> bool:
    return isinstance(factor, Pow) and bool(factor.exp.is_negative) and not factor.base.is_positive


def _with_named_selects(
    expression: Expr, sides: Mapping[TypedSymbol, frozenset[_Side]], exponentials: Collection[TypedSymbol]
) -> Expr:
    read = expression.free_symbols
    if not expression.args or isinstance(expression, Boolean) or not (expression.has(Where) or read & sides.keys()):
        return expression
    expression = expression.func(*(_with_named_selects(argument, sides, exponentials) for argument in expression.args))
    if not isinstance(expression, Mul):
        return merged(expression) if isinstance(expression, Add) else expression
    divisors = {s for f in expression.args if _may_divide_by_zero(f) for s in f.free_symbols}
    bases = [f if isinstance(f, sympy.exp) else f.as_base_exp()[0] for f in expression.args]
    is_large = [isinstance(base, sympy.exp) or base in exponentials for base in bases]
    large = [f for f, is_one in zip(expression.args, is_large, strict=True) if is_one or _may_divide_by_zero(f)]
    means = [factor for factor in expression.args if _is_mean_of_selects(factor, sides)]
    same_in_row = Mul(*(factor for factor in large if factor not in means and not axes(factor).features))
    if means and same_in_row != 1:

        def whole(body: Expr) -> Expr:
            return _with_named_selects(_with_whole_selects(same_in_row * body, []), sides, exponentials)

        return without(expression, same_in_row, means[0]) * _in_means(means[0], sides, whole)
    if large:
        # First the condition that looks at what is divided by; two conditions only where something is.
        found = sorted(
            (side for side in _sides(expression, sides) if divisors or len(side) == 1),
            key=lambda side: (len(side), not side[0][0].free_symbols & divisors, str(side)),
        )
        if found:
            return _on(found[0], expression)
        total = next((f for f in expression.args if isinstance(f, Add) and all(_sides(t, sides) for t in f.args)), None)
        if total is not None:
            each = (without(expression, total) * term for term in total.args)
            return merged(Add(*(_with_named_selects(term, sides, exponentials) for term in each)))
    return expression


def _is_mean_of_selects(expression: Expr, sides: Mapping[TypedSymbol, frozenset[_Side]]) -> bool:
    """Test whether an expression is 0 where all entries of a row are switched off.

    Such an expression is a mean, a product with one, or a sum of those.
    """
    if isinstance(expression, (Mean, FeatureSum)):
        return bool(_sides(expression.args[0], sides))
    if isinstance(expression, Add):
        return all(_is_mean_of_selects(term, sides) for term in expression.args)
    return isinstance(expression, Mul) and any(_is_mean_of_selects(factor, sides) for factor in expression.args)


def _in_means(expression: Expr, sides: Mapping[TypedSymbol, frozenset[_Side]], whole: Callable[[Expr], Expr]) -> Expr:
    """Replace the bodies of the means that `_is_mean_of_selects` found."""
    if isinstance(expression, (Mean, FeatureSum)):
        return expression.func(whole(expression.args[0]))
    if isinstance(expression, Add):
        return Add(*(_in_means(term, sides, whole) for term in expression.args))
    mean = next(factor for factor in expression.args if _is_mean_of_selects(factor, sides))
    return without(expression, mean) * _in_means(mean, sides, whole)


def _sides(expression: Expr, sides: Mapping[TypedSymbol, frozenset[_Side]]) -> frozenset[_Side]:
    """The sides off which an expression is zero, as a select or by what it is made of."""
    if isinstance(expression, TypedSymbol):
        return sides.get(expression, frozenset())
    if isinstance(expression, Where):
        condition, *branches = expression.args
        inside = {place: _sides(branch, sides) for place, branch in enumerate(branches, 1) if branch != 0}
        if len(inside) == 1:
            ((place, found),) = inside.items()
            return found | {((condition, place),)}
        # It is zero off the one branch, and off a side of the other.
        either = {((condition, 3 - place), *side) for place, found in inside.items() for side in found}
        return frozenset.intersection(*inside.values()) | {side for side in either if len(side) <= _MOST_CONDITIONS}
    if isinstance(expression, Mul):
        return frozenset().union(*(_sides(factor, sides) for factor in expression.args))
    if isinstance(expression, Add):
        return frozenset.intersection(*(_sides(term, sides) for term in expression.args))
    return frozenset()


def _on(side: _Side, product: Expr) -> Expr:
    """A product that is zero off a side, as a select, in which there are no others on its conditions."""
    if not side:
        return S.Zero
    (condition, place), *others = side
    chosen, other = (
        product.replace(lambda e: isinstance(e, Where) and e.args[0] == condition, lambda e, at=at: e.args[at])
        for at in (place, 3 - place)
    )
    rest = _on(tuple(others), other)
    return Where(condition, chosen, rest) if place == 1 else Where(condition, rest, chosen)
