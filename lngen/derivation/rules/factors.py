"""Factors: taken out of sums, multiplied into them, and known under a name."""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy import Add, Expr, Mul, Symbol

from lngen.algebra.symbols import Mean, operation_count, varies_over_features

_LONG = 12


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


def without(product: Expr, *factors: Expr) -> Expr:
    """A product without factors that it has.

    SymPy would leave exp(a + b)*exp(-a - b) as it stands, and (-a - b)/(a + b), to which -c*(a + b)/c comes.

    >>> a, b, c = sympy.symbols("a b c")
    >>> without(c * sympy.exp(a + b), sympy.exp(a + b)), without(-c * (a + b), c, a + b), without(c**2, c)
    (c, -1, c)
    """
    left, rest = list(Mul.make_args(product)), []
    for part in (part for factor in factors for part in Mul.make_args(factor)):
        if part in left:
            left.remove(part)
        else:
            rest.append(part)
    return Mul(*left) / Mul(*rest)


def divides(product: Expr, expression: Expr) -> bool:
    """Test whether all factors of a product are among those of an expression.

    >>> from sympy.abc import a, b
    >>> divides(a*b, a**2*b), divides(a*b, a**2), divides(1/a, a**-2)
    (True, False, True)
    """
    own = expression.as_powers_dict()
    # exp(D) and exp(-D) meet in a power that is 0, and one of D is a number for no comparison.
    ratios = [own[base] / exponent if exponent else sympy.S.One for base, exponent in product.as_powers_dict().items()]
    return all(ratio.is_number and ratio >= 1 for ratio in ratios)


@lru_cache(maxsize=10_000)
def common_factors(expression: Expr) -> Expr:
    """Factors that all terms of a sum share taken out of it, also inside means.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> g, r = RowSymbol("g"), RowScalarSymbol("r", positive=True)
    >>> common_factors(r*g - r*Mean(g))
    r*(g - Mean(g))
    """
    if isinstance(expression, Mul):
        return Mul(*(common_factors(factor) for factor in expression.args))
    if not isinstance(expression, Add):
        return expression
    terms = [common_factors(term) for term in expression.args]
    powers = [_powers(term) for term in terms]
    shared: dict[Expr, Expr] = {}
    for base in powers[0]:
        exponents = [power.get(base, sympy.S.Zero) for power in powers]
        if all(e.is_Rational for e in exponents) and (all(e > 0 for e in exponents) or all(e < 0 for e in exponents)):
            shared[base] = min(exponents, key=abs)
    factors = [base**exponent for base, exponent in shared.items()]
    return Mul(*factors, _group([without(term, *factors) for term in terms]))


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
        grouped = Add(factor * common_factors(Add(*(without(term, factor) for term in inside))), *outside)
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
