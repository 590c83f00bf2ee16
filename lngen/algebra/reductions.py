"""Reductions: a line for each, their names, and the form in which a sum is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import sympy
from sympy import Expr, Mul, Pow

from lngen.algebra.equations import AnyAssigned, Equation, Names
from lngen.algebra.symbols import (
    D,
    FeatureSum,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    StopGradient,
    TypedSymbol,
    axes,
    has_sum,
    symbol_like,
    word_of,
)


def split_reductions(
    lines: Iterable[AnyAssigned],
    names: Names,
    word: Callable[[Expr], str],
    kinds: tuple[Any, ...] = (Reduction,),
) -> list[AnyAssigned]:
    """Return lines in which each function of these `kinds` has a line of its own, computed once; `word` names it.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, g = RowSymbol("x"), RowSymbol("g")
    >>> for line in split_reductions([Equation(RowSymbol("dx"), g - x*Mean(g*x))], Names([]), lambda r: "m"):
    ...     print(line.symbol, "=", line.expression)
    m = Mean(g*x)
    dx = -m*x + g
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[AnyAssigned] = []

    def named(found: Expr, line: AnyAssigned) -> TypedSymbol:
        if found not in known:
            known[found] = symbol_like(names.fresh(word(found)), found)
            result.append(replace(line, symbol=known[found], expression=found))
        return known[found]

    for line in lines:
        # A gradient that is the same for all features repeats a reduction, and keeps a line of its own.
        if isinstance(line.expression, kinds) and axes(line.expression) == axes(line.symbol):
            body = (innermost_first(part, kinds, partial(named, line=line)) for part in line.expression.args)
            expression = line.expression.func(*body)
            known.setdefault(expression, line.symbol)
        else:
            expression = innermost_first(line.expression, kinds, partial(named, line=line))
        result.append(replace(line, expression=expression))
    return result


def innermost_first(expression: Expr, kinds: tuple[Any, ...], value_of: Callable[[Expr], Expr]) -> Expr:
    """Replace each function of these `kinds` in an expression by its `value_of`, inner functions before outer ones.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> innermost_first(Mean(RowSymbol("x") - Mean(RowSymbol("x"))), (Mean,), lambda mean: RowScalarSymbol("m"))
    m
    """
    return expression.replace(lambda part: isinstance(part, kinds), value_of, simultaneous=False)


def split_statement(expression: Expr, equations: list[Equation], names: Names, *, whole: bool) -> Expr:
    """Give every reduction inside `expression` its own equation, innermost first.

    With `whole` the outermost reduction stays: it is the statement itself.
    """
    known = {equation.expression: equation.symbol for equation in equations if equation.reduction is not None}

    def named(found: Expr) -> TypedSymbol:
        if found not in known:
            known[found] = symbol_like(names.fresh(reduction_name(found)), found, **known_sign(found))
            equations.append(Equation(known[found], found))
        return known[found]

    def split(part: Expr) -> Expr:
        part = _with_sums(part, known, named)
        for found in sorted(part.atoms(Reduction), key=sympy.default_sort_key):
            if not found.args[0].atoms(Reduction):
                named(found)
        return innermost_first(part, (Reduction,), named)

    outer = next((e for e in (expression, expression / D) if whole and isinstance(e, Reduction)), None)
    return split(expression) if outer is None else expression / outer * outer.func(split(outer.args[0]))


def _with_sums(expression: Expr, known: Mapping[Expr, TypedSymbol], named: Callable[[Expr], TypedSymbol]) -> Expr:
    """Name every `D*Mean(body)`, which is a sum, as a whole, unless the mean has a name already."""

    def is_sum(e: Expr) -> bool:
        return isinstance(e, Mul) and any(isinstance(f.as_base_exp()[0], Mean) for f in e.args) and e.has(D)

    def with_symbol(product: Expr) -> Expr:
        powers = dict(factor.as_base_exp() for factor in product.args)
        for mean in sorted((base for base in powers if isinstance(base, Mean)), key=sympy.default_sort_key):
            # The remaining power of D is SymPy's, to which `sum(u)/sqrt(D)` is `sqrt(D)*mean(u)`.
            is_sum = powers.get(D) == powers[mean] or not powers.get(D, sympy.S.Zero).is_Integer
            if is_sum and mean not in known and not mean.args[0].atoms(Reduction):
                return product / (D * mean) ** powers[mean] * named(D * mean) ** powers[mean]
        return product

    return expression.replace(is_sum, with_symbol)


_LONGEST_NAME = 24
"""Most letters of a name that spells out a body; a body that needs more is named by its kind."""


def name_of_body(body: Expr) -> str:
    """Name the body of a reduction: by all symbols in it that vary over features, or else by its kind.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> k, q, s = RowSymbol("k"), RowSymbol("q"), RowScalarSymbol("s")
    >>> [name_of_body(e) for e in (k*q, -s*k**2*q, sympy.sign(k)*q, k/q, k*(q + k), sympy.exp(k + q), q*k + s)]
    ['k_q', 'k2_q', 'q_sign_k', 'k_over_q', 'k_k_plus_q', 'exp_k_plus_q', 'sum']
    """
    words = _words(body)
    if words and len(words) <= _LONGEST_NAME:
        return words
    return "product" if isinstance(body, Mul) else "sum" if isinstance(body, sympy.Add) else "value"


def _words(e: Expr) -> str:
    if isinstance(e, sympy.Add) and all(isinstance(term, TypedSymbol) for term in e.args):
        return "_plus_".join(sorted(map(word_of, e.args)))
    rows = [word_of(symbol) for symbol in e.free_symbols if axes(symbol).features]
    if isinstance(e, StopGradient):
        return _words(e.args[0])
    if isinstance(e, (TypedSymbol, sympy.Add)):
        return str(rows[0]) if len(rows) == 1 else ""
    if isinstance(e, sympy.Pow) and e.exp.is_Integer:
        power = "" if abs(e.exp) == 1 else str(abs(e.exp))
        return ("over_" if e.exp < 0 else "") + base + power if (base := _words(e.base)) else ""
    if isinstance(e, Mul):
        words = [_words(factor) for factor in e.args if axes(factor).features]
        return "_".join(sorted(words, key=lambda word: (word.startswith("over_"), word))) if all(words) else ""
    return "_".join(filter(None, [type(e).__name__.lower(), *map(_words, e.args)])) if e.is_Function else ""


def reduction_name(found: Expr) -> str:
    """The field's name for a reduction, or for a sum, that the user left unnamed.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, mu, g = RowSymbol("x"), RowScalarSymbol("mu"), RowSymbol("g")
    >>> [reduction_name(r) for r in (Mean(x), Mean((x - mu)**2), Mean(x**2), RowMax(x), Mean(x**4), D*Mean(g*x))]
    ['mu', 'var', 'ms', 'row_max', 'mean_x4', 'sum_g_x']
    """
    if not isinstance(found, Reduction):
        return f"sum_{name_of_body((found / D).args[0])}"
    reduction, body = found, found.args[0]
    if isinstance(reduction, RowMax):
        return "row_max"
    if isinstance(reduction, RowMin):
        return "row_min"
    if isinstance(body, TypedSymbol) and axes(body).rows:
        return "mu"
    if isinstance(body, sympy.Pow) and body.exp == 2 and axes(body).rows:
        return "ms" if isinstance(body.base, TypedSymbol) else "var"
    return f"mean_{name_of_body(body)}"


def known_sign(expression: Expr) -> dict[str, bool]:
    """Return the sign of an expression as SymPy proves it, as assumptions for a symbol."""
    if expression.is_positive:
        return {"positive": True}
    if expression.is_nonnegative:
        return {"nonnegative": True}
    if expression.is_nonzero or (isinstance(expression, sympy.Pow) and expression.exp.is_negative):
        return {"nonzero": True}
    return {}


@lru_cache(maxsize=20_000)
def show_sums(expression: Expr) -> Expr:
    """`D*Mean(u)` shown as what it is, a sum.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> show_sums(3 * D * Mean(RowSymbol("x")))
    3*FeatureSum(x)
    >>> show_sums(sympy.sqrt(D) * Mean(RowSymbol("x")))
    FeatureSum(x)/sqrt(D)
    >>> show_sums(RowSymbol("y") / (D * Mean(RowSymbol("x"))))
    y/FeatureSum(x)
    """
    if not expression.args:
        return expression
    arguments = tuple(map(show_sums, expression.args))
    # SymPy takes long to make a comparison of what is long again.
    expression = expression if arguments == expression.args else expression.func(*arguments)
    if isinstance(expression, Mul) and has_sum(expression.args):
        mean = next(factor for factor in expression.args if isinstance(factor, Mean))
        return expression / mean / D * FeatureSum(mean.args[0])
    if isinstance(expression, Mul) and (1 / D) in expression.args:
        inverse = next((f for f in expression.args if isinstance(f, Pow) and isinstance(1 / f, Mean)), None)
        if inverse is not None:
            return expression / inverse * D / FeatureSum((1 / inverse).args[0])
    return expression


def identity_shown(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """An identity of a mean as one of the sum where that is shorter: `sum(p) = 1` for `mean(p) = 1/D`.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> p, t = RowSymbol("p"), RowSymbol("t")
    >>> identity_shown(Mean(p), 1 / D), identity_shown(Mean(t**2), 1 - 1 / D)
    ((FeatureSum(p), 1), (Mean(t**2), 1 - 1/D))
    """
    total = sympy.expand(right * D)
    if isinstance(left, Mean) and right != 0 and D not in total.free_symbols and D in right.free_symbols:
        return FeatureSum(left.args[0]), total
    return show_sums(left), show_sums(right)
