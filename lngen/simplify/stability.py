"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was used."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.simplify.linear import expand_linear
from lngen.simplify.sweep import Trail
from lngen.symbolic import (
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    TypedSymbol,
    axes,
    is_row,
    symbol_like,
)
from lngen.translate import Equation, Forward, Names, known_sign


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    return shift_exponentials(centre_statistics(forward, trail), trail)


def _names(forward: Forward) -> Names:
    return Names([s.name for s in forward.symbols] + [q.symbol.name for q in forward.equations])


# ---- statistics that a shift of their row does not change


def centre_statistics(forward: Forward, trail: Trail) -> Forward:
    """A statistic that a shift of its row leaves alone is computed from the centred row.

    `Mean(x**2) - Mean(x)**2` subtracts two numbers that agree in all their digits when the row is far from zero. With
    `c = x - Mean(x)`, whose mean is zero, it is `Mean(c**2)`, exactly and without the subtraction. Condition: written in
    c and multiplied out, `Mean(x)` is gone from the expression.

    >>> from lngen.definition import parse
    >>> from lngen.translate import translate
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
    names = _names(forward)
    body_of = {q.symbol: q for q in forward.equations if isinstance(q.reduction, Mean)}
    known = {q.expression: q.symbol for q in forward.equations if isinstance(q.expression, Mean)}
    result: list[Equation] = []
    for equation in forward.equations:
        used = [s for s in equation.expression.free_symbols if s in body_of]
        row = _raw_row(equation, [body_of[s] for s in used])
        if row is None:
            result.append(equation)
            continue
        raw = equation.expression.xreplace({s: body_of[s].expression for s in used})
        mean = known.get(Mean(row))
        fresh = mean is None
        mean = mean or RowScalarSymbol(names.fresh("mu"))
        centred = RowSymbol(names.fresh(f"{row.name}_centred"))
        moved = expand_linear(expand_linear(raw.xreplace({row: centred + mean})).xreplace({Mean(centred): sympy.S.Zero}))
        if mean in moved.free_symbols or not moved.atoms(Mean):
            result.append(equation)
            continue
        defined = {q.symbol for q in result}
        if fresh or mean not in defined:
            result.append(Equation(mean, Mean(row)))
            known[Mean(row)] = mean
        result.append(Equation(centred, row - mean))
        symbol = symbol_like(equation.symbol.name, moved, **({"nonnegative": True} if moved.is_nonnegative else {}))
        whole = replace(equation, symbol=symbol, expression=moved)
        reason = f"a shift of {row.name} does not change it: computed from the centred row it needs no subtraction"
        trail.add("forward", "centred statistic", symbol, raw, moved, reason)
        result.append(whole)
        result, forward = _with_symbol(result, forward, equation.symbol, symbol)
    return _without_unused(replace(forward, equations=_deduplicated(result, forward)))


def _raw_row(equation: Equation, reductions: list[Equation]) -> TypedSymbol | None:
    """The row whose uncentred powers an expression of several means subtracts."""
    if equation.reduction is not None or axes(equation.symbol) != (True, False) or len(reductions) < 2:
        return None
    rows = {s for q in reductions for s in q.expression.free_symbols if axes(s).rows}
    if len(rows) != 1:
        return None
    (row,) = rows
    powers = [q.reduction.args[0] for q in reductions if q.reduction is not None]
    plain = all(body == row or (isinstance(body, Pow) and body.base == row and body.exp.is_Integer) for body in powers)
    return row if plain and is_row(row) else None


def _with_symbol(
    done: list[Equation], forward: Forward, old: TypedSymbol, new: TypedSymbol
) -> tuple[list[Equation], Forward]:
    if old == new:
        return done, forward
    table = {old: new}
    later = tuple(replace(q, expression=q.expression.xreplace(table)) for q in forward.equations)
    outputs = tuple(table.get(symbol, symbol) for symbol in forward.outputs)
    return done, replace(forward, equations=later, outputs=outputs)


def _deduplicated(result: list[Equation], forward: Forward) -> tuple[Equation, ...]:
    latest = {q.symbol: q for q in forward.equations}
    seen: set[TypedSymbol] = set()
    kept = []
    for equation in result:
        if equation.symbol not in seen:
            seen.add(equation.symbol)
            kept.append(replace(equation, expression=latest.get(equation.symbol, equation).expression))
    return tuple(kept)


def _without_unused(forward: Forward) -> Forward:
    equations = forward.equations
    while True:
        used = {s for q in equations for s in q.expression.free_symbols} | set(forward.outputs)
        kept = tuple(q for q in equations if q.symbol in used)
        if len(kept) == len(equations):
            return replace(forward, equations=kept)
        equations = kept


# ---- exponentials under a sum


def shift_exponentials(forward: Forward, trail: Trail) -> Forward:
    """`exp` under a sum gets the row's largest exponent taken out, where the outputs do not depend on it.

    With `m = max(u)`, `exp(u) = exp(m)*exp(u - m)`. The rule follows the factor exp(m) through the definition: a mean lets
    it out, a quotient cancels it, a logarithm turns it into `+ m`. Condition: no output keeps a power of it. Then exp(u)
    is computed as exp(u - m), at most 1, and never overflows; and m needs no gradient, since nothing depends on it.

    >>> from lngen.definition import parse
    >>> from lngen.translate import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, sum
    ... def log_partition(x: Row):
    ...     return log(sum(exp(x)))
    ... '''
    >>> for q in shift_exponentials(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    row_max = RowMax(x)
    mean_x_scaled = Mean(exp(-row_max + x))
    y = row_max + log(mean_x_scaled*D)
    """
    for exponential in _under_a_sum(forward):
        shifted = _shifted(forward, exponential, trail)
        if shifted is not None:
            return shift_exponentials(shifted, trail)
    return forward


def _under_a_sum(forward: Forward) -> list[Expr]:
    """Exponentials of a row value that reach a sum, directly or under a name, and are not shifted yet."""
    values = {q.symbol: q.expression for q in forward.equations}
    found: set[Expr] = set()
    for equation in forward.equations:
        if not isinstance(equation.reduction, Mean):
            continue
        body = equation.reduction.args[0].xreplace({s: e for s, e in values.items() if isinstance(e, sympy.exp)})
        found |= {e for e in body.atoms(sympy.exp) if is_row(e)}
    return [e for e in sorted(found, key=sympy.default_sort_key) if not _is_shifted(e.args[0], forward)]


def _is_shifted(exponent: Expr, forward: Forward) -> bool:
    """Whether the exponent is already u - max(u)."""
    largest = {q.symbol: q.expression.args[0] for q in forward.equations if isinstance(q.expression, RowMax)}
    values = {q.symbol: q.expression for q in forward.equations if is_row(q.symbol)}
    exponent = values.get(exponent, exponent)
    return any(sympy.expand(exponent + m - body) == 0 for m, body in largest.items())


def _shifted(forward: Forward, exponential: Expr, trail: Trail) -> Forward | None:
    names = _names(forward)
    exponent = exponential.args[0]
    largest = RowScalarSymbol(names.fresh("row_max"))
    factor = RowScalarSymbol(names.fresh("factor"), positive=True)
    power: dict[TypedSymbol, Expr] = {}
    result: list[Equation] = []
    for equation in forward.equations:
        moved = equation.expression.xreplace({exponential: factor * exponential})
        moved = moved.xreplace({s: factor**k * s for s, k in power.items()})
        if factor not in moved.free_symbols:
            result.append(equation)
            continue
        plain, degree = _taken_out(moved, factor, largest)
        if plain is None:
            return None
        power[equation.symbol] = degree
        plain = plain.xreplace({exponential: sympy.exp(exponent - largest)})
        result.append(replace(equation, expression=plain))
    # What lost a factor is another value than the user's and goes by another name.
    other = {s: type(s)(names.fresh(f"{s.name}_scaled"), **known_sign(s)) for s, k in power.items() if k != 0}
    result = [replace(q, symbol=other.get(q.symbol, q.symbol), expression=q.expression.xreplace(other)) for q in result]
    if any(power.get(output, 0) != 0 for output in forward.outputs):
        return None
    first = next(i for i, q in enumerate(result) if largest in q.expression.free_symbols)
    shift = Equation(largest, RowMax(exponent), stopped=True)
    reason = f"the factor exp({largest}) cancels in every output, so exp never overflows and {largest} needs no gradient"
    trail.add("forward", "largest exponent taken out", largest, None, shift.expression, reason)
    return replace(forward, equations=(*result[:first], shift, *result[first:]))


def _taken_out(expression: Expr, factor: TypedSymbol, largest: TypedSymbol) -> tuple[Expr | None, Expr]:
    """`expression` as `factor**degree * plain`, or (None, 0) if it is not of that form."""
    expression = expression.replace(
        lambda e: isinstance(e, sympy.log) and factor in e.free_symbols,
        lambda e: _log_out(e, factor, largest),
    )
    if factor not in expression.free_symbols:
        return expression, sympy.S.Zero
    if isinstance(expression, Mean):
        plain, degree = _taken_out(expression.args[0], factor, largest)
        return (None if plain is None else Mean(plain)), degree
    if isinstance(expression, Mul):
        parts = [_taken_out(argument, factor, largest) for argument in expression.args]
        if any(plain is None for plain, _ in parts):
            return None, sympy.S.Zero
        return Mul(*(plain for plain, _ in parts)), Add(*(degree for _, degree in parts))
    if isinstance(expression, Pow):
        plain, degree = _taken_out(expression.base, factor, largest)
        return (None if plain is None else plain**expression.exp), degree * expression.exp
    if isinstance(expression, Add):
        parts = [_taken_out(argument, factor, largest) for argument in expression.args]
        degrees = {degree for _, degree in parts}
        if len(degrees) == 1 and all(plain is not None for plain, _ in parts):
            return Add(*(plain for plain, _ in parts)), degrees.pop()
        return None, sympy.S.Zero
    return (sympy.S.One, sympy.S.One) if expression == factor else (None, sympy.S.Zero)


def _log_out(logarithm: Expr, factor: TypedSymbol, largest: TypedSymbol) -> Expr:
    plain, degree = _taken_out(logarithm.args[0], factor, largest)
    return logarithm if plain is None else sympy.log(plain) + degree * largest


# ---- gradients


def difference_of_squares(
    equations: tuple[Equation, ...], forward: Forward, trail: Trail
) -> tuple[Equation, ...]:
    """`1 - t**2` as `(1 - t)*(1 + t)` where t is a tanh: near t = 1 the square has already lost the digits.

    >>> t, g = RowSymbol("t"), RowSymbol("g")
    >>> tanh = Equation(t, sympy.tanh(RowSymbol("u")))
    >>> layer = Forward("f", (), (), (tanh,), ())
    >>> difference_of_squares((Equation(RowSymbol("du"), g*(1 - t**2)),), layer, Trail())[0].expression
    g*(1 - t)*(t + 1)
    """
    table = {
        1 - q.symbol**2: (1 - q.symbol) * (1 + q.symbol)
        for q in forward.equations
        if isinstance(q.expression, sympy.tanh)
    }
    result = []
    for equation in equations:
        after = equation.expression.xreplace(table)
        reason = "near 1 the square has lost the digits that the difference needs"
        trail.add("backward", "difference of squares", equation.symbol, equation.expression, after, reason)
        result.append(replace(equation, expression=after))
    return tuple(result)
