"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was
used."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.simplify.linear import TooManyTermsError, expand_linear
from lngen.simplify.sweep import Trail
from lngen.symbolic import (
    Mean,
    Reduction,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    TypedSymbol,
    axes,
    is_row,
)
from lngen.translate import Equation, Forward, Names, known_sign, split_reductions


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    return shift_exponentials(centre_statistics(forward, trail), trail)


# ---- statistics that a shift of their row does not change


def centre_statistics(forward: Forward, trail: Trail) -> Forward:
    """A statistic that a shift of its row leaves alone is computed from the centred row.

    `Mean(x**2) - Mean(x)**2` subtracts two numbers that agree in all their digits when the row is far from zero. With
    `c = x - Mean(x)`, whose mean is zero, it is `Mean(c**2)`, exactly and without the subtraction. Condition: written
    in c and multiplied out, `Mean(x)` is gone from the expression.

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
    names = Names.of(forward)
    done: list[Equation] = []
    renamed: dict[TypedSymbol, TypedSymbol] = {}
    for equation in forward.equations:
        equation = replace(equation, expression=equation.expression.xreplace(renamed))
        centred = _centred(equation, done, names, trail) if equation.reduction is None else None
        if centred is None:
            done.append(equation)
            continue
        bare = replace(equation, expression=centred).reduction is not None
        expression = split_reductions(centred, done, names, whole=bare)
        symbol = type(equation.symbol)(equation.symbol.name, **known_sign(expression))
        renamed[equation.symbol] = symbol
        done.append(replace(equation, symbol=symbol, expression=expression))
    outputs = tuple(renamed.get(symbol, symbol) for symbol in forward.outputs)
    return _without_unused(replace(forward, equations=tuple(done), outputs=outputs))


def _centred(equation: Equation, done: list[Equation], names: Names, trail: Trail) -> Expr | None:
    """The right-hand side with every such statistic in it centred, new means and centred rows added to `done`."""
    mean_of = {q.symbol: q.expression for q in done if isinstance(q.reduction, Mean)}
    sums = sorted(equation.expression.atoms(Add), key=lambda e: (-e.count_ops(), sympy.default_sort_key(e)))
    raw = moved = equation.expression
    for total in sums:
        if axes(total) != (True, False) or not moved.has(total):
            continue
        for row in _rows_meant(total, mean_of):
            terms = [t for t in total.args if {row} == set(_rows_meant(t, mean_of))]
            statistic = Add(*terms)
            written = statistic.xreplace(mean_of)
            better = _in_centred_row(written, row, done, names)
            if better is not None:
                moved = moved.xreplace({total: Add(better, *(t for t in total.args if t not in terms))})
                raw = raw.xreplace({total: Add(written, *(t for t in total.args if t not in terms))})
                break
    if moved == equation.expression:
        return None
    reason = "a shift of its row does not change it: computed from the centred row it needs no subtraction"
    trail.add("forward", "centred statistic", equation.symbol, raw, moved, reason)
    return moved


def _rows_meant(expression: Expr, mean_of: dict[TypedSymbol, Expr]) -> list[Expr]:
    """The rows whose powers an expression's means are means of."""
    rows: set[Expr] = set()
    for symbol in expression.free_symbols & mean_of.keys():
        for mean in mean_of[symbol].atoms(Mean):
            body = mean.args[0]
            rows.add(body.base if isinstance(body, Pow) and body.exp.is_Integer else body)
    return sorted((row for row in rows if is_row(row)), key=sympy.default_sort_key)


def _in_centred_row(written: Expr, row: Expr, done: list[Equation], names: Names) -> Expr | None:
    mean, centred = RowScalarSymbol("mean of the row"), RowSymbol("centred row")
    try:
        moved = expand_linear(written.xreplace({row: centred + mean})).xreplace({Mean(centred): sympy.S.Zero})
        moved = expand_linear(moved)
    except TooManyTermsError:
        return None
    if mean in moved.free_symbols or row.free_symbols & moved.free_symbols or not moved.atoms(Mean):
        return None
    known = {q.expression: q.symbol for q in done}
    stem = row.name if isinstance(row, TypedSymbol) else "u"
    if Mean(row) not in known:
        done.append(Equation(RowScalarSymbol(names.fresh("mu")), Mean(row)))
        known[Mean(row)] = done[-1].symbol
    shifted = row - known[Mean(row)]
    if shifted not in known:
        done.append(Equation(RowSymbol(names.fresh(f"{stem}_centred")), shifted))
        known[shifted] = done[-1].symbol
    return moved.xreplace({centred: known[shifted]})


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

    With `m = max(u)`, `exp(u) = exp(m)*exp(u - m)`. The rule follows the factor exp(m) through the definition: a mean
    lets it out, a quotient cancels it, a logarithm turns it into `+ m`. Condition: no output keeps a power of it. Then
    exp(u) is computed as exp(u - m), at most 1, and never overflows; and m needs no gradient: nothing depends on it.

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
    sum_x_scaled = D*Mean(exp(-row_max + x))
    y = row_max + log(sum_x_scaled)
    """
    tried: set[Expr] = set()
    while True:
        fresh = [exponential for exponential in _under_a_sum(forward) if exponential not in tried]
        if not fresh:
            return forward
        tried.add(fresh[0])
        forward = _shifted(forward, fresh[0], trail) or forward


def _under_a_sum(forward: Forward) -> list[Expr]:
    """Exponentials of a row value that reach a sum, directly or under a name, and are not shifted yet."""
    values = {q.symbol: q.expression for q in forward.equations}
    found: set[Expr] = set()
    for equation in forward.equations:
        if not isinstance(equation.reduction, Mean):
            continue
        body = equation.reduction.args[0].xreplace({s: e for s, e in values.items() if e.atoms(sympy.exp)})
        found |= {e for e in body.atoms(sympy.exp) if is_row(e)}
    found &= {e for equation in forward.equations for e in equation.expression.atoms(sympy.exp)}
    return [e for e in sorted(found, key=sympy.default_sort_key) if not _is_shifted(e.args[0], forward)]


def _is_shifted(exponent: Expr, forward: Forward) -> bool:
    """Whether the exponent is already u - max(u), or a multiple of it."""
    largest = {q.symbol: q.expression.args[0] for q in forward.equations if isinstance(q.expression, RowMax)}
    values = {q.symbol: q.expression for q in forward.equations if is_row(q.symbol)}
    exponent = values.get(exponent, exponent)
    return any(_multiple(exponent, body - m) is not None for m, body in largest.items())


def _multiple(a: Expr, b: Expr) -> Expr | None:
    """The rational c with a = c*b, or None.

    >>> x = RowSymbol("x")
    >>> _multiple(2*x - 2, x - 1), _multiple(x**2, x)
    (2, None)
    """
    left, right = sympy.expand(a).as_coefficients_dict(), sympy.expand(b).as_coefficients_dict()
    if left.keys() != right.keys():
        return None
    ratios = {left[key] / right[key] for key in left}
    return ratios.pop() if len(ratios) == 1 else None


def _shifted(forward: Forward, exponential: Expr, trail: Trail) -> Forward | None:
    names = Names.of(forward)
    exponent = exponential.args[0]
    largest = RowScalarSymbol(names.fresh("row_max"))
    factor = RowScalarSymbol("factor of the exponential", positive=True)
    multiples = {
        e: c
        for q in forward.equations
        for e in q.expression.atoms(sympy.exp)
        if (c := _multiple(e.args[0], exponent)) is not None
    }
    with_factor = {e: factor**c * e for e, c in multiples.items()}
    shifted = {e: sympy.exp(sympy.expand(c * (exponent - largest))) for e, c in multiples.items()}
    power: dict[TypedSymbol, Expr] = {}
    result: list[Equation] = []
    for equation in forward.equations:
        moved = equation.expression.xreplace(with_factor)
        moved = moved.xreplace({s: factor**k * s for s, k in power.items()})
        plain, degree = _taken_out(moved, factor, largest)
        if plain is None:
            return None
        if degree != 0:
            power[equation.symbol] = degree
        result.append(replace(equation, expression=plain.xreplace(shifted)))
    if any(output in power for output in forward.outputs):
        return None
    # What lost a factor is another value than the user's and goes by another name.
    other = {s: type(s)(names.fresh(f"{s.name}_scaled"), **known_sign(s)) for s in power}
    result = [replace(q, symbol=other.get(q.symbol, q.symbol), expression=q.expression.xreplace(other)) for q in result]
    first = next(i for i, q in enumerate(result) if largest in q.expression.free_symbols)
    shift = Equation(largest, RowMax(exponent), stopped=True)
    reason = f"the factor exp({largest}) cancels in every output: exp never overflows, no gradient flows through it"
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
    if expression == factor:
        return sympy.S.One, sympy.S.One
    parts = [_taken_out(argument, factor, largest) for argument in expression.args]
    plain = [value for value, _ in parts if value is not None]
    degrees = [degree for _, degree in parts]
    if len(plain) < len(parts):
        return None, sympy.S.Zero
    if isinstance(expression, Mul):
        return Mul(*plain), Add(*degrees)
    if isinstance(expression, Reduction):
        return expression.func(*plain), degrees[0]
    if isinstance(expression, Pow) and degrees[1] == 0:
        return plain[0] ** plain[1], degrees[0] * plain[1]
    if isinstance(expression, Add) and len(set(degrees)) == 1:
        return Add(*plain), degrees[0]
    # Not a select: the largest exponent may be one that it leaves out, and all that it chooses would underflow.
    return None, sympy.S.Zero


def _log_out(logarithm: Expr, factor: TypedSymbol, largest: TypedSymbol) -> Expr:
    plain, degree = _taken_out(logarithm.args[0], factor, largest)
    return logarithm if plain is None else sympy.log(plain) + degree * largest


# ---- gradients


def difference_of_squares(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
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
