"""Selects and guards: a value that is switched off stays zero, and a pole that its numerator cancels is guarded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import sympy
from sympy import Add, Expr, Mul, Pow, S
from sympy.logic.boolalg import Boolean

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.symbols import AttainsFirst, FeatureSum, Mean, Reduction, RowScalarSymbol, TypedSymbol, Where, axes
from lngen.derivation.differential import merged, select
from lngen.derivation.rules.driver import Rewrite, System
from lngen.derivation.rules.factors import without
from lngen.derivation.rules.linearity import TooManyTermsError, multiply_out

_Side = tuple[tuple[Expr, int], ...]
"""Conditions, and for each the place in a select on it: an expression is zero unless one of them chooses this place."""

_MOST_CONDITIONS = 2


def whole_selects(system: System) -> Iterator[Rewrite]:
    """A product with a select as a select of products: 0 times what was not chosen may be NaN.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, r, g, h, p, q = (RowSymbol(name) for name in "xrghpq")
    >>> def written(e, *lines):
    ...     for rewrite in whole_selects(System(Forward("f", (), (), (), ()), (*lines, Equation(q, e)), Names([]))):
    ...         e = rewrite.change(e)
    ...     return e
    >>> written(r*(Where(x > 0, g, 0) + Where(x > 0, h, 0)))
    Where(x > 0, r*(g + h), 0)

    What is 1 at the first feature that attains an extreme and 0 elsewhere is a select too, of what is divided by a
    number that may be zero:

    >>> m = RowScalarSymbol("m")
    >>> written(g*p/m, Equation(p, AttainsFirst(x, m)))
    Where(p > 0, g/m, 0)

    So is a product with a select that has a name, where an exponential or a quotient may be infinite. Two conditions
    may decide, and a mean of what is switched off takes in what it is multiplied by:

    >>> written(sympy.exp(x)*(2*p + Where(x > 0, 0, h)), Equation(p, Where(x > 0, 0, g)))
    Where(x > 0, 0, (h + 2*p)*exp(x))
    >>> written(p/r, Equation(p, Where(r > 0, g, Where(x > 0, 0, h))))
    Where(r > 0, p/r, Where(x > 0, 0, p/r))
    >>> written(Mean(Where(x > 0, g, 0))*sympy.exp(Mean(x)))
    Mean(Where(x > 0, g*exp(Mean(x)), 0))
    """
    firsts = [q.symbol for q in system.lines if isinstance(q.expression, AttainsFirst)]

    def whole(e: Expr) -> Expr:
        return _with_whole_selects(e, firsts)

    yield Rewrite(whole)
    if not any(q.expression.has(Where) for q in system.lines):
        return
    sides: dict[TypedSymbol, frozenset[_Side]] = {}
    for equation in system.forward.equations:
        sides[equation.symbol] = _sides(equation.expression, sides)
    for line in system.lines:
        sides[line.symbol] = _sides(whole(line.expression), sides)
    exponentials = {q.symbol for q in system.forward.equations if isinstance(q.expression, sympy.exp)}
    yield Rewrite(lambda e: _with_named_selects(e, sides, exponentials))


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


def guarded_poles(system: System) -> Iterator[Rewrite]:
    """Replace 1/s by `inv_s = where(s > 0, 1/s, 0)` where s is a root that may be zero and every term with 1/s vanishes
    there.

    Take `s = sqrt(Mean(c**2))` and a term `c*Mean(g*c)/s`. Where s is zero, so is the whole row c, and the term goes to
    zero with it: shrink c by k and the term shrinks by k**(1 + 1 - 1). The limit is 0, but floating point says 0/0. The
    rule counts that power: what does not depend on c counts 0, c and s count 1, a product adds, a sum counts its lowest
    term. If the power of every term with 1/s is positive, the guard states the limit; otherwise the pole is real, and
    stays.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> c, g, v, s = RowSymbol("c"), RowSymbol("g"), RowScalarSymbol("v"), RowScalarSymbol("s")
    >>> layer = Forward("f", (), (c,), (Equation(v, Mean(c**2)), Equation(s, sympy.sqrt(v))), ())
    >>> for rewrite in guarded_poles(System(layer, (Equation(g, c*Mean(c)/s),), Names([]))):
    ...     print(rewrite.change(c*Mean(c)/s), "and", rewrite.change(c/s))
    inv_s*c*Mean(c) and c/s
    """
    known = {q.expression: q.symbol for q in system.forward.equations}
    for root in system.forward.equations:
        e, s = root.expression, root.symbol
        powers = None
        if isinstance(e, Pow) and e.exp == sympy.Rational(1, 2) and not s.is_positive:
            powers = _vanishing_powers(system.forward, root)
        if powers is None or not any(_is_cancelled(q.expression, s, powers) for q in system.lines):
            continue
        guard = Where(s > 0, 1 / s, S.Zero)
        inverse = known.get(guard) or RowScalarSymbol(system.names.fresh(f"inv_{s.name}"), nonnegative=True)

        def change(
            e: Expr, s: TypedSymbol = s, inverse: TypedSymbol = inverse, powers: Mapping[TypedSymbol, Expr] = powers
        ) -> Expr:
            return _with_inverse(e, s, inverse) if _is_cancelled(e, s, powers) else e

        reason = f"where {s} is zero the whole row is, and what it divides vanishes faster"
        new = None if guard in known else (Equation(inverse, guard), reason)
        yield Rewrite(change, reason, defines=new, of_forward=True)


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


def _power(expression: Expr, powers: Mapping[TypedSymbol, Expr]) -> Expr:
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


def _is_cancelled(e: Expr, root: TypedSymbol, powers: Mapping[TypedSymbol, Expr]) -> bool:
    return _divides(e, root) and _vanishes(e, root, powers)


def _with_inverse(e: Expr, root: TypedSymbol, inverse: TypedSymbol) -> Expr:
    return e.replace(
        lambda part: isinstance(part, Pow) and part.base == root and part.exp.is_negative,
        lambda part: inverse ** (-part.exp),
    )


def _vanishes(expression: Expr, root: TypedSymbol, powers: Mapping[TypedSymbol, Expr]) -> bool:
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
