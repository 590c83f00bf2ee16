"""The largest exponent of a sum of exponentials is taken out of it, so that none of them overflows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, Mul

from lngen.algebra.equations import Equation, Forward, Names, in_order, leading_to, read_by
from lngen.algebra.exponentials import Exponentials
from lngen.algebra.extremes import LOWEST, larger
from lngen.algebra.reductions import known_sign
from lngen.algebra.symbols import (
    D,
    Log1p,
    Mean,
    Reduction,
    RowMax,
    TypedSymbol,
    Where,
    axes,
    is_row,
    stand_in,
    symbol_like,
    varies_over_features,
)
from lngen.derivation.naming import MAXIMUM
from lngen.derivation.rules.driver import Rewrite, System
from lngen.derivation.rules.homogeneity import Held, Homogeneous, NotAPowerError, Taken, Wanted
from lngen.derivation.rules.linearity import TooManyTermsError, mean_of_product, multiply_out
from lngen.derivation.trail import Trail

_MOST_MEMBERS = 8


def shift_exponentials(forward: Forward, trail: Trail) -> Forward:
    """Take the largest exponent m out of every sum of exponentials: `exp(u) = exp(m)*exp(u - m)`.

    m is the largest exponent of a row where a reduction adds exponentials up, and of an entry where a sum does. A term
    without an exponential has the exponent 0: `1 + sum(exp(x))` is `exp(m)*(exp(-m) + sum(exp(x - m)))` with
    `m = maximum(max(x), 0)`. `Homogeneous` follows the factor exp(m) through the definition: a mean lets it out, a
    quotient cancels it, a logarithm turns it into `+ m`. Condition: no output keeps exp(m), but for exp(-m) where
    m >= 0; and each divisor has the term exp(0) = 1, so that it is at least 1. Then no exponential is above 1, and m
    needs no gradient, for no output depends on it.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> for q in shift_exponentials(translate(parse("def f(x: Row): return log(sum(exp(x)))")), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    m = RowMax(x)
    sum_exp_x_shifted = D*Mean(exp(-m + x))
    y = m + log(sum_exp_x_shifted)
    >>> text = "def f(x: Row): return exp(x)/(1 + sum(exp(x)))"
    >>> for q in shift_exponentials(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    m = RowMax(x)
    largest = Where(m > 0, m, 0)
    sum_exp_x_shifted = D*Mean(exp(-largest + x))
    y = exp(-largest + x)/(sum_exp_x_shifted + exp(-largest))

    In a sum from which a select leaves entries out, m is the largest exponent of the others. A row of which none is
    chosen is 0/0, as it was.

    >>> text = "def f(x: Row, keep: Row): return sum(where(keep > 0, exp(x), 0)*x)/sum(where(keep > 0, exp(x), 0))"
    >>> print(shift_exponentials(translate(parse(text)), Trail()).equations[0].expression.args[0])
    Where(keep > 0, x, -100000000000000000000000000000000000000)
    """
    inside, marks = _marked(forward)
    shifted = _each(inside, marks, trail) if marks else inside
    if shifted != inside:
        forward = _with(shifted, {mark: sympy.exp(found.exponent) for mark, found in marks.items()})
        forward = replace(forward, equations=leading_to(forward.outputs, forward.equations))
    forward = _each(forward, {}, trail)
    below = _sums_in_exponents(forward)
    return forward if below is forward else _each(below, {}, trail)


def _sums_in_exponents(forward: Forward) -> Forward:
    """Take powers of sums of exponentials that were not shifted into the exponent of a number of the row.

    `exp(u)/sum(exp(x))` is `exp(u - log(sum(exp(x))))`, in which the largest exponent leaves the logarithm.
    """
    names, equations = Names.of(forward), list[Equation]()
    values = {q.symbol: q.expression for q in forward.equations}
    for equation in forward.equations:
        table: dict[Expr, Expr] = {}
        for product in sorted(equation.expression.atoms(Mul), key=sympy.default_sort_key):
            own = [e for e in product.args if isinstance(e, sympy.exp) and axes(e) == (True, False)]
            for base, power in [e.as_base_exp() for e in product.args] if own else ():
                if power.is_Integer and _is_sum_of_exponentials(values.get(base, base), forward):
                    total = D * base if D**power in product.args else base
                    logarithm = symbol_like(names.fresh("log_sum"), sympy.log(total))
                    equations.append(Equation(logarithm, sympy.log(total)))
                    others = [e for e in product.args if e not in (own[0], base**power, (total / base) ** power)]
                    table[product] = Mul(*others, sympy.exp(own[0].args[0] + power * logarithm))
                    break
        equations.append(replace(equation, expression=equation.expression.xreplace(table)))
    return forward if len(equations) == len(forward.equations) else replace(forward, equations=tuple(equations))


def _is_sum_of_exponentials(e: Expr, forward: Forward) -> bool:
    """Test whether an expression is a mean or a sum over a row of an exponential that is not shifted: so it has a
    logarithm.
    """
    mean = e / D if isinstance(e, Mul) else e
    if not isinstance(mean, Mean) or not isinstance(mean.args[0], sympy.exp):
        return False
    return not _is_shifted(mean.args[0].args[0], forward, _differences(forward))


_Guards = tuple[tuple[Expr, int], ...]
"""The selects in a branch of which something stands, from the outermost in: their conditions, and which branch."""


@dataclass(frozen=True)
class _Exponential:
    """An exponential; its exponent counts where selects let it through."""

    exponent: Expr
    guards: _Guards = ()

    @property
    def member(self) -> Expr:
        """Return the expression whose largest entry is the largest exponent."""
        return self.let_through(self.exponent, LOWEST)

    def let_through(self, exponent: Expr, otherwise: Expr) -> Expr:
        """An exponent where the selects let it through, and another number elsewhere."""
        for condition, place in reversed(self.guards):
            exponent = Where(condition, *((exponent, otherwise) if place == 1 else (otherwise, exponent)))
        return exponent


def _with(forward: Forward, table: dict[Expr, Expr]) -> Forward:
    return replace(
        forward, equations=tuple(replace(q, expression=q.expression.xreplace(table)) for q in forward.equations)
    )


def _marked(forward: Forward) -> tuple[Forward, dict[Expr, _Exponential]]:
    """The forward with a symbol for every exponential that stands in a branch of a select, and what they stand for."""
    values = {q.symbol: q.expression for q in forward.equations if is_row(q.symbol) and q.expression.has(sympy.exp)}
    marks: dict[tuple[Expr, _Guards], Expr] = {}

    def marked(e: Expr, guards: _Guards) -> Expr:
        if isinstance(e, Where):
            branches = (marked(values.get(e.args[i], e.args[i]), (*guards, (e.args[0], i))) for i in (1, 2))
            return Where(e.args[0], *branches)
        if isinstance(e, sympy.exp) and guards and is_row(e):
            return marks.setdefault((e, guards), stand_in(f"exponential {len(marks)}", e, positive=True))
        if not e.has(Where, sympy.exp):
            return e
        return e.func(*(marked(part, () if isinstance(e, Reduction) else guards) for part in e.args))

    result = tuple(replace(q, expression=marked(q.expression, ())) for q in forward.equations)
    found = {mark: _Exponential(e.args[0], guards) for (e, guards), mark in marks.items()}
    return replace(forward, equations=result), found


def _each(forward: Forward, marks: dict[Expr, _Exponential], trail: Trail) -> Forward:
    tried: set[Expr] = set()
    while True:
        fresh = [form for form in _candidates(forward, marks) if form not in tried]
        if not fresh:
            return forward
        tried.add(fresh[0])
        shifted = _Shift(forward, marks, fresh[0], forward).result(trail)
        forward = shifted or _one_by_one(forward, marks, fresh[0], trail)


def _one_by_one(forward: Forward, marks: dict[Expr, _Exponential], form: Expr, trail: Trail) -> Forward:
    """Each value that keeps no power of a factor of its own with its own largest exponent.

    A sum that is divided by has to hold the largest of all members, which two sums of other terms do not both.
    """
    lines = list(_logarithms_apart(forward, form))
    place, changed = 0, False
    while place < len(lines):
        equation = lines[place]
        chain = leading_to([equation.symbol], lines)
        if any(form in sympy.preorder_traversal(q.expression) for q in chain):
            alone = replace(forward, equations=chain, outputs=(equation.symbol,))
            known = replace(forward, equations=tuple(lines))
            shifted = _Shift(alone, marks, form, known).result(trail)
            if shifted is not None:
                new = [q for q in shifted.equations if q not in chain]
                lines[place : place + 1] = new
                place += len(new) - 1
                changed = True
        place += 1
    if not changed:
        return forward
    # What only the exponent of a marked exponential reads is needed, too.
    there = {mark for q in lines for mark in q.expression.free_symbols & marks.keys()}
    needed = {s for mark in there for s in marks[mark].exponent.free_symbols}
    return replace(forward, equations=leading_to({*forward.outputs, *needed}, lines))


def _logarithms_apart(forward: Forward, form: Expr) -> Iterator[Equation]:
    """The equations, and logarithms of what has an exponential on lines of their own, where they are not alone."""
    names, reading = Names.of(forward), {form}
    for equation in forward.equations:
        table: dict[Expr, Expr] = {}
        for logarithm in sorted(equation.expression.atoms(sympy.log, Log1p), key=sympy.default_sort_key):
            inside = set(sympy.preorder_traversal(logarithm))
            if logarithm != equation.expression and not inside.isdisjoint(reading):
                table[logarithm] = symbol_like(names.fresh("log_sum"), logarithm)
                yield Equation(table[logarithm], logarithm)
        if not set(sympy.preorder_traversal(equation.expression)).isdisjoint(reading):
            reading.add(equation.symbol)
        yield replace(equation, expression=equation.expression.xreplace(table))


def _exponentials(forward: Forward, marks: dict[Expr, _Exponential]) -> dict[Expr, _Exponential]:
    """All exponentials, and the marks that are there."""
    found = {e for q in forward.equations for e in q.expression.atoms(sympy.exp) if e.free_symbols}
    there = {s for q in forward.equations for s in q.expression.free_symbols} & marks.keys()
    return {e: _Exponential(e.args[0]) for e in found} | {mark: marks[mark] for mark in there}


def _candidates(forward: Forward, marks: dict[Expr, _Exponential]) -> list[Expr]:
    """Exponentials that are not shifted yet, those first that reach a sum, directly or under a name."""
    values = {q.symbol: q.expression for q in forward.equations}
    named = {s: e for s, e in values.items() if e.atoms(sympy.exp) or not e.free_symbols.isdisjoint(marks)}
    summed: set[Expr] = set()
    for equation in forward.equations:
        if isinstance(equation.reduction, Mean):
            body = equation.reduction.args[0]
            # An exponential of an exponential that has a name is found as it is written.
            summed |= {part for form in (body, body.xreplace(named)) for part in sympy.preorder_traversal(form)}
    shifted = _differences(forward)
    exponentials = _exponentials(forward, marks)
    found = [form for form, e in exponentials.items() if not _is_shifted(e.exponent, forward, shifted)]
    return sorted(found, key=lambda form: (form not in summed, sympy.default_sort_key(form)))


def _differences(forward: Forward) -> frozenset[Expr]:
    return Exponentials({q.symbol: q.expression for q in forward.equations}, ()).never_positive


def _is_shifted(exponent: Expr, forward: Forward, differences: Iterable[Expr]) -> bool:
    """Test whether the exponent is already u - max(u), or a multiple of it."""
    values = {q.symbol: q.expression for q in forward.equations if is_row(q.symbol)}
    exponent = values.get(exponent, exponent)
    return any(_multiple(exponent, difference) is not None for difference in differences)


def _multiple(a: Expr, b: Expr) -> Expr | None:
    """The rational c > 0 with a = c*b, or None.

    >>> x = sympy.Symbol("x")
    >>> _multiple(2*x - 2, x - 1), _multiple(x**2, x), _multiple(-x, x)
    (2, None, None)
    """
    left, right = _spread(a).as_coefficients_dict(), _spread(b).as_coefficients_dict()
    if left.keys() != right.keys():
        return None
    ratios = {left[key] / right[key] for key in left}
    ratio = ratios.pop()
    return None if ratios or ratio < 0 else ratio


def _spread(exponent: Expr) -> Expr:
    """An exponent multiplied out, if that is not too long."""
    with suppress(TooManyTermsError):
        return multiply_out(exponent)
    return exponent


class _Shift:
    """The attempt to take the largest exponent out of an exponential, and out of those that it meets in sums."""

    def __init__(self, forward: Forward, marks: dict[Expr, _Exponential], first: Expr, known: Forward) -> None:
        self.forward = forward
        self.known = known
        self.all = _exponentials(forward, marks)
        self.defined = {q.symbol: q.expression for q in forward.equations}
        rows = {s: e for s, e in self.defined.items() if is_row(s) and not e.has(sympy.exp)}
        self.written_out = {form: e.exponent.xreplace(rows) for form, e in self.all.items()}
        shifted = _differences(forward)
        self.free = {form for form, e in self.all.items() if not _is_shifted(e.exponent, forward, shifted)}
        self.partners = [first]
        self.zero = self.by_rows = False

    def result(self, trail: Trail) -> Forward | None:
        """The forward with the exponentials shifted, or None."""
        for _ in range(2 * _MOST_MEMBERS):
            try:
                return self._attempt(trail)
            except Wanted as wanted:
                if isinstance(wanted.exponential, Reduction):
                    self.by_rows = True
                elif wanted.exponential == 1:
                    self.zero = True
                else:
                    self.partners.append(wanted.exponential)
            except NotAPowerError:
                return None
        return None

    def _attempt(self, trail: Trail) -> Forward | None:
        members = [self.all[form].member for form in self.partners] + [sympy.S.Zero] * self.zero
        if self.zero and all(member.is_nonpositive for member in members):
            return None
        names = Names.of(self.known)
        shifts = self._shifts(members, names)
        largest = shifts[-1].symbol if shifts else stand_in("largest", members[0])
        rule = Homogeneous(largest, self._values(largest), members, by_rows=self.by_rows, others=self._others)
        result: list[Equation] = []
        kept = False
        for equation in self.forward.equations:
            taken = rule.taken_out(equation.expression)
            if taken.degree != 0 and equation.symbol in self.forward.outputs:
                taken, kept = self._bounded(equation, taken, largest), True
            elif taken.degree != 0:
                rule.values[equation.symbol] = taken._replace(plain=equation.symbol)
            result.append(replace(equation, expression=taken.plain))
        if not rule.used or not shifts:
            return None
        # A value that lost a factor is not the user's any more, and gets another name.
        lost = [s for s in self.defined if s in rule.values and rule.values[s].degree != 0]
        other = {s: type(s)(names.fresh(f"{s.name}_shifted"), **known_sign(s)) for s in lost}
        result = [
            replace(q, symbol=other.get(q.symbol, q.symbol), expression=q.expression.xreplace(other)) for q in result
        ]
        first = next(i for i, q in enumerate(result) if largest in q.expression.free_symbols)
        ordered = in_order([*result[:first], *shifts, *result[first:]])
        if ordered is None:
            return None
        gone = "cancels in every output, or stays as one that is at most 1" if kept else "cancels in every output"
        reason = f"the factor exp({largest}) {gone}: exp never overflows, no gradient flows through it"
        for shift in shifts:
            trail.add("forward", "largest exponent taken out", shift.symbol, None, shift.expression, reason)
        return replace(self.forward, equations=ordered)

    def _values(self, largest: TypedSymbol) -> dict[Expr, Taken]:
        """Return the values of exponentials that are powers of the shifted ones."""
        values: dict[Expr, Taken] = {}
        for form, e in self.all.items():
            for first in self.partners:
                partner = self.all[first]
                times = _multiple(self.written_out[form], self.written_out[first])
                if times is not None and e.guards == partner.guards:
                    shifted = _spread(times * (partner.exponent - largest))
                    # The branch not chosen must not overflow either: infinity times 0 would be NaN.
                    plain = sympy.exp(e.let_through(shifted, sympy.S.Zero))
                    values[form] = Taken(plain, times, frozenset({Held(partner.member, False)}))
        return values

    def _shifts(self, members: Sequence[Expr], names: Names) -> list[Equation]:
        """The equations of the largest exponent, which is the last of them."""
        shifts: list[Equation] = []
        total: Expr | None = None
        for member in members:
            if self.by_rows and varies_over_features(member):
                body = RowMax(member)
                shifts.append(Equation(symbol_like(names.fresh(MAXIMUM), body), body, stopped=True))
                member = shifts[-1].symbol
            total = member if total is None else larger(total, member)
            if isinstance(total, Where) and total != member:
                shifts.append(Equation(symbol_like(names.fresh("largest"), total), total, stopped=True))
                total = shifts[-1].symbol
        return shifts

    def _others(self, term: Expr) -> list[Expr]:
        """Exponentials in a term, directly or under names, that are not shifted and take no part."""
        seen: set[Expr] = set()
        stack, found = [term], set()
        while stack:
            e = stack.pop()
            here = {part for part in sympy.preorder_traversal(e) if part in self.free}
            found |= {form for form in here if not self.all[form].exponent.is_nonpositive}
            fresh = (e.free_symbols & self.defined.keys()) - seen
            seen |= fresh
            stack += [self.defined[symbol] for symbol in fresh]
        partners = [self.written_out[form] for form in self.partners]
        others = (f for f in found if all(_multiple(self.written_out[f], u) is None for u in partners))
        return sorted(others, key=sympy.default_sort_key)

    def _bounded(self, equation: Equation, taken: Taken, largest: TypedSymbol) -> Taken:
        """An output with a power of exp(m) below 0, which is at most 1 if m is 0 at least."""
        if not taken.degree.is_negative or self._others(equation.expression):
            raise NotAPowerError
        if not self.zero:
            raise Wanted(sympy.S.One)
        return Taken(taken.plain * sympy.exp(taken.degree * largest), sympy.S.Zero)


def normalized_exponentials(system: System) -> Iterator[Rewrite]:
    """Write `p = e/s` in lines derived from a forward with `e = exp(u)` and `s = sum(e)`, where s cancels then.

    p has the forward's name for it, that of another line, or a new one. Its sum is `sum(e)/s`, which is 1, and so is
    that of `exp(u - log(s))`, which is p again.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> u, e, g, w, du = (RowSymbol(name) for name in ("u", "e", "g", "w", "du"))
    >>> s = RowScalarSymbol("s", positive=True)
    >>> layer = Forward("f", (), (), (Equation(e, sympy.exp(u)), Equation(s, D*Mean(e))), ())
    >>> line = w*e/s - e*D*Mean(w*e)/s**2
    >>> first, second = normalized_exponentials(System(layer, (Equation(du, line),), Names([])))
    >>> first.defines[0].expression, first.change(line), second.change(first.change(g*Mean(e)/s))
    (e/s, p*w - p*D*Mean(p*w), g/D)
    """
    own = dict(_that_sum_to_one(system.forward))
    sums_to_one = {*own}
    read = read_by(system.lines)
    for exponential, total in _exponentials_with_sums(system.forward):
        e, form = exponential.symbol, exponential.symbol / total
        # One that the forward has, if it is there anyway, or that an earlier line is.
        known = [s for s, value in own.items() if value == form and s in read]
        known += [q.symbol for q in system.lines if q.expression == form]
        if not known and not any(_with_normalized(q.expression, e, e, total) for q in system.lines):
            continue
        p = known[0] if known else symbol_like(system.names.fresh("p"), form)
        new = (Equation(p, form), f"exponentials of {exponential.expression.args[0]} over their sum")

        def change(e: Expr, p: TypedSymbol = p, q: Equation = exponential, total: TypedSymbol = total) -> Expr:
            return e if e == q.symbol / total else _with_normalized(e, p, q.symbol, total) or e

        reason = f"written in {p}, from which {total} cancels"
        yield Rewrite(change, reason, uses={e: p * total}, defines=None if p in own else new)
        sums_to_one.add(p)
    yield Rewrite(lambda line: line.xreplace({Mean(p): 1 / D for p in sums_to_one}), "their sum is 1")


def expand_normalized(
    equations: Iterable[Equation], forward: Forward, results: Collection[TypedSymbol]
) -> tuple[Equation, ...]:
    """Lines without these names: what one is divided by meets other numbers of the row before it meets a row.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> u, e, g, p = (RowSymbol(name) for name in "uegp")
    >>> s = RowScalarSymbol("s", positive=True)
    >>> layer = Forward("f", (), (), (Equation(e, sympy.exp(u)), Equation(s, D*Mean(e))), ())
    >>> [q.expression for q in expand_normalized((Equation(p, e/s), Equation(RowSymbol("du"), p*Mean(g*p))), layer, ())]
    [e*Mean(e*g)/s**2]
    """
    forms = {exponential.symbol / total for exponential, total in _exponentials_with_sums(forward)}
    table = {q.symbol: q.expression for q in equations if q.expression in forms and q.symbol not in results}

    def changed(e: Expr) -> Expr:
        return e if e.free_symbols.isdisjoint(table) else e.xreplace(table).replace(Mean, mean_of_product)

    return tuple(replace(q, expression=changed(q.expression)) for q in equations if q.symbol not in table)


def _exponentials_with_sums(forward: Forward) -> Iterator[tuple[Equation, TypedSymbol]]:
    """The exponentials of rows whose sum has a name, with it."""
    sums = {q.expression: q.symbol for q in forward.equations}
    for q in forward.equations:
        if isinstance(q.expression, sympy.exp) and is_row(q.symbol) and D * Mean(q.symbol) in sums:
            yield q, sums[D * Mean(q.symbol)]


def _that_sum_to_one(forward: Forward) -> Iterator[tuple[TypedSymbol, Expr]]:
    """The rows of a forward that are such, as quotients or as exponentials of their logarithms, and of what."""
    value = {q.symbol: q.expression for q in forward.equations}
    parts = {symbol: e for symbol, e in value.items() if axes(symbol) == (True, False) and not e.atoms(Mean)}
    for exponential, total in _exponentials_with_sums(forward):
        exponent = exponential.expression.args[0]
        for q in forward.equations:
            if not is_row(q.symbol):
                continue
            if q.expression.xreplace(parts) == exponential.symbol / total:
                yield q.symbol, exponential.symbol / total
            if isinstance(q.expression, sympy.exp):
                inner = q.expression.args[0]
                left = (exponent - value.get(inner, inner)).xreplace(value)
                if left == sympy.log(total):
                    yield q.symbol, exponential.symbol / total


def _with_normalized(e: Expr, p: TypedSymbol, exponential: TypedSymbol, total: TypedSymbol) -> Expr | None:
    """An expression in p and without the sum; None if there is none."""
    if not e.free_symbols >= {exponential, total}:
        return None
    moved = e.xreplace({exponential: p * total}).replace(Mean, mean_of_product)
    return None if total in moved.free_symbols else moved
