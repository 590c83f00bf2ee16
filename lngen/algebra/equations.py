"""Equations: what a derivation consists of, and how its values are called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from sympy import Expr, Symbol

from lngen.algebra.symbols import D, Mean, Reduction, TypedSymbol, renamed, symbol_like
from lngen.language.definition import Input
from lngen.language.names import cotangent, derived, fault, numbered, tangent


@dataclass(frozen=True)
class Equation:
    """`symbol = expression`.

    `named` tells whether the name is the user's own; `stopped` that no gradient flows through, because the results do
    not depend on the value (a shift that cancels) or because the user said so.
    """

    symbol: TypedSymbol
    expression: Expr
    named: bool = False
    stopped: bool = False

    @property
    def reduction(self) -> Reduction | None:
        """The reduction this equation is, if it is one: `Mean(body)`, or `D*Mean(body)`, which is a sum."""
        if isinstance(self.expression, Reduction):
            return self.expression
        mean = self.expression / D
        return mean if isinstance(mean, Mean) else None


@dataclass(frozen=True)
class Forward:
    """A forward definition as equations, in an order in which each uses only earlier ones.

    `spoken_for` are names that nothing new may have, besides those of the equations: what the definition calls its
    values, also those that a rule has done away with. A proof has the values of the definition beside all others.
    `again` are values that have a gradient already, in a forward that holds it: their next is of the second order.
    """

    layer: str
    inputs: tuple[Input, ...]
    symbols: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[TypedSymbol, ...]
    spoken_for: tuple[str, ...] = ()
    again: tuple[TypedSymbol, ...] = ()

    def cotangent(self, symbol: TypedSymbol) -> TypedSymbol:
        """The gradient or the cotangent of a value: it varies over what the value varies over."""
        return symbol_like(cotangent(symbol.name, again=symbol in self.again), symbol)

    @property
    def differentiable(self) -> tuple[TypedSymbol, ...]:
        """The symbols of all inputs that have a gradient."""
        return tuple(s for entry, s in zip(self.inputs, self.symbols, strict=True) if entry.kind.has_gradient)


def tangent_symbol(symbol: TypedSymbol) -> TypedSymbol:
    """`x_dot` for `x`."""
    return symbol_like(tangent(symbol.name), symbol)


class Names:
    """Hands out names that are not taken and that a definition could have used (`lngen.language.names`).

    >>> names = Names(["x", "mu"])
    >>> names.fresh("mu"), names.fresh("mu"), names.fresh("rstd"), names.fresh("mean")
    ('mu_2', 'mu_3', 'rstd', 'mean_2')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    @classmethod
    def of(cls, forward: Forward, others: Iterable[Assigned] = ()) -> Names:
        """The names that a forward and other lines take, and those of the gradients and cotangents of its ends."""
        ends = [symbol.name for symbol in (*forward.symbols, *forward.outputs)]
        own = (equation.symbol.name for equation in (*forward.equations, *others))
        return cls({*ends, *own, *forward.spoken_for}.union(*map(derived, ends)))

    def take(self, name: str) -> None:
        """Note a name that is in use."""
        self._taken.add(name)

    def fresh(self, wanted: str) -> str:
        """`wanted`, or `wanted_2`, `wanted_3`, ... where it is taken, or a reserved word; a long one is cut.

        The word of `index()` is made a name.
        """
        name = numbered(wanted.replace("()", ""), lambda name: name in self._taken or fault(name) is not None)
        self._taken.add(name)
        return name


ATOM = "g"
"""Name of a cotangent that others are written in; there may be several."""


def atoms_numbered(symbols: Iterable[TypedSymbol], names: Names) -> dict[TypedSymbol, TypedSymbol]:
    """Number the symbols that are called `ATOM` in their order; names in `names` are taken.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> atoms_numbered([RowSymbol(name) for name in ("g_4", "u_2", "g_2")], Names(["u"]))
    {g_4: g, g_2: g_2}
    """
    atoms = [symbol for symbol in dict.fromkeys(symbols) if re.fullmatch(rf"{ATOM}(_\d+)?", symbol.name)]
    return {symbol: renamed(symbol, names.fresh(ATOM)) for symbol in atoms}


class Assigned(Protocol):
    """A dataclass that gives a symbol a value: an equation, a line of a program."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def symbol(self) -> TypedSymbol: ...
    @property
    def expression(self) -> Expr: ...


def read_by(lines: Iterable[Assigned]) -> set[TypedSymbol]:
    """The symbols that lines read."""
    return {symbol for line in lines for symbol in line.expression.free_symbols}


AnyAssigned = TypeVar("AnyAssigned", bound=Assigned)


def leading_to(symbols: Iterable[Symbol], lines: Iterable[AnyAssigned]) -> tuple[AnyAssigned, ...]:
    """Return the lines that lead to the symbols, in order.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> a, b, c, x = (RowSymbol(name) for name in "abcx")
    >>> [q.symbol for q in leading_to([b], [Equation(a, x), Equation(b, a), Equation(c, a)])]
    [a, b]
    """
    read = set(symbols)
    found: list[AnyAssigned] = []
    for line in reversed(tuple(lines)):
        if line.symbol in read:
            found.append(line)
            read |= line.expression.free_symbols
    return tuple(reversed(found))


def in_order(equations: Iterable[Equation]) -> tuple[Equation, ...] | None:
    """Return each equation after those that it uses, otherwise in the given order; None if that cannot be.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> a, b, x = (RowSymbol(name) for name in "abx")
    >>> [q.symbol for q in in_order([Equation(b, a), Equation(a, x)])], in_order([Equation(b, a), Equation(a, b)])
    ([a, b], None)
    """
    pending, result = list(equations), []
    symbols = {equation.symbol for equation in pending}
    while pending:
        ready = next((q for q in pending if q.expression.free_symbols.isdisjoint(symbols)), None)
        if ready is None:
            return None
        pending.remove(ready)
        symbols.discard(ready.symbol)
        result.append(ready)
    return tuple(result)
