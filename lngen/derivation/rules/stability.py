"""Rules that keep digits: each is an identity, and its right side loses none where its left side does.

`1 - tanh(u)` is 0 in float32 from u = 9 on, where it is 3e-8; `2*sigmoid(-2*u)` has all digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

import sympy
from sympy import Add, Expr, Mul, Pow, S, default_sort_key

from lngen.algebra.equations import Equation
from lngen.algebra.normal import Phi
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
    symbol_like,
    whole,
)
from lngen.derivation.rules.driver import Rewrite, System, is_positive
from lngen.derivation.rules.linearity import TooManyTermsError, expand_linear

_Identities = Callable[[Expr], Iterable[tuple[Expr, Expr, Expr]]]
"""Identities `left + rest = form` of a function at an argument, left being the function or a power of it."""


def _by_identity(total: Expr, head: type[Expr], identities: _Identities) -> Expr | None:
    """Write the left side of an identity, times a number or an expression, by its form in a sum; None if it lacks it.

    >>> u, z = sympy.symbols("u z")
    >>> _by_identity(z*sympy.exp(u) - z + u, sympy.exp, lambda u: [(sympy.exp(u), -S.One, Expm1(u))])
    u + z*Expm1(u)
    """
    for function in sorted(total.atoms(head) if isinstance(total, Add) else (), key=default_sort_key):
        for left, rest, form in identities(function.args[0]):
            times = total.coeff(left)
            part = times * left + Add(*(times * term for term in Add.make_args(rest)))
            if times != 0 and _has_terms(total, part):
                return total - part + times * form
    return None


def _has_terms(total: Expr, part: Expr) -> bool:
    return len(_terms(total - part)) == len(_terms(total)) - len(_terms(part))


def _terms(total: Expr) -> tuple[Expr, ...]:
    return () if total == 0 else Add.make_args(total)


# ---- functions near their limits


def normal_distribution(total: Expr) -> Expr | None:
    """Write `erf(v) + 1` as `2*Phi(sqrt(2)*v)`, and `erf(v) - 1` as `-2*Phi(-sqrt(2)*v)`.

    >>> x = sympy.Symbol("x")
    >>> normal_distribution(x*sympy.erf(x) + x), normal_distribution(1 - sympy.erf(x)), normal_distribution(2 + x)
    (2*x*Phi(sqrt(2)*x), 2*Phi(-sqrt(2)*x), None)
    """
    root = sympy.sqrt(2)
    return _by_identity(
        total, sympy.erf, lambda v: [(sympy.erf(v), S(sign), 2 * sign * Phi(sign * root * v)) for sign in (1, -1)]
    )


def tail_of_tanh(total: Expr) -> Expr | None:
    """Write the distance of a tanh from 1 or -1, and of its square from 1, by sigmoids.

    >>> x = sympy.Symbol("x")
    >>> tail_of_tanh(1 - sympy.tanh(x)), tail_of_tanh(1 + sympy.tanh(x)), tail_of_tanh(2 - sympy.tanh(x))
    (2*Sigmoid(-2*x), 2*Sigmoid(2*x), None)
    """

    def identities(u: Expr) -> Iterator[tuple[Expr, Expr, Expr]]:
        tanh, above, below = sympy.tanh(u), Sigmoid(2 * u), Sigmoid(-2 * u)
        yield from ((tanh, S.One, 2 * above), (tanh, -S.One, -2 * below), (tanh**2, -S.One, -4 * above * below))

    return _by_identity(total, sympy.tanh, identities)


def reflected_softplus(total: Expr) -> Expr | None:
    """Write `softplus(u) - u` as `softplus(-u)`.

    >>> x, z = sympy.symbols("x z")
    >>> reflected_softplus(z*Softplus(2*x) - 2*x*z), reflected_softplus(Softplus(x) - z)
    (z*Softplus(-2*x), None)
    """
    return _by_identity(total, Softplus, lambda u: [(Softplus(u), -u, Softplus(-u))])


def conjugate_of_root(total: Expr) -> Expr | None:
    """Write `sqrt(a) - b` as `(a - b**2)/(sqrt(a) + b)`, where a > 0, b >= 0 and a - b**2 is a constant.

    >>> x = sympy.Symbol("x", real=True)
    >>> conjugate_of_root(sympy.sqrt(x**2 + 1) - abs(x)), conjugate_of_root(sympy.sqrt(x**2 + 1) - x)
    (1/(sqrt(x**2 + 1) + Abs(x)), None)
    """
    roots = total.atoms(Pow) if isinstance(total, Add) else ()
    for root in sorted((root for root in roots if root.exp == S.Half and root.base.is_positive), key=default_sort_key):
        times = total.coeff(root)
        for b in (-term / times for term in total.args) if times != 0 else ():
            left = sympy.expand(root.base - b**2)
            if b.is_nonnegative and axes(left) == NOTHING:
                return total - times * (root - b) + times * left / (root + b)
    return None


# ---- exponentials


def logarithm_of_exponential(logarithm: Expr) -> Expr | None:
    """Write `log(a*exp(u)/b)` as `u + log(a) - log(b)`, where the sign of one of a and b at most is not known.

    So is a quotient of sums of exponentials, where all entries of one may be 0 in floats.

    >>> x, z = sympy.symbols("x z")
    >>> logarithm_of_exponential(sympy.log(z*sympy.exp(x))), logarithm_of_exponential(sympy.log(x*z))
    (x + log(z), None)
    """
    factors = Mul.make_args(logarithm.args[0]) if isinstance(logarithm, sympy.log) else ()
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    others = [factor.as_base_exp() for factor in factors if not isinstance(factor, sympy.exp)]
    for mean in [base for base, power in others if isinstance(base, Mean) and (D, power) in others]:
        others = [(D * mean if base == mean else base, power) for base, power in others if base != D]
    is_quotient = sum(base.has(sympy.exp) for base, _ in others) > 1
    if not (exponents or is_quotient) or sum(not is_positive(base, {}) for base, _ in others) > 1:
        return None
    # Of one whose sign is not known, an odd power has a logarithm where it has one itself.
    apart = [power == 1 or power.is_odd or is_positive(base, {}) for base, power in others]
    logarithms = (p * sympy.log(b) if fine else sympy.log(b**p) for (b, p), fine in zip(others, apart, strict=True))
    return Add(*exponents, *logarithms)


def exponential_of_logarithm(written: Expr) -> Expr | None:
    """Write `exp(u - log(s))` as `exp(u)/s`, as SymPy does once a logarithm stands in the exponent, if none is left.

    >>> x, s = sympy.symbols("x s")
    >>> exponential_of_logarithm(sympy.exp(x - sympy.log(s))), exponential_of_logarithm(sympy.exp(x))
    (exp(x)/s, None)
    """
    is_product = isinstance(written, Mul) and not written.has(sympy.log)
    return written if is_product and all(power.exp.is_Rational for power in written.atoms(Pow)) else None


def beside_one(part: Expr) -> Expr | None:
    """Write `log(1 + u)` as `log1p(u)`, where u has no exponential, and `exp(u) - 1` as `expm1(u)`.

    >>> u, z = sympy.symbols("u z")
    >>> beside_one(sympy.log(1 + u)), beside_one(z*sympy.exp(u) - z), beside_one(sympy.log(2 + u))
    (Log1p(u), z*Expm1(u), None)
    """
    if isinstance(part, sympy.log):
        (u,) = part.args
        return Log1p(u - 1) if isinstance(u, Add) and S.One in u.args and not u.has(sympy.exp) else None
    return _by_identity(part, sympy.exp, lambda u: [(sympy.exp(u), -S.One, Expm1(u))])


# ---- moments


def centred_moment(total: Expr) -> Expr | None:
    """Write moments in rows less their means, or one row less its weighted mean, where the means are gone then.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, z = RowSymbol("x"), RowSymbol("z")
    >>> centred_moment(Mean(x**2) - Mean(x)**2), centred_moment(Mean(x*z) - 2*Mean(x)*Mean(z))
    (Mean((x - Mean(x))**2), None)
    """
    meant = {term: _rows_meant(term) for term in total.args} if axes(total) == (True, False) else {}
    weights = [S.One, *sorted({m.args[0] for m in total.atoms(Mean)} if meant else (), key=default_sort_key)]
    meant_with = {
        weight: {term: tuple(row for row in rows if not weight.has(row)) for term, rows in meant.items()}
        for weight in weights
    }
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


def _rows_meant(term: Expr) -> tuple[Expr, ...]:
    """Return the rows whose powers and products a term has means of."""
    factors = (factor for mean in term.atoms(Mean) for factor in Mul.make_args(mean.args[0]))
    bases = {factor.as_base_exp()[0] for factor in factors if not isinstance(factor, sympy.exp)}
    return tuple(sorted((base for base in bases if isinstance(base, TypedSymbol) and is_row(base)), key=str))


# ---- lines that are derived from a forward


def zero_means(system: System) -> Iterator[Rewrite]:
    """Replace the mean of a row less its mean by 0, and that with the weights of the mean that the row is less.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, c, m, dx = RowSymbol("x"), RowSymbol("c"), RowScalarSymbol("m"), RowSymbol("dx")
    >>> layer = Forward("f", (), (x,), (Equation(m, Mean(x)), Equation(c, x - m)), ())
    >>> [rewrite] = zero_means(System(layer, (Equation(dx, x - Mean(c)),), Names([])))
    >>> rewrite.change(x - Mean(c)), rewrite.uses
    (x, {Mean(c): 0})
    """
    forward = system.forward.equations
    centred = {q.symbol: q.expression for q in forward if is_row(q.symbol) and isinstance(q.expression, Add)}
    means = {q.symbol: q.expression for q in forward if isinstance(q.reduction, Mean)}
    for mean in sorted({mean for q in system.lines for mean in q.expression.atoms(Mean)}, key=default_sort_key):
        zero = {mean: S.Zero}

        def change(e: Expr, zero: Mapping[Expr, Expr] = zero) -> Expr:
            return e.xreplace(zero).replace(SumRows, lambda u: SumRows(u) if u != 0 else u)

        with suppress(TooManyTermsError):
            if expand_linear(mean.xreplace(centred).xreplace(means)) == 0:
                yield Rewrite(change, uses=zero)


def sigmoid_of_complement(system: System) -> Iterator[Rewrite]:
    """Write what a sigmoid of the forward leaves to 1 as a sigmoid, where it is a factor.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, u, g = (RowSymbol(name) for name in "sug")
    >>> layer = Forward("f", (), (), (Equation(s, Sigmoid(u)),), ())
    >>> [rewrite] = sigmoid_of_complement(System(layer, (), Names([])))
    >>> rewrite.change(g*s*Complement(s)), rewrite.change(g*(1 + u*Complement(s)))
    (g*s*Sigmoid(-u), g*(u*Complement(s) + 1))
    """
    sigmoids = {q.symbol: q.expression for q in system.forward.equations if isinstance(q.expression, Sigmoid)}
    table = {Complement(s): Sigmoid(-sigmoid.args[0]) for s, sigmoid in sigmoids.items()}

    def change(e: Expr) -> Expr:
        return e.func(*map(change, e.args)) if isinstance(e, (Mul, Reduction, SumRows)) else table.get(e, e)

    yield Rewrite(change)


def difference_of_squares(system: System) -> Iterator[Rewrite]:
    """Write `1 - t**2` as `(1 - t)*(1 + t)` where t is a tanh of the forward.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> t, g = RowSymbol("t"), RowSymbol("g")
    >>> layer = Forward("f", (), (), (Equation(t, sympy.tanh(g)),), ())
    >>> [rewrite.change(g*(1 - t**2)) for rewrite in difference_of_squares(System(layer, (), Names([])))]
    [g*(1 - t)*(t + 1)]
    """
    tanhs = [q.symbol for q in system.forward.equations if isinstance(q.expression, sympy.tanh)]
    table = {form: (1 - t) * (1 + t) for t in tanhs for form in (1 - t**2, Complement(t**2))}
    yield Rewrite(lambda e: e.xreplace(table))


def complement_under_a_name(system: System) -> Iterator[Rewrite]:
    """Give 1 less a sigmoid a line of its own where it is a term of a longer sum, and write every other as it stands.

    SymPy turns `(1 - s)/2 + p` into `1/2 - s/2 + p`: the digits of `1 - s` are lost where s is near 1 and p is small.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, p, dx = RowSymbol("s"), RowSymbol("p"), RowSymbol("dx")
    >>> system = System(Forward("f", (), (), (), ()), (Equation(dx, Complement(s)/2 + p),), Names([]))
    >>> for rewrite in complement_under_a_name(system):
    ...     print(rewrite.change(Complement(s)/2 + p))
    p + s_complement/2
    p - s/2 + 1/2
    """
    sums = {total for line in system.lines for total in line.expression.atoms(Add)}
    terms = {part for total in sums for term in total.args if isinstance(part := term.as_coeff_Mul()[1], Complement)}
    for complement in sorted(terms, key=default_sort_key):
        stem = complement.args[0].name if isinstance(complement.args[0], TypedSymbol) else "sigmoid"
        symbol = symbol_like(system.names.fresh(f"{stem}_complement"), complement)
        new = Equation(symbol, whole(complement))
        yield Rewrite(partial(Expr.xreplace, rule={complement: symbol}), defines=(new, ""))
    yield Rewrite(whole)
