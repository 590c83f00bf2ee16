"""Exponentials: the logarithm of one is its exponent, a shift that the user took out of them needs no gradient, and
powers of them are written as powers. What the largest exponent is taken out of is in `shifts`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import Reduction, RowMax, RowMin, TypedSymbol, axes, symbol_like
from lngen.derivation.from_definition import DecidedError, NotRealError, to_sympy
from lngen.derivation.simplify.homogeneous import Homogeneous, NotAPowerError, Taken
from lngen.derivation.simplify.line_rules import rewritten_forward
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, multiply_out, tree_size
from lngen.derivation.simplify.trail import Trail
from lngen.language.definition import Definition
from lngen.language.syntax import Call, Name, walk

_LONGEST_WRITTEN_OUT = 200
"""The nodes of a value in which an extreme is followed: what is written out doubles with each use."""


# ---- logarithms


def logarithms_of_exponentials(forward: Forward, trail: Trail) -> Forward:
    """The logarithm of a product with exponentials is a sum with their exponents.

    An exponential may be 0 in floats, and its logarithm then is no number, though the exponent is one. So may be a
    quotient of sums of exponentials, which are taken apart as well. Condition: of the sign of one of the other factors
    at most is nothing known; where the product has a logarithm, so has that.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, sum
    ... def entropy(x: Row):
    ...     p = exp(x)/sum(exp(x))
    ...     return -sum(p*log(p))
    ... '''
    >>> for q in logarithms_of_exponentials(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    sum_exp_x = D*Mean(exp(x))
    p = exp(x)/sum_exp_x
    sum_log_p_p = D*Mean(p*(x - log(sum_exp_x)))
    y = -sum_log_p_p
    """
    reason = "an exponential that is 0 in floats has no logarithm, but its exponent is a number"

    def change(e: Expr, values: Mapping[Expr, Expr]) -> Expr:
        return e.replace(sympy.log, lambda u: _of_factors(u, values))

    return rewritten_forward("logarithm of an exponential", reason, change, forward, trail)


def exponentials_of_logarithms(forward: Forward, trail: Trail) -> Forward:
    """The exponential of a sum with a logarithm is a product with what that is the logarithm of.

    So the exponentials of logarithms of probabilities are computed like the probabilities.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, sum
    ... def probabilities(x: Row):
    ...     logp = x - log(sum(exp(x)))
    ...     return exp(logp)
    ... '''
    >>> for q in exponentials_of_logarithms(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    sum_exp_x = D*Mean(exp(x))
    logp = x - log(sum_exp_x)
    y = exp(x)/sum_exp_x
    """
    values = {q.symbol: q.expression for q in forward.equations}
    names = Names.of(forward)
    logarithms: dict[Expr, Expr] = {}
    named: dict[Expr, Expr] = {}
    result: list[Equation] = []
    for equation in forward.equations:
        expression = equation.expression.xreplace(named)
        for exponential in sorted(expression.atoms(sympy.exp) - {expression}, key=sympy.default_sort_key):
            [exponent], written = exponential.args, _of_logarithms(exponential.args[0], logarithms)
            if written != exponential and isinstance(exponent, TypedSymbol):
                named[exponential] = symbol_like(names.fresh(f"exp_{exponent.name}"), exponential)
                result.append(Equation(named[exponential], written))
        expression = expression.xreplace(named)
        after = expression.replace(sympy.exp, lambda u: _of_logarithms(u, logarithms))
        if after != expression:
            reason = "exp(log(u)) is u: one exponential less, and no digits lost in its exponent"
            trail.add("forward", "exponential of a logarithm", equation.symbol, expression, after, reason)
        written = expression.xreplace(logarithms)
        logs = written.atoms(sympy.log)
        if equation.reduction is None and any(reads_exponential(logarithm, values) for logarithm in logs):
            logarithms[equation.symbol] = written
        result.append(replace(equation, expression=after))
    return replace(forward, equations=tuple(result))


def _of_logarithms(exponent: Expr, logarithms: Mapping[Expr, Expr]) -> Expr:
    if exponent.free_symbols.isdisjoint(logarithms):
        return sympy.exp(exponent)
    written = sympy.exp(exponent.xreplace(logarithms))
    rational = all(power.exp.is_Rational for power in written.atoms(Pow))
    return written if rational and not written.has(sympy.log) else sympy.exp(exponent)


def _of_factors(product: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """The logarithm of a product, as a sum if a factor is an exponential or two are sums of some."""
    powers: dict[Expr, Expr] = {}
    _add_factors(product, sympy.S.One, values, powers)
    exponents = [power * base.args[0] for base, power in powers.items() if isinstance(base, sympy.exp)]
    others = {base: power for base, power in powers.items() if not isinstance(base, sympy.exp)}
    unknown = [base for base in others if not _is_positive(base, values)]
    sums = [base for base in others if reads_exponential(base, values)]
    if len(unknown) > 1 or not (exponents or len(sums) > 1):
        return sympy.log(product)
    return Add(*exponents, *(power * sympy.log(base) for base, power in others.items()))


def _add_factors(e: Expr, power: Expr, values: Mapping[Expr, Expr], found: dict[Expr, Expr]) -> None:
    """The factors of an expression, exponentials under a name as they are written."""
    value = values.get(e, e)
    is_reduction = value != e and value.has(Reduction)
    if isinstance(value, (Mul, Pow, sympy.exp)) and not is_reduction and reads_exponential(value, values):
        if isinstance(value, Mul):
            for factor in value.args:
                _add_factors(factor, power, values, found)
            return
        if isinstance(value, Pow) and value.exp.is_Rational:
            _add_factors(value.base, power * value.exp, values, found)
            return
        e = value
    found[e] = found.get(e, sympy.S.Zero) + power


def _is_positive(e: Expr, values: Mapping[Expr, Expr]) -> bool:
    """Test whether an expression is positive, as sums of exponentials are."""
    if e.is_positive or isinstance(e, sympy.exp):
        return True
    if e in values:
        return _is_positive(values[e], values)
    parts = e.args[:1] if isinstance(e, Pow) else e.args if isinstance(e, (Add, Mul, Reduction)) else ()
    return bool(parts) and all(_is_positive(part, values) for part in parts)


def reads_exponential(e: Expr, values: Mapping[Expr, Expr]) -> bool:
    """Test whether an expression contains an exponential, directly or under a name."""
    return e.has(sympy.exp) or any(reads_exponential(values[s], values) for s in e.free_symbols & values.keys())


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
    """Test whether no output depends on a row's extreme, if that is taken for a number of its own."""
    rule = Homogeneous(extreme, {})
    written_out: dict[Expr, Expr] = {}
    for equation in forward.equations:
        moved = equation.expression.xreplace(written_out)
        if extreme not in moved.free_symbols and moved.free_symbols.isdisjoint(rule.values):
            continue
        if tree_size(moved, _LONGEST_WRITTEN_OUT) > _LONGEST_WRITTEN_OUT:
            return False
        try:
            for exponential in moved.atoms(sympy.exp):
                rule.values[exponential] = _factored(exponential.args[0], extreme)
            plain, degree, *_ = rule.taken_out(moved)
            if extreme in plain.free_symbols:
                plain = expand_linear(plain)
        except (TooManyTermsError, NotAPowerError):
            return False
        if degree != 0:
            kept = plain if extreme in plain.free_symbols else equation.symbol
            rule.values[equation.symbol] = Taken(kept, degree)
        elif extreme in plain.free_symbols:
            written_out[equation.symbol] = plain
    left = {*written_out, *rule.values, extreme}
    return left.isdisjoint(forward.outputs)


def _factored(exponent: Expr, extreme: TypedSymbol) -> Taken:
    """`exp(u + c*m)` as `exp(m)**c * exp(u)`, where c is the same for all features of a row."""
    exponent = multiply_out(exponent)
    multiple = exponent.coeff(extreme)
    if axes(multiple).features or extreme in multiple.free_symbols:
        return Taken(sympy.exp(exponent), sympy.S.Zero)
    return Taken(sympy.exp(exponent - multiple * extreme), multiple)


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
    written: set[Expr] = set()
    for exponent in (e for e in exponents if all(p.name in inputs for p in walk(e) if isinstance(p, Name))):
        # One with a comparison that is always true is no row as given.
        with suppress(DecidedError, NotRealError):
            written.add(to_sympy(exponent, inputs))
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
