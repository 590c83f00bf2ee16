"""A factor exp(m) followed through an expression: a mean lets it out, a quotient cancels it, a logarithm turns it into
`+ m`, and a sum of unlike powers has the highest of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Forward
from lngen.algebra.symbols import (
    Expm1,
    Log1p,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    TypedSymbol,
    Where,
    axes,
    varies_over_features,
)
from lngen.derivation.rules.linearity import TooManyTermsError, expand_linear, multiply_out, tree_size
from lngen.derivation.trail import Trail


class NotAPowerError(Exception):
    """An expression is no power of the factor times something that is free of it."""


class Wanted(NotAPowerError):
    """Signal that an expression would be homogeneous if `exponential` had the factor too.

    The extreme m is then taken over its exponent as well.
    """

    def __init__(self, exponential: Expr) -> None:
        super().__init__(str(exponential))
        self.exponential = exponential


class Held(NamedTuple):
    """An exponent of which a sum holds every one, or `in_row` the largest of the row at least."""

    member: Expr
    in_row: bool


class Taken(NamedTuple):
    """`factor**degree * plain`; `held` are the exponents of what `plain` adds up, if it `is_sum`."""

    plain: Expr
    degree: Expr
    held: frozenset[Held] = frozenset()
    is_sum: bool = False


class Homogeneous:
    """Takes the powers of a factor exp(m) out of expressions; `values` has those of symbols and exponentials.

    If m is the largest of some exponents, these are the `members`, and 0 for terms without an exponential. A sum of
    terms with unlike powers has the highest: of the others `exp(-m)` is left, at most 1 if 0 is a member. m is one
    number for a row, its largest, or, if not `by_rows`, one for each entry. `others` are exponentials in a term that
    could have the factor, and have not. `used` tells whether a sum, a mean or a logarithm had the factor.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> e, x, z, m = RowSymbol("e"), RowSymbol("x"), RowSymbol("z"), RowScalarSymbol("m")
    >>> rule = Homogeneous(m, {e: Taken(z, sympy.S.One)})
    >>> rule.taken_out(e**2/Mean(e) + 3*e)[:2], rule.taken_out(sympy.log(Mean(e)))[:2]
    ((z**2/Mean(z) + 3*z, 1), (m + log(Mean(z)), 0))
    >>> known = {sympy.exp(x): Taken(sympy.exp(x - m), sympy.S.One, frozenset({Held(x, False)}))}
    >>> rule = Homogeneous(m, known, [x, sympy.S.Zero])
    >>> rule.taken_out(sympy.exp(x)/(1 + Mean(sympy.exp(x))))[:2]
    (exp(-m + x)/(Mean(exp(-m + x)) + exp(-m)), 0)
    """

    def __init__(
        self,
        logarithm: TypedSymbol,
        values: dict[Expr, Taken],
        members: Sequence[Expr] = (),
        *,
        by_rows: bool = True,
        others: Callable[[Expr], list[Expr]] = lambda term: [],
    ) -> None:
        self.logarithm = logarithm
        self.values = values
        self.members = members
        self.by_rows = by_rows
        self.others = others
        self.used = False

    def has_factor(self, e: Expr) -> bool:
        """Test whether a part of an expression has a power of the factor."""
        return any(part in self.values and self.values[part].degree != 0 for part in sympy.preorder_traversal(e))

    def taken_out(self, e: Expr) -> Taken:
        """An expression without the factor, and the power of it that was in there; NotAPowerError if there is none."""
        if e in self.values:
            return self.values[e]
        if not e.args:
            return Taken(e, sympy.S.Zero)
        if isinstance(e, Where):
            return self._select(e)
        parts = [self.taken_out(argument) for argument in e.args]
        plain, degrees = [part.plain for part in parts], [part.degree for part in parts]
        if isinstance(e, Add):
            return self._sum(e, parts)
        if isinstance(e, Mul):
            return self._product(e, parts)
        if all(degree == 0 for degree in degrees):
            return Taken(e if tuple(plain) == e.args else e.func(*plain), sympy.S.Zero)
        if isinstance(e, (sympy.log, Log1p)):
            return Taken(self._logarithm_of(e, parts[0]), sympy.S.Zero)
        if isinstance(e, Pow) and degrees[1] == 0:
            if not (e.exp.is_Integer and e.exp > 0):
                self._require_whole(parts[0])
            return Taken(plain[0] ** plain[1], degrees[0] * plain[1], parts[0].held, parts[0].is_sum)
        if isinstance(e, Reduction):
            return self._reduction(e, parts[0])
        raise NotAPowerError

    def _require_whole(self, divisor: Taken) -> None:
        """Raises NotAPowerError for a sum that may be 0 in floats where it is not: one without the largest of all."""
        if divisor.degree == 0 or not divisor.is_sum:
            return
        for member in self.members:
            its_own = not self.by_rows or not varies_over_features(member)
            if Held(member, True) not in divisor.held and not (its_own and Held(member, False) in divisor.held):
                raise NotAPowerError

    def _reduction(self, e: Reduction, body: Taken) -> Taken:
        """A mean, or an extreme: the factor is the same for the whole row."""
        if not self.by_rows:
            raise Wanted(e)
        self.used = True
        held = body.held if isinstance(e, (Mean, RowMax)) else ()
        return Taken(e.func(body.plain), body.degree, frozenset(Held(h.member, True) for h in held), is_sum=True)

    def _product(self, e: Expr, parts: list[Taken]) -> Taken:
        """A product has the sum of the powers; it is as small as its smallest factor."""
        powers = [part for part in parts if part.degree != 0]
        if not powers and tuple(part.plain for part in parts) == e.args:
            return Taken(e, sympy.S.Zero)
        held = frozenset.intersection(*(part.held for part in powers)) if powers else frozenset()
        degree = Add(*(part.degree for part in parts))
        return Taken(Mul(*(part.plain for part in parts)), degree, held, any(part.is_sum for part in powers))

    def _sum(self, e: Expr, parts: list[Taken]) -> Taken:
        """A sum has the factor that all of its terms have, or the highest power of it."""
        self.used |= any(part.degree != 0 for part in parts)
        if len({part.degree for part in parts}) == 1:
            held = frozenset().union(*(part.held for part in parts))
            plain = tuple(part.plain for part in parts)
            return Taken(e if plain == e.args else Add(*plain), parts[0].degree, held, is_sum=parts[0].degree != 0)
        if not all(part.degree.is_number for part in parts):
            raise NotAPowerError
        top = max(part.degree for part in parts)
        held = frozenset().union(*(part.held for part in parts if part.degree == top))
        terms = []
        for term, part in zip(e.args, parts, strict=True):
            if part.degree < top:
                self._require_zero(term)
            terms.append(part.plain * sympy.exp((part.degree - top) * self.logarithm))
        return Taken(Add(*terms), top, held | {Held(sympy.S.Zero, True)}, is_sum=True)

    def _select(self, e: Expr) -> Taken:
        """A select has the factor that both branches have; what it leaves out holds no largest exponent."""
        condition, *branches = e.args
        parts = [self.taken_out(branch) for branch in branches if branch != 0]
        if not self.has_factor(e):
            return Taken(e, sympy.S.Zero)
        if self.has_factor(condition) or len({part.degree for part in parts}) > 1:
            raise NotAPowerError
        held = frozenset.intersection(*(part.held for part in parts))
        if len(parts) == 1:
            held = frozenset(h for h in held if isinstance(h.member, Where))
        plain = iter(part.plain for part in parts)
        chosen = (branch if branch == 0 else next(plain) for branch in branches)
        return Taken(e.func(condition, *chosen), parts[0].degree, held, any(part.is_sum for part in parts))

    def _require_zero(self, term: Expr) -> None:
        """Raises Wanted for an exponential in a term without the factor, or else for 0, unless that is a member."""
        wanted = [*self.others(term), sympy.S.One]
        if len(wanted) > 1 or sympy.S.Zero not in self.members:
            raise Wanted(wanted[0])

    def _logarithm_of(self, e: Expr, inner: Taken) -> Expr:
        """A logarithm, with that of the factor a term of it."""
        self.used = True
        shift = inner.degree * self.logarithm
        if isinstance(e, Log1p):
            self._require_zero(sympy.S.One)
            return Log1p(inner.plain + Expm1(-shift)) + shift
        self._require_whole(inner)
        return e.func(inner.plain) + shift


_LONGEST_WRITTEN_OUT = 200
"""The nodes of a value in which an extreme is followed: what is written out doubles with each use."""


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
    """Test whether an extreme m cancels in every output: `exp(x - m)/sum(exp(x - m))` is the same for every m."""
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
