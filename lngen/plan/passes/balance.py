"""Products in an order in which no partial product leaves the range of a float.

`g*e*e*r*r`, with `e` of 1e30 and `r` of 1e-30, is multiplied as `g*(e*r)*(e*r)`. All rules here have this form: a
factor that goes too far (`Growth.overreach`) is multiplied at once by one that compensates it, wherever the two stand.

* Both in one product: they get a name (`_opposite`).
* One in a sum, the other beside it: it is multiplied into the sum (`_spread`).
* One in a line, the other in its readers: it is multiplied into the line (`met_by_readers`).

If no factor compensates a high power in a divisor, its root divides twice (`_without_half_of_a_power`). The result is
lines of a program like any other. A backend only has to keep the order (`lngen.algebra.growth`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import sympy
from sympy import Add, Expr, Mul, Pow, Rational
from sympy.core.relational import Relational

from lngen.algebra.equations import Names, leading_to
from lngen.algebra.growth import EXPONENTIAL, Growth
from lngen.algebra.symbols import FeatureSum, Mean, RowMax, RowMin, SumRows, TypedSymbol, Where, axes, symbol_like
from lngen.derivation.simplify.factors import without
from lngen.plan.lines import ProgramLine

_NOTHING_BESIDE = 50
"""Smallest ratio of an exponential's degree to that of a power of a row."""


def grown(growth: Iterable[Growth], lines: Sequence[ProgramLine]) -> tuple[Growth, ...]:
    """Return the growth at each end, after the assignments of lines."""
    values = [(line.symbol, line.expression) for line in lines]
    return tuple(end.after(values) for end in growth)


def balanced(lines: Sequence[ProgramLine], ends: Sequence[Growth], names: Names) -> list[ProgramLine]:
    """Return lines in which a growing factor meets a shrinking one first, if a partial product would overreach.

    `ends` is the growth of the lines' arguments, at each end of the domain.

    >>> from lngen.algebra.growth import EXPONENTIAL
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> e, g, r = RowSymbol("e"), RowSymbol("g"), RowScalarSymbol("r")
    >>> growth = Growth({e: EXPONENTIAL, r: -EXPONENTIAL}, most=EXPONENTIAL)
    >>> for line in balanced([ProgramLine(RowSymbol("dx"), e*r*(e*g - 1)*r, 7)], [growth], Names([])):
    ...     print(line.symbol, "=", line.expression)
    e_scaled = r*e
    dx = r*e_scaled*(e*g - 1)
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[ProgramLine] = []
    ends = grown(ends, lines)

    def named(product: Expr, step: int) -> TypedSymbol:
        nonlocal ends
        if product not in known:
            grows = (f for f in product.args if isinstance(f, TypedSymbol) and any(end.degree(f) > 0 for end in ends))
            stem = next((factor.name for factor in grows), "part")
            known[product] = symbol_like(names.fresh(f"{stem}_scaled"), product)
            ends = grown(ends, [ProgramLine(known[product], product, step)])
            result.append(ProgramLine(known[product], product, step))
        return known[product]

    def settled(expression: Expr, step: int) -> Expr:
        if not any(end.overreach(expression) for end in ends):
            return expression
        expression = _spread(expression, ends)
        expression = expression.func(*(settled(argument, step) for argument in expression.args))
        while isinstance(expression, Mul) and any(end.overreach_of(expression.args) for end in ends):
            first = _opposite(expression, ends) or _without_half_of_a_power(expression, ends)
            if first is None:
                break
            expression = without(expression, first) * named(first, step)
        return expression

    for line in lines:
        result.append(replace(line, expression=settled(line.expression, line.step)))
    return result


def met_by_readers(
    lines: Sequence[ProgramLine], ends: Sequence[Growth], names: Names, results: Collection[TypedSymbol]
) -> list[ProgramLine]:
    """Return lines in which a value out of range is multiplied at once by the factor that its readers multiply it by.

    The cotangent of a softplus grows with the square of a reciprocal, and is read only in a product with the sigmoid:

    >>> from lngen.algebra.growth import EXPONENTIAL
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> g, y, d, r, s = RowSymbol("g"), RowSymbol("y"), RowSymbol("d"), RowScalarSymbol("r"), RowScalarSymbol("s")
    >>> growth = Growth({y: EXPONENTIAL, s: -EXPONENTIAL}, most=EXPONENTIAL)
    >>> given = [ProgramLine(d, g*y**2, 1), ProgramLine(r, Mean(y**2), 2), ProgramLine(RowSymbol("dx"), d*s + r*s, 3)]
    >>> for line in met_by_readers(given, [growth], Names([]), [RowSymbol("dx")]):
    ...     print(line.symbol, "=", line.expression)
    r_scaled = Mean(s*y**2)
    d_scaled = s*g*y**2
    dx = r_scaled + d_scaled
    """
    ends = grown(ends, lines)
    value_of: dict[TypedSymbol, Expr] = {}
    known: dict[tuple[TypedSymbol, Expr], TypedSymbol] = {}
    result: list[ProgramLine] = []

    def kept(line: ProgramLine) -> None:
        apart = line.expression.has(SumRows, RowMax, RowMin)
        if not apart and any(abs(end.degree(line.expression)) > end.most for end in ends):
            value_of[line.symbol] = line.expression
        result.append(line)

    def meets(value: TypedSymbol, factor: Expr) -> bool:
        # A row does not go into a sum over features; and where only some terms of a value met it, those that cancel
        # would no longer be off by the same.
        made_of = [value_of[s] for s in (value, *value_of[value].free_symbols) if s in value_of]
        inside = axes(factor).features and any(isinstance(part, (Mean, FeatureSum)) for part in made_of)
        return not inside and any(_takes_off(_once(factor), end.degree(value), end) for end in ends)

    def settled(expression: Expr, step: int) -> Expr:
        if not expression.args or expression.free_symbols.isdisjoint(value_of) or isinstance(expression, Relational):
            return expression
        expression = _spread(expression, ends)
        expression = expression.func(*(settled(argument, step) for argument in expression.args))
        while isinstance(expression, Mul):
            pairs = ((v, f) for v in expression.args if v in value_of for f in expression.args if f != v)
            pair = next(((value, _once(factor)) for value, factor in pairs if meets(value, factor)), None)
            if pair is None:
                break
            expression = without(expression, *pair) * named(*pair, step)
        return expression

    def named(value: TypedSymbol, factor: Expr, step: int) -> TypedSymbol:
        nonlocal ends
        if (value, factor) not in known:
            product = settled(_times(value_of[value], factor, ends), step)
            symbol = known[value, factor] = symbol_like(names.fresh(f"{value.name}_scaled"), product)
            ends = grown(ends, [ProgramLine(symbol, product, step)])
            kept(ProgramLine(symbol, product, step))
        return known[value, factor]

    for line in lines:
        kept(replace(line, expression=settled(line.expression, line.step)))
    return list(leading_to(results, result))


def _times(value: Expr, factor: Expr, ends: Sequence[Growth]) -> Expr:
    """A value times a factor, inside of a sum over features."""
    if isinstance(value, (Mean, FeatureSum)):
        return value.func(_times(value.args[0], factor, ends))
    return _spread(value * factor, ends)


def _spread(expression: Expr, ends: Sequence[Growth]) -> Expr:
    """Distribute a shrinking factor over a sum with a term out of range: `r*(a*e**2 + b)` as `a*e**2*r + b*r`.

    A growing factor is distributed over a sum all of whose terms shrink too far. A factor that is the same in a row
    goes into a mean, and both sides of a select are multiplied.

    >>> from lngen.algebra.growth import EXPONENTIAL
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> a, b, e, r = RowSymbol("a"), RowSymbol("b"), RowSymbol("e"), RowScalarSymbol("r")
    >>> ends = [Growth({e: EXPONENTIAL, r: -EXPONENTIAL}, most=EXPONENTIAL)]
    >>> for total in a*e**2 + b, Mean(a*e**2), Where(a > 0, a*e**2, b):
    ...     print(_spread(r*total, ends))
    r*a*e**2 + r*b
    Mean(r*a*e**2)
    Where(a > 0, r*a*e**2, r*b)
    """
    for total in expression.args if isinstance(expression, Mul) else ():
        if not isinstance(total, (Add, Mean, FeatureSum, Where)):
            continue
        others = [factor for factor in expression.args if factor != total]
        for factor in map(_once, others):
            enters = isinstance(total, (Add, Where)) or not axes(factor).features
            if enters and any(_is_needed_in(total, factor, others, end) for end in ends):
                condition = total.args[:1] if isinstance(total, Where) else ()
                inside = total.func(*condition, *(term * factor for term in _terms(total)))
                return _spread(without(expression, total, factor) * inside, ends)
    return expression


def _is_needed_in(total: Expr, factor: Expr, others: Sequence[Expr], end: Growth) -> bool:
    """Test whether a factor brings a sum into range, and is not needed by other factors out of range.

    A factor that is more than twice as large as both need serves both.
    """
    # 1 less a sigmoid is small, and its terms are not: multiplied out they would cancel.
    sizes = max(map(end.degree, _terms(total))), _largest_term(total, end)
    takes = abs(end.degree(factor))
    beside = end.overreach_of(other for other in others if end.degree(other) * end.degree(factor) < 0)
    return any(
        _takes_off(factor, size, end) and (not beside or beside + abs(size) - end.most < takes / 2) for size in sizes
    )


def _takes_off(factor: Expr, degree: Rational, end: Growth) -> bool:
    """Test whether a factor reduces a degree that is out of range."""
    takes = end.degree(factor)
    return bool(degree * takes < 0 and 0 < abs(degree) - end.most < abs(takes) * _NOTHING_BESIDE)


def _terms(total: Expr) -> Sequence[Expr]:
    """Return the operands of a sum, a mean or a select, which a factor multiplies."""
    return list(total.args[1:] if isinstance(total, Where) else total.args)


def _largest_term(total: Expr, end: Growth) -> Rational:
    """Return the degree of the growing factors in the largest term of a sum."""
    terms = (Mul.make_args(term) for term in _terms(total))
    return max(sum((max(Rational(0), end.degree(f)) for f in factors), Rational(0)) for factors in terms)


def _opposite(product: Mul, ends: Sequence[Growth]) -> Expr | None:
    """Return the two factors, each once, that compensate each other most, at all ends together; names first.

    Returns None if no two reduce the product's excess at some end.
    """
    beyond = [end.overreach_of(product.args) for end in ends]
    factors = sorted(product.args, key=lambda factor: sympy.default_sort_key(_once(factor)))
    factors.sort(key=lambda factor: not isinstance(_once(factor), TypedSymbol))
    best: tuple[tuple[Rational, Rational], Expr] | None = None
    for one, other in combinations(factors, 2):
        met = [_met(end.degree(_once(one)), end.degree(_once(other))) for end in ends]
        if not any(0 < over < less * _NOTHING_BESIDE for less, over in zip(met, beyond, strict=True)):
            continue
        meeting = [end for end, less in zip(ends, met, strict=True) if less]
        size = sum((abs(end.degree(factor)) for end in meeting for factor in (one, other)), Rational(0))
        worth = sum(met, Rational(0)), size
        if best is None or worth > best[0]:
            best = worth, _once(one) * _once(other)
    return None if best is None else best[1]


def _without_half_of_a_power(product: Mul, ends: Sequence[Growth]) -> Expr | None:
    """All that is divided by half of a high power: `g/x**4` is `g/x**2/x**2`, where `x**4` has no digits any more.

    The square of what grows as an exponential does is as high.
    """

    def is_high(power: Pow) -> bool:
        grows = any(end.degree(power.base) >= EXPONENTIAL for end in ends)
        return bool(power.exp.is_Integer and power.exp < (-1 if grows else -2))

    high = [f for f in product.args if isinstance(f, Pow) and is_high(f) and product != f]
    return product * high[0].base ** (-high[0].exp // 2) if high else None


def _met(one: Rational, other: Rational) -> Rational:
    """Return the part of two degrees that cancels; 0 if one is negligible beside the other.

    `z*s`, where the sigmoid `s` vanishes, is hardly larger than `s`.
    """
    less, more = sorted((abs(one), abs(other)))
    return less if one * other < 0 and less * _NOTHING_BESIDE > more else Rational(0)


def _once(factor: Expr) -> Expr:
    """Return the base of a whole power, or its reciprocal; that of `exp(2*x)` is an exponential."""
    if isinstance(factor, Pow) and factor.exp.is_Integer:
        return factor.base if factor.exp > 0 else 1 / factor.base
    if isinstance(factor, sympy.exp):
        times, exponent = factor.args[0].as_coeff_Mul()
        return sympy.exp(exponent * sympy.sign(times)) if times.is_Integer else factor
    return factor
