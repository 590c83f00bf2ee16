"""Statistics that a shift of their rows leaves alone are computed from centred rows: nothing large is subtracted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, Forward, Names, leading_to
from lngen.algebra.reductions import known_sign, name_of_body, split_statement
from lngen.algebra.symbols import (
    D,
    Mean,
    RowSymbol,
    SumRows,
    TypedSymbol,
    axes,
    is_row,
    operation_count,
    stand_in,
    symbol_like,
)
from lngen.derivation.simplify.factors import divides
from lngen.derivation.simplify.line_rules import LineRewrite
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, tree_size
from lngen.derivation.simplify.trail import Trail

_LONGEST_WRITTEN_OUT = 200
"""The nodes of what is written out in a statistic."""

_MOST_ROWS = 3
"""The rows of a statistic that are centred together."""

_SHIFT = "a shift of its row does not change it: computed from the centred row it needs no subtraction"
_ZERO = "the mean of a centred row is zero"
_SQUARE = "the mean of a square needs no subtraction of means"


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

    So is one of several rows, each less its own mean:

    >>> text = "def f(x: Row, z: Row): return mean(x*z) - mean(x)*mean(z)"
    >>> for q in centre_statistics(translate(parse(text)), Trail()).equations[2:]:
    ...     print(q.symbol, "=", q.expression)
    x_centred = -mu + x
    z_centred = -mu_2 + z
    y = Mean(x_centred*z_centred)

    And one with weights, which is less its weighted mean besides:

    >>> text = "def f(x: Row, w: Feature): return sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2"
    >>> for q in centre_statistics(translate(parse(text)), Trail()).equations[4:]:
    ...     print(q.symbol, "=", q.expression)
    mu_2 = sum_w_x_centred/sum_w
    x_centred_2 = -mu_2 + x_centred
    sum_w_x_centred_22 = D*Mean(w*x_centred_2**2)
    y = sum_w_x_centred_22/sum_w
    """
    return _rewritten(forward, "centred statistic", _SHIFT, _in_centred_rows, trail)


def join_squares(forward: Forward, trail: Trail) -> Forward:
    """Means whose bodies add up to a square are the mean of that square.

    Condition: the sum of the bodies, each times its coefficient, is a number times the square of a sum.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> made = translate(parse("def f(x: Row, z: Row): return mean(x**2) + mean(z**2) - 2*mean(x*z)"))
    >>> join_squares(made, Trail()).equations[-1].expression
    Mean((x - z)**2)
    """
    return _rewritten(forward, "mean of a square", _SQUARE, _squares, trail)


@dataclass(frozen=True)
class _Values:
    """The lines before a statistic, to which new ones are added, and their names."""

    done: list[Equation]
    names: Names

    @property
    def mean_of(self) -> dict[TypedSymbol, Expr]:
        """The means by their symbols."""
        return {q.symbol: q.expression for q in self.done if isinstance(q.reduction, Mean)}

    def written(self, expression: Expr) -> Expr:
        """A statistic with the names of means, and of what is made of means alone, written out."""
        table: dict[Expr, Expr] = {}
        for q in self.done:
            body = q.expression.xreplace(table)
            if isinstance(q.reduction, Mean):
                table[q.symbol] = q.expression
            elif axes(q.symbol) == (True, False) and not q.stopped and body != q.expression:
                table |= {q.symbol: body} if tree_size(body, _LONGEST_WRITTEN_OUT) <= _LONGEST_WRITTEN_OUT else {}
        return expression.xreplace(table)

    def sum_of(self, body: Expr) -> TypedSymbol:
        """The symbol of the sum of a body over the features."""
        return self.named(D * Mean(body), f"sum_{name_of_body(body)}")

    def centred(self, row: Expr, *, stopped: bool = False) -> TypedSymbol:
        """The symbol of a row less its mean; `stopped` if nothing depends on a new mean."""
        stem = row.name if isinstance(row, TypedSymbol) else "u"
        return self.named(row - self.named(Mean(row), "mu", stopped=stopped), f"{stem}_centred")

    def named(self, expression: Expr, name: str, *, stopped: bool = False) -> TypedSymbol:
        """The symbol of a value, which gets a line if it has none."""
        known = next((q.symbol for q in self.done if q.expression == expression), None)
        if known is None:
            known = symbol_like(self.names.fresh(name), expression)
            self.done.append(Equation(known, expression, stopped=stopped))
        return known


_Rule = Callable[[Expr, _Values], Iterator[tuple[Expr, Expr]]]
"""A rule: what a sum is, means written out, and what is better."""


def _rewritten(forward: Forward, name: str, reason: str, rule: _Rule, trail: Trail) -> Forward:
    names = Names.of(forward)
    done: list[Equation] = []
    renamed: dict[TypedSymbol, TypedSymbol] = {}
    for equation in forward.equations:
        equation = replace(equation, expression=equation.expression.xreplace(renamed))
        raw = moved = equation.expression
        if equation.reduction is None:
            raw, moved = _moved(equation.expression, rule, _Values(done, names))
        if moved == equation.expression:
            done.append(equation)
            continue
        trail.add("forward", name, equation.symbol, raw, moved, reason)
        bare = replace(equation, expression=moved).reduction is not None
        expression = split_statement(moved, done, names, whole=bare)
        symbol = type(equation.symbol)(equation.symbol.name, **known_sign(expression))
        renamed[equation.symbol] = symbol
        done.append(replace(equation, symbol=symbol, expression=expression))
    outputs = tuple(renamed.get(symbol, symbol) for symbol in forward.outputs)
    return replace(forward, equations=leading_to(outputs, done), outputs=outputs)


def _moved(expression: Expr, rule: _Rule, values: _Values) -> tuple[Expr, Expr]:
    """The expression as it is written, and with every sum in it that a rule has a better form of."""
    raw = moved = expression
    for total in sorted(expression.atoms(Add), key=lambda e: (-operation_count(e), sympy.default_sort_key(e))):
        better = total
        while axes(total) == (True, False) and isinstance(better, Add) and moved.has(better):
            written, after = next(rule(better, values), (better, better))
            if after == better:
                break
            raw, moved = raw.xreplace({better: written}), moved.xreplace({better: after})
            better = after
    return raw, moved


# ---- centred rows


def _in_centred_rows(total: Expr, values: _Values) -> Iterator[tuple[Expr, Expr]]:
    mean_of = values.mean_of
    for row in _rows_meant(total, mean_of, whole=True):
        terms = [term for term in total.args if {row} == set(_rows_meant(term, mean_of, whole=True))]
        yield from _centred(total, terms, [row], values)
    meant = {term: _rows_meant(term, mean_of, whole=False) for term in total.args}
    for rows in sorted(meant.values(), key=len, reverse=True):
        if 1 < len(rows) <= _MOST_ROWS:
            terms = [term for term in total.args if meant[term] and {*meant[term]} <= {*rows}]
            yield from _centred(total, terms, rows, values)
    yield from _weighted(total, values)
    yield from _exponential(total, values)


def _centred(total: Expr, terms: list[Expr], rows: list[Expr], values: _Values) -> Iterator[tuple[Expr, Expr]]:
    """Terms that are a statistic of these rows, each row centred on its mean, if the means are gone then."""
    rest = Add(*(term for term in total.args if term not in terms))
    written = Add(*terms).xreplace(values.mean_of)
    centred = {row: stand_in(f"centred {place}", row) for place, row in enumerate(rows)}
    mean = {row: stand_in(f"mean {place}", Mean(row)) for place, row in enumerate(rows)}
    moved = _shifted(written, {row: centred[row] + mean[row] for row in rows}, [Mean(c) for c in centred.values()])
    if moved is None or moved.free_symbols & {*mean.values()}.union(*(row.free_symbols for row in rows)):
        return
    for row in rows:
        values.named(Mean(row), "mu")
    table = {centred[row]: values.centred(row) for row in rows}
    yield Add(written, rest), Add(moved.xreplace(table), rest)


def _weighted(total: Expr, values: _Values) -> Iterator[tuple[Expr, Expr]]:
    """A sum that is a statistic of one row with weights, less its weighted mean, if that is gone then."""
    written = values.written(total)
    means = written.atoms(Mean)
    bodies = [mean.args[0] for mean in sorted(means, key=sympy.default_sort_key)]
    rows = {f.as_base_exp()[0] for body in bodies for f in Mul.make_args(body)}
    for row in sorted((row for row in rows if isinstance(row, RowSymbol)), key=str):
        for weight in (body for body in bodies if row not in body.free_symbols):
            if Mean(weight * row) not in means:
                continue
            centred, mean = stand_in("centred", row), stand_in("mean", Mean(row))
            moved = _shifted(written, {row: centred + mean}, [Mean(weight * centred)])
            if moved is None or moved.free_symbols & {row, mean}:
                continue
            if not all(divides(weight, m.args[0]) for m in moved.atoms(Mean) if m.has(centred)):
                continue
            # First less its plain mean, whose rounding the plan takes off: the weighted one then is no larger than it.
            near = values.centred(row, stopped=True)
            above, below = (values.sum_of(body) for body in (weight * near, weight))
            shift = values.named(above / below, "mu")
            table = {Mean(weight): below / D, centred: values.named(near - shift, f"{row.name}_centred")}
            yield written, moved.xreplace(table)


def _exponential(total: Expr, values: _Values) -> Iterator[tuple[Expr, Expr]]:
    """A sum with logarithms of means of exponentials of a row, less its mean, if that is gone then.

    `exp(c + m)` is `exp(m)*exp(c)`, a mean lets `exp(m)` out, and a logarithm turns it into `+ m`.
    """
    written = values.written(total)
    rows = {mean.args[0] for mean in written.atoms(Mean) if isinstance(mean.args[0], RowSymbol)}
    if not rows:
        return
    row = min(rows, key=str)
    centred, mean = stand_in("centred", row), stand_in("mean", Mean(row))
    factor = stand_in("exponential of the mean", Mean(row), positive=True)

    def exponential(u: Expr) -> Expr:
        u = sympy.expand(u)
        times = u.coeff(mean)
        return factor**times * sympy.exp(u - times * mean) if times.is_Rational else sympy.exp(u)

    def logarithm(u: Expr) -> Expr:
        _, power = u.as_independent(factor, as_Add=False)
        base, times = power.as_base_exp()
        return times * mean + sympy.log(u / power) if base == factor else sympy.log(u)

    for row in sorted(rows if written.has(sympy.log) and written.has(sympy.exp) else (), key=str):
        moved = written.xreplace({row: centred + mean}).replace(sympy.exp, exponential)
        moved = _shifted(
            moved.replace(Mean, lambda u: expand_linear(Mean(u))).replace(sympy.log, logarithm), {}, [Mean(centred)]
        )
        if moved is not None and not moved.free_symbols & {row, mean, factor}:
            yield written, moved.xreplace({centred: values.centred(row)})


def _shifted(written: Expr, rows: Mapping[Expr, Expr], zero: list[Expr]) -> Expr | None:
    """A statistic in other rows and multiplied out, with the means that are zero; None where no mean is left of it."""
    try:
        moved = expand_linear(written.xreplace(rows)).xreplace(dict.fromkeys(zero, sympy.S.Zero))
        moved = expand_linear(moved)
    except TooManyTermsError:
        return None
    return moved if moved.atoms(Mean) else None


def _rows_meant(expression: Expr, mean_of: Mapping[TypedSymbol, Expr], *, whole: bool) -> list[Expr]:
    """The rows whose powers an expression's means are means of, or, if not `whole`, whose products."""
    rows: set[Expr] = set()
    for symbol in expression.free_symbols & mean_of.keys():
        for mean in mean_of[symbol].atoms(Mean):
            for body in mean.args if whole else Mul.make_args(mean.args[0]):
                rows.add(body.base if isinstance(body, Pow) and body.exp.is_Integer else body)
    return sorted((row for row in rows if is_row(row)), key=sympy.default_sort_key)


# ---- lines derived from a forward


def zero_means(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """The mean of a row that is centred is zero, also one with the weights that it is centred with.

    Condition: with the row and its sums written out, nothing is left of the mean.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> layer = translate(parse("def f(x: Row, w: Feature): return x - sum(w*x)/sum(w)"))
    >>> y, w, g = layer.outputs[0], layer.symbols[1], RowSymbol("g")
    >>> applied(zero_means, (Equation(RowSymbol("dx"), g - w*Mean(w*y) + Mean(y)),), layer)[0].expression
    g + Mean(y)
    """
    values = {q.symbol: q.expression for q in forward.equations}
    centred = {symbol for symbol, value in values.items() if is_row(symbol) and isinstance(value, Add)}
    sums = {q.symbol: q.expression for q in forward.equations if isinstance(q.reduction, Mean)}
    zero: dict[Expr, Expr] = {}
    for mean in {mean for q in lines for mean in q.expression.atoms(Mean)}:
        [*_, row] = sorted(Mul.make_args(mean.args[0]), key=lambda factor: factor in centred)
        written = mean.xreplace({row: values.get(row, row)}).xreplace(sums)
        if row in centred and tree_size(written, _LONGEST_WRITTEN_OUT) <= _LONGEST_WRITTEN_OUT:
            with suppress(TooManyTermsError):
                zero |= {mean: sympy.S.Zero} if expand_linear(written) == 0 else {}

    def change(line: Expr) -> Expr:
        return line.xreplace(zero).replace(SumRows, lambda u: SumRows(u) if u != 0 else u)

    yield LineRewrite("identities", _ZERO, change, uses=zero)


# ---- squares


def _squares(total: Expr, values: _Values) -> Iterator[tuple[Expr, Expr]]:
    bodies = {}
    for term in total.args:
        written = term.xreplace(values.mean_of)
        means = [factor for factor in Mul.make_args(written) if isinstance(factor, Mean)]
        if len(means) == 1 and not (written / means[0]).atoms(Mean):
            bodies[written] = written / means[0] * means[0].args[0]
    root = _root(Add(*bodies.values())) if len(bodies) == len(total.args) > 2 else None
    if root is not None:
        scale, row = root
        yield Add(*bodies), scale * Mean(row**2)


def _root(total: Expr) -> tuple[Expr, Expr] | None:
    """The root of a sum that is a square, and the number that the square is multiplied by.

    >>> x, z = RowSymbol("x"), RowSymbol("z")
    >>> _root(2*x**2 - 12*x*z + 18*z**2), _root(x**2 - x*z + z**2)
    ((2, x - 3*z), None)
    """
    squares = [
        term
        for term in Add.make_args(total)
        if all(f.as_base_exp()[1].is_even or f.is_number for f in Mul.make_args(term))
    ]
    if not squares:
        return None
    scale, first = squares[0].as_coeff_Mul()
    root = sympy.sqrt(first).replace(sympy.Abs, lambda u: u)
    for term in squares[1:]:
        times, square = (term / scale).as_coeff_Mul()
        part = sympy.sqrt(times) * sympy.sqrt(square).replace(sympy.Abs, lambda u: u)
        sign = (
            -1 if any(-2 * scale * root_part * part in Add.make_args(total) for root_part in Add.make_args(root)) else 1
        )
        root += sign * part
    return (scale, root) if isinstance(root, Add) and sympy.expand(scale * root**2 - total) == 0 else None
