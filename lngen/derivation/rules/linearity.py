"""The mean is linear: it splits over a sum and lets go of what does not depend on the feature."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from math import comb, prod

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.budget import NODES, spend
from lngen.algebra.symbols import D, FeatureSum, Mean, Reduction, RowMax, RowMin, SumRows, axes, varies_over_features
from lngen.derivation.rules.factors import common_factors, without

MAXIMUM_TERMS = 120
"""Longer sums are not multiplied out: nothing shorter ever came of one, and the time grows with the square."""

_HIGHEST = 2
"""The power up to which a sum of row scalars is multiplied out: a variance has the square of a mean."""


class TooManyTermsError(Exception):
    """Multiplying out would make more than MAXIMUM_TERMS terms, or takes too long: its form is not tried."""


def terms_bound(expression: Expr) -> int:
    """Return an upper bound for the number of terms of an expression, multiplied out.

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
    spend(1, NODES)
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
    """Test whether an expression is a power for which no mean is split.

    No identity has such a power, and its many terms would cancel.
    """
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

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol, FeatureSymbol
    >>> x, mu, g = RowSymbol("x"), RowScalarSymbol("mu"), FeatureSymbol("g")
    >>> split_means(Mean(g * (x - mu) + 3))
    -mu*Mean(g) + Mean(g*x) + 3

    A sum that is such a factor meets its like before it, in a power that is not multiplied out:

    >>> r = RowScalarSymbol("r")
    >>> expand_linear((mu + r)**2 * Mean((mu + r)**2 * x))
    (mu + r)**4*Mean(x)
    """
    if not expression.atoms(Reduction):
        return expression
    arguments = [split_means(argument) for argument in expression.args]
    if not isinstance(expression, Mean):
        return expression.func(*arguments)
    outside = [factor for factor in Mul.make_args(arguments[0]) if not varies_over_features(factor)]
    terms = Add.make_args(multiply_out(without(arguments[0], *outside)))
    return Mul(*outside, Add(*map(mean_of_product, terms)))


def mean_of_product(body: Expr) -> Expr:
    """The mean of a product, what does not vary over features before it.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> x, r = RowSymbol("x"), RowScalarSymbol("r")
    >>> mean_of_product(3*r*x), mean_of_product(3*r)
    (3*r*Mean(x), 3*r)
    """
    inside = [factor for factor in Mul.make_args(body) if varies_over_features(factor)]
    outside = [factor for factor in Mul.make_args(body) if not varies_over_features(factor)]
    return Mul(*outside) * (Mean(Mul(*inside)) if inside else 1)


def lifted(expression: Expr) -> Expr:
    """Take factors that do not vary over features out of every mean; no sum is multiplied out.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> x, y, r = RowSymbol("x"), RowSymbol("y"), RowScalarSymbol("r")
    >>> lifted(Mean(Mean(y) * r * (x + r)**2))
    r*Mean(y)*Mean((r + x)**2)
    """
    return expression.replace(Mean, mean_of_product)


def expand_linear(expression: Expr) -> Expr:
    """Multiply out everything and split every mean: the form in which identities can be used.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
    >>> expand_linear(Mean((x - mu)**2))
    mu**2 - 2*mu*Mean(x) + Mean(x**2)
    """
    return multiply_out(split_means(expression))


def split_rows_sum(expression: Expr) -> Expr:
    """Sums over rows added up inside one, then what does not vary over rows taken out of it.

    >>> from lngen.algebra.symbols import FeatureSymbol, RowSymbol
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
    outside = [factor for factor in Mul.make_args(body) if not axes(factor).rows and factor != D]
    # As one product, 2*(a + b) would be multiplied out, and is then no factor of the body.
    return Mul(*outside, SumRows(without(body, *outside)))


def _lifted(body: Expr) -> Expr:
    """Factors that do not vary over features taken out of the means in a product.

    >>> from lngen.algebra.symbols import RowSymbol, ScalarSymbol
    >>> _lifted(D * Mean(RowSymbol("x") / ScalarSymbol("s")))
    D*Mean(x)/s
    """
    return Mul(*(mean_of_product(f.args[0]) if isinstance(f, Mean) else f for f in Mul.make_args(body)))


def tree_size(expression: Expr, enough: int) -> int:
    """The nodes of an expression written out, counted no further than just above `enough`.

    >>> x, y = sympy.symbols("x y")
    >>> tree_size(x + y, 100), tree_size((x + y)**2 + x, 3)
    (3, 4)
    """
    return sum(1 for _ in islice(sympy.preorder_traversal(expression), enough + 1))


def powers_of_sums(expression: Expr) -> int:
    """Return the depth of powers of sums inside one another.

    >>> x = sympy.Symbol("x")
    >>> powers_of_sums((x + 1)**2), powers_of_sums(((x + 1)**2 + 1)**2)
    (1, 2)
    """
    inside = max((powers_of_sums(argument) for argument in expression.args), default=0)
    return inside + (isinstance(expression, Pow) and isinstance(expression.base, Add))


def stages_in(expression: Expr) -> int:
    """Return the number of reductions that have to finish one after the other before the expression is known.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> stages_in(x - Mean(x)), stages_in(Mean((x - Mean(x))**2))
    (1, 2)
    """
    inner = max((stages_in(argument) for argument in expression.args), default=0)
    return inner + isinstance(expression, Reduction)


def reductions_in(expression: Expr) -> int:
    """Return the number of different reductions in an expression.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> reductions_in(Mean(x) + x*Mean(x) + RowMax(x))
    2
    """
    return len(expression.atoms(Mean, RowMax, RowMin, FeatureSum))
