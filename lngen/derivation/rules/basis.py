"""Change of basis: what finds the textbook form of a gradient without being told it.

Take layer statistics of a row x, `mu = Mean(x)`, `var = Mean((x - mu)**2)`, `r = (var + eps)**(-1/2)`, and the
normalized row `t = (x - mu)*r`. The gradient by the chain rule is long in x and short in t: with

    x = mu + t/r          (t solved for x)
    var = r**-2 - eps     (the root solved for the statistic)

each reduction of the definition becomes an *identity* in t: `mu = Mean(x)` says `Mean(t) = 0`, and
`var = Mean((x - mu)**2)` says `Mean(t**2) = 1 - eps*r**2`. Substituted into the gradient, they leave what a textbook
prints. The same works for whatever else is affine in a row value: the values of one row that are affine in each other
form a *row class*, and each member is a candidate for the basis.

A change of basis divides only by the scale of a member, which is a root or a reciprocal of something finite and so
never zero; it brings in no singularity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy
from sympy import Add, Expr, Pow, Symbol, default_sort_key, preorder_traversal
from sympy.core.relational import Relational

from lngen.algebra.budget import NODES, limited_work, spend
from lngen.algebra.symbols import AttainsFirst, Mean, TypedSymbol, axes, derivative, operation_count, stand_in
from lngen.derivation.rules.factors import common_factors, with_product, with_sum
from lngen.derivation.rules.linearity import (
    TooManyTermsError,
    expand_linear,
    lifted,
    multiply_out,
    reductions_in,
    split_means,
    stages_in,
    tree_size,
)
from lngen.derivation.rules.row_classes import Member, RowClass
from lngen.derivation.trail import Trail

_LONGEST_GRADIENT = 30
"""A form with more terms is no textbook's, and finding its common factors takes long."""


_LONGEST_EXPRESSION = 450
"""Nodes of what is written in another basis; three times what the longest gradient of any layer has."""

_LONGEST_WORK = 2_500
"""Nodes visited in trying one basis on one gradient; three times what the longest gradient of any layer needs."""


@dataclass(frozen=True)
class Basis:
    """A member chosen to write everything in: its substitutions and the identities that hold in it."""

    symbol: TypedSymbol
    substitutions: tuple[tuple[TypedSymbol, Expr], ...]
    eliminations: tuple[tuple[TypedSymbol, Expr], ...]
    identities: tuple[tuple[Expr, Expr], ...]

    def rewrite(self, expression: Expr) -> Expr:
        """The expression in this basis, multiplied out, before any identity is used."""
        expression = _substituted(expression, dict(self.substitutions))
        return expand_linear(_substituted(expression, dict(self.eliminations)))

    def use_identities(self, expression: Expr) -> Expr:
        """The identities used until nothing changes: each speaks of means that no other one brings back."""
        reduced = self.reduced(expression)[0]
        if len(Add.make_args(reduced)) > _LONGEST_GRADIENT:
            raise TooManyTermsError
        return common_factors(reduced)

    def try_on(self, expression: Expr) -> Expr:
        """The expression in this basis, identities used; TooManyTermsError where that takes too much work."""
        with limited_work(_LONGEST_WORK, TooManyTermsError, NODES):
            return self.use_identities(self.rewrite(expression))

    def put_in(self, expression: Expr) -> tuple[tuple[Expr, Expr], ...]:
        """Return the equations by which an expression is written in this basis."""
        rows = tuple((s, e) for s, e in self.substitutions if s in expression.free_symbols)
        met = expression.free_symbols.union(*(e.free_symbols for _, e in rows))
        return (*rows, *((s, e) for s, e in self.eliminations if s in met))

    def reduced(self, expression: Expr) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
        """Return an expression in this basis with the identities used, and those that were."""
        return _reduced(expression, dict(self.identities))

    def uses(self, expression: Expr) -> tuple[tuple[Expr, Expr], ...]:
        """Return the equations that writing an expression in this basis puts in, identities included."""
        return (*self.put_in(expression), *self.reduced(self.rewrite(expression))[1])

    def in_members(self, expression: Expr) -> Expr:
        """Replace other members of the class by their names where that is shorter: `t/r` is `x - mu`.

        A row less its mean, plus the mean, is replaced by the row: where both are large and the row is small, the sum
        has lost digits and the row has not.
        """
        for member, value in self.substitutions:
            if isinstance(value, Add):
                expression = with_sum(expression, member, value)
                continue
            if not isinstance(value, sympy.Mul) or value.as_coeff_Mul()[0] != 1:
                continue
            shorter = with_product(expression, member, value)
            if operation_count(shorter) < operation_count(expression):
                expression = shorter
        return expression


def _reduced(expression: Expr, identities: dict[Expr, Expr]) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    # No identity brings back what another took away (`_with_identities`), so each pass settles at least one.
    used: set[Expr] = set()
    for _ in range(len(identities) + 1):
        found = identities.keys() & set(preorder_traversal(expression))
        after = expand_linear(expression.xreplace(identities) if found else expression)
        if after == expression:
            break
        used |= found
        expression = after
    return expression, tuple((left, right) for left, right in identities.items() if left in used)


def _substituted(expression: Expr, table: dict[TypedSymbol, Expr]) -> Expr:
    """The expression with symbols replaced, except where rounding would decide.

    A condition, and the argument of a sign, has to be the forward's own to the last bit: `mu + t/r > 0` is not `x > 0`
    where x is zero. A sign may lose a positive factor, which rounds no zero away.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol, Where
    >>> x, c, t = RowSymbol("x"), RowSymbol("c"), RowSymbol("t")
    >>> mu, r = RowScalarSymbol("mu"), RowScalarSymbol("r", positive=True)
    >>> _substituted(Where(x > 0, x, 0), {x: mu + c}), _substituted(sympy.sign(c) * c, {c: t / r})
    (Where(x > 0, mu + c, 0), t*sign(t)/r)
    """
    if not expression.free_symbols & table.keys() or isinstance(expression, (Relational, AttainsFirst)):
        return expression
    if isinstance(expression, Symbol):
        return table[expression]
    moved = expression.func(*(_substituted(argument, table) for argument in expression.args))
    if isinstance(expression, (sympy.sign, sympy.Abs)):
        plain = all(isinstance(kink.args[0], Symbol) for kink in moved.atoms(sympy.sign, sympy.Abs))
        return moved if plain else expression
    return moved


def bases(row_class: RowClass) -> tuple[Basis, ...]:
    """Every candidate: each member, with and without the roots solved for the statistics.

    One that would take too many terms to write down is left out.
    """
    found, work = _bases(row_class)
    spend(work)
    return found


@lru_cache(maxsize=64)
def _bases(row_class: RowClass) -> tuple[tuple[Basis, ...], int]:
    with limited_work() as budget:
        found = _every_basis(row_class)
    return found, budget.spent


def _every_basis(row_class: RowClass) -> tuple[Basis, ...]:
    found = _bases_but(row_class, _shifted(row_class))
    known = _known(found)
    return _bases_but(row_class, _shifted(row_class, known)) if known else found


def _known(found: Iterable[Basis]) -> set[Expr]:
    """The row scalars that have a value of their own, other than what is computed, by the identities of some basis."""
    return {left for basis in found for left, _ in basis.identities if isinstance(left, TypedSymbol)}


def _bases_but(row_class: RowClass, excluded: Collection[TypedSymbol]) -> tuple[Basis, ...]:
    found = []
    eliminated = _eliminations(row_class)
    for member in row_class.members:
        if member.symbol in excluded or (row_class.candidates and member.symbol not in row_class.candidates):
            continue
        root = (member.symbol - member.shift) / member.scale
        others = [other for other in row_class.members if other is not member]
        for eliminations in (eliminated, ()) if eliminated else ((),):
            with suppress(TooManyTermsError), limited_work(_LONGEST_WORK, TooManyTermsError, NODES):
                substitutions = tuple((o.symbol, multiply_out(o.scale * root + o.shift)) for o in others)
                found.append(_with_identities(row_class, Basis(member.symbol, substitutions, eliminations, ())))
    return tuple(found)


def _shifted(row_class: RowClass, known: Collection[Expr] = ()) -> set[TypedSymbol]:
    """Members that are no basis, because a statistic is taken of one that they differ from by more than its own mean.

    In x, `Mean((x - mu)**2)` is `Mean(x**2) - mu**2`: what it loses where mu is large, a gradient written in x would
    lose. With `h = p + b` and statistics of both, `Mean(g*p)` is not to be had from `Mean(g*h) - b*Mean(g)`, nor that
    of h from that of p. But what a row is less its mean is not larger than the row. A statistic whose value is `known`
    is in no gradient.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> from lngen.algebra.equations import Equation
    >>> x, c, h = RowSymbol("x"), RowSymbol("c"), RowSymbol("h")
    >>> mu, var, b = RowScalarSymbol("mu"), RowScalarSymbol("var"), RowScalarSymbol("b")
    >>> members = Member(x, sympy.S.One, sympy.S.Zero), Member(c, sympy.S.One, -mu), Member(h, sympy.S.One, b)
    >>> centre, variance, power = Equation(mu, Mean(x)), Equation(var, Mean(c**2)), Equation(var, Mean(x**2))
    >>> for found in (centre, power), (centre, variance):
    ...     print([member for member in (x, c, h) if member in _shifted(RowClass(x, members, found, ()))])
    [h]
    [x, h]
    """
    statistics = [q for q in row_class.reductions if isinstance(q.reduction, Mean)]
    read = set().union(*(q.expression.free_symbols for q in statistics if q.symbol not in known))
    means = [(q.symbol, q.expression.args[0]) for q in statistics if isinstance(q.expression, Mean)]

    def shift(member: Member, of: Member) -> Expr:
        """Return the difference of a member from a multiple of another one."""
        return (member.shift - member.scale / of.scale * of.shift).expand()

    found = set()
    for of in (member for member in row_class.members if member.symbol in read):
        scaled = {other.symbol: of.scale / other.scale for other in row_class.members if shift(of, other) == 0}
        own = [sympy.S.Zero, *(scaled[row] * mean for mean, row in means if row in scaled)]
        for member in row_class.members:
            ratio = member.scale / of.scale
            if all((shift(member, of) + ratio * mean).expand() != 0 for mean in own):
                found.add(member.symbol)
    return found


def _eliminations(row_class: RowClass) -> tuple[tuple[TypedSymbol, Expr], ...]:
    """Roots and reciprocals solved for the statistic under them: `r = (var + eps)**(-1/2)` is `var = r**-2 - eps`."""
    solved: dict[TypedSymbol, Expr] = {}
    statistics = {equation.symbol for equation in row_class.reductions}
    for equation in row_class.functions:
        power = equation.expression
        if not isinstance(power, Pow) or (power.exp.is_Integer and not isinstance(power.base, TypedSymbol)):
            continue
        # The cube of a negative number has another cube root: only a reciprocal is undone whatever the sign.
        if power.exp.is_Integer and power.exp != -1 and not power.base.is_nonnegative:
            continue
        inside = [s for s in power.base.free_symbols if s in statistics and s not in solved]
        if len(inside) != 1:
            continue
        (statistic,) = inside
        slope = derivative(power.base, statistic)
        if statistic in slope.free_symbols or not slope.is_nonzero:
            continue
        rest = power.base - slope * statistic
        with suppress(TooManyTermsError):
            solved[statistic] = multiply_out((equation.symbol ** (1 / power.exp) - rest) / slope)
    return tuple(solved.items())


def _with_identities(row_class: RowClass, basis: Basis) -> Basis:
    """Return the basis with an identity for each mean of the definition that has one mean of a row when written in it.

    `mu = Mean(x)` in the basis t with x = mu + t/r becomes `Mean(t) = 0`. An equation with two means has no identity:
    solved for one, it would be a difference of large numbers. An equation without one, `mu = e` where e has no row,
    replaces mu by e.

    >>> from lngen.algebra.symbols import D, RowSymbol, RowScalarSymbol
    >>> from lngen.algebra.equations import Equation
    >>> x, p = RowSymbol("x"), RowSymbol("p")
    >>> s, r, mu = RowScalarSymbol("s"), RowScalarSymbol("r", nonzero=True), RowScalarSymbol("mu")
    >>> row = RowClass(x, (Member(x, sympy.S.One, sympy.S.Zero), Member(p, r, sympy.S.Zero)),
    ...                (Equation(s, D*Mean(x)), Equation(mu, Mean(p))), (Equation(r, 1/s),))
    >>> bases(row)[0].identities
    ((Mean(x), 1/(r*D)), (mu, 1/D))
    """
    identities: dict[Expr, Expr] = {}
    eliminated = dict(basis.eliminations)
    for equation in row_class.reductions:
        reduction = equation.reduction
        if not isinstance(reduction, Mean):
            continue
        left = eliminated.get(equation.symbol, equation.symbol)
        right = basis.rewrite(equation.expression)
        difference = _reduced(expand_linear(left - right), identities)[0]
        means = difference.atoms(Mean)
        if not means and left == equation.symbol and not axes(left - difference).rows:
            identities[left] = left - difference
        if len(means) != 1:
            continue
        (mean,) = means
        coefficient = difference.coeff(mean)
        rest = multiply_out(difference - coefficient * mean)
        if coefficient.is_nonzero and not rest.atoms(Mean):
            identities[mean] = common_factors(multiply_out(-rest / coefficient))
    return replace(basis, identities=tuple(identities.items()))


@dataclass(frozen=True)
class _ByText:
    """An expression that is compared by its text, which is written only where nothing else decides."""

    expression: Expr

    def __lt__(self, other: _ByText) -> bool:
        return str(self.expression) < str(other.expression)


@lru_cache(maxsize=10_000)
def cost(expression: Expr) -> tuple[int, int, int, _ByText]:
    """Return the cost of a candidate: fewest stages, then fewest reductions, then fewest operations."""
    return stages_in(expression), reductions_in(expression), operation_count(expression), _ByText(expression)


def in_best_basis(row_class: RowClass, expression: Expr) -> tuple[Basis | None, Expr]:
    """The shortest form of a gradient over all bases of its class; None and the expression if no basis shortens it.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> from lngen.algebra.equations import Equation
    >>> x, t, g = RowSymbol("x"), RowSymbol("t"), RowSymbol("g")
    >>> m, r = RowScalarSymbol("m", nonnegative=True), RowScalarSymbol("r", positive=True)
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> row = RowClass(x, (Member(x, sympy.S.One, sympy.S.Zero), Member(t, r, sympy.S.Zero)),
    ...                (Equation(m, Mean(x**2)),), (Equation(r, (m + eps)**sympy.Rational(-1, 2)),))
    >>> basis, short = in_best_basis(row, r*g - r**3*x*Mean(g*x))
    >>> print(basis.symbol, short)
    t r*(g - t*Mean(g*t))
    """
    size = tree_size(expression, _LONGEST_EXPRESSION)
    if size > _LONGEST_EXPRESSION:
        return None, expression
    spend(size)
    plain = [common_factors(expression), common_factors(lifted(expression))]
    with suppress(TooManyTermsError):
        plain.append(common_factors(expand_linear(expression)))
    best: tuple[Basis | None, Expr] = (None, min(plain, key=cost))
    price = cost(best[1])
    if not isinstance(expression, (Add, sympy.Mul)):
        return best
    held = held_means(row_class, expression)
    for basis in bases(row_class):
        try:
            candidate = basis.try_on(expression.xreplace(held))
        except TooManyTermsError:
            continue
        candidate = candidate.xreplace({symbol: mean for mean, symbol in held.items()})
        if cost(candidate) < price and not _new_poles(candidate, expression, row_class):
            best, price = (basis, candidate), cost(candidate)
    chosen, short = best
    return best if chosen is None else (chosen, chosen.in_members(short))


def held_means(row_class: RowClass, expression: Expr) -> dict[Expr, TypedSymbol]:
    """Means of rows that are no basis: they stay as they are, for written in a basis each would be two.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> from lngen.algebra.equations import Equation
    >>> x, c, g = RowSymbol("x"), RowSymbol("c"), RowSymbol("g")
    >>> mu, var = RowScalarSymbol("mu"), RowScalarSymbol("var")
    >>> row = RowClass(x, (Member(x, sympy.S.One, sympy.S.Zero), Member(c, sympy.S.One, -mu)),
    ...                (Equation(mu, Mean(x)), Equation(var, Mean(c**2))), ())
    >>> list(held_means(row, c*Mean(g*x) + Mean(g*c)))
    [Mean(g*x)]
    """
    excluded = _shifted(row_class, _known(_bases(row_class)[0]))
    means = [m for m in expression.atoms(Mean) if m.free_symbols & excluded and not m.args[0].atoms(Mean)]
    return {m: stand_in(f"held {n}", m) for n, m in enumerate(sorted(means, key=default_sort_key))}


def _new_poles(candidate: Expr, expression: Expr, row_class: RowClass) -> bool:
    allowed = set().union(*(member.scale.free_symbols for member in row_class.members))
    allowed |= {equation.symbol for equation in row_class.functions if equation.symbol.is_nonzero}
    return bool(_denominators(candidate) - _denominators(expression) - allowed)


def _denominators(expression: Expr) -> set[Expr]:
    found: set[Expr] = set()
    for power in expression.atoms(Pow):
        if power.exp.is_negative:
            found |= power.base.free_symbols
    return found


def tell_change_of_basis(
    trail: Trail, target: TypedSymbol, row_class: RowClass, basis: Basis | None, expression: Expr, short: Expr
) -> None:
    """Append the steps from an expression to its short form in a basis, or without one.

    A gradient has the steps of a textbook, one each for the linearity of the mean, the basis, the identities that hold
    in it, and the factors that are taken out; any other derivative has one step.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> from lngen.algebra.equations import Equation
    >>> x, t, g = RowSymbol("x"), RowSymbol("t"), RowSymbol("g")
    >>> m, r = RowScalarSymbol("m", nonnegative=True), RowScalarSymbol("r", positive=True)
    >>> row = RowClass(x, (Member(x, sympy.S.One, sympy.S.Zero), Member(t, r, sympy.S.Zero)),
    ...                (Equation(m, Mean(x**2)),), (Equation(r, (m + 1)**sympy.Rational(-1, 2)),))
    >>> given, trail = r*g - r**3*x*Mean(g*x), Trail()
    >>> basis, short = in_best_basis(row, given)
    >>> tell_change_of_basis(trail, RowSymbol("dx"), row, basis, given, short)
    >>> for step in trail.steps:
    ...     print(step.rule, step.after, step.uses)
    change of basis r*g - r*t*Mean(g*t) ((x, t/r),)
    common factors r*(g - t*Mean(g*t)) ()
    """
    if basis is None:
        trail.derived("common factors", target, expression, short, "taken out of the sum")
        return
    held = held_means(row_class, expression)
    given = expression.xreplace(held)
    written_in = f"written in {basis.symbol}"
    if trail.derivative != "backward":
        trail.derived("change of basis", target, expression, short, written_in, uses=basis.uses(given))
        return
    rewritten = basis.rewrite(given)
    reduced, used = basis.reduced(rewritten)
    members = tuple((symbol, value) for symbol, value in basis.substitutions if symbol in short.free_symbols)
    steps: list[tuple[str, str, Expr, tuple[tuple[Expr, Expr], ...]]] = [
        ("linearity", "means and sums are linear", split_means(given), ()),
        ("change of basis", written_in, rewritten, basis.put_in(given)),
        ("identities", f"what the means of the definition say of {basis.symbol}", reduced, used),
        ("common factors", "taken out of the sum", common_factors(reduced), ()),
        ("names of the row", f"shorter than in {basis.symbol}", short, members),
    ]
    line, back = expression, {symbol: mean for mean, symbol in held.items()}
    for rule, reason, after, uses in steps:
        after = after.xreplace(back)
        trail.derived(rule, target, line, after, reason, uses=uses)
        line = after
