"""The steps of a derivation as they are read: those of one value together, and one idea a step.

Rules are taken in the order in which a search finds them, and a search puts many names in at once. Here the steps that
it left are told again: what a value needs comes before it, the rest of it at once after; names are put in one by one;
and a factor is taken out once, at the end. Nothing else changes: each value begins and ends at the same line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby

import sympy
from sympy import Add, Expr, Mul

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import D, FeatureSum, Mean, TypedSymbol, is_row, operation_count, whole
from lngen.derivation.derivation import Step
from lngen.derivation.simplify.basis import bases, source_of
from lngen.derivation.simplify.factors import with_product
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, split_means, tree_size
from lngen.derivation.simplify.row_classes import row_classes
from lngen.derivation.simplify.trail import CANCELS, NORMALIZED, leading_steps
from lngen.derivation.simplify.work import NODES, limited_work

_LONGEST_LINE = 120
"""The nodes of a line that is told in pieces; a longer one is read by nobody, whatever it comes from."""

_APART = "means and sums are linear"

_MOST_NAMES = 12
"""Names that are put in one by one."""

Uses = tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True)
class KnownValues:
    """Facts that a step may rest on: equations of the forward, and means of its rows that are zero, with the reason.

    `shares` are normalized exponentials that have a name.
    """

    lines: Sequence[Equation] = ()
    zeros: Mapping[Expr, str] = field(default_factory=dict)
    shares: tuple[TypedSymbol, ...] = ()

    @classmethod
    def of(cls, forward: Forward) -> KnownValues:
        """Facts of a forward."""
        zeros: dict[Expr, str] = {}
        # The one place that asks for every basis, of classes too that no gradient has gone through.
        for basis in (basis for row_class in row_classes(forward) for basis in bases(row_class)):
            for left, right in basis.identities:
                if right == 0 and isinstance(left, Mean):
                    zeros.setdefault(left, source_of(basis, [left]))
        return cls(forward.equations, zeros)


def as_read(
    steps: Sequence[Step],
    results: Iterable[TypedSymbol],
    equations: Iterable[Equation],
    known: KnownValues,
    first: int = 1,
) -> tuple[Step, ...]:
    """The steps that lead to the equations, as they are read, numbered from `first`."""
    own = [q.symbol for q in equations]
    leading = _of_the_value(leading_steps(own, steps, first), own)
    told = _in_pieces(in_reading_order(leading, results), known)
    return tuple(replace(step, number=number) for number, step in enumerate(told, first))


def _of_the_value(steps: Sequence[Step], emitted: Collection[TypedSymbol]) -> tuple[Step, ...]:
    """The steps, where a result is another value's gradient and no more, with its rewrites told of that gradient."""
    last: dict[TypedSymbol, Step] = {}
    for step in steps:
        last.setdefault(step.target, step)
    moved = {s: q.after for s, q in last.items() if q.contributions and q.after in last and q.after not in emitted}
    found: list[Step] = []
    for step in steps:
        value = moved.get(step.target)
        if value is not None and step.before is not None:
            before = last[value].after if step.before == value else step.before
            step = replace(step, target=value, before=before, operations_before=operation_count(before))
        if step.before != step.after:
            found.append(step)
            last[step.target] = step
    found += _with_normalized(found, last, emitted)
    for result, value in moved.items():
        if last[value].after != value:
            piece = _Piece("written out", f"substitute {value}", last[value].after)
            found.append(replace(_made(last[result], value, piece), contributions=()))
    return tuple(found)


def _with_normalized(
    steps: Sequence[Step], last: Mapping[TypedSymbol, Step], emitted: Collection[TypedSymbol]
) -> Iterator[Step]:
    """Steps that write `e/s` as the normalized exponentials p where it first comes up, and not at the end alone."""
    for made in (step for step in steps if step.rule == NORMALIZED and step.before is None):
        p, form = made.target, made.after
        for target, step in last.items():
            after = with_product(step.after, p, form)
            if target not in (p, *emitted) and after != step.after and not after.free_symbols & form.free_symbols:
                yield replace(_made(step, step.after, _Piece(NORMALIZED, f"written in {p}", after)), contributions=())


def in_reading_order(steps: Sequence[Step], results: Iterable[TypedSymbol]) -> tuple[Step, ...]:
    """The steps of the forward, then those of each result with what they need before them; zeros come first.

    >>> from lngen.derivation.simplify.trail import Trail
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, u, v, a, b = (RowSymbol(name) for name in ("x", "u", "v", "da", "db"))
    >>> trail = Trail()
    >>> for target, before, after in (u, None, x**2), (v, None, 2*x), (a, None, u + 1), (b, None, v), (u, x**2, x*x/1):
    ...     trail.derived("definition", target, before, after, "")
    >>> trail.derived("written out", a, u + 1, x**2 + 1, "")
    >>> [step.target for step in in_reading_order(trail.steps, [a, b])]
    [u, da, da, v, db]
    """
    forward = [step for step in steps if step.part == "forward"]
    rest = [step for step in steps if step.part != "forward"]
    of: dict[TypedSymbol, list[Step]] = {}
    for step in rest:
        of.setdefault(step.target, []).append(step)
    place = {symbol: number for number, symbol in enumerate(of)}
    zeros = [step.target for step in rest if step.before is not None and step.after == 0]
    found: list[Step] = []
    begun: set[TypedSymbol] = set()
    # Without recursion: a definition of many lines has values that need values a thousand deep.
    for root in (*zeros, *results, *of):
        stack = [iter([root])]
        pending: list[TypedSymbol | None] = [None]
        while stack:
            symbol = next(stack[-1], None)
            if symbol is None:
                stack.pop()
                done = pending.pop()
                found += of[done] if done is not None else ()
            elif symbol in of and symbol not in begun:
                begun.add(symbol)
                met = set().union(*(_speaks_of(step) for step in of[symbol])) & place.keys()
                stack.append(iter(sorted(met, key=place.__getitem__)))
                pending.append(symbol)
    return (*forward, *found)


def _speaks_of(step: Step) -> set[TypedSymbol]:
    return step.read.union(*(side.free_symbols for pair in step.uses for side in pair))


# ---- one idea a step


@dataclass(frozen=True)
class _Piece:
    rule: str
    reason: str
    after: Expr
    uses: Uses = ()


def _in_pieces(steps: Sequence[Step], known: KnownValues) -> Iterator[Step]:
    """The steps, those of one value being together, with substitutions and factoring told anew."""
    value: dict[TypedSymbol, Expr] = {}
    for (target, part), run in groupby(steps, key=lambda step: (step.target, step.part)):
        own = list(run)
        if own[0].rule == NORMALIZED and own[0].before is None:
            line = Equation(target, own[0].after)
            known = replace(known, lines=(*known.lines, line), shares=(*known.shares, target))
            yield from own
            continue
        told = own if part == "forward" else _told_anew(own, value, known)
        yield from told
        if part != "forward":
            value[target] = told[-1].after


def _told_anew(steps: list[Step], value: Mapping[TypedSymbol, Expr], known: KnownValues) -> list[Step]:
    """The steps of one value in pieces, or as they are where that does not end at the same line."""
    found: list[Step] = []
    for substitution, run in groupby(steps, key=_substitutes):
        own = list(run)
        if not substitution or own[0].before is None:
            for step in own:
                if step.rule == CANCELS and step.before is not None and step.after == 0:
                    found += _cancelling(step, value, known)
                    continue
                found += _going_on(found[-1], step, known) if found and step.before is not None else [step]
            continue
        line = found[-1].after if found else own[0].before
        for piece in _pieces(line, own[-1].after, value, known, ends=own[-1] is steps[-1]):
            if piece.after != line:
                found.append(_made(own[0], line, piece))
                line = piece.after
    return found if found[-1].after == steps[-1].after else steps


def _substitutes(step: Step) -> bool:
    """Test whether a step only substitutes names, or takes a factor out."""
    if step.rule == "common factors":
        return step.reason == "taken out of the sum"
    if step.rule == NORMALIZED:
        return len(step.uses) < 2
    return step.rule == "written out"


def _going_on(last: Step, step: Step, known: KnownValues) -> list[Step]:
    """A step from where the last one ended, which may have used already that a mean is zero."""
    if last.after == step.before:
        return [step]
    after = _shown(_means(step.after).xreplace(dict.fromkeys(known.zeros, sympy.S.Zero)))
    uses = tuple(pair for pair in step.uses if pair[0] not in known.zeros)
    return [] if after == last.after else [_made(step, last.after, _Piece(step.rule, step.reason, after, uses))]


def _made(like: Step, before: Expr, piece: _Piece) -> Step:
    return replace(
        like,
        rule=piece.rule,
        reason=piece.reason,
        uses=piece.uses,
        before=before,
        after=piece.after,
        operations_before=operation_count(before),
        operations_after=operation_count(piece.after),
    )


def _cancelling(step: Step, value: Mapping[TypedSymbol, Expr], known: KnownValues) -> Iterator[Step]:
    """Write out the gradient of a shift until it cancels."""
    line: Expr = step.before
    pieces = [*_put_in(line, sympy.S.Zero, value)]
    current = _means(pieces[-1].after if pieces else line)
    with suppress(TooManyTermsError), limited_work(None), limited_work(None, measure=NODES):
        pieces.append(_Piece("linearity", _APART, _shown(expand_linear(current))))
    last = pieces[-1].after if pieces else line
    ones = ((FeatureSum(p), sympy.S.One) for p in known.shares)
    uses = tuple(dict.fromkeys(pair for pair in (*step.uses, *ones) if last.has(pair[0])))
    for piece in (*pieces, _Piece(step.rule, step.reason, step.after, uses)):
        if piece.after != line:
            yield _made(step, line, piece)
            line = piece.after


def _pieces(
    line: Expr, goal: Expr, value: Mapping[TypedSymbol, Expr], known: KnownValues, *, ends: bool
) -> Iterator[_Piece]:
    """The way from one line to another, a name at a time, each by its last line."""
    current, zero, going = _means(line), False, True
    while going:
        going = False
        for piece in _put_in(current, goal, value, most=1):
            yield piece
            current, going = _means(piece.after), True
        met = set().union(*(mean.free_symbols for mean in current.atoms(Mean)))
        if not any(mean.free_symbols <= met for mean in known.zeros):
            continue
        with suppress(TooManyTermsError), limited_work(None), limited_work(None, measure=NODES):
            apart = split_means(current)
            if gone := sorted(apart.atoms(Mean) & known.zeros.keys(), key=str):
                yield _Piece("linearity", _APART, _shown(apart))
                zeros = dict.fromkeys(gone, sympy.S.Zero)
                current, zero = apart.xreplace(zeros), True
                yield _Piece(
                    "identities", _that_they_are_zero(apart, value, gone, known), _shown(current), (*zeros.items(),)
                )
    if _shown(current) != goal and (ends or not zero):
        yield from _last_pieces(_shown(current), goal, known)


def _that_they_are_zero(line: Expr, value: Collection[TypedSymbol], gone: Sequence[Expr], known: KnownValues) -> str:
    """Give the reason that means are zero, and the terms that vanish with them."""
    terms = [term for term in Add.make_args(line) if any(term.has(mean) for mean in gone)]
    lost = sorted({s.name for term in terms for s in term.free_symbols if s in value})
    why = "; ".join(known.zeros[mean] for mean in gone)
    return f"{why}: the term with {' and '.join(lost)} is zero" if lost else why


def _put_in(line: Expr, goal: Expr, value: Mapping[TypedSymbol, Expr], most: int = _MOST_NAMES) -> Iterator[_Piece]:
    """Names that a goal does not have put in, one by one, the last told first; one for another name goes along."""
    current, kept = _means(line), goal.free_symbols
    place = {symbol: number for number, symbol in enumerate(value)}
    for _ in range(most):
        met = (current.free_symbols & value.keys()) - kept
        if not met or _shown(current) == goal or tree_size(current, _LONGEST_LINE) > _LONGEST_LINE:
            return
        name = max(met, key=place.__getitem__)
        written, along = _means(value[name]), [name]
        while trivial := [s for s in written.free_symbols & value.keys() - kept if _is_a_name(value[s])]:
            along += sorted(trivial, key=str)
            written = written.xreplace({s: _means(value[s]) for s in trivial})
        current = _numbers_out(current.xreplace({name: written}))
        yield _Piece("written out", f"substitute {' and '.join(s.name for s in along)}", _shown(current))


def _last_pieces(line: Expr, goal: Expr, known: KnownValues) -> Iterator[_Piece]:
    """Take the last steps, after all substitutions: numbers of the row leave the means first."""
    wanted = _sums(goal)
    if _sums(line) != wanted:
        with suppress(TooManyTermsError), limited_work(None), limited_work(None, measure=NODES):
            apart = _shown(split_means(_means(line)))
            if len(_sums(apart) ^ wanted) < len(_sums(line) ^ wanted):
                yield _Piece("linearity", _APART, apart)
                line = apart
    if line != goal:
        yield _last_piece(line, goal, known)


def _last_piece(line: Expr, goal: Expr, known: KnownValues) -> _Piece:
    """A step to the last line, by what changes in it."""
    new = {s for s in goal.free_symbols if goal.count(s) > line.count(s) and is_row(s)}
    uses = tuple((q.symbol, _shown(q.expression)) for q in known.lines if q.symbol in new)
    if new & set(known.shares):
        return _Piece(NORMALIZED, f"written in {' and '.join(str(s) for s, _ in uses)}", goal, uses)
    if uses:
        return _Piece(
            "known scaled row", f"{' and '.join(str(s) for s, _ in uses)} is known from the forward", goal, uses
        )
    if _sums(line) == _sums(goal) and operation_count(goal) < operation_count(line):
        return _Piece("common factors", "taken out of the sum", goal)
    return _Piece("written out", "terms collected", goal)


def _sums(e: Expr) -> set[Expr]:
    return set(e.atoms(Mean, FeatureSum))


def _is_a_name(e: Expr) -> bool:
    """Test whether a value is another one, up to the sign."""
    return isinstance(e, TypedSymbol) or isinstance(-e, TypedSymbol)


def _numbers_out(e: Expr) -> Expr:
    """Means of a number times a row as the number times the mean."""

    def out(body: Expr) -> Expr:
        number, rest = body.as_coeff_Mul()
        if number == 1 and isinstance(body, Add) and all(term.as_coeff_Mul()[0].is_negative for term in body.args):
            number, rest = sympy.S.NegativeOne, -body
        return number * Mean(rest)

    return e.replace(Mean, out)


def _means(e: Expr) -> Expr:
    """Sums as rules work on them: multiples of means."""
    return e.replace(FeatureSum, lambda body: D * Mean(body))


def _shown(e: Expr) -> Expr:
    return _every_sum(show_sums(whole(e)))


def _every_sum(e: Expr) -> Expr:
    """An expression with sums in the place of means where a product has a power of D for them."""

    def in_sums(product: Expr) -> Expr:
        means = [factor for factor in product.args if isinstance(factor, Mean)]
        power = product.as_powers_dict().get(D, sympy.S.Zero)
        while means and power.is_Integer and power > 0:
            mean, power = means.pop(), power - 1
            product = product / mean / D * FeatureSum(mean.args[0])
        return product

    spared = D not in e.free_symbols or not e.atoms(Mean)
    return e if spared else e.replace(lambda part: isinstance(part, Mul) and D in part.free_symbols, in_sums)
