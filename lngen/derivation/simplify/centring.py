"""Statistics that a shift of their rows leaves alone are computed from centred rows: nothing large is subtracted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import sympy
from sympy import Add, Expr, Pow

from lngen.algebra.equations import Equation, Forward, Names, leading_to
from lngen.algebra.reductions import known_sign, split_statement
from lngen.algebra.symbols import Mean, TypedSymbol, axes, is_row, operation_count, stand_in, symbol_like
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear
from lngen.derivation.simplify.trail import Trail

_SHIFT = "a shift of its row does not change it: computed from the centred row it needs no subtraction"


def centre_statistics(forward: Forward, trail: Trail) -> Forward:
    """A statistic that a shift of its row leaves alone is computed from the centred row.

    `Mean(x**2) - Mean(x)**2` subtracts two numbers that agree in all their digits when the row is far from zero. With
    `c = x - Mean(x)`, whose mean is zero, it is `Mean(c**2)`, exactly and without the subtraction. Condition: written
    in c and multiplied out, `Mean(x)` is gone from the expression.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, mean
    ... def spread(x: Row):
    ...     v = mean(x**2) - mean(x)**2
    ...     return x * v
    ... '''
    >>> for q in centre_statistics(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    mu = Mean(x)
    x_centred = -mu + x
    v = Mean(x_centred**2)
    y = v*x
    """
    names = Names.of(forward)
    done: list[Equation] = []
    renamed: dict[TypedSymbol, TypedSymbol] = {}
    for equation in forward.equations:
        equation = replace(equation, expression=equation.expression.xreplace(renamed))
        raw = moved = equation.expression
        if equation.reduction is None:
            raw, moved = _moved(equation.expression, _Values(done, names))
        if moved == equation.expression:
            done.append(equation)
            continue
        trail.add("forward", "centred statistic", equation.symbol, raw, moved, _SHIFT)
        bare = replace(equation, expression=moved).reduction is not None
        expression = split_statement(moved, done, names, whole=bare)
        symbol = type(equation.symbol)(equation.symbol.name, **known_sign(expression))
        renamed[equation.symbol] = symbol
        done.append(replace(equation, symbol=symbol, expression=expression))
    outputs = tuple(renamed.get(symbol, symbol) for symbol in forward.outputs)
    return replace(forward, equations=leading_to(outputs, done), outputs=outputs)


@dataclass(frozen=True)
class _Values:
    """The lines before a statistic, to which new ones are added, and their names."""

    done: list[Equation]
    names: Names

    @property
    def mean_of(self) -> dict[TypedSymbol, Expr]:
        """The means by their symbols."""
        return {q.symbol: q.expression for q in self.done if isinstance(q.reduction, Mean)}

    def centred(self, row: Expr) -> TypedSymbol:
        """The symbol of a row less its mean."""
        stem = row.name if isinstance(row, TypedSymbol) else "u"
        return self.named(row - self.named(Mean(row), "mu"), f"{stem}_centred")

    def named(self, expression: Expr, name: str) -> TypedSymbol:
        """The symbol of a value, which gets a line if it has none."""
        known = next((q.symbol for q in self.done if q.expression == expression), None)
        if known is None:
            known = symbol_like(self.names.fresh(name), expression)
            self.done.append(Equation(known, expression))
        return known


def _moved(expression: Expr, values: _Values) -> tuple[Expr, Expr]:
    """The expression as it is written, and with every sum in it that has a better form."""
    raw = moved = expression
    for total in sorted(expression.atoms(Add), key=lambda e: (-operation_count(e), sympy.default_sort_key(e))):
        better = total
        while axes(total) == (True, False) and isinstance(better, Add) and moved.has(better):
            written, after = next(_in_centred_rows(better, values), (better, better))
            if after == better:
                break
            raw, moved = raw.xreplace({better: written}), moved.xreplace({better: after})
            better = after
    return raw, moved


def _in_centred_rows(total: Expr, values: _Values) -> Iterator[tuple[Expr, Expr]]:
    """Terms that are a statistic of one row, the row centred on its mean, if the mean is gone then."""
    mean_of = values.mean_of
    for row in _rows_meant(total, mean_of):
        terms = [term for term in total.args if {row} == set(_rows_meant(term, mean_of))]
        rest = Add(*(term for term in total.args if term not in terms))
        written = Add(*terms).xreplace(mean_of)
        centred, mean = stand_in("centred", row), stand_in("mean", Mean(row))
        moved = _shifted(written, {row: centred + mean}, [Mean(centred)])
        if moved is None or moved.free_symbols & {mean}.union(row.free_symbols):
            continue
        values.named(Mean(row), "mu")
        yield Add(written, rest), Add(moved.xreplace({centred: values.centred(row)}), rest)


def _shifted(written: Expr, rows: Mapping[Expr, Expr], zero: list[Expr]) -> Expr | None:
    """A statistic in other rows and multiplied out, with the means that are zero; None where no mean is left of it."""
    try:
        moved = expand_linear(written.xreplace(rows)).xreplace(dict.fromkeys(zero, sympy.S.Zero))
        moved = expand_linear(moved)
    except TooManyTermsError:
        return None
    return moved if moved.atoms(Mean) else None


def _rows_meant(expression: Expr, mean_of: Mapping[TypedSymbol, Expr]) -> list[Expr]:
    """The rows whose powers an expression's means are means of."""
    rows: set[Expr] = set()
    for symbol in expression.free_symbols & mean_of.keys():
        for mean in mean_of[symbol].atoms(Mean):
            body = mean.args[0]
            rows.add(body.base if isinstance(body, Pow) and body.exp.is_Integer else body)
    return sorted((row for row in rows if is_row(row)), key=sympy.default_sort_key)
