"""Inline values that are used once, and remove aliases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import AttainsFirst, TypedSymbol, is_row, operation_count
from lngen.derivation.rules.basis import cost
from lngen.derivation.rules.linearity import reductions_in, tree_size
from lngen.derivation.trail import Trail

_LONGEST = 150
"""The nodes of a cotangent that is written out; the longest of any layer that was looked at has 60."""


def inlined(
    equations: tuple[Equation, ...],
    merged: Callable[[Equation, Equation, Expr], Expr | None],
    *,
    last_first: bool = False,
) -> tuple[Equation, ...]:
    """Equations without those that one line alone reads, where `merged` has another right-hand side for that line.

    It is asked once about a value: with it, its reader, and the reader's right-hand side with the value in it.

    >>> import sympy
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, u, y = (RowSymbol(name) for name in ("x", "u", "y"))
    >>> given = (Equation(u, 2 * x), Equation(y, sympy.tanh(u)))
    >>> [(q.symbol, q.expression) for q in inlined(given, lambda value, reader, written: written)]
    [(y, tanh(2*x))]
    """
    asked: set[TypedSymbol] = set()
    while True:
        for value, reader in _with_one_reader(equations, last_first):
            if value.symbol not in asked:
                asked.add(value.symbol)
                written = merged(value, reader, reader.expression.xreplace({value.symbol: value.expression}))
                if written is not None:
                    kept = (q for q in equations if q is not value)
                    equations = tuple(replace(q, expression=written) if q is reader else q for q in kept)
                    break
        else:
            return equations


def joined(
    equations: tuple[Equation, ...],
    results: Collection[TypedSymbol],
    forms: Callable[[Equation, Equation, Expr], Iterable[Expr]],
    trail: Trail,
    *,
    last_first: bool = False,
) -> tuple[Equation, ...]:
    """Equations in which a row that one line alone reads is written out there, if that makes the whole no longer.

    `forms` are those of both lines in one, given the row, its reader, and the reader's right-hand side with the row
    written out. Of these the shortest is taken.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> from lngen.derivation.rules.factors import common_factors
    >>> x, z, g, u, y = (RowSymbol(name) for name in ("x", "z", "g", "u", "y"))
    >>> given = (Equation(u, g*x), Equation(y, u + g*z))
    >>> for q in joined(given, [y], lambda value, reader, written: [written, common_factors(written)], Trail()):
    ...     print(q.symbol, "=", q.expression)
    y = g*(x + z)
    """

    def merged(value: Equation, reader: Equation, written: Expr) -> Expr | None:
        stays = value.symbol in results or not is_row(value.symbol) or isinstance(value.expression, AttainsFirst)
        if stays or too_long(written):
            return None
        shortest = min(forms(value, reader, written), key=cost, default=None)
        apart = (value.expression, reader.expression)
        if (
            shortest is None
            or operation_count(shortest) > sum(map(operation_count, apart))
            or reductions_in(shortest) > sum(map(reductions_in, apart))
        ):
            return None
        reason = f"{value.symbol.name} is used only here"
        trail.derived("written out", reader.symbol, reader.expression, shortest, reason)
        return shortest

    return inlined(equations, merged, last_first=last_first)


def _with_one_reader(equations: tuple[Equation, ...], last_first: bool) -> Iterable[tuple[Equation, Equation]]:
    readers: dict[TypedSymbol, list[Equation]] = {}
    for reader in equations:
        for symbol in _symbols(reader.expression):
            readers.setdefault(symbol, []).append(reader)
    for value in reversed(equations) if last_first else equations:
        if len(found := readers.get(value.symbol, [])) == 1:
            yield value, found[0]


@lru_cache(maxsize=10_000)
def _symbols(expression: Expr) -> frozenset[TypedSymbol]:
    return frozenset(expression.free_symbols)


def too_long(expression: Expr) -> bool:
    """Test whether an expression is too long to be written out."""
    return tree_size(expression, _LONGEST) > _LONGEST


def under_names_of_results(
    equations: tuple[Equation, ...], results: Collection[TypedSymbol]
) -> tuple[dict[TypedSymbol, TypedSymbol], tuple[Equation, ...]]:
    """A result that is only another name for a value takes that value's place; a second one refers to the first.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> g, x, dx, dr = (RowSymbol(name) for name in ("g", "x", "dx", "dr"))
    >>> rename, equations = under_names_of_results((Equation(g, 2*x), Equation(dx, g), Equation(dr, g)), [dx, dr])
    >>> rename, [(q.symbol, q.expression) for q in equations]
    ({g: dx}, [(dx, 2*x), (dr, dx)])
    """
    own = {q.symbol for q in equations} - set(results)
    rename: dict[TypedSymbol, TypedSymbol] = {}
    for equation in equations:
        value = equation.expression
        if equation.symbol in results and value in own and type(value) is type(equation.symbol):
            rename.setdefault(value, equation.symbol)
    return rename, with_symbols(tuple(q for q in equations if rename.get(q.expression) != q.symbol), rename)


def with_symbols(equations: tuple[Equation, ...], names: Mapping[TypedSymbol, TypedSymbol]) -> tuple[Equation, ...]:
    """Equations with symbols under other names."""
    return tuple(
        replace(q, symbol=names.get(q.symbol, q.symbol), expression=q.expression.xreplace(names)) for q in equations
    )
