"""The mean is linear: it splits over a sum and lets go of what does not depend on the feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial
from itertools import islice
from math import comb, prod

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol

from lngen.simplify.work import spend
from lngen.symbolic import (
    D,
    FeatureSum,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    SumRows,
    Where,
    axes,
    operation_count,
    varies_over_features,
)

MAXIMUM_TERMS = 120
"""Longer sums are not multiplied out: nothing shorter ever came of one, and the time grows with the square."""

_LONG = 12

_HIGHEST = 2
"""The power up to which a sum of row scalars is multiplied out: a variance has the square of a mean."""

_nodes_left: ContextVar[int | None] = ContextVar("nodes left to multiply out", default=None)


@contextmanager
def bounded_work(nodes: int) -> Iterator[None]:
    """Inside, TooManyTermsError is also raised when multiplying out has visited so many nodes in all.

    A count and not a time, so that the same definition ends at the same form on every machine.
    """
    token = _nodes_left.set(nodes)
    try:
        yield
    finally:
        _nodes_left.reset(token)


class TooManyTermsError(Exception):
    """Multiplying out would make more than MAXIMUM_TERMS terms, or takes too long: its form is not tried."""


def terms_bound(expression: Expr) -> int:
    """How many terms an expression can have when multiplied out, at most.

    >>> x, y = sympy.symbols("x y")
    >>> terms_bound((x + y)**2 * (1 + x)), terms_bound(sympy.exp(x + y))
    (6, 1)
    """
    if isinstance(expression, Add):
        return sum(terms_bound(term) for term in expression.args)
    if isinstance(expression, Mul):
        return prod(terms_bound(factor) for factor in expression.args)
    if (
        isinstance(expression, Pow)
        and expression.exp.is_Integer
        and expression.exp > 0
        and not _is_high_power(expression)
    ):
        terms = terms_bound(expression.base)
        return comb(terms + int(expression.exp) - 1, int(expression.exp)) if terms > 1 else terms
    return 1


def multiply_out(expression: Expr) -> Expr:
    """Products and integer powers of sums multiplied out; functions left alone, and high powers of row scalars.

    Raises TooManyTermsError where that would take too long.

    >>> x, y = sympy.symbols("x y")
    >>> multiply_out((x + y)**2 * sympy.exp(x + y))
    x**2*exp(x + y) + 2*x*y*exp(x + y) + y**2*exp(x + y)
    >>> multiply_out((x + y)**3 * (1 + x))
    x*(x + y)**3 + (x + y)**3
    """
    if terms_bound(expression) > MAXIMUM_TERMS:
        raise TooManyTermsError
    return _multiplied_out(expression)


def _multiplied_out(expression: Expr) -> Expr:
    left = _nodes_left.get()
    if left is not None:
        if left <= 0:
            raise TooManyTermsError
        _nodes_left.set(left - 1)
    if isinstance(expression, Pow) and expression.exp.is_Integer and expression.exp < 0:
        return multiply_out(expression.base) ** expression.exp
    if _is_high_power(expression):
        return expression
    if isinstance(expression, (Add, Mul)) or (isinstance(expression, Pow) and expression.exp.is_Integer):
        rebuilt = expression.func(*(_multiplied_out(argument) for argument in expression.args))
        expanded = _expanded(rebuilt)
        spend(len(expanded.args))
        return expanded
    return expression


def _is_high_power(expression: Expr) -> bool:
    """Whether it is a power that no mean is split for, nor any identity has: its many terms would cancel."""
    power, base = (expression.exp, expression.base) if isinstance(expression, Pow) else (0, expression)
    return bool(power > _HIGHEST) and isinstance(base, Add) and not varies_over_features(base)


@lru_cache(maxsize=20_000)
def _expanded(expression: Expr) -> Expr:
    """One product or power multiplied out, but for what it is divided by, which SymPy would multiply out as well.

    >>> x, y = sympy.symbols("x y")
    >>> _expanded((x + 1) / (y * (y + 1)))
    x/(y*(y + 1)) + 1/(y*(y + 1))
    """
    below = Mul(*(f for f in Mul.make_args(expression) if isinstance(f, Pow) and f.exp.is_number and f.exp.is_negative))
    if below != 1 and below != expression:
        return Add(*(below * term for term in Add.make_args(_expanded(expression / below))))
    return sympy.expand(expression, deep=False, power_exp=False, log=False, func=False, trig=False)


def split_means(expression: Expr) -> Expr:
    """Every mean split over its terms, factors that do not vary over features taken out.

    >>> from lngen.symbolic import RowSymbol, RowScalarSymbol, FeatureSymbol
    >>> x, mu, g = RowSymbol("x"), RowScalarSymbol("mu"), FeatureSymbol("g")
    >>> split_means(Mean(g * (x - mu) + 3))
    -mu*Mean(g) + Mean(g*x) + 3
    """
    if not expression.atoms(Reduction):
        return expression
    arguments = [split_means(argument) for argument in expression.args]
    if not isinstance(expression, Mean):
        return expression.func(*arguments)
    total = sympy.S.Zero
    for term in Add.make_args(multiply_out(arguments[0])):
        inside = [factor for factor in Mul.make_args(term) if varies_over_features(factor)]
        outside = [factor for factor in Mul.make_args(term) if not varies_over_features(factor)]
        total += Mul(*outside) * (Mean(Mul(*inside)) if inside else 1)
    return total


def expand_linear(expression: Expr) -> Expr:
    """Everything multiplied out and every mean split: the form in which identities can be used.

    >>> from lngen.symbolic import RowSymbol, RowScalarSymbol
    >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
    >>> expand_linear(Mean((x - mu)**2))
    mu**2 - 2*mu*Mean(x) + Mean(x**2)
    """
    return multiply_out(split_means(expression))


def with_product(expression: Expr, symbol: Symbol, product: Expr) -> Expr:
    """The expression with `symbol` wherever all factors of `product` meet in a product.

    >>> from sympy.abc import a, b, c, p
    >>> with_product(a*b*c + a**2*b + a, p, a*b)
    a*p + a + c*p
    """
    if not expression.args:
        return expression
    expression = expression.func(*(with_product(argument, symbol, product) for argument in expression.args))
    if isinstance(expression, Mul) and divides(product, expression):
        return expression / product * symbol
    return expression


def multiplied(expression: Expr, factor: Expr, meets: Callable[[Expr], bool]) -> Expr:
    """The product of an expression and a factor that goes into sums and selects as far as they meet the factor.

    `meets` tells of a sum or a select whether something in it does. Of a sum all terms are multiplied.

    >>> from lngen.symbolic import RowSymbol
    >>> a, b, x = RowSymbol("a"), RowSymbol("b"), RowSymbol("x")
    >>> multiplied(x * (a + b * (x + 1 / a)), a, lambda part: part.has(1 / a))
    x*(a**2 + b*(a*x + 1))
    >>> multiplied(b * Where(x > 0, x / a, 0), a, lambda part: part.has(1 / a))
    b*Where(x > 0, x, 0)
    """
    if isinstance(expression, Add):
        return Add(*(multiplied(term, factor, meets) for term in expression.args))
    if isinstance(expression, Where) and meets(expression):
        return Where(expression.args[0], *(multiplied(side, factor, meets) for side in expression.args[1:]))
    parts = (part for part in Mul.make_args(expression) if isinstance(part, (Add, Where)) and meets(part))
    inner = next(parts, None)
    return expression * factor if inner is None else expression / inner * multiplied(inner, factor, meets)


def with_sum(expression: Expr, symbol: Symbol, total: Add) -> Expr:
    """The expression with `symbol` wherever all terms of `total`, times the same, meet in a sum.

    >>> from sympy.abc import a, b, c, s
    >>> with_sum(2*a*c + 2*b*c + b, s, a + b)
    b + 2*c*s
    """
    if not expression.args or not expression.free_symbols >= total.free_symbols:
        return expression
    expression = expression.func(*(with_sum(argument, symbol, total) for argument in expression.args))
    for term in expression.args if isinstance(expression, Add) else ():
        factor = term / total.args[0]
        met = [factor * part for part in total.args]
        if divides(total.args[0], term) and set(met) <= set(expression.args):
            rest = (other for other in expression.args if other not in met)
            return with_sum(Add(*rest, factor * symbol), symbol, total)
    return expression


def divides(product: Expr, expression: Expr) -> bool:
    """Whether all factors of a product are among those of an expression.

    >>> from sympy.abc import a, b
    >>> divides(a*b, a**2*b), divides(a*b, a**2), divides(1/a, a**-2)
    (True, False, True)
    """
    own = expression.as_powers_dict()
    # exp(D) and exp(-D) meet in a power that is 0, and one of D is a number for no comparison.
    ratios = [own[base] / exponent if exponent else sympy.S.One for base, exponent in product.as_powers_dict().items()]
    return all(ratio.is_number and ratio >= 1 for ratio in ratios)


def split_rows_sum(expression: Expr) -> Expr:
    """Sums over rows added up inside one, then what does not vary over rows taken out of it.

    >>> from lngen.symbolic import FeatureSymbol, RowSymbol
    >>> a, b, w = RowSymbol("a"), RowSymbol("b"), FeatureSymbol("w")
    >>> split_rows_sum(SumRows(a) + SumRows(2 * b)), split_rows_sum(SumRows(w * a))
    (SumRows(a + 2*b), w*SumRows(a))
    """
    terms = Add.make_args(expression)
    inside = [_lifted(term.args[0]) for term in terms if isinstance(term, SumRows)]
    rest = Add(*(term for term in terms if not isinstance(term, SumRows)))
    return rest.replace(SumRows, _out_of_rows) + (_out_of_rows(Add(*inside)) if inside else 0)


def _out_of_rows(body: Expr) -> Expr:
    body = common_factors(_lifted(body))
    # D stays with its mean: together they are a sum.
    outside = Mul(*(factor for factor in Mul.make_args(body) if not axes(factor).rows and factor != D))
    return outside * SumRows(body / outside)


def _lifted(body: Expr) -> Expr:
    """Factors that do not vary over features taken out of the means in a product.

    >>> from lngen.symbolic import RowSymbol, ScalarSymbol
    >>> _lifted(D * Mean(RowSymbol("x") / ScalarSymbol("s")))
    D*Mean(x)/s
    """
    factors = []
    for factor in Mul.make_args(body):
        if isinstance(factor, Mean):
            inner = Mul.make_args(factor.args[0])
            factors += [f for f in inner if not varies_over_features(f)]
            factors.append(Mean(Mul(*(f for f in inner if varies_over_features(f)))))
        else:
            factors.append(factor)
    return Mul(*factors)


def show_sums(expression: Expr) -> Expr:
    """`D*Mean(u)` shown as what it is, a sum.

    >>> from lngen.symbolic import RowSymbol
    >>> show_sums(3 * D * Mean(RowSymbol("x")))
    3*FeatureSum(x)
    """
    if not expression.args:
        return expression
    expression = expression.func(*(show_sums(argument) for argument in expression.args))
    if isinstance(expression, Mul) and D in expression.args:
        means = [factor for factor in expression.args if isinstance(factor, Mean)]
        if means:
            rest = list(expression.args)
            rest.remove(D)
            rest.remove(means[0])
            return Mul(*rest, FeatureSum(means[0].args[0]))
    return expression


def hide_sums(expression: Expr) -> Expr:
    """The opposite of `show_sums`: rules know one linear reduction, the mean."""
    return expression.replace(FeatureSum, lambda body: D * Mean(body))


@lru_cache(maxsize=10_000)
def common_factors(expression: Expr) -> Expr:
    """Factors that all terms of a sum share taken out of it, also inside means.

    >>> from lngen.symbolic import RowSymbol, RowScalarSymbol
    >>> g, r = RowSymbol("g"), RowScalarSymbol("r", positive=True)
    >>> common_factors(r*g - r*Mean(g))
    r*(g - Mean(g))
    """
    if isinstance(expression, Mul):
        return _meeting(Mul(*(common_factors(factor) for factor in expression.args)))
    if not isinstance(expression, Add):
        return expression
    terms = [common_factors(term) for term in expression.args]
    powers = [_powers(term) for term in terms]
    shared: dict[Expr, Expr] = {}
    for base in powers[0]:
        exponents = [power.get(base, sympy.S.Zero) for power in powers]
        if all(e.is_Rational for e in exponents) and (all(e > 0 for e in exponents) or all(e < 0 for e in exponents)):
            shared[base] = min(exponents, key=abs)
    factor = Mul(*(base**exponent for base, exponent in shared.items()))
    rest = _group([_over(term, factor) for term in terms])
    return factor * rest


def _meeting(product: Expr) -> Expr:
    """A factor multiplied into a sum that divides by it: by so high a power as it may be zero or infinite.

    >>> from lngen.symbolic import RowSymbol
    >>> e, g, x = RowSymbol("e", positive=True), RowSymbol("g"), RowSymbol("x")
    >>> _meeting(x * e * (e**2 - g * (x + 1 / e**6))), _meeting(e * (e + g))
    (x*(e**3 - g*(e*x + e**(-5))), e*(e + g))
    """
    sums = [factor for factor in Mul.make_args(product) if isinstance(factor, Add)]
    for base, exponent in _powers(product).items() if sums else ():
        for total in sums:
            if base != total and exponent.is_positive and _divides(total, base):
                inside = multiplied(total, base**exponent, partial(_divides, base=base))
                return product / base**exponent / total * inside
    return product


def _divides(expression: Expr, base: Expr) -> bool:
    """Whether a term of a sum, or of a sum in it, divides by a power of the base."""
    if isinstance(expression, Add):
        return any(_divides(term, base) for term in expression.args)
    sums = (factor for factor in Mul.make_args(expression) if isinstance(factor, Add))
    return bool(_powers(expression).get(base, sympy.S.Zero).is_negative) or any(_divides(s, base) for s in sums)


def _over(term: Expr, factor: Expr) -> Expr:
    """A term without a factor that it has. SymPy would leave exp(a + b)*exp(-a - b) as it stands.

    >>> a, b, c = sympy.symbols("a b c")
    >>> _over(c * sympy.exp(a + b), sympy.exp(a + b))
    c
    """
    left, rest = list(Mul.make_args(term)), []
    for part in Mul.make_args(factor):
        if isinstance(part, sympy.exp) and part in left:
            left.remove(part)
        else:
            rest.append(part)
    return Mul(*left) / Mul(*rest)


def _group(terms: list[Expr]) -> Expr:
    """A sum with the factor that most of its terms share taken out of those terms, if that saves an operation.

    Only a factor that does not vary over features is worth it: it then multiplies a sum once.
    """
    total = Add(*terms)
    if len(terms) > _LONG:
        return total
    best, price = total, operation_count(total)
    factors = {base for term in terms for base in _powers(term) if isinstance(base, (Symbol, Mean))}
    for factor in sorted(factors, key=sympy.default_sort_key):
        inside = [term for term in terms if _powers(term).get(factor, sympy.S.Zero) == 1]
        if len(inside) < 2 or len(inside) == len(terms) or varies_over_features(factor):
            continue
        outside = [term for term in terms if term not in inside]
        grouped = Add(factor * common_factors(Add(*(_over(term, factor) for term in inside))), *outside)
        if operation_count(grouped) < price:
            best, price = grouped, operation_count(grouped)
    return best


def _powers(term: Expr) -> dict[Expr, Expr]:
    result: dict[Expr, Expr] = {}
    for factor in Mul.make_args(term):
        # The exponential is a function here, not a power of e: it is shared as a whole.
        base, exponent = (factor, sympy.S.One) if isinstance(factor, sympy.exp) else factor.as_base_exp()
        if not base.is_Number:
            result[base] = result.get(base, sympy.S.Zero) + exponent
    return result


def tree_size(expression: Expr, enough: int) -> int:
    """The nodes of an expression written out, counted no further than just above `enough`.

    >>> x, y = sympy.symbols("x y")
    >>> tree_size(x + y, 100), tree_size((x + y)**2 + x, 3)
    (3, 4)
    """
    return sum(1 for _ in islice(sympy.preorder_traversal(expression), enough + 1))


def powers_of_sums(expression: Expr) -> int:
    """How many powers of sums stand inside one another.

    >>> x = sympy.Symbol("x")
    >>> powers_of_sums((x + 1)**2), powers_of_sums(((x + 1)**2 + 1)**2)
    (1, 2)
    """
    inside = max((powers_of_sums(argument) for argument in expression.args), default=0)
    return inside + (isinstance(expression, Pow) and isinstance(expression.base, Add))


def stages_in(expression: Expr) -> int:
    """How many reductions have to be finished one after the other before the expression is known.

    >>> from lngen.symbolic import RowSymbol
    >>> x = RowSymbol("x")
    >>> stages_in(x - Mean(x)), stages_in(Mean((x - Mean(x))**2))
    (1, 2)
    """
    inner = max((stages_in(argument) for argument in expression.args), default=0)
    return inner + isinstance(expression, Reduction)


def reductions_in(expression: Expr) -> int:
    """The number of different reductions in an expression."""
    return len(expression.atoms(Mean, RowMax, RowMin, FeatureSum))
