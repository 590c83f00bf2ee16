"""Names in emitted functions: a symbol of a program keeps its name, unless the emitted code uses that name itself."""

from __future__ import annotations

from collections.abc import Container, Iterable

from lngen.emit.numpy.graph import IN_PLACE, REDUCTIONS, ArrayValue
from lngen.emit.numpy.operations import Schedule
from lngen.plan.presence import Condition
from lngen.plan.program import RowProgram

RESERVED = frozenset(
    {"np", "_blocks", "_casts", "_functions", "_random", "_rows", "values", "arguments", "fields", "results", "call"}
    | {"shape", "dtype", "features", "far_from", "one_over_D", "ones", "block", "buffers", "row_scalar_buffers"}
)
"""Names that emitted functions use for themselves."""


class LocalNames:
    """Names of one function, no two alike.

    >>> names = LocalNames(["x", "x_rows", "call"])
    >>> [names.own(each) for each in ("x", "x_rows", "call")], names.with_suffix("x", "rows")
    (['x', 'x_rows', 'call_'], 'x_rows_2')
    >>> names.internal("part"), names.internal("part")
    ('part', 'part_2')
    """

    def __init__(self, own: Iterable[str]) -> None:
        self._taken = set(RESERVED)
        self._own: dict[str, str] = {}
        self._composed: dict[tuple[str, str], str] = {}
        for name in own:
            self.own(name)

    def own(self, name: str) -> str:
        """The name of a symbol; no symbol's name ends with an underscore."""
        if name not in self._own:
            self._own[name] = self.internal(name if name not in RESERVED else f"{name}_")
        return self._own[name]

    def with_suffix(self, name: str, suffix: str) -> str:
        """A name for the memory of a symbol, or for its argument: `x_rows`."""
        if (name, suffix) not in self._composed:
            self._composed[name, suffix] = self.internal(f"{self.own(name)}_{suffix}")
        return self._composed[name, suffix]

    def internal(self, name: str) -> str:
        """A name for a value that the emitted code adds, with a number after it if it is taken."""
        spelled, number = name, 1
        while spelled in self._taken:
            number += 1
            spelled = f"{name}_{number}"
        self._taken.add(spelled)
        return spelled

    def parameter(self, name: str, is_row: bool) -> str:
        """The variable of an argument: what varies over rows is taken block by block under the symbol's own name."""
        return self.with_suffix(name, "rows") if is_row else self.own(name)


def names_of(program: RowProgram, results: Iterable[str]) -> LocalNames:
    """The names of a function for a program, which makes these results."""
    given = [*(row.name for row in program.rows), *(parameter.name for parameter in program.parameters)]
    given += [row.symbol.name for row in program.random]
    made = [line.symbol.name for line in program.lines()] + [symbol.name for symbol in program.saved]
    return LocalNames([*given, *made, *results])


def variables(schedule: Schedule, need: list[Condition], names: LocalNames, inside: Container[int] = ()) -> list[str]:
    """A variable for each node: the derivation's name; for part of a line that line's name, or `part`.

    Nodes `inside` another's expression have none. A line builds up its value under one name: along the first operand
    that is unnamed and that nothing else reads. A result is written out under its own name, unless that is the name of
    what it is written out of, which is read on.
    """
    nodes = schedule.graph.nodes
    found = [""] * len(nodes)
    given = [(node.name, node.index) for node in nodes if node.operation in ("load", "total")]
    for name, index in (*given, *schedule.names.items()):
        found[index] = found[index] or names.own(name)
    for node in nodes:
        if node.operation in IN_PLACE:
            found[node.operands[0]] = found[node.operands[0]] or found[node.index]
    users = schedule.graph.readers()
    for node in nodes:
        numbers = node.cases_of(lambda value: not isinstance(value, ArrayValue))
        if node.operation == "load" and need[node.index] & numbers:
            found[node.index] = names.internal(f"{found[node.index]}_value")
    results = {*schedule.results.values()}
    for node in nodes:
        if node.operation == "result":
            of = nodes[node.operands[0]]
            alone = users[of.index] == [node.index] and of.operation not in ("load", "number")
            # Two results have two names, as one of them may be None. And a function of a block that assigns a name has
            # no other value of that name from around it.
            alone = alone and of.index not in results and (node.phase != "block" or of.phase == "block")
            own = names.own(node.name)
            apart = own if own not in found else names.internal(f"{own}_result")
            found[node.index] = found[of.index] if alone else apart
    grows_into = list(range(len(nodes)))
    for node in reversed(nodes):
        if node.operation in REDUCTIONS | IN_PLACE or node.operation in ("total", "residual"):
            continue
        for operand in node.operands:
            inner = nodes[operand]
            alone = users[operand] == [node.index] and operand not in results and not found[operand]
            same = (inner.phase, inner.boolean, inner.axes) == (node.phase, node.boolean, node.axes)
            same = same and inner.integer == node.integer
            if alone and same and inner.operation != "number":
                grows_into[operand] = grows_into[node.index]
                if node.operation != "either":
                    break
    for node in nodes:
        whole = grows_into[node.index]
        if not found[whole] and node.operation != "number" and node.index not in inside:
            found[whole] = names.internal("mask" if node.boolean else "index" if node.operation == "index" else "part")
        found[node.index] = found[whole]
    return found
