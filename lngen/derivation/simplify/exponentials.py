"""Exponentials under a sum: the largest exponent is taken out, and one that the user took out needs no gradient.

Both rules follow a factor exp(m) through a definition: a mean lets it out, a quotient cancels it, a logarithm turns it
into `+ m`. What they leave of powers of an exponential is written as powers again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.derivation.from_definition import to_sympy
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, multiply_out, tree_size
from lngen.derivation.simplify.trail import Trail
from lngen.expressions.equations import Equation, Forward, Names
from lngen.expressions.reductions import known_sign
from lngen.expressions.symbols import (
    Mean,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    TypedSymbol,
    axes,
    is_row,
    symbol_like,
)
from lngen.language.definition import Definition
from lngen.language.syntax import Call, Name, walk

_LONGEST_WRITTEN_OUT = 200
"""The nodes of a value in which an extreme is followed: what is written out doubles with each use."""


def shift_exponentials(forward: Forward, trail: Trail) -> Forward:
    """`exp` under a sum gets the row's largest exponent taken out, where the outputs do not depend on it.

    With `m = max(u)`, `exp(u) = exp(m)*exp(u - m)`. The rule follows the factor exp(m) through the definition: a mean
    lets it out, a quotient cancels it, a logarithm turns it into `+ m`. Condition: no output keeps a power of it. Then
    exp(u) is computed as exp(u - m), at most 1, and never overflows; and m needs no gradient: nothing depends on it.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, sum
    ... def log_partition(x: Row):
    ...     return log(sum(exp(x)))
    ... '''
    >>> for q in shift_exponentials(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    row_max = RowMax(x)
    sum_exp_x_shifted = D*Mean(exp(-row_max + x))
    y = row_max + log(sum_exp_x_shifted)
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
        body = equation.reduction.args[0]
        # An exponential of an exponential that has a name is found as it is written.
        for form in (body, body.xreplace({s: e for s, e in values.items() if e.atoms(sympy.exp)})):
            found |= {e for e in form.atoms(sympy.exp) if is_row(e)}
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

    >>> x = sympy.Symbol("x")
    >>> _multiple(2*x - 2, x - 1), _multiple(x**2, x)
    (2, None)
    """
    left, right = _spread(a).as_coefficients_dict(), _spread(b).as_coefficients_dict()
    if left.keys() != right.keys():
        return None
    ratios = {left[key] / right[key] for key in left}
    return ratios.pop() if len(ratios) == 1 else None


def _spread(exponent: Expr) -> Expr:
    """An exponent multiplied out, if that is not too long."""
    with suppress(TooManyTermsError):
        return multiply_out(exponent)
    return exponent


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
    shifted = {e: sympy.exp(_spread(c * (exponent - largest))) for e, c in multiples.items()}
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
    other = {s: type(s)(names.fresh(f"{s.name}_shifted"), **known_sign(s)) for s in power}
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


# ---- what the user took out


def stop_at_cancelling_extremes(forward: Forward, trail: Trail) -> Forward:
    """No gradient flows through a largest or smallest entry that cancels in every output.

    `x - m - log(sum(exp(x - m)))` with `m = max(x)` is the same for every m. Taken for a number of its own, m is
    followed through the definition: exp(x - m) has the factor exp(-m). Condition: written out, m is gone from every
    output. Then so is its gradient, whatever the row attains its maximum at.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, max, sum
    ... def log_partition(x: Row):
    ...     m = max(x)
    ...     return m + log(sum(exp(x - m)))
    ... '''
    >>> for q in stop_at_cancelling_extremes(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression, "stopped" * q.stopped, end=";")
    m = RowMax(x) stopped;sum_exp_x = D*Mean(exp(-m + x)) ;y = m + log(sum_exp_x) ;
    """
    result = []
    for equation in forward.equations:
        extreme = isinstance(equation.expression, (RowMax, RowMin)) and not equation.stopped
        if extreme and _cancels(equation.symbol, forward):
            reason = f"{equation.symbol} cancels in every output: no gradient flows through it"
            trail.add("forward", "a shift that cancels", equation.symbol, None, equation.expression, reason)
            equation = replace(equation, stopped=True)
        result.append(equation)
    return replace(forward, equations=tuple(result))


def _cancels(extreme: TypedSymbol, forward: Forward) -> bool:
    """Whether no output depends on a row's extreme, taken for a number of its own."""
    factor = RowScalarSymbol("factor of the exponential", positive=True)
    value: dict[TypedSymbol, Expr] = {}
    for equation in forward.equations:
        moved = equation.expression.xreplace(value)
        if extreme not in moved.free_symbols and factor not in moved.free_symbols:
            continue
        if tree_size(moved, _LONGEST_WRITTEN_OUT) > _LONGEST_WRITTEN_OUT:
            return False
        try:
            moved = moved.replace(sympy.exp, lambda exponent: _factored(exponent, extreme, factor))
            plain, degree = _taken_out(moved, factor, extreme)
            if plain is not None and extreme in plain.free_symbols:
                plain = expand_linear(plain)
        except TooManyTermsError:
            return False
        if plain is None:
            return False
        kept = equation.symbol if extreme not in plain.free_symbols else plain
        if degree != 0 or kept != equation.symbol:
            value[equation.symbol] = factor**degree * kept
    return not any(output in value or output == extreme for output in forward.outputs)


def _factored(exponent: Expr, extreme: TypedSymbol, factor: TypedSymbol) -> Expr:
    """`exp(u + c*m)` as `f**c * exp(u)`, with `f = exp(m)`, where c is the same for all features of a row."""
    exponent = multiply_out(exponent)
    multiple = exponent.coeff(extreme)
    if axes(multiple).features or extreme in multiple.free_symbols:
        return sympy.exp(exponent)
    return factor**multiple * sympy.exp(exponent - multiple * extreme)


# ---- powers


def powers_of_exponentials(forward: Forward, definition: Definition, trail: Trail) -> Forward:
    """Powers of the exponential of a row as given stay powers: the rounding of `c*x` would cost `exp(c*x)` digits.

    Condition: the definition takes the exponential of x and not of `c*x`, and c is no power of two: by one `c*x` is
    exact. The base is `exp(x)`, or that of x times a power of two below c: it is infinite only where the power is, and
    its exponent is exact.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> made = parse("def f(x: Row): return exp(x)**3 / (exp(x)**(-0.75) + exp(x)**2)")
    >>> for q in powers_of_exponentials(translate(made), made, Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    exp_x = exp(x/4)
    exp_x_2 = exp(x)
    y = exp_x_2**3/(exp(2*x) + exp_x**(-3))
    """
    calls = (part for statement in definition.statements for part in walk(statement.expression))
    exponents = [call.arguments[0] for call in calls if isinstance(call, Call) and call.function == "exp"]
    inputs = {symbol.name: symbol for symbol in forward.symbols}
    written = {to_sympy(e, inputs) for e in exponents if all(p.name in inputs for p in walk(e) if isinstance(p, Name))}
    rows = [symbol for symbol in forward.symbols if symbol in written and axes(symbol).rows]
    names = Names.of(forward)
    bases: dict[Expr, Equation] = {}
    table: dict[Expr, Expr] = {}
    found = {e for q in forward.equations for e in q.expression.atoms(sympy.exp)}
    for exponential in sorted(found, key=sympy.default_sort_key):
        times, row = exponential.args[0].as_coeff_Mul()
        if exponential.args[0] in written or row not in rows or not times.is_Rational or _is_power_of_two(times):
            continue
        below = sympy.Integer(2) ** min(0, int(abs(times.p)).bit_length() - int(times.q).bit_length() - 1)
        base = sympy.exp(below * row)
        if base not in bases:
            symbol = symbol_like(names.fresh(f"exp_{row.name}"), base, positive=True)
            bases[base] = Equation(symbol, base)
            reason = f"the rounding of a multiple of {row.name} would cost its exponential digits"
            trail.add("forward", "power of an exponential", symbol, None, base, reason)
        table[exponential] = bases[base].symbol ** (times / below)
    equations = (replace(q, expression=q.expression.xreplace(table)) for q in forward.equations)
    return replace(forward, equations=(*bases.values(), *equations))


def _is_power_of_two(times: Expr) -> bool:
    return all(int(part).bit_count() == 1 for part in (abs(times.p), times.q))
