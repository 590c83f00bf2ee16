"""Table of forms that keep digits: each is an identity, and loses none where the expression that it replaces does.

`1 - tanh(u)` is 0 in float32 from u = 9 on, where it is 3e-8; `2*sigmoid(-2*u)` has all digits. A form's function takes
a sum, a logarithm or an exponential of the forward, and returns how it is written in its place, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Pow, S, default_sort_key

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.symbols import (
    NOTHING,
    Complement,
    D,
    Expm1,
    Log1p,
    Mean,
    Reduction,
    Sigmoid,
    Softplus,
    SumRows,
    TypedSymbol,
    axes,
    is_row,
    stand_in,
)
from lngen.derivation.simplify.line_rules import LineRewrite, rewritten_forward
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, tree_size
from lngen.derivation.simplify.trail import Trail

_HIGHEST_DEGREE = 16
_LONGEST_WRITTEN_OUT = 80
"""The nodes of an expression with the values of its names in it; a longer one is left alone."""

_TAIL = "near its limit the difference has no digits, and this form has all"


@dataclass(frozen=True)
class Form:
    """Entry of the table: a rule of `lngen.derivation.rules`, what it writes, what that gains, and an example.

    The example is the body of a definition of rows x and z, and the value of that body as the form writes it.
    """

    name: str
    rewrite: Callable[[Expr], Expr | None]
    gain: str
    before: str
    after: str


def in_forms(forms: Iterable[Form], forward: Forward, trail: Trail) -> Forward:
    """Return a forward after these forms, one after the other, on each sum, logarithm and exponential."""
    for form in forms:

        def change(e: Expr, values: Mapping[Expr, Expr], form: Form = form) -> Expr:
            def rewritten(part: Expr) -> Expr:
                for kept in (Add, ()):
                    written = _written_out(part, values, kept)
                    signed = _positive(written, values) if isinstance(part, sympy.log) else {}
                    found = form.rewrite(written.xreplace(signed))
                    if found is not None:
                        found = found.xreplace({made: name for name, made in signed.items()})
                        return rewritten(found) if isinstance(found, Add) else found
                return part

            return e.replace(lambda part: isinstance(part, (Add, sympy.log, sympy.exp)), rewritten)

        forward = rewritten_forward(form.name, form.gain, change, forward, trail)
    return forward


def _written_out(part: Expr, values: Mapping[Expr, Expr], kept: type | tuple[()]) -> Expr:
    """Write out the operands of an expression, but for a `kept` kind, and for the reductions that a row reads."""
    while table := {
        s: values[s]
        for s in {*_operands(part)} & values.keys()
        if not isinstance(values[s], kept) and not (is_row(part) and values[s].has(Reduction))
    }:
        # SymPy looks for the roots of a polynomial that it asks the sign of.
        if _degree(part, table) > _HIGHEST_DEGREE:
            break
        if tree_size(longer := part.xreplace(table), _LONGEST_WRITTEN_OUT) > _LONGEST_WRITTEN_OUT:
            break
        part = longer
    return part


def _degree(e: Expr, values: Mapping[Expr, Expr]) -> int:
    """Return a bound of the degree of an expression whose names are written out.

    >>> x, u = sympy.symbols("x u")
    >>> _degree(u**2 + x, {u: x**3 + 1})
    6
    """
    if e in values:
        return _degree(values[e], {})
    if isinstance(e, Pow) and e.exp.is_Integer:
        return abs(int(e.exp)) * _degree(e.base, values)
    of_arguments = [_degree(part, values) for part in e.args if isinstance(part, Expr)]
    return sum(of_arguments) if isinstance(e, Mul) else max(of_arguments, default=1)


def _positive(written: Expr, values: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return stand-ins, whose sign is known, for the names of positive numbers, as of sums of exponentials."""
    names = [name for name in written.free_symbols & values.keys() if _is_positive(name, values)]
    sorted_names = enumerate(sorted(names, key=default_sort_key))
    return {name: stand_in(f"positive {place}", name, positive=True) for place, name in sorted_names}


def _is_positive(e: Expr, values: Mapping[Expr, Expr]) -> bool:
    if e in values:
        return _is_positive(values[e], values)
    parts = e.args if isinstance(e, (Add, Mul, Reduction)) else e.args[:1] if isinstance(e, Pow) else ()
    return bool(e.is_positive or (parts and all(_is_positive(part, values) for part in parts)))


def _operands(e: Expr) -> Iterator[Expr]:
    if isinstance(e, (Add, Mul, Pow, sympy.log, sympy.exp)):
        for argument in e.args:
            yield from _operands(argument)
    yield e


def _replaced(total: Expr, part: Expr, written: Expr) -> Expr | None:
    """Replace the terms of `part` in a sum; None where it lacks one of them, or there are none.

    >>> from sympy.abc import a, b, c
    >>> _replaced(a + b - c, b - c, sympy.exp(c)), _replaced(a + b, b - c, sympy.exp(c))
    (a + exp(c), None)
    """
    rest = total - part
    return rest + written if part != 0 and len(_terms(rest)) == len(_terms(total)) - len(_terms(part)) else None


def _terms(total: Expr) -> tuple[Expr, ...]:
    return () if total == 0 else Add.make_args(total)


def _functions(total: Expr, head: type) -> list[Expr]:
    """Return the functions of a kind in the terms of a sum, in a fixed order."""
    return sorted(total.atoms(head) if isinstance(total, Add) else (), key=default_sort_key)


# ---- functions near their limits


def tail_of_tanh(total: Expr) -> Expr | None:
    """Write the distance of a tanh from 1 or -1 by sigmoids: tanh(u) = 1 - 2/(exp(2*u) + 1)."""
    for tanh in _functions(total, sympy.tanh):
        above, below = Sigmoid(2 * tanh.args[0]), Sigmoid(-2 * tanh.args[0])
        for power, sign, written in ((tanh, 1, 2 * above), (tanh, -1, 2 * below), (tanh**2, -1, 4 * above * below)):
            times = sign * total.coeff(power)
            found = _replaced(total, times + sign * times * power, times * written)
            if found is not None:
                return found
    return None


def reflected_softplus(total: Expr) -> Expr | None:
    """Write `softplus(u) - u` as `softplus(-u)`: log(1 + exp(u)) - u = log((1 + exp(u))*exp(-u))."""
    for softplus in _functions(total, Softplus):
        (u,), times = softplus.args, total.coeff(softplus)
        part = times * softplus - Add(*(times * term for term in Add.make_args(u)))
        found = _replaced(total, part, times * Softplus(-u))
        if found is not None:
            return found
    return None


def conjugate_of_root(total: Expr) -> Expr | None:
    """Write `sqrt(a) - b` as `(a - b**2)/(sqrt(a) + b)`, where a > 0, b >= 0 and a - b**2 is a constant."""
    for root in (power for power in _functions(total, Pow) if power.exp == S.Half and power.base.is_positive):
        times = total.coeff(root)
        for b in (-term / times for term in total.args) if times != 0 else ():
            left = sympy.expand(root.base - b**2)
            if b.is_nonnegative and axes(left) == NOTHING:
                return _replaced(total, times * root - times * b, times * left / (root + b))
    return None


# ---- exponentials


def logarithm_of_exponential(logarithm: Expr) -> Expr | None:
    """Write `log(a*exp(u)/b)` as `u + log(a) - log(b)`, where the sign of one of a and b at most is not known.

    So is a quotient of sums of exponentials, where all entries of one may be 0 in floats.
    """
    factors = Mul.make_args(logarithm.args[0]) if isinstance(logarithm, sympy.log) else ()
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    others = [factor.as_base_exp() for factor in factors if not isinstance(factor, sympy.exp)]
    for mean in [base for base, power in others if isinstance(base, Mean) and (D, power) in others]:
        others = [(D * mean if base == mean else base, power) for base, power in others if base != D]
    is_quotient = sum(base.has(sympy.exp) for base, _ in others) > 1
    if not (exponents or is_quotient) or sum(not _is_positive(base, {}) for base, _ in others) > 1:
        return None
    # Of one whose sign is not known, an odd power has a logarithm where it has one itself.
    apart = [power == 1 or power.is_odd or _is_positive(base, {}) for base, power in others]
    logarithms = (p * sympy.log(b) if fine else sympy.log(b**p) for (b, p), fine in zip(others, apart, strict=True))
    return Add(*exponents, *logarithms)


def exponential_of_logarithm(written: Expr) -> Expr | None:
    """Write `exp(u - log(s))` as `exp(u)/s`, as SymPy does once a logarithm stands in the exponent, if none is left."""
    is_product = isinstance(written, Mul) and not written.has(sympy.log)
    return written if is_product and all(power.exp.is_Rational for power in written.atoms(Pow)) else None


def logarithm_beside_one(logarithm: Expr) -> Expr | None:
    """Write `log(1 + u)` as `log1p(u)`, where u has no exponential."""
    (u,) = logarithm.args if isinstance(logarithm, sympy.log) else (S.Zero,)
    return Log1p(u - 1) if isinstance(u, Add) and S.One in u.args and not u.has(sympy.exp) else None


def exponential_less_one(total: Expr) -> Expr | None:
    """Write `exp(u) - 1` as `expm1(u)`."""
    for exponential in _functions(total, sympy.exp):
        times = total.coeff(exponential)
        found = _replaced(total, times * exponential - times, times * Expm1(exponential.args[0]))
        if found is not None:
            return found
    return None


# ---- moments


def centred_moment(total: Expr) -> Expr | None:
    """Write moments in rows less their means, or one row less its weighted mean, where the means are gone then."""
    meant = {term: _rows_meant(term) for term in total.args} if axes(total) == (True, False) else {}
    weights = [S.One, *sorted({m.args[0] for m in total.atoms(Mean)} if meant else (), key=default_sort_key)]
    meant_with = {weight: {term: _less(rows, weight) for term, rows in meant.items()} for weight in weights}
    tried = ((rows, weight) for weight in weights for rows in {*meant_with[weight].values()} - {()})
    for rows, weight in sorted(tried, key=lambda pair: (pair[1] != 1, len(pair[0]), str(pair))):
        near = {row: stand_in(f"centred {place}", row) for place, row in enumerate(rows)}
        far = {row: stand_in(f"mean {place}", Mean(row)) for place, row in enumerate(rows)}
        of_rows = meant_with[weight]
        part = Add(*(term for term in total.args if of_rows[term] and {*of_rows[term]} <= {*rows}))
        zeros = {Mean(weight * c): S.Zero for c in near.values()}
        with suppress(TooManyTermsError):
            moved = expand_linear(part.xreplace({row: near[row] + far[row] for row in rows})).xreplace(zeros)
            moved = expand_linear(moved)
            if len(_terms(moved)) < len(_terms(part)) and not moved.has(*far.values(), *rows):
                plain = {row: row - Mean(row) for row in rows}
                shift = {row: Mean(weight * plain[row]) / Mean(weight) if weight != 1 else 0 for row in rows}
                return total - part + moved.xreplace({near[row]: plain[row] - shift[row] for row in rows})
    return None


def _less(rows: tuple[Expr, ...], weight: Expr) -> tuple[Expr, ...]:
    """Return the rows that a weight is not made of."""
    return tuple(row for row in rows if not weight.has(row))


def _rows_meant(term: Expr) -> tuple[Expr, ...]:
    """Return the rows whose powers and products a term has means of."""
    factors = (factor for mean in term.atoms(Mean) for factor in Mul.make_args(mean.args[0]))
    bases = {factor.as_base_exp()[0] for factor in factors if not isinstance(factor, sympy.exp)}
    return tuple(sorted((base for base in bases if isinstance(base, TypedSymbol) and is_row(base)), key=str))


def zero_means(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """The mean of a row less its mean is 0, and so is its mean with the weights of the mean that it is less.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> layer = translate(parse("def f(x: Row, w: Feature): return x - sum(w*x)/sum(w)"))
    >>> (y,), (x, w) = layer.outputs, layer.symbols
    >>> for rewrite in zero_means((Equation(x, x - w*Mean(w*y) + Mean(y)),), layer):
    ...     print(rewrite.uses)
    {Mean(w*y): 0}
    """
    centred = {q.symbol: q.expression for q in forward.equations if is_row(q.symbol) and isinstance(q.expression, Add)}
    means = {q.symbol: q.expression for q in forward.equations if isinstance(q.reduction, Mean)}
    zero: dict[Expr, Expr] = {}
    for mean in sorted({mean for q in lines for mean in q.expression.atoms(Mean)}, key=default_sort_key):
        with suppress(TooManyTermsError):
            if expand_linear(mean.xreplace(centred).xreplace(means)) == 0:
                zero[mean] = S.Zero

    def change(e: Expr) -> Expr:
        return e.xreplace(zero).replace(SumRows, lambda u: SumRows(u) if u != 0 else u)

    yield LineRewrite("identities", "the mean of a centred row is zero", change, uses=zero)


def tails_of_sigmoids(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """Write what a sigmoid of the forward leaves to 1 as a sigmoid, where it is a factor.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, u, g = (RowSymbol(name) for name in "sug")
    >>> layer = Forward("f", (), (), (Equation(s, Sigmoid(u)),), ())
    >>> [rewrite] = tails_of_sigmoids((), layer)
    >>> rewrite.rewrite(g*s*Complement(s)), rewrite.rewrite(g*(1 + u*Complement(s)))
    (g*s*Sigmoid(-u), g*(u*Complement(s) + 1))
    """
    tails = {Complement(q.symbol): q.expression for q in forward.equations if isinstance(q.expression, Sigmoid)}

    def change(e: Expr) -> Expr:
        if isinstance(e, (Mul, Reduction, SumRows)):
            return e.func(*map(change, e.args))
        return Sigmoid(-tails[e].args[0]) if e in tails else e

    yield LineRewrite("tail of a function", _TAIL, change)


FORMS = (
    Form(
        "tail of a function",
        tail_of_tanh,
        _TAIL,
        "z - z*tanh(x)**2",
        "4*z*Sigmoid(-2*x)*Sigmoid(2*x)",
    ),
    Form(
        "softplus reflected",
        reflected_softplus,
        "where it is large the difference has no digits, and this form has all",
        "softplus(x) - x",
        "Softplus(-x)",
    ),
    Form(
        "conjugate",
        conjugate_of_root,
        "where both are close the difference has no digits, and their sum has all",
        "sqrt(x**2 + 1) - abs(x)",
        "1/(sqrt(x**2 + 1) + Abs(x))",
    ),
    Form(
        "centred statistic",
        centred_moment,
        "a shift of its row does not change it: computed from the centred row it needs no subtraction",
        "mean(x*z) - mean(x)*mean(z)",
        "Mean((-mu + x)*(-mu_2 + z))",
    ),
    Form(
        "exponential of a logarithm",
        exponential_of_logarithm,
        "exp(log(u)) is u: one exponential less, and no digits lost in its exponent",
        "u = x - log(2 + z**2); exp(u)",
        "exp(x)/(z**2 + 2)",
    ),
    Form(
        "logarithm of an exponential",
        logarithm_of_exponential,
        "an exponential that is 0 in floats has no logarithm, but its exponent is a number",
        "z*log(exp(x)*z)",
        "z*(x + log(z))",
    ),
)
"""Forms in order; those beside 1 come after, when the largest exponents have been taken out of sums."""

BESIDE_ONE = (
    Form(
        "one apart",
        logarithm_beside_one,
        "beside 1 the digits of what is small are lost",
        "log(1 + x**2)*z",
        "z*Log1p(x**2)",
    ),
    Form(
        "one apart",
        exponential_less_one,
        "beside 1 the digits of what is small are lost",
        "z - z*exp(x)",
        "-z*Expm1(x)",
    ),
)
